"""The commands that newsextract adds to `scrapy`."""
