"""Masks: hide parts of a page from an extractor without changing the page.

A mask of elements is a rule that tells whether an element is hidden, with all it holds. Masking returns another outline
of the same page with the same numbers, in which the runs under hidden elements are empty and their tags are not
counted. So a block keeps its position under a mask, and every extractor works with every mask. A mask of blocks empties
the runs of some blocks in the same way: those that other pages of the site are known to have too.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from newsextract.page.blocks import Outline

    Rule = Callable[[str, HtmlElement], bool]
    """Takes a tag and its element, and tells whether the element is hidden."""

WUTSI_TAGS = frozenset("head style script nav iframe noscript header footer aside form".split())
"""Elements that hold no text of the article (Wutsi's list)."""

SHARE_LINK = re.compile(
    r"""^(?:whatsapp:|fb-messenger:|tg:|mailto:\?)
    | (?:facebook|twitter|x|linkedin|pinterest|reddit|tumblr|telegram|whatsapp|vk|weibo|line|t)\.(?:com|me|it)/
      (?:[\w./-]*/)?(?:sharer?|intent|shareArticle|pin/create|submit|share|send|msg)\b
    | (?:addtoany|addthis|sharethis)\.com/ """,
    re.IGNORECASE | re.VERBOSE,
)
"""URLs that share a page on a social network."""

USELESS_SECTIONS = frozenset(
    "footer top-nav top_nav topnav nav navbar navigation menu breadcrumb breadcrumbs sidebar widget pagination pager "
    "comment comments commentlist disqus_thread respond related related-posts related_posts relatedposts yarpp "
    "jp-relatedposts read-more read_more readmore share sharing sharedaddy social addthis addthis_tool addthis_toolbox "
    "a2a ssba fb-like embedly-card newsletter subscribe cookie banner ad ads advert advertisement sponsored "
    "promo".split()
)
"""Ids and classes of sections without article text, above all in WordPress themes: the source's, and others like them.

Whole names, as in the source: a part of a name, as in `entry-content-read-more`, may name a paragraph of the article.
"""


def wutsi_rule(tag: str, element: HtmlElement) -> bool:
    """Tell whether Wutsi's cleaning phase removes an element; no tree has HTML comments by then."""
    if tag in WUTSI_TAGS:
        return True
    if tag == "a" and SHARE_LINK.search(element.get("href", "")):
        return True
    if tag in ("html", "body"):
        return False
    names = f"{element.get('id', '')} {element.get('class', '')}"
    return not USELESS_SECTIONS.isdisjoint(names.lower().split())


RULES: dict[str, Rule] = {"wutsi": wutsi_rule}
"""The masks of elements that can be chosen by name."""

SITE_MEMORY = "site_memory"
"""The mask of blocks that other pages of the site have too; it hides nothing if the site has no memory yet."""

FORMER_NAMES = {"template": SITE_MEMORY}
"""Former names of masks; the extractor `template` is unrelated to this mask."""


def mask(outline: Outline, rule: Rule) -> Outline:
    """Return the outline without the elements that the rule hides; those left empty bear no text, so they go too."""
    gone = _gone(outline, rule)
    runs = ["" if gone[holder] else run for run, holder in zip(outline.runs, outline.holders, strict=True)]
    return replace(outline, runs=runs, arrays=outline.arrays.counting(~np.array(gone)))


def mask_blocks(outline: Outline, gone: NDArray[np.bool_]) -> Outline:
    """Return the outline without the text of some of its blocks; all tags are counted as before."""
    runs = list(outline.runs)
    table = outline.table
    for start, stop in zip(table.starts[gone].tolist(), table.stops[gone].tolist(), strict=True):
        runs[start:stop] = [""] * (stop - start)
    return replace(outline, runs=runs)


def _gone(outline: Outline, rule: Rule) -> list[bool]:
    gone: list[bool] = []
    for tag, element, parent in zip(outline.tags, outline.elements, outline.parents, strict=True):
        gone.append((parent >= 0 and gone[parent]) or rule(tag, element))
    return gone
