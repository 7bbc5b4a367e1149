"""The layout of a page's blocks: the elements around each block, and the blocks inside each of these elements.

Short blocks that are only a link, half of all blocks, are not classified if the page has others: they are not kept.
They still count in the features about links around a block.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from newsextract.page.outline import are, translation

if TYPE_CHECKING:
    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from newsextract.page.blocks import Outline
    from newsextract.page.characters import Characters
    from newsextract.page.outline import Booleans, Integers

    Floats = NDArray[np.float64]


LEVELS = 16
"""Elements around a block that are used: the innermost ones and the root. Most articles are nested no deeper."""

_LINKED = 0.95
_LONG_LINK = 60
"""Letters from which on a block that is only a link is classified: it may be a sentence of an article."""

TAGS = (
    "button label form option nav a td th li dd dt dl ul ol table div center section main article span body header "
    "footer aside summary details figure figcaption h1 h2 h3 h4 h5 h6 pre blockquote p"
).split()
"""Tags, numbered from 1. Related tags are neighbours, so that one split of a tree separates them."""
_NUMBERS = translation({tag: number for number, tag in enumerate(TAGS, start=1)})


class Features(NamedTuple):
    """Some features of N blocks."""

    names: tuple[str, ...]
    values: Floats
    """len(`names`) x N."""


@dataclass(frozen=True, slots=True)
class Layout:
    """N blocks and the M elements around them, which have their own numbers, the root first."""

    numbers: Integers
    """Which of the page's blocks these are."""
    texts: list[str]
    characters: Characters
    sizes: Floats
    """The size of each block in letters; see `Characters.sizes`."""
    link_sizes: Floats
    """The part of each size that lies inside links."""
    runs: Integers
    """The number of text runs of each block."""
    gaps: Floats
    """Tags between a block's text and that of the block before it."""
    skipped: Floats
    """How many blocks left out of the layout lie between each block and the one before it."""

    elements: list[HtmlElement]
    tags: list[str]
    kinds: Integers
    """The tags as numbers, see `TAGS`; 0 for others."""
    is_article: Booleans
    """Which elements are an `article`."""
    classes: list[str | None]
    parents: Integers
    """The parent of each element; 0 for the root too."""
    stops: Integers
    """One past the last of an element's descendants."""
    first: Integers
    """The first block inside each element."""
    last: Integers
    """One past the last block inside each element."""
    page_counts: Floats
    """How many blocks of the page lie inside each element, including those left out of the layout."""
    page_sizes: Floats
    """The size of all the text inside each element."""
    page_links: Floats
    """The part of that size that lies inside links."""

    lineage: Integers
    """Levels x N: the block-level element of each block, its parent and so on; the root fills the remaining levels."""
    inline: list[tuple[int, HtmlElement]]
    """Blocks whose first text is directly in an inline element, each with that element."""

    def inside(self, values: Floats) -> Floats:
        """Return, for each element, the sum of a value over the blocks inside it; of each row, if there are several."""
        sums = running(values)
        total: Floats = sums[..., self.last] - sums[..., self.first]
        return total


def running(values: Floats) -> Floats:
    """Return the running sums: of the first 0, 1, 2, … values of each row.

    >>> running(np.array([1.0, 2.0])).tolist()
    [0.0, 1.0, 3.0]
    """
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, -1, out=sums[..., 1:])
    return sums


def with_logarithms(values: Floats, rows: slice | list[int]) -> None:
    """Replace these rows by the logarithms of 1 and their values."""
    values[rows] = np.log1p(values[rows])


def lay_out(outline: Outline) -> Layout:
    """Return the layout of a page that has at least one block."""
    table, arrays = outline.table, outline.arrays
    characters = outline.characters
    sizes = characters.sizes
    link_sizes = table.link_chars / characters.lengths * sizes
    seen = _seen(sizes, link_sizes)
    starts = table.starts[seen]
    owners = table.owners[seen]

    lineage, numbers, used = _lineage(owners, arrays.parents)
    run_starts, run_stops = arrays.run_starts[used], arrays.run_stops[used]
    page_first, page_last = table.starts.searchsorted(run_starts), table.starts.searchsorted(run_stops)
    all_sizes, all_links = running(sizes), running(link_sizes)

    listed = used.tolist()
    elements = [outline.elements[number] for number in listed]
    codes = arrays.codes[used]
    holders = arrays.holders[starts]
    tags_before = arrays.tags_before[starts]
    return Layout(
        numbers=seen,
        texts=[table.texts[number] for number in seen.tolist()],
        characters=characters.some(seen),
        sizes=sizes[seen],
        link_sizes=link_sizes[seen],
        runs=table.stops[seen] - starts,
        gaps=np.diff(tags_before, prepend=tags_before[0]).astype(np.float64),
        skipped=np.diff(seen, prepend=-1) - 1.0,
        elements=elements,
        tags=[outline.tags[number] for number in listed],
        kinds=_NUMBERS[codes].astype(np.intp),
        is_article=are(codes, "article"),
        classes=[element.get("class") for element in elements],
        parents=numbers[np.maximum(arrays.parents[used], 0)],
        stops=numbers[arrays.stops[used] - 1] + 1,
        first=starts.searchsorted(run_starts),
        last=starts.searchsorted(run_stops),
        page_counts=(page_last - page_first).astype(np.float64),
        page_sizes=all_sizes[page_last] - all_sizes[page_first],
        page_links=all_links[page_last] - all_links[page_first],
        lineage=lineage,
        inline=[(block, outline.elements[holders[block]]) for block in (holders != owners).nonzero()[0].tolist()],
    )


def _seen(sizes: Floats, link_sizes: Floats) -> Integers:
    """Return the blocks to classify; all of them if there are only links."""
    is_seen = (link_sizes <= _LINKED * sizes) | (sizes >= _LONG_LINK)
    return is_seen.nonzero()[0] if is_seen.any() else np.arange(len(sizes))


def _lineage(owners: Integers, parents: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the elements around each block by their new numbers, these numbers, and which elements have them.

    The root is around everything. Some features use a level by its number, so flat pages are filled up with the root.
    An element that is around no block has the number of the last one before it that is.
    """
    parents = np.maximum(parents, 0)
    levels = [owners]
    while len(levels) < LEVELS - 1 and np.count_nonzero(levels[-1]):
        levels.append(parents.take(levels[-1]))
    levels += [np.zeros_like(owners)] * max(8 - len(levels), 1)
    around = np.array(levels)
    is_used = np.zeros(len(parents), np.bool_)
    is_used[around] = True
    numbers = is_used.cumsum() - 1
    return numbers.take(around), numbers, is_used.nonzero()[0]
