"""URLs: their clean form, their parts, whether they look like an article's, and the links of a page."""
