"""Scrapy extensions: the records, politeness and reports of a crawl."""
