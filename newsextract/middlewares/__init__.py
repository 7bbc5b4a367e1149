"""Scrapy middlewares."""
