"""Turn the pages of annotated corpora into examples for the block classifier, with a label for each block."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit
from zlib import crc32

import numpy as np

from newsextract.evaluation.contest import source_text
from newsextract.evaluation.corpora import BadRecord, read_corpus
from newsextract.evaluation.measures import Text, is_judgeable
from newsextract.page.page import Page, PageError
from newsextract.reading.extraction.block_classifier.features import describe
from newsextract.reading.extraction.block_classifier.names import NameScores
from training.block_labels import Bags, bags_of, snippet_labels, text_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from lxml.html import HtmlElement
    from numpy.typing import NDArray
    from tldextract import TLDExtract

    from newsextract.evaluation.corpora import GoldPage
    from newsextract.reading.extraction.block_classifier.features import Described

    Floats = NDArray[np.float64]

VALIDATION = frozenset(("chaos",))
"""Corpora that are never trained on."""

_PORTALS = {
    "hexun": "hexun.com",
    "jjgc": "eeo.com.cn",
    "people": "people.com.cn",
    "sina": "sina.com.cn",
    "xinhua": "xinhuanet.com",
}
"""The hosts of the portals in `xmu`; other corpora have pages of them too."""
_NAMING = ("class", "id", "itemprop")
_SNIPPET_WORDS = 300
"""The assumed length of an article if only snippets of it are known."""
_FLOOR = 0.003
"""Added to every block's weight, where the whole article weighs 1: short blocks matter little, but are many."""
_ROUTINE = 0.02
"""Blocks that weigh less and are not content are all alike: every sixth is trained on, for all."""
_THINNING = 6
_OTHER_PAGES = 0.5
"""Weight of a page that is not an article: a forum, a product."""
_CONTENT = 0.3


@dataclass(frozen=True, slots=True)
class CorpusPage:
    """The common part of the examples of blocks and of whole pages."""

    corpus: str
    id: str
    site: str
    language: str

    @property
    def column(self) -> str:
        """The column of the page in the table of results."""
        return f"{self.corpus} {self.language}" if self.corpus == "daniel" else self.corpus

    def fold(self, count: int, salt: str = "") -> int:
        """Return the site's fold out of `folds`, the same on every machine."""
        return crc32(f"{salt}{self.site}".encode()) % count


@dataclass(frozen=True, slots=True)
class Example(CorpusPage):
    """A page, with the label of each of its N blocks: the share of it that is the article's, or `UNKNOWN`."""

    is_article: bool
    described: Described
    """The described blocks, with naming attributes in place of elements."""
    labels: Floats
    words: NDArray[np.int64]
    bags: Bags | None = None
    """The words of blocks and gold, if the full text is known."""
    is_judgeable: bool = True
    texts: tuple[str, ...] = ()
    """The texts of the blocks, if only snippets are known."""
    includes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()

    @property
    def is_trained_on(self) -> bool:
        """Whether the page may be trained on."""
        return self.corpus not in VALIDATION and (self.bags is None or self.is_judgeable)

    def sample(self) -> tuple[NDArray[np.intp], Floats]:
        """Return the blocks to train on, and their weights: their words relative to the article's."""
        size = int(self.bags.gold.sum()) if self.bags else _SNIPPET_WORDS
        weights = np.minimum(self.words / max(size, 30), 1) + _FLOOR
        weights *= self.labels >= 0
        weights /= max(weights.sum(), 1)
        weights *= 1 if self.is_article else _OTHER_PAGES
        is_routine = (weights < _ROUTINE) & (self.labels <= _CONTENT)
        turn = np.arange(len(weights)) % _THINNING == crc32(self.id.encode()) % _THINNING
        chosen = (weights > 0) & (~is_routine | turn)
        return chosen.nonzero()[0], (weights * np.where(is_routine, _THINNING, 1))[chosen]


def read_examples(paths: Sequence[Path], processes: int) -> list[Example]:
    """Return the examples of all corpora, in order."""
    with get_context("fork").Pool(processes) as pool:
        found = pool.imap(_example, (gold for gold in gold_pages(paths) if gold.text or gold.includes), chunksize=8)
        return [_interned(example) for example in found if example is not None]


def gold_pages(paths: Sequence[Path]) -> Iterator[GoldPage]:
    """Yield the readable pages of some corpora."""
    for path in paths:
        yield from (record for record in read_corpus(path) if not isinstance(record, BadRecord))


def _example(gold: GoldPage) -> Example | None:
    """Return the example of a page; `None` if it has no blocks."""
    try:
        page = Page(gold.html, gold.url)
        if not page.outline.table.texts:
            return None
    except PageError:
        return None
    described = describe(page, NameScores({}))
    seen, texts = described.layout.numbers, described.layout.texts
    example = Example(
        gold.corpus,
        gold.id,
        site_of(gold),
        gold.language or "",
        gold.page_type in (None, "article"),
        _stripped(described),
        snippet_labels(texts, gold.includes, gold.excludes)
        if gold.text is None
        else text_labels(page.outline.table.texts, gold.text)[seen],
        np.array([len(text.split()) for text in texts]),
    )
    if gold.text is None:
        return replace(example, texts=tuple(texts), includes=gold.includes, excludes=gold.excludes)
    bags = bags_of(texts, gold.text)
    is_fair = is_judgeable(Text(gold.text), Text(source_text(page)))
    return replace(example, words=bags.counts, bags=bags, is_judgeable=is_fair)


def site_of(gold: GoldPage) -> str:
    """Return the registered domain: `news.example.com` and `example.com` are one site, blogs of one host are not."""
    site = gold.site or gold.url or gold.id
    host = (urlsplit(site).hostname if "//" in site else site) or site
    host = _PORTALS.get(host, host).lower()
    return _domains()(host).top_domain_under_public_suffix or host


@cache
def _domains() -> TLDExtract:
    from tldextract import TLDExtract  # noqa: PLC0415 - of the extra `train`

    # The list of suffixes comes with the package: training makes no requests.
    return TLDExtract(suffix_list_urls=(), include_psl_private_domains=True, cache_dir=None)


def _stripped(described: Described) -> Described:
    """Return the features with what is needed to compute them for other name scores, without the tree."""
    layout = described.layout
    elements = [_naming(element) for element in layout.elements]
    inline = [(block, _naming(element)) for block, element in layout.inline]
    stripped = replace(layout, elements=elements, inline=inline)
    return replace(described, layout=stripped)


def _naming(element: HtmlElement) -> HtmlElement:
    """Return the attributes that name an element; name scores need nothing else."""
    attributes: dict[str, str] = {name: value for name in _NAMING if (value := element.get(name))}
    return cast("HtmlElement", attributes)


_KNOWN: dict[Any, Any] = {}


def _interned(example: Example) -> Example:
    """Return the example with equal attributes stored once, as pages repeat them often."""
    layout = example.described.layout

    def once(element: HtmlElement) -> HtmlElement:
        key = tuple(cast("dict[str, str]", element).items())
        return cast("HtmlElement", _KNOWN.setdefault(key, element))

    elements = [once(element) for element in layout.elements]
    inline = [(block, once(element)) for block, element in layout.inline]
    layout = replace(layout, elements=elements, inline=inline)
    return replace(example, described=replace(example.described, layout=layout))
