"""Features from a page's markup: its elements, and their class names and ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.tag_codes import codes_of, translation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from newsextract.page.blocks import Outline

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
COUNTED = (
    *HEADINGS, "article", "time", "form", "input", "button", "select", "textarea", "pre", "code", "table", "td", "img",
    "video", "audio", "iframe", "figure", "li", "ul", "dl", "nav", "section", "p", "blockquote", "aside", "a", "main",
)  # fmt: skip
"""Elements that some kinds of pages have more of. Tags in the head are not counted: they tell only the page's age."""
_NUMBER_OF = {tag: n for n, tag in enumerate((*COUNTED, "div", "span", "body", "html", "tr"), start=1)}
tag_number = _NUMBER_OF.__getitem__
_NUMBERS = translation(_NUMBER_OF)

Groups = dict[str, tuple[str, ...]]

NAMED: Groups = {
    "price": ("price", "cart", "sku"),
    "product": ("product",),
    "comment": ("comment", "reply"),
    "author": ("author", "byline"),
    "member": ("avatar", "username", "member"),
    "thread": ("thread", "topic", "forum"),
    "card": ("card", "teaser", "tile"),
    "paging": ("paginat", "pager"),
    "code": ("highlight", "code", "toc"),
    "call": ("cta", "hero", "testimonial", "btn", "button"),
    "headline": ("headline", "article"),
}
"""Parts of class names; these are English on sites of all languages."""

AROUND: Groups = {
    "story": ("article", "story", "post", "entry"),
    "message": ("message", "thread", "forum", "topic"),
    "comment": ("comment", "reply"),
    "manual": ("doc", "markdown", "wiki", "help"),
    "product": ("product", "description"),
    "folded": ("faq", "accordion", "tab", "collaps"),
}
"""Parts of the names of elements around the main content."""

BODY: Groups = {
    "single": ("single", "article", "story", "node-type", "post-template"),
    "many": ("archive", "category", "tag-", "home", "search", "section", "front", "index", "list", "author"),
    "page": ("page-template", "page-id", "landing"),
    "shop": ("product", "shop", "store", "collection", "cart"),
    "forum": ("forum", "thread", "topic", "question"),
    "manual": ("doc", "wiki", "api"),
}
"""Parts of the names of `<html>` and `<body>`, which content management systems name after the template."""


def tag_numbers(outline: Outline) -> NDArray[np.uint8]:
    """Return the number of each element's tag: from 1 for `h1` on, 0 for tags that are not counted."""
    return _NUMBERS[outline.arrays.codes]


def numbers_of(tags: Sequence[str]) -> NDArray[np.uint8]:
    """Return the same for these tags."""
    return _NUMBERS[codes_of(tags)]


def of_tags(numbers: NDArray[np.uint8]) -> dict[str, float]:
    """Return the logarithm of the number of elements for each counted tag."""
    counts = np.log1p(np.bincount(numbers, minlength=len(COUNTED) + 1)).tolist()
    return {f"tag_{tag}": count for tag, count in zip(COUNTED, counts[1:], strict=False)}


def of_names(outline: Outline) -> dict[str, float]:
    """Return how often class names near the text contain each group's words, and whether the page's own names do."""
    parents = np.maximum(outline.arrays.parents, 0)
    above = parents[outline.table.owners]
    near = np.zeros(len(parents), np.bool_)
    near[above] = near[parents[above]] = True
    elements = outline.elements
    classes = dict.fromkeys([elements[number].get("class") for number in near.nonzero()[0].tolist()])
    named = " ".join(filter(None, classes)).lower()
    counts = np.log1p([sum(map(named.count, words)) for words in NAMED.values()]).tolist()
    body = next(iter(outline.tagged("body")), 0)
    own = _names((elements[0], elements[body]))
    return dict(zip((f"named_{group}" for group in NAMED), counts, strict=True)) | _found(own, BODY, "body")


def of_names_around(elements: Iterable[HtmlElement]) -> dict[str, float]:
    """Return whether names of the elements around the main content contain each group's words."""
    return _found(_names(element for element in elements if element.tag not in ("body", "html")), AROUND, "around")


def _names(elements: Iterable[HtmlElement]) -> str:
    return " ".join(f"{element.get('class') or ''} {element.get('id') or ''}" for element in elements).lower()


def _found(names: str, groups: Mapping[str, tuple[str, ...]], prefix: str) -> dict[str, float]:
    return {f"{prefix}_{group}": float(any(word in names for word in words)) for group, words in groups.items()}
