"""Tell elements in the page's margins (asides, footers, teasers, comments) from those of the article."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from newsextract.page.html_elements import names_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_TAGS = frozenset(("aside", "nav", "footer"))
_NAMES = re.compile(
    r"related|recommend|teaser|sidebar|widget|comment|reply|popular|trending|latest|most-?read|carousel|promo"
    r"|more-|newsletter|navbar|prev-|next-|card",
    re.IGNORECASE,
)
"""Class names of teasers and of readers' comments."""

PAGE_TAGS = frozenset(("html", "head", "body", "main"))
"""Elements that also hold the article: their classes name page options, not their content."""

_MAX_LEVELS = 15
"""Ancestors looked at: a margin has fewer wrappers inside it than this."""


def is_in_margin(el: HtmlElement) -> bool:
    """Tell whether the element is in an aside, a footer, a teaser or a comment."""
    for _, above in zip(range(_MAX_LEVELS), el.iterancestors(), strict=False):
        tag = above.tag
        if tag in _TAGS:
            # An article's footer belongs to it; the page's footer belongs to the site.
            return not (tag == "footer" and next(above.iterancestors("article"), None) is not None)
        if tag not in PAGE_TAGS and _is_marginal(names_of(above)):
            return True
    return False


@lru_cache(maxsize=1_024)  # elements of a page share ancestors, pages of a site share class names
def _is_marginal(names: str) -> bool:
    return _NAMES.search(names) is not None
