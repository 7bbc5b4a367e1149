"""CSS selectors for one place on the pages of a site, by names that its next release will still have.

Ids, one or two classes, `itemprop`, `role` and `rel`, and elements with a meaning such as `article`; never a place in a
list. Names that a program made up, as CSS modules do, and names of one article are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

    from newsextract.page.page import Page

MOST_CLASSES = 4
"""Classes of an element that are looked at: elements of utility classes have dozens."""

LONGEST_NAME = 48
"""Characters of a name; longer ones are made by programs."""

_NAME = re.compile(r"[A-Za-z_][\w-]+", re.ASCII)
_MADE_UP = re.compile(
    r"\d{3}|[a-z]\d+[a-z]|\d[A-Z]|__\w*\d|^(?:css|sc|jsx|svelte|emotion|astro|ng|tw)-"
    r"|[a-z][A-Z][a-z]?[A-Z]",
    re.ASCII,
)
"""Numbers of articles, and the hashes of CSS modules, styled-components and their like."""
_OF_ONE_PAGE = re.compile(
    r"^(?:post|page|node|category|tag|author|term|topic|format|status)-(?!\w*(?:body|content|text))"
)
"""What content management systems write beside the name of a place: the page's number, topic, author."""
_LEAST_SPOKEN = 5
"""Letters from which a part of a name has a vowel, if people chose it."""
_VOWELS = re.compile(r"[aeiouy]", re.IGNORECASE)
_MEANING = frozenset("article main h1 time address".split())
_WHOLE = frozenset("html body head".split())
_ATTRIBUTES = (
    ("itemprop", ("articleBody", "headline", "author", "datePublished")),
    ("role", ("main",)),
    ("rel", ("author",)),
)


def unique_places(page: Page) -> Mapping[str, int]:
    """Return the selectors that match exactly one element of a page, each with its number in the outline."""
    places: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for number, (element, tag) in enumerate(zip(page.outline.elements, page.outline.tags, strict=True)):
        if isinstance(tag, str) and tag not in _WHOLE:
            for selector in _selectors(element, tag):
                counts[selector] += 1
                places[selector] = number
    return {selector: number for selector, number in places.items() if counts[selector] == 1}


def shared_selectors(places: Sequence[Mapping[str, int]]) -> list[str]:
    """Return the selectors that match one place on nearly all pages, the plainest first."""
    counts = Counter(selector for found in places for selector in found)
    shared = [selector for selector, count in counts.items() if count >= nearly_all(len(places))]
    return sorted(shared, key=lambda selector: (selector.count("."), len(selector), selector))


def nearly_all(pages: int) -> int:
    """Return how many pages are nearly all of so many: all of three, else all but one.

    >>> [nearly_all(pages) for pages in (3, 4, 5)]
    [3, 3, 4]
    """
    return pages - (pages > 3)


def is_stable(name: str) -> bool:
    """Tell whether an id or class looks like one that people chose for a place of the site.

    >>> names = ("story-body", "articleText", "css-1q2w3e", "Box-bdVaJa", "post-8123", "Body__3xYz", "post-content")
    >>> [name for name in names if is_stable(name)]
    ['story-body', 'articleText', 'post-content']
    """
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name) or _MADE_UP.search(name) or _OF_ONE_PAGE.search(name):
        return False
    return all(len(part) < _LEAST_SPOKEN or _VOWELS.search(part) for part in re.split(r"[-_]", name))


def _selectors(element: HtmlElement, tag: str) -> Iterator[str]:
    if tag in _MEANING:
        yield tag
    if is_stable(name := element.get("id") or ""):
        yield f"#{name}"
    for attribute, known in _ATTRIBUTES:
        said = (element.get(attribute) or "").split()
        yield from (f'[{attribute}~="{value}"]' for value in known if value in said)
    names = [name for name in dict.fromkeys((element.get("class") or "").split()) if is_stable(name)][:MOST_CLASSES]
    for place, name in enumerate(names):
        yield f"{tag}.{name}"
        yield from (f"{tag}.{name}.{other}" for other in names[place + 1 :])
