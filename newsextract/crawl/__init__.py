"""The Scrapy side: spiders, pipelines, middlewares and extensions, and the workers that read pages beside the reactor.

In: Scrapy's settings, requests and responses. Out: `Article` items, rows, and the state in which every page ended.
"""

from __future__ import annotations

from importlib.util import find_spec

from newsextract.terminal import EXTRAS

for _name in (name for name, extra in EXTRAS.items() if extra == "crawl" and find_spec(name) is None):
    raise ModuleNotFoundError(f"{_name} is not installed: pip install 'newsextract[crawl]'", name=_name)
