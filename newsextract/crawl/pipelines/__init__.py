"""The steps from a page to a stored article, one per file."""
