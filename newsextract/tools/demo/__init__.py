"""A newsroom to practise on: three made-up news sites, served on loopback, and the truth about them.

It imports nothing from the rest of newsextract, so that whatever reads its sites is judged by a stranger.
"""

from __future__ import annotations

from newsextract.tools.demo.demo_server import serve
from newsextract.tools.demo.newsroom import DemoNewsroom, DemoSite, build_newsroom
from newsextract.tools.demo.truth import DemoArticle

__all__ = ["DemoArticle", "DemoNewsroom", "DemoSite", "build_newsroom", "serve"]
