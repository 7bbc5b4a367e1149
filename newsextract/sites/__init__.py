"""What is known about one site: its addresses, sitemaps, feeds and links, as values and pure functions."""
