"""The Scrapy side: spiders, pipelines, middlewares and extensions, and the workers that read pages beside the reactor.

In: Scrapy's settings, requests and responses. Out: `Article` items, rows, and the state in which every page ended.
"""
