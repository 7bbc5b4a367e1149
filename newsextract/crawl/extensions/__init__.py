"""Scrapy extensions: the books, manners and reports of a crawl."""
