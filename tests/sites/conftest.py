"""The fixture of tests that fetch from loopback."""

from __future__ import annotations

from tests.scrapy_runs import tiny_web

__all__ = ["tiny_web"]
