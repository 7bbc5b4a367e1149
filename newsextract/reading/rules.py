"""The rules of one site, written by people: CSS selectors or XPath 1.0 for body, headline, authors, date and links.

What begins with `/`, `./` or `(` is XPath, all else is CSS. XPath runs without extension functions: no `document()`, no
regular expressions, no variables. Expressions are checked before a page is read.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

from cssselect import HTMLTranslator, SelectorError
from lxml import etree
from lxml.html import HtmlElement, document_fromstring

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MAX_CHARS = 1_000
"""Characters of an expression; people write shorter ones, and the time of a search grows with its steps."""
MAX_STARS = 4
"""Wildcards of a text to leave out."""

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
    if elements_only and not isinstance(found, list):
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
    path = expression if expression.startswith(_XPATH_STARTS) else HTMLTranslator().css_to_xpath(expression)
    return etree.XPath(path, regexp=False, smart_strings=False)
