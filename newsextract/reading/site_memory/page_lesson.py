"""What one page teaches about its site: small enough to be kept until the memory is saved, and learned again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.urls.clean_urls import url_key
from newsextract.page.urls.url_parts import split_url
from newsextract.reading.metadata.site_places import path_of
from newsextract.reading.metadata.text_folding import fold
from newsextract.reading.site_memory.block_fingerprints import fingerprint, key_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from newsextract.page.blocks import Block, Outline
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata import Metadata
    from newsextract.reading.site_memory.block_fingerprints import Fingerprints

    Floats = NDArray[np.float32]

_SECTIONS = 2
"""Parts of a URL's path that make its shape; the last part is always left out."""
_MAX_TITLE_CHARS = 500


@dataclass(frozen=True, slots=True)
class Sighting:
    """A page as its site's memory sees it, before anything is extracted."""

    page_key: int
    shape: str
    """The URL without what varies from article to article: pages of one shape tend to have one layout."""
    prints: Fingerprints


@dataclass(frozen=True, slots=True)
class Lesson:
    """A page after it has been read."""

    sighting: Sighting
    kept: Floats
    """For each block the probability that it is the article's, judged by the page alone; NaN where not judged."""
    is_judged: bool
    """Whether a classifier gave these; otherwise 1 marks what an extractor kept and 0 the rest."""
    title: str = ""
    places: dict[str, str] = field(default_factory=dict)
    """The places of the `body`, the `date` and the `author`, of those that were found."""


def sight(page: Page) -> Sighting:
    """Return what a site's memory recognises a page by."""
    prints = fingerprint(page.outline)
    key = key_of(url_key(page.url)) if page.url else prints.content
    return Sighting(key, shape_of(page.url), prints)


def shape_of(url: str | None) -> str:
    """Return the part of a URL that articles of one kind share.

    >>> shape_of("https://a.example/news/2024/05/rain-in-spain.html"), shape_of("https://a.example/news/2031/12/sun.html")
    ('/news/0', '/news/0')
    >>> shape_of("https://a.example/rain"), shape_of(None)
    ('/', '')
    """
    if not url:
        return ""
    parts = [part for part in split_url(url).path.split("/")[:-1] if part]
    return "/" + "/".join("0" if part.isdecimal() else part[:40] for part in parts[:_SECTIONS])


def teach(page: Page, sighting: Sighting, extraction: Extraction, metadata: Metadata | None = None) -> Lesson:
    """Return what a page teaches, given what was found on it."""
    outline = page.outline
    kept, is_judged = _kept(outline, extraction), extraction.likelihoods is not None
    title = fold(page.tree.findtext(".//title") or "")[:_MAX_TITLE_CHARS]
    return Lesson(sighting, kept, is_judged, title, _places(outline, extraction, metadata))


def _kept(outline: Outline, extraction: Extraction) -> Floats:
    if extraction.likelihoods is not None:
        return extraction.likelihoods.astype(np.float32)
    kept = np.zeros(len(outline.table.texts), np.float32)
    starts = [block.start for block in extraction.blocks if _is_of(block, outline)]
    kept[np.isin(outline.table.starts, starts)] = 1
    return kept


def _is_of(block: Block, outline: Outline) -> bool:
    """Tell whether a block is the page's, masked or not, rather than a block made from its JSON-LD."""
    return block.outline.elements is outline.elements


def _places(outline: Outline, extraction: Extraction, metadata: Metadata | None) -> dict[str, str]:
    places = {}
    if body := _container(outline, extraction):
        places["body"] = body
    if metadata is not None:
        author = metadata.authors[0].nameRaw or metadata.authors[0].name if metadata.authors else None
        for name, text in (("date", metadata.datePublishedRaw), ("author", author)):
            if text and (place := _place_of(outline, text)):
                places[name] = place
    return places


def _container(outline: Outline, extraction: Extraction) -> str:
    """Return the place of the element that directly holds the most of what was kept."""
    starts = [block.start for block in extraction.blocks if _is_of(block, outline)]
    if not starts:
        return ""
    numbers = np.minimum(outline.table.starts.searchsorted(starts), len(outline.table.starts) - 1)
    parents = outline.arrays.parents[outline.table.owners[numbers]]
    sizes = [len(outline.table.texts[number]) for number in numbers.tolist()]
    return path_of(outline, int(np.bincount(np.maximum(parents, 0), sizes).argmax()))


def _place_of(outline: Outline, text: str) -> str:
    """Return the place of the first block that holds this text and little more."""
    found = (n for n, known in enumerate(outline.table.texts) if text in known)
    number = next(found, -1)
    return path_of(outline, int(outline.table.owners[number])) if number >= 0 else ""
