"""Dates: found, read in the languages of the press, and judged."""
