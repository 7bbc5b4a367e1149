"""Read body, fields and further pages of an article by the rules of its site."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from newsextract.article import Author
from newsextract.page.urls.clean_urls import clean_url, site_of, url_key
from newsextract.page.words import words
from newsextract.reading.metadata.clues import Clues, Refused
from newsextract.reading.metadata.precedence import FIELD_RULES
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.rules import MAX_ELEMENTS, addresses, elements, texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from newsextract.page.blocks import Block
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction, Extractor
    from newsextract.reading.metadata.clues import Metadata, Raw
    from newsextract.reading.rules import SiteRules


# The body by the rules of a site, checked against the general reading.
#
# Nothing is removed from the page: the elements of `body` select blocks, and those of `strip` deselect some.

RULE = "rule"
"""The source of what a rule found."""

WHOLE_PAGE = 0.9
"""A rule that selects this share of the page's characters has found its frame, not its body."""

AGREEMENT = 0.6
"""Least token F1 between a rule's body and that of a general reading which is sure of its own."""

SURE = 0.5
"""The confidence from which the general reading may overrule a rule."""

VERY_SURE = 0.6
"""The confidence from which the general reading stands against rules that count only when it is unsure.

On annotated pages above it, rules lost more than they gained.
"""


@dataclass(frozen=True)
class RuledExtractor:
    """Reads the body by the rules of its site, and by another extractor where these do not match or are not sane."""

    inner: Extractor
    rules: SiteRules

    @property
    def name(self) -> str:
        """The other extractor's name."""
        return self.inner.name

    def extract(self, page: Page) -> Extraction:
        """Return the body, and a warning if a rule was not followed."""
        general = self.inner.extract(page)
        if len(page.outline.elements) > MAX_ELEMENTS:
            return _warned(general, Notice(NoticeCode.RULE_TOO_LARGE, elements=len(page.outline.elements)))
        if self.rules.when_unsure and general.confidence >= VERY_SURE:
            return general
        stripped = _found(page, self.rules.strip)
        gone = _runs_in(page, stripped)
        if left := tuple(self._left(page, general.blocks, gone)):
            general = replace(general, blocks=left, stripped=stripped)
        return self._by_body(page, general, gone) if self.rules.body else general

    def _by_body(self, page: Page, general: Extraction, gone: NDArray[np.bool_]) -> Extraction:
        """Return what the first expression of `body` that is sane selects, else the general reading with a warning."""
        notice = Notice(NoticeCode.RULE_MISSED, rule="body")
        for blocks in self._selections(page, gone):
            doubt = _doubt(page, blocks, general)
            if doubt is None:
                sources = {**general.sources, "articleBody": RULE}
                return replace(general, blocks=blocks, sources=sources)
            notice = doubt
        return _warned(general, notice)

    def selected(self, page: Page) -> tuple[Block, ...]:
        """Return what the first expression of `body` that selects text selects, sane or not."""
        return next(self._selections(page, _runs_in(page, _found(page, self.rules.strip))), ())

    def _selections(self, page: Page, gone: NDArray[np.bool_]) -> Iterator[tuple[Block, ...]]:
        for expression in self.rules.body:
            if blocks := tuple(self._left(page, page.blocks, ~_runs_in(page, _found(page, (expression,))) | gone)):
                yield blocks

    def _left(self, page: Page, blocks: Iterable[Block], gone: NDArray[np.bool_]) -> Iterator[Block]:
        """Yield the blocks, or the parts of them, that are not gone; blocks of another page, as of JSON-LD, stay."""
        for block in blocks:
            for part in _parts(block, gone) if block.outline is page.outline else (block,):
                if part.text and not self.rules.leaves_out(part.text):
                    yield part


def _warned(extraction: Extraction, notice: Notice) -> Extraction:
    return replace(extraction, warnings=(*extraction.warnings, notice))


def _found(page: Page, expressions: Iterable[str]) -> frozenset[HtmlElement]:
    return frozenset(element for expression in expressions for element in elements(expression, page.tree))


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


def _doubt(page: Page, blocks: tuple[Block, ...], general: Extraction) -> Notice | None:
    """Return why a rule's body is not believed; `None` if it is."""
    chars, of_page = (sum(len(block.text) for block in some) for some in (blocks, page.blocks))
    if chars > WHOLE_PAGE * of_page and chars > 1.5 * sum(len(block.text) for block in general.blocks):
        return Notice(NoticeCode.RULE_WHOLE_PAGE, rule="body")
    share = agreement(blocks, general.blocks)
    if general and general.confidence >= SURE and share < AGREEMENT:
        return Notice(NoticeCode.RULE_DISAGREES, rule="body", share=f"{share:.0%}", extractor=general.extractor)
    return None


def agreement(one: Iterable[Block], other: Iterable[Block]) -> float:
    """Return the token F1 of two bodies."""
    first, second = (Counter(word for block in some for word in words(block.text)) for some in (one, other))
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0


# Headline, authors and date by the rules of a site; each value passes the same checks as any other source's.

_FIELDS = {"headline": "headline", "authors": "authors", "date": "datePublished"}
"""The article's field of each rule."""

MOST_VALUES = 20
"""Authors, or texts tried for another field: what finds more has found a list of articles."""


def with_ruled_fields(page: Page, metadata: Metadata, rules: SiteRules) -> Metadata:
    """Return the metadata with what the rules find; a rule without a usable value changes nothing and warns.

    With `when_unsure` only the fields are looked for that the page does not state. Old expressions find promotional
    headlines, dates without a time, and all names of a page of several articles.
    """
    wanted = {rule: field for rule, field in _FIELDS.items() if getattr(rules, rule)}
    if rules.when_unsure:
        wanted = {rule: field for rule, field in wanted.items() if _is_unsure(field, metadata)}
    if not wanted or len(page.outline.elements) > MAX_ELEMENTS:
        return metadata
    clues, changes, warnings = Clues(page, frozenset()), dict[str, Any](), []
    for rule, field in wanted.items():
        value = _value(field, getattr(rules, rule), page, clues)
        if value is None:
            warnings.append(Notice(NoticeCode.RULE_MISSED, rule=rule))
        else:
            changes |= value
    sources = {**metadata.sources, **{field: RULE for field in wanted.values() if field in changes}}
    return replace(metadata, **changes, sources=sources, warnings=(*metadata.warnings, *warnings))


def _is_unsure(field: str, metadata: Metadata) -> bool:
    """Tell whether a field has no value, or only the title of the window, which is no headline."""
    return not getattr(metadata, field) or metadata.sources.get(field) == "title"


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


# The next page of an article, or all of it on one page, by the rules of its site.

_MOST = 20
"""Links looked at for each expression: what finds more has found a menu."""


def ruled_next_page(page: Page, first: str, rules: SiteRules | None, general: str | None) -> str | None:
    """Return the URL of the next page by rule, else `general`, the one that was found without rules.

    It is on the same site, and neither this page nor `first`, the one on which the article begins. Rules that count
    only where the general reading is unsure are asked only where that finds none.
    """
    if not rules or not rules.next_page or (rules.when_unsure and general):
        return general
    if len(page.outline.elements) > MAX_ELEMENTS:
        return general
    return next(_links(page, first, rules.next_page), general)


def ruled_single_page(page: Page, rules: SiteRules | None, following: str | None) -> str | None:
    """Return the URL of the page that has all of the article which begins here; `None` without a rule that finds it.

    Rules that count only where the general reading is unsure need a page that follows, `following`: where there is
    none, all is here, and another request would be for nothing.
    """
    if not rules or not rules.single_page or (rules.when_unsure and not following):
        return None
    if len(page.outline.elements) > MAX_ELEMENTS:
        return None
    return next(_links(page, page.url or "", rules.single_page), None)


def _links(page: Page, first: str, expressions: tuple[str, ...]) -> Iterator[str]:
    known = {url_key(page.url or ""), url_key(first)}
    for expression in expressions:
        for href in islice(addresses(expression, page.tree), _MOST):
            found = clean_url(href, page.base_url or "")
            if found and site_of(found) == site_of(page.url or "") and url_key(found) not in known:
                yield found
