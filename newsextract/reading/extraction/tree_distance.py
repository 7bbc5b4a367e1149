"""The tree edit distance of two pages: the fewest elements to insert, delete or rename, as the thesis measures it.

Zhang & Shasha, "Simple Fast Algorithms for the Editing Distance between Trees and Related Problems" (SIAM Journal on
Computing 18, 1989): distances between forests, for each pair of keyroots (the elements with a sibling before them, and
the root). The thesis used RTED, which finds the same distance in less time on trees of awkward shapes. Here the forests
of all keyroots of one tree are computed at once, a row of numpy for each element of the other, which brings two usual
pages of 600 elements to about a second; deep ones take longer, see `Tree.forests`.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from newsextract.reading.extraction.contract import TemplateUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from newsextract.reading.extraction.page_structure import PageZones

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


# The pq-gram distance between the structures of two pages, in n log n.
#
# Augsten, Böhlen & Gamper, "Approximate Matching of Hierarchical Data Using pq-Grams" (VLDB 2005, pages 301-312). A pq-
# gram is an element with its p - 1 nearest ancestors (the stem) and q consecutive children (the base). The tree is
# extended by null nodes so that every element has stems and bases: p - 1 above the root, q - 1 before the first and
# after the last child, q below a leaf (definition 3.1). The profile P of a tree is the bag of the labels of its pq-
# grams, and
#
#     distance = 1 - 2 |P ∩ P'| / (|P| + |P'|)                                                        (definition 4.3)
#
# from 0, for equal profiles, to 1. Labels are tags: neither text nor attributes count.

P = 2
"""Elements in a stem; the value of the paper's experiments (section 6)."""
Q = 3
"""Children in a base; the value of the paper's experiments."""

_NULL = np.uint64(0)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@dataclass(frozen=True)
class Profile:
    """The bag of the pq-grams of a tree: their hashes, sorted and distinct, and how often each occurs."""

    hashes: NDArray[np.uint64]
    counts: NDArray[np.int64]

    @property
    def size(self) -> int:
        """How many pq-grams the tree has."""
        return int(self.counts.sum())


def profile(tags: Sequence[str], parents: Sequence[int], p: int = P, q: int = Q) -> Profile:
    """Return the profile of a tree given in document order, `parents[i]` being -1 for the root.

    >>> profile(["a", "a", "e", "b", "b", "c"], [-1, 0, 1, 1, 0, 0]).size
    13
    """
    labels = np.fromiter(map(_label, tags), np.uint64, len(tags))
    above = np.asarray(parents, np.int64)
    stems = _stems(labels, above, p)
    inner, bases = _bases(labels, above, q)
    leaves = np.setdiff1d(np.arange(len(tags)), above)
    null_base = _hashed(np.zeros((1, q), np.uint64))
    grams = np.concatenate([_mixed(stems[inner], bases), _mixed(stems[leaves], np.repeat(null_base, len(leaves)))])
    return Profile(*np.unique(grams, return_counts=True))


def distance(one: Profile, other: Profile) -> float:
    """Return the pq-gram distance of two trees, from 0 to 1; two empty trees are alike."""
    _, here, there = np.intersect1d(one.hashes, other.hashes, assume_unique=True, return_indices=True)
    shared = int(np.minimum(one.counts[here], other.counts[there]).sum())
    total = one.size + other.size
    return 1 - 2 * shared / total if total else 0.0


@cache
def _label(tag: str) -> int:
    # Not `hash`, which differs between two processes; 0 is the null node.
    return zlib.crc32(tag.encode()) + 1


def _mixed(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a hash of each ordered pair; overflow is intended."""
    mixed = (one + np.uint64(1)) * _FACTOR
    mixed = (mixed ^ (mixed >> _SHIFT)) + other
    return (mixed * _FACTOR) ^ (mixed >> _SHIFT)


def _hashed(rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a hash of each row."""
    found = np.zeros(len(rows), np.uint64)
    for column in rows.T:
        found = _mixed(found, column)
    return found


def _stems(labels: NDArray[np.uint64], parents: NDArray[np.int64], p: int) -> NDArray[np.uint64]:
    """Return a hash of each element with its p - 1 nearest ancestors."""
    with_null = np.append(labels, _NULL)
    above = np.append(parents, -1)  # the null node, last, is its own parent
    node = np.arange(len(labels))
    columns = [with_null[node]]
    for _ in range(p - 1):
        node = above[node]
        columns.append(with_null[node])
    return _hashed(np.stack(columns, axis=1))


def _bases(
    labels: NDArray[np.uint64], parents: NDArray[np.int64], q: int
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the hashes of the bases of all elements with children, and the element of each."""
    children = np.argsort(parents, kind="stable")[np.count_nonzero(parents < 0) :]
    if not len(children):
        return np.empty(0, np.int64), np.empty(0, np.uint64)
    inner, first, count = np.unique(parents[children], return_index=True, return_counts=True)
    # The children of all elements in one row, with q - 1 nulls on both sides of each element's children.
    pads = 2 * (q - 1) * np.arange(len(inner)) + q - 1
    row = np.zeros(len(children) + 2 * (q - 1) * len(inner), np.uint64)
    row[np.arange(len(children)) + np.repeat(pads, count)] = labels[children]
    windows = np.lib.stride_tricks.sliding_window_view(row, q)
    starts = first + pads - (q - 1)
    sizes = count + q - 1
    offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(inner, sizes), _hashed(windows[np.repeat(starts, sizes) + offsets])


# The thesis's first method: weigh elements by the tokens that differ in the edit mapping of two pages.
#
# Deturck 2015, section 4.4.1 and annex, algorithms 2 to 5. Every token becomes a leaf under the element that holds it;
# the tree edit mapping says which token becomes which. An element weighs as many tokens as differ under it; its
# differential is what it weighs more than its heaviest child; times its depth, since the useful content lies low, the
# largest differential marks the body. For comparison only: the mapping is exact, and so for small pages.
#
# The mapping is the fewest elements to insert, delete or rename, by APTED (Pawlik & Augsten, "Tree edit distance:
# Robust and memory-efficient", Information Systems 56, 2016), the successor of the RTED that the thesis used, from the
# package `apted`. It is quadratic in memory, up to cubic in time, and in Python.

MAX_NODES = 600
"""Tokens and elements of a page; the mapping of two pages of this size takes about five seconds."""


@dataclass(eq=False)
class Node:
    """A node of a tree as APTED reads it."""

    name: str
    children: list[Node] = field(default_factory=list)


def as_nodes(tags: Sequence[str], parents: Sequence[int]) -> list[Node]:
    """Return the linked nodes of a tree given in document order; the first is the root."""
    nodes = [Node(tag) for tag in tags]
    for node, parent in zip(nodes, parents, strict=True):
        if parent >= 0:
            nodes[parent].children.append(node)
    return nodes


def edit_mapping(one: Node, other: Node) -> list[tuple[Node | None, Node | None]]:
    """Return which node becomes which in the cheapest edit; `None` stands for an insertion or deletion.

    Raises:
        TemplateUnavailable: the package is missing.
    """
    return [(here or None, there or None) for here, there in _apted(one, other).compute_edit_mapping()]


def _apted(one: Node, other: Node) -> Any:
    try:
        from apted import APTED  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise TemplateUnavailable("apted") from error
    return APTED(one, other)


@dataclass(eq=False)
class TokenTree:
    """A page as a tree whose leaves are tokens; its elements are those of the outline that hold text, by number."""

    nodes: dict[int, Node]
    """The node of each element, in document order."""
    parents: dict[int, int]
    """The parent of each element, -1 for the root."""
    holders: dict[int, int]
    """The element that holds each token, by the identity of the token's node."""

    @property
    def size(self) -> int:
        """How many nodes the tree has."""
        return len(self.nodes) + len(self.holders)

    @property
    def root(self) -> Node:
        """The node of the first element."""
        return next(iter(self.nodes.values()))

    @property
    def is_small(self) -> bool:
        """Whether its edit mapping can be computed in reasonable time."""
        return len(self.nodes) > 0 and self.size <= MAX_NODES


def token_tree(page: PageZones) -> TokenTree:
    """Return the elements of a page that hold text, with their tokens as leaves; each holds its tokens first."""
    outline = page.outline
    kept = [el for el, start in enumerate(outline.run_starts) if outline.run_stops[el] > start]
    places = {element: place for place, element in enumerate(kept)}
    parents = {element: outline.parents[element] for element in kept}
    above = [places.get(parent, -1) for parent in parents.values()]
    nodes = dict(zip(kept, as_nodes([outline.tags[el] for el in kept], above), strict=True))
    holders: dict[int, int] = {}
    for holder, tokens in zip(outline.holders, page.tokens, strict=True):
        leaves = [Node(f"={token}") for token in tokens]  # no tag begins like this
        nodes[holder].children.extend(leaves)
        holders.update(dict.fromkeys(map(id, leaves), holder))
    return TokenTree(nodes, parents, holders)


def weights(tree: TokenTree, pairs: Sequence[tuple[Node | None, Node | None]], side: int = 0) -> dict[int, int]:
    """Return how many tokens of a tree differ under each element (algorithms 2 and 3).

    `pairs` are an edit mapping, `side` says which of a pair is of this tree.
    """
    found = dict.fromkeys(tree.nodes, 0)
    for pair in pairs:
        here, there = pair[side], pair[1 - side]
        if here is not None and id(here) in tree.holders and (there is None or there.name != here.name):
            found[tree.holders[id(here)]] += 1
    for element in reversed(tree.nodes):  # children after parents in document order
        if tree.parents[element] in found:
            found[tree.parents[element]] += found[element]
    return found


def differentials(tree: TokenTree, weight: dict[int, int]) -> dict[int, int]:
    """Return by how many tokens each element outweighs its heaviest child (algorithm 5)."""
    heaviest = dict.fromkeys(tree.nodes, 0)
    for element, parent in tree.parents.items():
        if parent in heaviest:
            heaviest[parent] = max(heaviest[parent], weight[element])
    return {element: weight[element] - heaviest[element] for element in tree.nodes}


def essential_element(page: PageZones, pair: PageZones) -> int | None:
    """Return the element with the largest differential times depth; `None` if nothing differs or a page is too large.

    Raises:
        TemplateUnavailable: the package `apted` is missing.
    """
    tree, other = token_tree(page), token_tree(pair)
    if not (tree.is_small and other.is_small):
        return None
    weight = weights(tree, edit_mapping(tree.root, other.root))
    depths: dict[int, int] = {}
    for element, parent in tree.parents.items():
        depths[element] = depths.get(parent, 0) + 1
    found = differentials(tree, weight)
    best = max(found, key=lambda element: found[element] * depths[element])
    return best if found[best] > 0 else None
