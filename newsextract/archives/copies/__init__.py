"""Copies over a whole run: exact and near duplicates, found when all files are read, and flagged in their tables.

In: a print of every article, written beside the tables. Out: for each copy, the record of its original.
"""
