"""Features of a block's place: in the page, relative to the headline, among articles, between its neighbours."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.words import words
from newsextract.reading.extraction.block_classifier.block_layout import running
from newsextract.reading.extraction.block_classifier.text_features import heading_levels, link_share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from newsextract.reading.extraction.block_classifier.block_layout import Layout

    Columns = Mapping[str, NDArray[np.generic]]
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


def of_place(layout: Layout) -> Columns:
    """Return how far into the page each block is, and how large the page is."""
    count = len(layout.sizes)
    read = np.cumsum(layout.sizes)
    gaps = np.log1p(np.maximum(layout.gaps, 0))
    return {
        "place": np.arange(count) / count,
        "text_place": (read - layout.sizes / 2) / read[-1],
        "page_blocks": np.full(count, np.log1p(layout.page_counts[0])),
        "page_size": np.full(count, np.log1p(layout.page_sizes[0])),
        "page_link_share": np.full(count, layout.page_links[0] / layout.page_sizes[0]),
        "skipped_before": np.log1p(layout.skipped),
        "skipped_after": np.log1p(np.append(layout.skipped[1:], layout.page_counts[0] - 1 - layout.numbers[-1])),
        "gap_before": gaps,
        "gap_after": np.append(gaps[1:], 0),
    }


def of_headline(layout: Layout, title: str) -> Columns:
    """Return each block's place relative to the headline, the heading most similar to the page's title."""
    levels = heading_levels(layout)
    likeness = _likeness(layout, levels, title)
    in_links = link_share(layout) > 0.5
    score = likeness + 0.6 * (levels == 1) + 0.25 * (levels == 2) - 0.5 * in_links
    headline = int(np.argmax(score.round(1)))
    count = len(score)
    before = running(((levels == 1) | ((likeness >= 1) & (levels > 0))).astype(np.float64))
    columns = {"title_likeness": likeness, "headings_before": before[:-1], "headings": np.full(count, before[-1])}
    if score[headline] < _SURE:
        return columns | {name: np.full(count, _NOWHERE) for name in ("headline_blocks", "headline_size")}
    steps = np.arange(count) - headline
    read = np.cumsum(layout.sizes)
    way = np.log1p(np.abs(read - read[headline])) * np.sign(steps)
    return columns | {"headline_blocks": np.clip(steps, -_FAR, _FAR), "headline_size": way}


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


def of_articles(layout: Layout, shares: Floats) -> Columns:
    """Return which `article` element each block is in: pages may hold a second article, or one for each comment.

    `shares` are those of the page's running text in each element.
    """
    is_article = layout.is_article
    count = len(layout.sizes)
    names = ("article_share", "articles_share", "article_number", "article_blocks")
    if not is_article.any():
        return {name: np.full(count, -1.0) for name in names} | {"articles": np.zeros(count)}
    around = is_article[layout.lineage]
    has = around.any(0)
    blocks = np.arange(count)
    nearest = layout.lineage[np.argmax(around, 0), blocks]
    widest = layout.lineage[len(around) - 1 - np.argmax(around[::-1], 0), blocks]
    articles = is_article.nonzero()[0]
    found = (shares[nearest], shares[widest], articles.searchsorted(widest), blocks - layout.first[nearest])
    columns = {name: np.where(has, values, -1) for name, values in zip(names, found, strict=True)}
    return columns | {"articles": np.full(count, len(articles))}


def of_doubles(texts: Sequence[str]) -> Columns:
    """Return how many blocks have the text of each, and whether it begins as an earlier (1) or a later (2) one."""
    counts = Counter(texts)
    first: dict[str, int] = {}
    alike = np.zeros(len(texts))
    for number, text in enumerate(texts):
        if len(text) >= _DOUBLE_CHARS:
            earlier = first.setdefault(text[:_DOUBLE_CHARS], number)
            if earlier != number:
                alike[number] = 1
                alike[earlier] = max(alike[earlier], 2)
    return {"same_text": np.array([counts[text] for text in texts]), "same_start": alike}


def all_beside(columns: Sequence[NDArray[np.generic]], steps: Sequence[int], outside: float = -1.0) -> list[Floats]:
    """Return, step by step, each column shifted by so many places: blocks get the value of a later or earlier one.

    >>> [column.tolist() for column in all_beside([np.array([1, 2]), np.array([3, 4])], [-1, 2])]
    [[-1.0, 1.0], [-1.0, 3.0], [-1.0, -1.0], [-1.0, -1.0]]
    """
    count, most = len(columns[0]), max(map(abs, steps))
    framed = np.full((len(columns), count + 2 * most), outside)
    framed[:, most : most + count] = columns
    return [column for step in steps for column in framed[:, most + step : most + step + count]]
