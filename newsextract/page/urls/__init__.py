"""What a URL says by itself: its clean form, its parts, whether it looks like an article, and the links of a page."""
