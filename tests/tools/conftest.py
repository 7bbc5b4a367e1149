"""The fixtures of tests that crawl."""

from __future__ import annotations

from tests.scrapy_runs import crawl, scrapy, tiny_web

__all__ = ["crawl", "scrapy", "tiny_web"]
