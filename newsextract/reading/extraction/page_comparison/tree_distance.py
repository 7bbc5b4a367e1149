"""The tree edit distance of two pages: the fewest elements to insert, delete or rename, as the thesis measures it.

Zhang & Shasha, "Simple Fast Algorithms for the Editing Distance between Trees and Related Problems" (SIAM Journal on
Computing 18, 1989): distances between forests, for each pair of keyroots (the elements with a sibling before them, and
the root). The thesis used RTED, which finds the same distance in less time on trees of awkward shapes. Here the forests
of all keyroots of one tree are computed at once, a row of numpy for each element of the other, which brings two usual
pages of 600 elements to about a second; deep ones take longer, see `Tree.forests`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

MAX_FORESTS = 12_000
"""Pages with more are compared by their pq-grams: time and memory grow with the product of what both pages have."""
_NEVER = 1 << 24
"""More than any distance."""


@dataclass(frozen=True)
class Tree:
    """A tree in postorder."""

    labels: Integers
    leftmost: Integers
    """The first leaf under each element."""

    @property
    def size(self) -> int:
        """How many elements the tree has."""
        return len(self.labels)

    @property
    def keyroots(self) -> list[int]:
        """For each leaf that is a first one, the highest element above it, in order."""
        return sorted({int(first): number for number, first in enumerate(self.leftmost)}.values())

    @property
    def forests(self) -> int:
        """How many forests are compared: the elements under all keyroots, so the more the deeper the tree."""
        return sum(root - int(self.leftmost[root]) + 2 for root in self.keyroots)


def tree_of(tags: Sequence[str], parents: Sequence[int]) -> Tree:
    """Return a tree given in document order, `parents[i]` being -1 for the root."""
    sizes, depths = [1] * len(tags), [0] * len(tags)
    for number in range(1, len(tags)):
        depths[number] = depths[parents[number]] + 1
    for number in range(len(tags) - 1, 0, -1):
        sizes[parents[number]] += sizes[number]
    places = [number - depths[number] + sizes[number] - 1 for number in range(len(tags))]
    labels, leftmost = np.zeros(len(tags), np.int64), np.zeros(len(tags), np.int64)
    labels[places] = [crc32(tag.encode()) for tag in tags]
    leftmost[places] = [place - size + 1 for place, size in zip(places, sizes, strict=True)]
    return Tree(labels, leftmost)


def tree_distance(one: Tree, other: Tree) -> float:
    """Return the edit distance as a share of all elements of both trees: from 0, for equal trees, to 1."""
    total = one.size + other.size
    return edits(one, other) / total if total else 0.0


def edits(one: Tree, other: Tree) -> int:
    """Return the fewest elements to insert, delete or rename.

    >>> edits(tree_of(["div", "p", "b"], [-1, 0, 1]), tree_of(["div", "b"], [-1, 0]))
    1
    """
    if not one.size or not other.size:
        return one.size + other.size
    columns = _columns(other)
    found = np.zeros((one.size, other.size), np.int64)
    for root in one.keyroots:
        _fill(one, root, columns, found)
    return int(found[-1, -1])


@dataclass(frozen=True)
class _Columns:
    """The forests of all keyroots of a tree side by side: the empty forest of each, then one more element each time."""

    labels: Integers
    nodes: Integers
    """The last element of each forest; for empty ones any."""
    starts: Integers
    """The column of the empty forest of the same keyroot."""
    befores: Integers
    """The forest that is left without the last element's tree."""
    is_tree: NDArray[np.bool_]
    """Whether the forest is a single tree."""
    is_empty: NDArray[np.bool_]
    shifts: Integers
    """Grows by one a column and by `_NEVER` a keyroot."""
    levels: tuple[Integers, ...]
    """The columns by level: those of a keyroot come after those of the keyroots under it."""


def _columns(tree: Tree) -> _Columns:
    roots = tree.keyroots
    bounds = [(int(tree.leftmost[root]), root) for root in roots]
    sizes = np.array([last - first + 2 for first, last in bounds])
    firsts = np.repeat([first for first, _ in bounds], sizes)
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    places = np.arange(len(starts))
    is_empty = places == starts
    nodes = np.where(is_empty, firsts, firsts + places - starts - 1)
    level_of = np.zeros(tree.size, np.int64)
    levels = []
    for first, last in bounds:
        levels.append(int(level_of[first : last + 1].max()) + 1)
        inside = np.arange(first, last + 1)
        level_of[inside[tree.leftmost[inside] == first]] = levels[-1]
    level = np.repeat(levels, sizes)
    return _Columns(
        tree.labels[nodes],
        nodes,
        starts,
        starts + tree.leftmost[nodes] - firsts,
        (tree.leftmost[nodes] == firsts) & ~is_empty,
        is_empty,
        places + _NEVER * np.repeat(np.arange(len(roots)), sizes),
        tuple(np.flatnonzero(level == number) for number in range(1, max(levels) + 1)),
    )


def _fill(one: Tree, root: int, columns: _Columns, found: Integers) -> None:
    """Write the distances between the trees on the leftmost path of a keyroot and all trees of the other page."""
    first = int(one.leftmost[root])
    rows = np.zeros((root - first + 2, len(columns.nodes)), np.int64)
    rows[0] = np.arange(len(columns.nodes)) - columns.starts
    for node in range(first, root + 1):
        row = node - first + 1
        if one.leftmost[node] != first:
            before = rows[int(one.leftmost[node]) - first][columns.befores] + found[node][columns.nodes]
            rows[row] = _joined(rows[row - 1], before, columns, slice(None))
            continue
        for some in columns.levels:
            renamed = rows[row - 1][some - 1] + (columns.labels[some] != one.labels[node])
            before = rows[0][columns.befores[some]] + found[node][columns.nodes[some]]
            before = np.where(columns.is_tree[some], renamed, before)
            rows[row, some] = _joined(rows[row - 1][some], before, columns, some)
            trees = some[columns.is_tree[some]]
            found[node, columns.nodes[trees]] = rows[row, trees]


def _joined(above: Integers, before: Integers, columns: _Columns, some: Integers | slice) -> Integers:
    """Return a row from what deleting and matching give, with insertions from left to right in each keyroot."""
    least = np.minimum(above + 1, np.where(columns.is_empty[some], _NEVER, before))
    shifts = columns.shifts[some]
    return np.asarray(np.minimum.accumulate(least - shifts) + shifts)
