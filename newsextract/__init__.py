"""newsextract turns news pages into clean articles."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from newsextract.article import Article
    from newsextract.page.blocks import Block
    from newsextract.page.page import Page, PageError
    from newsextract.reading.extraction.contract import Extraction, create_extractor, extractor_names, register
    from newsextract.reading.extraction_options import ExtractionOptions
    from newsextract.reading.reader import extract, read_article
    from newsextract.sites.fetching import FetchError, fetch_article

    __version__: str

__all__ = [
    "Article",
    "Block",
    "Extraction",
    "ExtractionOptions",
    "FetchError",
    "Page",
    "PageError",
    "__version__",
    "create_extractor",
    "extract",
    "extractor_names",
    "fetch_article",
    "read_article",
    "register",
]

_HOMES = {
    "Article": "article",
    "Block": "page.blocks",
    "Extraction": "reading.extraction.contract",
    "ExtractionOptions": "reading.extraction_options",
    "FetchError": "sites.fetching",
    "Page": "page.page",
    "PageError": "page.page",
    "create_extractor": "reading.extraction.contract",
    "extract": "reading.reader",
    "extractor_names": "reading.extraction.contract",
    "fetch_article": "sites.fetching",
    "read_article": "reading.reader",
    "register": "reading.extraction.contract",
}
"""The module of each public name; it is imported when the name is first used."""

_ROOMS = ("article", "page", "reading")
"""What `import newsextract` had imported before names were imported on first use."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found


def _version() -> str:
    """Return the version of the installed package, `0+unknown` if it runs from a folder that nobody installed."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow, and rarely asked for

    try:
        return version(__name__)
    except PackageNotFoundError:
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted(__all__)
