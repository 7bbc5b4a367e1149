"""The rules of one site, written by people: CSS selectors or XPath 1.0 for body, headline, authors, date and links.

What begins with `/`, `./` or `(` is XPath, all else is CSS, both as parsel takes them: with `::text`, `::attr(href)`,
`re:test()` and `has-class()`. There is no `document()` and no variable. Expressions are checked before a page is read.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from lxml import etree
from lxml.html import HtmlElement, document_fromstring

from newsextract.article import Author
from newsextract.page.urls import clean_url, site_of, url_key
from newsextract.reading.extraction.contract import Extraction
from newsextract.reading.metadata.clues import Clues, Refused
from newsextract.reading.metadata.precedence import FIELD_RULES
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from newsextract.page.blocks import Block
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extractor
    from newsextract.reading.metadata.clues import Metadata, Raw


MAX_CHARS = 1_000
"""Characters of an expression; people write shorter ones, and the time of a search grows with its steps."""
MAX_STARS = 4
"""Wildcards of a text to leave out."""

_NAMESPACES = {"re": "http://exslt.org/regular-expressions", "set": "http://exslt.org/sets"}
"""The prefixes that parsel knows."""
_XPATH_STARTS = ("/", "./", "(")
_PROBE = document_fromstring(
    "<html><head><title>t</title><meta name='a' content='b'></head><body><div id='a' class='b'><h1>t</h1><p>text"
    " <a href='/'>x</a></p><ul><li>i</li></ul><table><tr><td>c</td></tr></table><time>1</time></div></body></html>"
)
"""A small page with the usual elements: XPath looks up functions only where the step before them finds something."""


class BadRule(ValueError):  # noqa: N818 - the base class says that it is an error
    """A rule or an expression that cannot be used; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class SiteRules:
    """Where the parts of an article are on the pages of a site: CSS selectors or XPath, the best first.

    Raises:
        BadRule: an expression does not compile.
    """

    body: tuple[str, ...] = ()
    """The elements that hold the body; of several expressions the first that finds text counts."""
    headline: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    """The date of publication, in any form that dates are written in."""
    strip: tuple[str, ...] = ()
    """Elements that are not of the body, whatever found it."""
    strip_text: tuple[str, ...] = ()
    """Paragraphs that are not of the body: their whole text, `*` for any characters; case is ignored."""
    next_page: tuple[str, ...] = ()
    """Links to the next page of an article: an element with or in it, or the attribute that holds its address."""
    single_page: tuple[str, ...] = ()
    """Links from the first page of an article to all of it on one page, written as those of `next_page`."""

    @classmethod
    def of(cls, written: Mapping[str, str | Iterable[str]]) -> Self:
        """Return the rules of a mapping such as `{"body": "div.story", "strip": ["aside", "p.promo"]}`.

        Raises:
            BadRule: a name is unknown, a value is of the wrong type, or an expression does not compile.
        """
        known = [each.name for each in fields(cls)]
        if unknown := [name for name in written if name not in known]:
            raise BadRule(f"{unknown[0]!r} is no rule; there are {', '.join(known)}")
        return cls(**{name: _listed(name, value) for name, value in written.items()})

    def __post_init__(self) -> None:
        for name, values in self.expressions().items():
            for written in values:
                _check_rule(name, written)

    def __bool__(self) -> bool:
        return any(self.expressions().values())

    def expressions(self) -> dict[str, tuple[str, ...]]:
        """Return the expressions of each rule."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def leaves_out(self, text: str) -> bool:
        """Return whether a paragraph is left out by its text.

        >>> SiteRules(strip_text=("Read also:*",)).leaves_out("READ ALSO: the floods")
        True
        """
        folded = text.casefold() if self.strip_text else ""
        return any(_matches(written.casefold().split("*"), folded) for written in self.strip_text)


def _listed(name: str, value: object) -> tuple[str, ...]:
    several = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, (list, tuple)) else ()
    if not several or not all(isinstance(each, str) for each in several):
        raise BadRule(f"{name} is CSS, XPath or a list of them, not {value!r}")
    return several


def _check_rule(name: str, written: str) -> None:
    if name != "strip_text":
        try:
            check(written, elements_only=name in ("body", "strip"))
        except BadRule as error:
            raise BadRule(f"{name}: {written!r} {error}") from error
    elif not written.strip("* ") or written.count("*") > MAX_STARS:
        raise BadRule(f"{name}: {written!r} is no text with at most {MAX_STARS} asterisks")


def _matches(pieces: list[str], text: str) -> bool:
    """Return whether a text is some pieces with any characters between them.

    Each is taken where it first occurs: a regular expression would try all places together, for minutes on some pages.

    >>> _matches(["read ", " more", ""], "read on: more"), _matches(["read"], "read on"), _matches(["ab", "ba"], "aba")
    (True, False, False)
    """
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1 or not text.startswith(first):
        return text == first
    place = len(first)
    for piece in pieces[1:-1]:
        found = text.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return len(text) - len(last) >= place and text.endswith(last)


def check(expression: str, *, elements_only: bool = False) -> None:
    """Raise `BadRule` if an expression cannot be used, or finds a number; with `elements_only` also if a text."""
    if len(expression) > MAX_CHARS:
        raise BadRule(f"has {len(expression)} characters, and at most {MAX_CHARS} are read")
    from cssselect import SelectorError  # noqa: PLC0415 - few sites have rules

    try:
        found = _compiled(expression)(_PROBE)
    except SelectorError as error:
        raise BadRule(f"is not CSS: {str(error).rstrip('.')}; XPath begins with / or (") from error
    except etree.XPathError as error:
        raise BadRule(f"is not XPath: {error}") from error
    except ValueError as error:  # lxml's, before it compiles anything
        raise BadRule("has characters that XML does not know") from error
    if not isinstance(found, (list, str)):
        raise BadRule("finds a number or an answer, and elements or texts are wanted")
    is_css_of_texts = not expression.startswith(_XPATH_STARTS) and "::" in expression
    if elements_only and (isinstance(found, str) or is_css_of_texts):
        raise BadRule("finds a text, and elements are wanted")


def elements(expression: str, tree: HtmlElement) -> list[HtmlElement]:
    """Return the elements that an expression finds, in page order; attributes and texts are left out."""
    return [each for each in _found(expression, tree) if isinstance(each, HtmlElement)]


def texts(expression: str, tree: HtmlElement) -> list[str]:
    """Return the texts of what an expression finds, spaces folded, without empty ones."""
    found = [
        " ".join(map(str, each.itertext())) if isinstance(each, HtmlElement) else str(each)
        for each in _found(expression, tree)
    ]
    return [folded for text in found if (folded := " ".join(text.split()))]


def addresses(expression: str, tree: HtmlElement) -> Iterator[str]:
    """Yield the addresses that an expression finds: of links, of elements that hold one, and in attributes."""
    for each in _found(expression, tree):
        if isinstance(each, HtmlElement):
            yield from (href for el in each.iter("a", "link") if (href := (el.get("href") or "").strip()))
        elif isinstance(each, str) and each.strip():
            yield each.strip()


def _found(expression: str, tree: HtmlElement) -> list[Any]:
    try:
        found = _compiled(expression)(tree)
    except etree.XPathError:  # such as a wrong argument in a step that the checked page does not reach
        return []
    return found if isinstance(found, list) else [found]


@lru_cache(maxsize=4096)
def _compiled(expression: str) -> etree.XPath:
    from parsel.csstranslator import HTMLTranslator  # noqa: PLC0415 - most sites have no rules

    path = expression if expression.startswith(_XPATH_STARTS) else HTMLTranslator().css_to_xpath(expression)
    return etree.XPath(path, namespaces=_NAMESPACES, smart_strings=False)


# Read body, fields and further pages of an article by the rules of its site.
#
# Nothing is removed from the page: the elements of `body` select blocks, and those of `strip` deselect some. A rule
# that finds nothing changes nothing and warns.

RULE = "rule"
"""The source of what a rule found."""
MAX_ELEMENTS = 50_000
"""Elements of a page on which rules are tried: some XPath takes time that grows with their square."""
MOST_VALUES = 20
"""Authors, links, or texts tried for a field: what finds more has found a list of articles or a menu."""
_FIELDS = {"headline": "headline", "authors": "authors", "date": "datePublished"}
"""The article's field of each rule."""


SELECTED = "selection"
"""The source of a body that a spider has selected."""


@dataclass(frozen=True)
class SelectedBody:
    """Keeps the elements that a spider has selected on the page, whatever else is there."""

    name: ClassVar[str] = SELECTED

    def extract(self, page: Page) -> Extraction:
        """Return all blocks of the selection."""
        blocks = type(page)("\n".join(page.hints.body), page.url).blocks
        return Extraction(self.name, tuple(blocks), 1.0, {"articleBody": SELECTED})


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
