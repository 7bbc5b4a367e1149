"""Expressions of rules: CSS selectors and XPath 1.0, checked before a page is read.

What begins with `/`, `./` or `(` is XPath, all else is CSS. XPath runs without extension functions: no `document()`, no
regular expressions, no variables.
"""

from __future__ import annotations

import re
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
