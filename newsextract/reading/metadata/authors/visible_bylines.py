"""Read authors from the visible page: by links, classes and properties, near the headline first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from newsextract.article import Author
from newsextract.reading.metadata.authors.byline_introductions import is_introduced
from newsextract.reading.metadata.authors.byline_parsing import split_byline
from newsextract.reading.metadata.authors.person_names import is_full_name
from newsextract.reading.metadata.findings import Findings
from newsextract.reading.metadata.margins import PAGE_TAGS, is_in_margin
from newsextract.reading.metadata.text_folding import visible_text
from newsextract.reading.metadata.titles.page_heading import elements_near

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lxml.html import HtmlElement

    from newsextract.reading.metadata.page_clues import Clues

_PROFILES = (
    *("/author", "/autor", "/auteur", "/autheur", "/avtor", "/yazar", "/writer", "/reporter", "/redakt", "/firma"),
    *("/journalist", "/columnist", "/contributor", "/periodista", "/profil", "/people/", "/person", "/staff", "/by/"),
)
"""Parts of the URLs of authors' pages, in several languages."""

_MARKED = re.compile(r"uthor|utor|uteur|yline|y-line|riter|eporter|ournalist|\bfn\b")
_SURE_PROFILE = re.compile("/(?:author|autor|auteur)")
_PROFILE = re.compile("|".join(_PROFILES))
_TOPICS = re.compile(r"(?:^|[\s_-])(?:tags?|topics?|keywords?)(?=$|[\s_-])", re.IGNORECASE)
"""Names of boxes of topics."""
_MAX_SIGNED = 80
"""Elements looked at: lists of teasers have hundreds of bylines."""
_MAX_CHARS = 100
"""A longer byline is a biography."""
_NEAR = 15
"""The most blocks between the headline and its byline."""

_KINDS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\brel=author",
        r"(author|autor|auteur|by-?line|writer|reporter|journalist)[-_]{0,3}(full|display)?[-_]{0,3}(name|link)|\bfn\b",
        r"(^|[\s_-])(by-?line|author|autor|auteur|writer|reporter|journalist)s?($|\s)",
        r"by-?line|author(?!i)|autor(?!i)|auteur|reporter|journalist",
        rf"href=\S*(?:{'|'.join(_PROFILES)})\S*[^/\s]",
    )
)
"""Patterns that mark a byline, from the surest to the vaguest, for labels in lower case: patterns that ignore case take
twenty times as long."""
_MAX_LABEL_CHARS = 300
"""Characters of an attribute that the patterns search: classes and profile URLs are short."""
_SURE_KINDS = 2
"""The patterns that suffice alone; with the others, a single word is a label rather than a name."""
_MAX_AUTHORS = 12
"""A longer list names everybody who writes for the site."""


def read(clues: Clues) -> Findings:
    """Return the bylines near the headline, else those elsewhere in the article, the best marked first."""
    found = list(_signatures(_near(clues), lambda _: True))
    if not found:
        found = list(_signatures(_everywhere(clues), lambda el: not is_in_margin(el)))
    return Findings({"authors": found})


def _near(clues: Clues) -> list[HtmlElement]:
    """Return the marked elements around the headline."""
    if clues.heading is None:
        return []
    around = elements_near(clues.page.outline, clues.heading, _NEAR)
    marked = (el for el in around if _is_marked(el) and el.tag not in PAGE_TAGS)
    return [el for el in marked if not _is_topic(el)][:_MAX_SIGNED]


def _everywhere(clues: Clues) -> list[HtmlElement]:
    """Return all elements marked as an author's; other profile links mean little away from the headline."""
    distinct = {names for _, names in clues.classed}
    marked = set(filter(_MARKED.search, distinct))
    links = [clues.page.outline.elements[number] for number in clues.page.outline.tagged("a")]
    signed = [el for el in links if el.get("rel") == "author" or _is_profile(el.get("href", ""))]
    return [*signed[:_MAX_SIGNED], *[el for el, names in clues.classed if names in marked][:_MAX_SIGNED]]


def _is_topic(el: HtmlElement) -> bool:
    """Tell whether a link is one of the article's topics, which may be people: it is in a box of tags."""
    above = el.getparent()
    return el.tag == "a" and above is not None and _TOPICS.search(above.get("class", "")[:_MAX_LABEL_CHARS]) is not None


def _is_profile(href: str) -> bool:
    # Searching a plain string is faster than a pattern, and most links lead to articles.
    return "/aut" in href and _SURE_PROFILE.search(href) is not None


def _is_marked(el: HtmlElement) -> bool:
    names, href = el.get("class"), el.get("href")
    return (
        (names is not None and _is_marking(names))
        or (href is not None and _PROFILE.search(href) is not None)
        or el.get("rel") == "author"
    )


@lru_cache(maxsize=512)  # the elements of a page share few classes
def _is_marking(names: str) -> bool:
    return _MARKED.search(names) is not None


@dataclass(eq=False)
class _Marked:
    """An element that may hold a byline; its text is read once, on first use."""

    element: HtmlElement
    labels: str

    @cached_property
    def text(self) -> str:
        """The beginning of the element's visible text."""
        return visible_text(self.element, _MAX_CHARS, separator=" ")

    @cached_property
    def is_signed(self) -> bool:
        """Whether the text introduces names, or holds a full one."""
        return is_introduced(self.text) or any(map(is_full_name, split_byline(self.text)))


def _signatures(
    elements: Sequence[HtmlElement], is_ours: Callable[[HtmlElement], bool]
) -> Iterator[tuple[Author, ...]]:
    marked = [_Marked(el, _labels(el)) for el in elements]
    for number, kind in enumerate(_KINDS):
        found = [one for one in marked if kind.search(one.labels)]
        signing = (one for one in found if _is_signature(one, is_sure=number < _SURE_KINDS))
        first = next((one for one in signing if is_ours(one.element)), None)
        if first is not None and (signature := _beside(first, found)):
            yield signature


def _is_signature(marked: _Marked, *, is_sure: bool) -> bool:
    return 2 <= len(marked.text) <= _MAX_CHARS and (is_sure or marked.is_signed)


def _beside(first: _Marked, marked: Sequence[_Marked]) -> tuple[Author, ...]:
    """Return the first author and those named in the same place, or an empty tuple if there are too many."""
    place = _place(first.element)
    signing = [one for one in marked if _place(one.element) is place and 2 <= len(one.text) <= _MAX_CHARS]
    authors = {one.text: Author(one.text, url=one.element.get("href")) for one in signing}
    return tuple(authors.values()) if len(authors) <= _MAX_AUTHORS else ()


def _place(el: HtmlElement) -> HtmlElement | None:
    """Return the element that holds a byline: the list or line around the links of all authors."""
    above = el.getparent()
    return above.getparent() if above is not None and above.tag in {"li", "span"} else above


def _labels(el: HtmlElement) -> str:
    attributes = el.attrib
    if not attributes:
        return ""
    kind, name, rel, href = (attributes.get(key, "")[:_MAX_LABEL_CHARS] for key in ("class", "id", "rel", "href"))
    return f"{kind} {name} rel={rel} href={href}".lower()
