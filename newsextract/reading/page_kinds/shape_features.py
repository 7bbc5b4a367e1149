"""Features from the shape of the main content: what interrupts it, what stands above it, and which elements are in it.

The posts of a thread are parted by short blocks: a name that is a link, a date, a number. Sections of a service or a
manual are parted by headings, an article's paragraphs by little; it has a date below its headline, and quotes people.
"""

from __future__ import annotations

import re
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page import characters as classes
from newsextract.reading.page_kinds.markup_features import tag_number
from newsextract.reading.page_kinds.page_text_features import LONG_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from newsextract.page.blocks import Block
    from newsextract.page.nesting import Booleans, Integers
    from newsextract.reading.page_kinds.page_text_features import Texts

    Floats = NDArray[np.float64]

UNKNOWN = -1.0
LABEL_SIZE = 40
"""A block with fewer letters can be a name, a date or a number."""
_LEAD_SIZE = 60
"""A line with date and author has fewer letters."""
_LEAD_BLOCKS = 50
"""The most blocks between headline and text that are told apart."""
_QUOTES, _DASHES, _CALLS = '"“”„«»「」『』', "—–", "!！¡"
_PER_CHARS = 1000
_DATE = re.compile(r"\b\d{1,4}[./\-年]\s?\d{1,2}[./\-月]\s?\d{1,4}|(?<!\d)(?:19|20)\d\d(?!\d)")
_INSIDE = ("button", "form", "input", "img", "figure", "code", "pre", "time", "li", "h2", "h3", "table")
_GAPS = ("gaps", "gap_share", "gap_numbers", "gap_links", "gap_both", "gap_headings", "gap_wide")
_LEAD = ("lead_distance", "lead_date", "lead_number", "lead_link")
_READING = ("heading_every", "heading_size", "kept_median", "kept_spread")


def of_shape(texts: Texts, blocks: tuple[Block, ...]) -> dict[str, float]:
    """Return the features of the main content's shape; those of its place are `UNKNOWN` if it is from JSON-LD."""
    found = _of_signs([block.text for block in blocks])
    if blocks[0].outline is not texts.outline:
        names = (*_GAPS, *_LEAD, *_READING, *(f"inside_{tag}" for tag in _INSIDE))
        return found | dict.fromkeys(names, UNKNOWN)
    starts = texts.outline.table.starts
    kept = starts.searchsorted([block.start for block in blocks], side="right") - 1
    first, last = int(kept[0]), int(kept[-1])
    long = first + (texts.plain[first : last + 1] >= LONG_SIZE).nonzero()[0]
    headings = texts.is_heading
    has_number = (texts.characters.counts[:, classes.DIGIT] > 0) & (texts.sizes < LABEL_SIZE)
    return (
        found
        | _of_gaps(long, has_number & ~headings, texts.links, headings)
        | _of_lead(texts, int(long[0]) if len(long) else first, has_number)
        | _of_reading(texts, kept, headings)
        | _of_inside(texts, first, last)
    )


def _of_signs(kept: list[str]) -> dict[str, float]:
    """Return how often kept text quotes, pauses and calls, per thousand characters."""
    text = "\n".join(kept)
    named = {"kept_quotes": _QUOTES, "kept_dashes": _DASHES, "kept_calls": _CALLS}
    return {name: _PER_CHARS * sum(map(text.count, signs)) / max(len(text), 1) for name, signs in named.items()}


def _of_gaps(long: Integers, numbers: Booleans, links: Booleans, headings: Booleans) -> dict[str, float]:
    """Return how often other blocks part the reading text, and the share of these gaps that have each kind of block."""
    sizes = np.diff(long) - 1
    gaps = (sizes > 0).nonzero()[0]
    count = len(gaps)
    starts, stops = long[gaps] + 1, long[gaps + 1] if count else long[:0]
    holds = []
    for chosen in (numbers, links, headings):
        before = np.append(0, chosen.cumsum())
        holds.append(before[stops] > before[starts])
    shares = (holds[0], holds[1], holds[0] & holds[1], holds[2], sizes[gaps] > 1)
    values = (float(found.sum()) / max(count, 1) for found in shares)
    return dict(zip(_GAPS, (float(np.log1p(count)), count / max(len(long), 1), *values), strict=True))


def _of_lead(texts: Texts, first_long: int, has_number: Booleans) -> dict[str, float]:
    """Return what stands between the first heading and the text: a date, a number, a link, and how far it is."""
    table = texts.outline.table
    heads = (texts.tags[table.owners] == tag_number("h1")).nonzero()[0]
    if not len(heads):
        return dict.fromkeys(_LEAD, UNKNOWN)
    head = int(heads[0])
    distance = min(max(first_long - head, 0), _LEAD_BLOCKS)
    between = slice(head + 1, head + max(distance, 1))
    short = (text for text in table.texts[between] if len(text) < _LEAD_SIZE)
    is_dated = bool(_DATE.search("\n".join(short)))
    values = float(distance), float(is_dated), float(has_number[between].any()), float(texts.links[between].any())
    return dict(zip(_LEAD, values, strict=True))


def _of_reading(texts: Texts, kept: Integers, headings: Booleans) -> dict[str, float]:
    """Return how much text a heading has, how long headings are, and how long and how even the paragraphs are."""
    inside = slice(int(kept[0]), int(kept[-1]) + 1)
    every = texts.plain[inside].sum() / max(headings[inside].sum(), 1)
    paragraphs = texts.plain[kept]
    paragraphs = paragraphs[paragraphs >= LONG_SIZE]
    middle, spread = 0.0, 0.0
    if len(paragraphs):
        middle, spread = median(paragraphs.tolist()), float(paragraphs.std() / paragraphs.mean())
    size = texts.sizes[headings].mean() if headings.any() else 0.0
    return dict(zip(_READING, (float(np.log1p(every)), float(size), float(np.log1p(middle)), spread), strict=True))


def _of_inside(texts: Texts, first: int, last: int) -> dict[str, float]:
    """Return the logarithm of the number of elements of some tags between the first and the last block kept."""
    owners, stops = texts.outline.table.owners, texts.outline.arrays.stops
    tags = texts.tags[int(owners[first]) : int(stops[owners[last]])]
    counts = np.log1p(np.bincount(tags, minlength=256)).tolist()
    return {f"inside_{tag}": counts[tag_number(tag)] for tag in _INSIDE}
