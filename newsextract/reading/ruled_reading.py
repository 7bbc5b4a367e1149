"""Read body, fields and further pages of an article by the rules of its site.

Nothing is removed from the page: the elements of `body` select blocks, and those of `strip` deselect some. Rules count
as they are written; one that finds nothing changes nothing and warns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from newsextract.article import Author
from newsextract.page.urls import clean_url, site_of, url_key
from newsextract.reading.metadata.clues import Clues, Refused
from newsextract.reading.metadata.precedence import FIELD_RULES
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.rules import addresses, elements, texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from newsextract.page.blocks import Block
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction, Extractor
    from newsextract.reading.metadata.clues import Metadata, Raw
    from newsextract.reading.rules import SiteRules

RULE = "rule"
"""The source of what a rule found."""
MAX_ELEMENTS = 50_000
"""Elements of a page on which rules are tried: some XPath takes time that grows with their square."""
MOST_VALUES = 20
"""Authors, links, or texts tried for a field: what finds more has found a list of articles or a menu."""
_FIELDS = {"headline": "headline", "authors": "authors", "date": "datePublished"}
"""The article's field of each rule."""


@dataclass(frozen=True)
class RuledExtractor:
    """Reads the body by the rules of its site, and by another extractor where these do not match."""

    inner: Extractor
    rules: SiteRules

    @property
    def name(self) -> str:
        """The other extractor's name."""
        return self.inner.name

    def extract(self, page: Page) -> Extraction:
        """Return the body, and a warning if the rule for it found nothing."""
        general = self.inner.extract(page)
        stripped = _elements(page, self.rules.strip)
        gone = _runs_in(page, stripped)
        if left := tuple(self._left(page, general.blocks, gone)):
            general = replace(general, blocks=left, stripped=stripped)
        for expression in self.rules.body:
            outside = ~_runs_in(page, _elements(page, (expression,)))
            if blocks := tuple(self._left(page, page.blocks, outside | gone)):
                return replace(general, blocks=blocks, sources={**general.sources, "articleBody": RULE})
        notices = (Notice(NoticeCode.RULE_MISSED, rule="body"),) if self.rules.body else ()
        return replace(general, warnings=(*general.warnings, *notices))

    def _left(self, page: Page, blocks: Iterable[Block], gone: NDArray[np.bool_]) -> Iterator[Block]:
        """Yield the blocks, or the parts of them, that are not gone; blocks of another page, as of JSON-LD, stay."""
        for block in blocks:
            for part in _parts(block, gone) if block.outline is page.outline else (block,):
                if part.text and not self.rules.leaves_out(part.text):
                    yield part


def _elements(page: Page, expressions: Iterable[str]) -> frozenset[HtmlElement]:
    if not _is_searched(page):
        return frozenset()
    return frozenset(element for expression in expressions for element in elements(expression, page.tree))


def _is_searched(page: Page) -> bool:
    return len(page.outline.elements) <= MAX_ELEMENTS


def _runs_in(page: Page, found: frozenset[HtmlElement]) -> NDArray[np.bool_]:
    """Return which runs of text are inside some elements."""
    outline = page.outline
    inside = np.zeros(len(outline.runs), np.bool_)
    if found:
        for number, element in enumerate(outline.elements):
            if element in found:
                start, stop = outline.runs_of(number)
                inside[start:stop] = True
    return inside


def _parts(block: Block, gone: NDArray[np.bool_]) -> Iterator[Block]:
    own = gone[block.start : block.stop]
    if not own.any():
        yield block
    elif not own.all():
        edges = np.flatnonzero(np.diff(np.concatenate(([True], own, [True])).astype(np.int8))) + block.start
        for start, stop in edges.reshape(-1, 2).tolist():
            yield block.cut(start, stop)


def with_ruled_fields(page: Page, metadata: Metadata, rules: SiteRules) -> Metadata:
    """Return the metadata with headline, authors and date by rule; each value passes the checks of any other source."""
    wanted = {rule: field for rule, field in _FIELDS.items() if getattr(rules, rule)}
    if not wanted or not _is_searched(page):
        return metadata
    clues, changes, warnings = Clues(page), dict[str, Any](), []
    for rule, field in wanted.items():
        value = _value(field, getattr(rules, rule), page, clues)
        if value is None:
            warnings.append(Notice(NoticeCode.RULE_MISSED, rule=rule))
        else:
            changes |= value
    sources = {**metadata.sources, **{field: RULE for field in wanted.values() if field in changes}}
    return replace(metadata, **changes, sources=sources, warnings=(*metadata.warnings, *warnings))


def _value(field: str, expressions: tuple[str, ...], page: Page, clues: Clues) -> dict[str, Any] | None:
    for expression in expressions:
        found = texts(expression, page.tree)[:MOST_VALUES]
        raws: list[Raw] = [tuple(map(Author, found))] if field == "authors" and found else list(found)
        for raw in raws:
            value = FIELD_RULES[field].check(raw, clues)
            if value and not isinstance(value, Refused):
                if isinstance(value, tuple):
                    return {field: list(value)}
                return {field: value, "datePublishedRaw": str(raw)} if field == "datePublished" else {field: value}
    return None


def ruled_next_page(page: Page, first: str, rules: SiteRules | None, general: str | None) -> str | None:
    """Return the URL of the next page by rule, else `general`, the one that was found without rules.

    It is on the same site, and neither this page nor `first`, the one on which the article begins.
    """
    return next(_links(page, first, rules.next_page), general) if rules else general


def ruled_single_page(page: Page, rules: SiteRules | None) -> str | None:
    """Return the URL of the page that has all of the article which begins here; `None` without a rule that finds it."""
    return next(_links(page, page.url or "", rules.single_page), None) if rules else None


def _links(page: Page, first: str, expressions: tuple[str, ...]) -> Iterator[str]:
    known = {url_key(page.url or ""), url_key(first)}
    for expression in expressions if _is_searched(page) else ():
        for href in islice(addresses(expression, page.tree), MOST_VALUES):
            found = clean_url(href, page.base_url or "")
            if found and site_of(found) == site_of(page.url or "") and url_key(found) not in known:
                yield found
