"""Whether an element stands in the article or in what surrounds it."""

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
"""Class names of other articles' announcements and of the readers' voices."""

PAGE_TAGS = frozenset(("html", "head", "body", "main"))
"""Elements that hold the article too: their classes speak of options, not of what they are."""

_MAX_LEVELS = 15
"""Ancestors looked at: margins are wrapped less deeply than the article is in the page."""


def is_in_margin(el: HtmlElement) -> bool:
    """Tell whether the element is in an aside, a footer, a teaser or a comment."""
    for _, above in zip(range(_MAX_LEVELS), el.iterancestors(), strict=False):
        tag = above.tag
        if tag in _TAGS:
            # The footer of an article signs it; that of the page signs the site.
            return not (tag == "footer" and next(above.iterancestors("article"), None) is not None)
        if tag not in PAGE_TAGS and _is_marginal(names_of(above)):
            return True
    return False


@lru_cache(maxsize=1_024)  # the elements of a page share their ancestors, the pages of a site their names
def _is_marginal(names: str) -> bool:
    return _NAMES.search(names) is not None
