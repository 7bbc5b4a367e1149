"""The rules of one site, written by people: CSS selectors or XPath 1.0 for body, headline, authors, date and links."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

from cssselect import HTMLTranslator, SelectorError
from lxml import etree
from lxml.html import HtmlElement, document_fromstring

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


# Expressions of rules: CSS selectors and XPath 1.0, checked before a page is read.
#
# What begins with `/`, `./` or `(` is XPath, all else is CSS. XPath runs without extension functions: no `document()`,
# no regular expressions, no variables.

MAX_CHARS = 1_000
"""Characters of an expression; people write shorter ones, and the time of a search grows with its steps."""

MAX_ELEMENTS = 50_000
"""Elements of a page on which rules are tried: some XPath takes time that grows with their square."""

_XPATH_STARTS = ("/", "./", "(")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_CALLED = re.compile(r"([\w.-]+(?::[\w.-]+)?)\s*\(")
_BEYOND = re.compile(r"\$\s*[\w.-]+|(?:(?<=::)|(?<![\w.:-]))(?!xml:)[\w.-]+:(?!:)[\w.*-]+")
"""Variables, and names with a prefix of a namespace; HTML knows `xml:lang` only."""
_CALLABLE = frozenset(
    (
        "last", "position", "count", "id", "local-name", "namespace-uri", "name", "string", "concat", "starts-with",
        "contains", "substring-before", "substring-after", "substring", "string-length", "normalize-space", "translate",
        "boolean", "not", "true", "false", "lang", "number", "sum", "floor", "ceiling", "round",
        "text", "node", "comment", "processing-instruction", "and", "or", "div", "mod",
    )
)  # fmt: skip
"""The functions of XPath 1.0, its tests of nodes, and its operators before a bracket."""
_PROBE = (
    "<html><head><title>t</title></head><body><div id='a' class='b'><p>text <a href='/'>x</a></p></div></body></html>"
)


class BadExpression(ValueError):  # noqa: N818 - the base class says that it is an error
    """An expression that does not compile, with what is wrong."""


def is_xpath(expression: str) -> bool:
    """Tell whether an expression is XPath; all others are CSS.

    >>> is_xpath("//div[@id='a']"), is_xpath("(//p)[1]"), is_xpath("div#a > p")
    (True, True, False)
    """
    return expression.startswith(_XPATH_STARTS)


def check(expression: str, *, elements_only: bool = False) -> None:
    """Raise `BadExpression` if an expression cannot be used, or finds a number; with `elements_only` also if a text."""
    if len(expression) > MAX_CHARS:
        raise BadExpression(f"has {len(expression)} characters, and at most {MAX_CHARS} are read")
    found = _tried(expression)
    if not isinstance(found, (list, str)):
        raise BadExpression("finds a number or an answer, and elements or texts are wanted")
    if elements_only and not isinstance(found, list):
        raise BadExpression("finds a text, and elements are wanted")


def finds_value(expression: str) -> bool:
    """Tell whether an expression makes a text or a number, and finds no elements; raises `BadExpression`."""
    return not isinstance(_tried(expression), list)


def _tried(expression: str) -> Any:
    """Return what an expression finds on a small page; raises `BadExpression`."""
    try:
        _check_names(_as_xpath(expression))
        return _compiled(expression)(document_fromstring(_PROBE))
    except SelectorError as error:
        raise BadExpression(f"is not CSS: {str(error).rstrip('.')}; XPath begins with / or (") from error
    except etree.XPathError as error:
        raise BadExpression(f"is not XPath: {error}") from error
    except BadExpression:
        raise
    except ValueError as error:  # lxml's, before it compiles anything
        raise BadExpression("has characters that XML does not know") from error


def _check_names(expression: str) -> None:
    """Raise `BadExpression` for what XPath looks up only on a page where a step before it finds something."""
    bare = _QUOTED.sub("''", expression)
    unknown = [name for name in _CALLED.findall(bare) if name.rpartition("::")[2] not in _CALLABLE]
    if unknown:
        raise BadExpression(f"is not XPath: it calls {unknown[0]}(), which XPath 1.0 does not have")
    if beyond := _BEYOND.search(bare):
        raise BadExpression(f"is not XPath: there are no variables and no namespaces here, such as {beyond[0]}")


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
    return etree.XPath(_as_xpath(expression), regexp=False, smart_strings=False)


def _as_xpath(expression: str) -> str:
    return expression if is_xpath(expression) else HTMLTranslator().css_to_xpath(expression)


# The rules of a site as values.

MAX_STARS = 4
"""Wildcards of a text to leave out."""

_TEXTS = ("strip_text",)
_ELEMENTS = ("body", "strip")


class BadRule(ValueError):  # noqa: N818 - the base class says that it is an error
    """A rule that cannot be used; the message names it, and says what is wrong."""


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

    when_unsure: bool = False
    """Whether `body`, `strip` and `strip_text` count only on pages where the general reading is not sure of its own.

    The other rules then count only where nothing is found without them, `single_page` only where there is a next page.
    """

    @classmethod
    def of(cls, written: Mapping[str, str | Iterable[str] | bool]) -> Self:
        """Return the rules of a mapping such as `{"body": "div.story", "strip": ["aside", "p.promo"]}`.

        Raises:
            BadRule: a name is unknown, a value is of the wrong type, or an expression does not compile.
        """
        known = [each.name for each in fields(cls)]
        if unknown := [name for name in written if name not in known]:
            raise BadRule(f"{unknown[0]!r} is no rule; there are {', '.join(known)}")
        return cls(**{name: _made(name, value) for name, value in written.items()})  # type: ignore[arg-type]  # checked

    def __post_init__(self) -> None:
        for name, values in self.expressions().items():
            for written in values:
                check_rule(name, written)

    def __bool__(self) -> bool:
        return any(self.expressions().values())

    def expressions(self) -> dict[str, tuple[str, ...]]:
        """Return the expressions of each rule."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "when_unsure"}

    def leaves_out(self, text: str) -> bool:
        """Tell whether a paragraph is left out by its text.

        >>> SiteRules(strip_text=("Read also:*",)).leaves_out("READ ALSO: the floods")
        True
        """
        folded = text.casefold() if self.strip_text else ""
        return any(_matches(written.casefold().split("*"), folded) for written in self.strip_text)


def check_rule(name: str, written: str) -> None:
    """Raise `BadRule` if a rule of this name cannot be used."""
    if name in _TEXTS:
        if not written.strip("* ") or written.count("*") > MAX_STARS:
            raise BadRule(f"{name}: {written!r} is no text with at most {MAX_STARS} asterisks")
        return
    try:
        check(written, elements_only=name in _ELEMENTS)
    except BadExpression as error:
        raise BadRule(f"{name}: {written!r} {error}") from error


def _made(name: str, value: object) -> object:
    if name == "when_unsure":
        if not isinstance(value, bool):
            raise BadRule(f"{name} is True or False, not {value!r}")
        return value
    several = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, (list, tuple)) else ()
    if not several or not all(isinstance(each, str) for each in several):
        raise BadRule(f"{name} is CSS, XPath or a list of them, not {value!r}")
    return several


def _matches(pieces: list[str], text: str) -> bool:
    """Tell whether a text is some pieces with any characters between them.

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
