"""Stores articles as rows, and keeps pages as they were fetched."""
