"""The pq-gram distance between the structures of two pages, in n log n.

Augsten, Böhlen & Gamper, "Approximate Matching of Hierarchical Data Using pq-Grams" (VLDB 2005, pages 301-312). A
pq-gram is an element with its p - 1 nearest ancestors (the stem) and q consecutive children (the base). The tree is
extended by null nodes so that every element has stems and bases: p - 1 above the root, q - 1 before the first and after
the last child, q below a leaf (definition 3.1). The profile P of a tree is the bag of the labels of its pq-grams, and

    distance = 1 - 2 |P ∩ P'| / (|P| + |P'|)                                                        (definition 4.3)

from 0, for equal profiles, to 1. Labels are tags: neither text nor attributes count.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
