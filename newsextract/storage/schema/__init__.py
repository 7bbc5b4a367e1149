"""The tables, their column types, and the full-text index."""
