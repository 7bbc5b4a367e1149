"""The way of a page to a stored article, a step a file."""
