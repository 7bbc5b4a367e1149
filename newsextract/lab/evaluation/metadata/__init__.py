"""Metadata before the judge: headline, dates, authors and page kinds against annotations."""
