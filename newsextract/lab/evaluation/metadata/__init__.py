"""Evaluate metadata: headline, dates, authors and page kinds against annotations."""
