"""Authors in the visible page: links and classes that say who signs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from lxml import etree

from newsextract.metadata.fields import Author
from newsextract.metadata.findings import Findings
from newsextract.metadata.margins import PAGE_TAGS, is_in_margin
from newsextract.metadata.texts import visible_text

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from newsextract.metadata.clues import Clues

_SIGNED = etree.XPath(
    # No union and no parent step: libxml2 sorts and merges their results in quadratic time.
    "//*[@class[contains(.,'uthor') or contains(.,'yline') or contains(.,'riter') or contains(.,'utor')"
    " or contains(.,'uteur')] or @rel='author'"
    " or contains(@href,'/aut')]"
)
_MAX_SIGNED = 60
"""Elements looked at: listings of teasers carry hundreds of bylines."""
_MAX_CHARS = 100
"""Longest byline: beyond it is a biography."""

_KINDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\brel=author",
        r"(author|autor|auteur|by-?line|writer)[-_]*(full|display)?[-_]*(name|link)|\bfn\b",
        r"(^|[\s_-])(by-?line|author|autor|auteur|writer)s?($|\s)",
        r"by-?line|author(?!i)|autor(?!i)|auteur",
        r"href=.*/(authors?|autor|auteur)/",
    )
)
"""What marks a signature, from the surest to the vaguest."""


def read(clues: Clues) -> Findings:
    """Return the page's bylines, the best marked first."""
    marked = cast("list[HtmlElement]", _SIGNED(clues.page.tree))[:_MAX_SIGNED]
    own = [el for el in marked if el.tag not in PAGE_TAGS and not is_in_margin(el)]
    of_kinds = ([el for el in own if kind.search(_labels(el))] for kind in _KINDS)
    candidates = [signature for elements in of_kinds if (signature := _signature(elements))]
    return Findings({"authors": candidates})


def _signature(elements: list[HtmlElement]) -> tuple[Author, ...]:
    """Return the first author, with those who sign in the same place."""
    named = [
        (el, text) for el in elements if 2 < len(text := visible_text(el, _MAX_CHARS, separator=" ")) <= _MAX_CHARS
    ]
    if not named:
        return ()
    place = _place(named[0][0])
    authors = {text: Author(text, url=el.get("href")) for el, text in named if _place(el) is place}
    return tuple(authors.values())


def _place(el: HtmlElement) -> HtmlElement | None:
    """Return the element that holds a byline: links stand in the list or line of all authors."""
    above = el.getparent()
    return above.getparent() if above is not None and above.tag in {"li", "span"} else above


def _labels(el: HtmlElement) -> str:
    return f"{el.get('class', '')} {el.get('id', '')} rel={el.get('rel', '')} href={el.get('href', '')}"
