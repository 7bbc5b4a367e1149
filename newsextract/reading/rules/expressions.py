"""Expressions of rules: CSS selectors and XPath 1.0, checked before a page is read.

What begins with `/`, `./` or `(` is XPath, all else is CSS. XPath runs without extension functions: no `document()`, no
regular expressions, no variables.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cssselect import HTMLTranslator, SelectorError
from lxml import etree
from lxml.html import HtmlElement, document_fromstring

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CHARS = 1_000
"""Characters of an expression; people write shorter ones, and the time of a search grows with its steps."""

MAX_ELEMENTS = 50_000
"""Elements of a page on which rules are tried: some XPath takes time that grows with their square."""

_XPATH_STARTS = ("/", "./", "(")
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
    """Raise `BadExpression` if an expression cannot be used; with `elements_only` also if it finds text or a number."""
    if len(expression) > MAX_CHARS:
        raise BadExpression(f"has {len(expression)} characters, and at most {MAX_CHARS} are read")
    try:
        found = _compiled(expression)(document_fromstring(_PROBE))
    except SelectorError as error:
        raise BadExpression(f"is not CSS: {error}; XPath begins with / or (") from error
    except etree.XPathError as error:
        raise BadExpression(f"is not XPath: {error}") from error
    if elements_only and not isinstance(found, list):
        raise BadExpression("finds a text or a number, and elements are wanted")


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
    found = _compiled(expression)(tree)
    return found if isinstance(found, list) else [found]


@lru_cache(maxsize=4096)
def _compiled(expression: str) -> etree.XPath:
    path = expression if is_xpath(expression) else HTMLTranslator().css_to_xpath(expression)
    return etree.XPath(path, regexp=False, smart_strings=False)
