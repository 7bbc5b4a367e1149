"""Features from a page's text: how it is spread over the page, what is kept as main content, and how that reads."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page import characters as classes
from newsextract.page.characters import read_characters
from newsextract.reading.page_kinds.markup_features import HEADINGS, numbers_of, tag_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from newsextract.page.blocks import Block, Outline
    from newsextract.page.characters import Characters
    from newsextract.page.nesting import Booleans, Integers
    from newsextract.reading.extraction.contract import Extraction

    Floats = NDArray[np.float64]

UNKNOWN = -1.0
HEADLINE_SIZE = 20
"""A link with fewer letters is a menu entry."""
LONG_SIZE = 60
"""A block with at least as many letters outside links is reading text."""
_LINKED = 0.9
_LEVELS = 3
"""Levels looked at around reading text, from the parent of the block's element on."""
_ODD = 1_000_003
_PRICES, _QUESTIONS = "$€£¥₹₽", "?？؟"
_PLAIN_TAGS = ("p", "li", "td", "pre", "div")
_NAMED = {
    "upper": classes.UPPER, "digits": classes.DIGIT, "stops": classes.STOP, "commas": classes.COMMA,
    "colons": classes.COLON, "closers": classes.CLOSER, "symbols": classes.SYMBOL,
}  # fmt: skip
_PLACES = ("among_share", "among_headlines", "among_left", "left_share", "begins", "ends")


@dataclass(frozen=True)
class Texts:
    """The blocks of a page as columns; sizes are in letters, see `Characters.sizes`."""

    outline: Outline
    tags: NDArray[np.uint8]
    """The number of each element's tag, see `tag_numbers`."""
    characters: Characters
    sizes: Floats
    links: Booleans
    """Whether a block is nothing but a link."""
    plain: Floats
    """The part of each size outside links."""

    @property
    def is_long(self) -> Booleans:
        """Whether a block is reading text."""
        return self.plain >= LONG_SIZE

    @property
    def is_headline(self) -> Booleans:
        """Whether a block is a link longer than a menu entry."""
        return self.links & (self.sizes >= HEADLINE_SIZE)

    @property
    def is_heading(self) -> Booleans:
        """Whether a block's element is a heading."""
        own = self.tags[self.outline.table.owners]
        return (own > 0) & (own <= len(HEADINGS))


def read_texts(outline: Outline, tags: NDArray[np.uint8]) -> Texts:
    """Return the blocks of a page, which must have at least one."""
    table = outline.table
    characters = outline.characters
    shares = table.link_chars / characters.lengths
    sizes = characters.sizes
    return Texts(outline, tags, characters, sizes, shares >= _LINKED, sizes * (1 - shares))


def of_page(texts: Texts) -> dict[str, float]:
    """Return how much of the text is links, headlines and paragraphs, and how many headlines are alike."""
    sizes, links, headings = texts.sizes, texts.links, texts.is_heading
    headlines, long = texts.is_headline, texts.is_long
    total = max(sizes.sum(), 1.0)
    joined = "\n".join(texts.outline.table.texts)
    counts = {
        "page_size": total, "page_blocks": len(sizes), "page_links": links.sum(), "page_longest": sizes.max(),
        "page_mean_size": total / len(sizes), "headlines": headlines.sum(), "headings": headings.sum(),
        "headlines_alike": _most_alike(texts, headlines), "long": long.sum(),
        "page_prices": sum(map(joined.count, _PRICES)), "page_questions": sum(map(joined.count, _QUESTIONS)),
    }  # fmt: skip
    return dict(zip(counts, np.log1p(list(counts.values())).tolist(), strict=True)) | {
        "page_link_share": 1 - float(texts.plain.sum() / total),
        "page_short_share": float((sizes < HEADLINE_SIZE).mean()),
        "headlines_share": float(sizes[headlines].sum() / total),
        "headings_share": float(sizes[headings].sum() / total),
        "headings_linked": float((headings & links).sum() / max(headings.sum(), 1)),
        "long_share": float(sizes[long].sum() / total),
        "headlines_per_long": float(np.log1p(headlines.sum()) - np.log1p(long.sum())),
    }


def _most_alike(texts: Texts, chosen: Booleans) -> int:
    """Return how many of the chosen blocks are nested in the same tags, at most."""
    around = texts.outline.table.owners[chosen]
    parents = np.maximum(texts.outline.arrays.parents, 0)
    numbers = texts.tags.astype(np.int64)
    signature = numbers[around]
    for _ in range(_LEVELS + 1):
        around = parents[around]
        signature = signature * _ODD + numbers[around]
    return max(Counter(signature.tolist()).values(), default=0)


def of_flow(texts: Texts) -> dict[str, float]:
    """Return how concentrated the reading text is: an article has one element around it, forum posts one each."""
    chosen = texts.is_long.nonzero()[0]
    sizes, around = texts.plain[chosen], texts.outline.table.owners[chosen]
    parents = np.maximum(texts.outline.arrays.parents, 0)
    total, count = max(float(sizes.sum()), 1.0), max(len(chosen), 1)
    found = {"flow_gap": float(median(np.diff(chosen).tolist())) if len(chosen) > 1 else 0.0}
    for level in range(1, _LEVELS + 1):
        around = parents[around]
        inside = np.bincount(around, minlength=1)
        found |= {
            f"flow_best_{level}": float(np.bincount(around, sizes, minlength=1).max()) / total,
            f"flow_most_{level}": float(np.log1p(inside.max())),
            f"flow_parents_{level}": float((inside > 0).sum()) / count,
            f"flow_runs_{level}": float((np.diff(around) != 0).sum() + 1) / count,
        }
    return found


def of_kept(texts: Texts, extraction: Extraction) -> dict[str, float]:
    """Return features of the main content: its size, its elements, and how it reads."""
    blocks = extraction.blocks
    characters, tags, link_chars = _columns(texts, blocks)
    sizes = characters.sizes
    total = max(float(sizes.sum()), 1.0)
    signs = (characters.counts.sum(0) / total).tolist()
    is_stopped = characters.last == classes.STOP
    is_heading = (tags > 0) & (tags <= len(HEADINGS))
    link_shares = link_chars / characters.lengths
    return {
        "kept_size": float(np.log1p(total)),
        "kept_blocks": float(np.log1p(len(blocks))),
        "kept_share": total / max(float(texts.sizes.sum()), 1.0),
        "kept_link_share": float((sizes * link_shares).sum()) / total,
        "kept_mean_size": float(np.log1p(total / len(blocks))),
        "kept_longest_share": float(sizes.max()) / total,
        "kept_sentences": float(sizes[is_stopped].sum()) / total,
        "kept_stopped": float(is_stopped.mean()),
        "kept_long": float((sizes >= LONG_SIZE).mean()),
        "kept_headings": float(is_heading.mean()),
        **{f"kept_in_{tag}": float(sizes[tags == tag_number(tag)].sum()) / total for tag in _PLAIN_TAGS},
        **{f"kept_{name}": signs[kind] for name, kind in _NAMED.items()},
    }


def _columns(texts: Texts, blocks: tuple[Block, ...]) -> tuple[Characters, NDArray[np.uint8], Integers]:
    """Return the characters of these blocks, the numbers of their tags, and their characters inside links."""
    table = texts.outline.table
    if all(block.outline is texts.outline for block in blocks):
        kept = table.starts.searchsorted([block.start for block in blocks]).clip(0, len(table.starts) - 1)
        are_whole = table.starts[kept].tolist() == [block.start for block in blocks]
        if are_whole and table.stops[kept].tolist() == [block.stop for block in blocks]:
            return texts.characters.some(kept), texts.tags[table.owners[kept]], table.link_chars[kept]
    # An extractor may cut blocks, and the body may come from the page's JSON-LD.
    characters = read_characters([block.text for block in blocks])
    return characters, numbers_of([block.tag for block in blocks]), np.array([block.link_chars for block in blocks])


def of_place(texts: Texts, blocks: tuple[Block, ...]) -> dict[str, float]:
    """Return the place of the kept text on the page: in one stretch, or between headlines and other text."""
    table = texts.outline.table
    if blocks[0].outline is not texts.outline:  # the body comes from the page's JSON-LD
        return dict.fromkeys(_PLACES, UNKNOWN)
    first, last = (int(table.starts.searchsorted(block.start)) for block in (blocks[0], blocks[-1]))
    kept = table.starts.searchsorted([block.start for block in blocks])
    count = len(table.starts)
    plain = np.where(texts.links, 0.0, texts.sizes)
    among = max(float(plain[first : last + 1].sum()), 1.0)
    held, total = float(plain[kept.clip(0, count - 1)].sum()), max(float(plain.sum()), 1.0)
    headlines = float(texts.is_headline[first : last + 1].sum())
    values = among / total, headlines / len(blocks), 1 - held / among, 1 - held / total, first / count, last / count
    return dict(zip(_PLACES, values, strict=True))
