"""The demo newsroom: three made-up news sites, served on loopback, and the truth about their articles.

In: a seed and the time of day. Out: three HTTP servers, and what a perfect extractor would return for each article.

It imports nothing from the rest of newsextract, so that the code under test cannot influence what it is tested with.
"""

from __future__ import annotations

from newsextract.tools.demo.demo_server import serve
from newsextract.tools.demo.demo_stories import DemoArticle
from newsextract.tools.demo.newsroom import DemoNewsroom, DemoSite, build_newsroom

__all__ = ["DemoArticle", "DemoNewsroom", "DemoSite", "build_newsroom", "serve"]
