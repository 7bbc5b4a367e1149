"""newsextract turns news pages into clean articles."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from newsextract import former_paths

if TYPE_CHECKING:
    from newsextract.article import Article
    from newsextract.page.blocks import Block
    from newsextract.page.page import Page
    from newsextract.reading.article_reader import extract, read_article
    from newsextract.reading.extraction.contract import Extraction, create_extractor, extractor_names, register

__all__ = [
    "Article",
    "Block",
    "Extraction",
    "Page",
    "create_extractor",
    "extract",
    "extractor_names",
    "read_article",
    "register",
]

_HOMES = {
    "Article": "article",
    "Block": "page.blocks",
    "Extraction": "reading.extraction.contract",
    "Page": "page.page",
    "create_extractor": "reading.extraction.contract",
    "extract": "reading.article_reader",
    "extractor_names": "reading.extraction.contract",
    "read_article": "reading.article_reader",
    "register": "reading.extraction.contract",
}
"""The module of each public name; it is imported when the name is first used."""

_ROOMS = ("article", "page", "reading")
"""What `import newsextract` had imported before names were imported on first use."""

former_paths.install()


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
