"""The text of a heading without the kicker above it, the line below it, and what else its element wraps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.page.html_elements import names_of
from newsextract.reading.metadata.text_folding import MAX_INNER, RAW_RATIO, fold, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

_ASIDE = re.compile(
    r"kicker|top-?line|over-?line|roof-?line|dachzeile|spitzmarke|eyebrow|pre-?(?:title|headline|heading)|super-?title"
    r"|supra-?title|ante-?titulo|sub-?(?:title|line|head)|intro|deck|rubri[ck]|category|section|label|badge|sr-only"
    r"|visually-?hidden|screen-?reader|prefix|suffix|author|date|meta|\btag\b|flag|volanta|sobretitulo|occhiello",
    re.IGNORECASE,
)
"""The names that newsrooms give to the lines around a headline, and to what only screen readers say."""
_ASIDE_TAGS = frozenset(("small", "time", "rt", "rp", "button", "script", "style", "svg", "noscript"))
_MIN_WORDS = 2
"""What is left must be a headline; else the names mean something else."""
_MIN_CHARS = 4
"""Stands for the words where a script has no spaces."""
_MAX_DEPTH = 20
_SEPARATORS = " :|/–—-·•"
"""What is left of the mark between a kicker and its headline."""


def heading_text(el: HtmlElement, max_chars: int) -> str:
    """Return the beginning of the headline in a heading."""
    own = fold("".join(_texts(el, max_chars)))[:max_chars].strip(_SEPARATORS)
    if len(el) == 0 or len(own.split()) >= _MIN_WORDS or (len(own) >= _MIN_CHARS and not own.isascii()):
        return own
    return visible_text(el, max_chars, separator=" ")[:max_chars]


def _texts(el: HtmlElement, max_chars: int) -> Iterator[str]:
    """Yield the texts that are neither aside nor run together with one another."""
    length = 0
    last = ""
    for text in _own_texts(el, iter(range(MAX_INNER))):
        if length > max_chars:
            return
        if last[-1:].islower() and text[:1].isupper():
            yield " "  # two lines for the eye, that nothing but their elements keep apart
        last = text
        length += len(text)
        yield text[: max_chars * RAW_RATIO]


def _own_texts(el: HtmlElement, budget: Iterator[int], depth: int = 0) -> Iterator[str]:
    """Yield the texts that are not aside; each element looked at takes one from the budget."""
    if depth > _MAX_DEPTH:
        return  # a heading that is never closed holds the page
    if el.text:
        yield el.text
    for child, _ in zip(el, budget, strict=False):
        if isinstance(child.tag, str) and not _is_aside(child):
            if child.tag == "br":
                yield " "
            yield from _own_texts(child, budget, depth + 1)
        if child.tail:
            yield child.tail


def _is_aside(el: HtmlElement) -> bool:
    if el.tag in _ASIDE_TAGS:
        return True
    return bool(el.attrib) and _ASIDE.search(names_of(el)) is not None
