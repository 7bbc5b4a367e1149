"""Features of a block's place: in the page, relative to the headline, among articles, between its neighbours."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.text import words
from newsextract.reading.extraction.block_classifier.block_layout import Features, running, with_logarithms
from newsextract.reading.extraction.block_classifier.text_features import heading_levels, link_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from newsextract.reading.extraction.block_classifier.block_layout import Layout

    Floats = NDArray[np.float64]

_FAR = 50
_NOWHERE = -99.0
_LONGEST_HEADLINE, _SHORTEST_HEADLINE = 300, 8
_TELLING = 15
"""Letters from which on a text that is part of the title is so by no accident."""
_ENOUGH_WORDS = 4
"""Words that a heading must share with the title before its likeness counts in full."""
_SURE = 0.6
_DOUBLE_CHARS = 20
"""Blocks that share so many first characters are doubles: a teaser of the text below, or a second copy."""


_OF_PLACE = (
    "place", "text_place", "page_blocks", "page_size", "page_link_share", "skipped_before", "skipped_after",
    "gap_before", "gap_after",
)  # fmt: skip
_COUNTS = [2, 3, 5, 6, 7, 8]
"""The rows whose logarithms are used."""
_OF_HEADLINE = ("title_likeness", "headings_before", "headings", "headline_blocks", "headline_size")
_OF_ARTICLES = ("article_share", "articles_share", "article_number", "article_blocks", "articles")
_OF_DOUBLES = ("same_text", "same_start")


def of_place(layout: Layout) -> Features:
    """Return how far into the page each block is, and how large the page is."""
    count = len(layout.sizes)
    read = layout.sizes.cumsum()
    values = np.empty((len(_OF_PLACE), count))
    values[0] = np.arange(count) / count
    values[1] = (read - layout.sizes / 2) / read[-1]
    values[2] = layout.page_counts[0]
    values[3] = layout.page_sizes[0]
    values[4] = layout.page_links[0] / layout.page_sizes[0]
    values[5] = layout.skipped
    values[6, :-1] = layout.skipped[1:]
    values[6, -1] = layout.page_counts[0] - 1 - layout.numbers[-1]
    values[7] = np.maximum(layout.gaps, 0)
    values[8, :-1] = values[7, 1:]
    values[8, -1] = 0.0
    with_logarithms(values, _COUNTS)
    return Features(_OF_PLACE, values)


def of_headline(layout: Layout, title: str) -> Features:
    """Return each block's place relative to the headline, the heading most similar to the page's title."""
    levels = heading_levels(layout)
    likeness = _likeness(layout, levels, title)
    in_links = link_share(layout) > 0.5
    score = likeness + 0.6 * (levels == 1) + 0.25 * (levels == 2) - 0.5 * in_links
    headline = int(score.round(1).argmax())
    before = running(((levels == 1) | ((likeness >= 1) & (levels > 0))).astype(np.float64))
    values = np.empty((len(_OF_HEADLINE), len(score)))
    values[0] = likeness
    values[1] = before[:-1]
    values[2] = before[-1]
    if score[headline] < _SURE:
        values[3:] = _NOWHERE
    else:
        steps = np.arange(len(score)) - headline
        read = layout.sizes.cumsum()
        values[3] = np.minimum(np.maximum(steps, -_FAR), _FAR)
        values[4] = np.log1p(np.abs(read - read[headline])) * np.sign(steps)
    return Features(_OF_HEADLINE, values)


def _likeness(layout: Layout, levels: NDArray[np.intp], title: str) -> Floats:
    """Return how much of each short block is in the title, from 0 to 1."""
    title = " ".join(title.lower().split())
    title_words: set[str] = set()
    likeness = np.zeros(len(layout.texts))
    is_short = (layout.sizes >= _SHORTEST_HEADLINE) & (layout.sizes <= _LONGEST_HEADLINE)
    may_be_in_title = (layout.sizes > _TELLING) & (layout.characters.lengths <= len(title))
    for number in (is_short & (((levels > 0) & (levels <= 3)) | may_be_in_title)).nonzero()[0].tolist():
        text = layout.texts[number].lower()
        if text in title:
            likeness[number] = 1.0
        elif 0 < levels[number] <= 3:
            title_words = title_words or set(words(title))
            found = set(words(text))
            shared = len(found & title_words)
            likeness[number] = shared / max(len(found), 1) * min(1.0, shared / _ENOUGH_WORDS)
    return likeness


def of_articles(layout: Layout, shares: Floats) -> Features:
    """Return which `article` element each block is in: pages may hold a second article, or one for each comment.

    `shares` are those of the page's running text in each element.
    """
    is_article = layout.is_article
    values = np.full((len(_OF_ARTICLES), len(layout.sizes)), -1.0)
    articles = is_article.nonzero()[0]
    values[4] = len(articles)
    if len(articles):
        around = is_article[layout.lineage]
        blocks = np.flatnonzero(around.any(0))
        around, lineage = around[:, blocks], layout.lineage[:, blocks]
        inside = np.arange(len(blocks))
        nearest = lineage[around.argmax(0), inside]
        widest = lineage[len(around) - 1 - around[::-1].argmax(0), inside]
        values[0, blocks] = shares[nearest]
        values[1, blocks] = shares[widest]
        values[2, blocks] = articles.searchsorted(widest)
        values[3, blocks] = blocks - layout.first[nearest]
    return Features(_OF_ARTICLES, values)


def of_doubles(texts: Sequence[str]) -> Features:
    """Return how many blocks have the text of each, and whether it begins as an earlier (1) or a later (2) one."""
    counts = Counter(texts)
    first: dict[str, int] = {}
    alike = [0] * len(texts)
    for number, text in enumerate(texts):
        if len(text) >= _DOUBLE_CHARS:
            earlier = first.setdefault(text[:_DOUBLE_CHARS], number)
            if earlier != number:
                alike[number] = 1
                alike[earlier] = max(alike[earlier], 2)
    return Features(_OF_DOUBLES, np.array(([counts[text] for text in texts], alike), np.float64))


def all_beside(columns: Floats, steps: Sequence[int], outside: float = -1.0) -> Floats:
    """Return, step by step, each row shifted by so many places: blocks get the value of a later or earlier one.

    >>> all_beside(np.array([[1.0, 2.0], [3.0, 4.0]]), [-1, 2]).tolist()
    [[-1.0, 1.0], [-1.0, 3.0], [-1.0, -1.0], [-1.0, -1.0]]
    """
    count, most = columns.shape[1], max(map(abs, steps))
    framed = np.full((len(columns), count + 2 * most), outside)
    framed[:, most : most + count] = columns
    return np.concatenate([framed[:, most + step : most + step + count] for step in steps])
