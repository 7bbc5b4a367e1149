"""Which element of a page lies inside which, as arrays, computed from the number of children of each.

Elements are numbered in document order, and so are their tags: the start tag of an element and its end tag are two
events, one after the other even where it is void. Everything is computed on whole arrays, at any depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.intp]
Booleans: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Nesting:
    """The place of each element in the tree, by its number."""

    parents: Integers
    """-1 for the root."""
    stops: Integers
    """One past the last descendant."""
    opened: Integers
    """The event that is the start tag."""
    closed: Integers
    """The event that is the end tag."""

    def inside(self, chosen: Booleans) -> Booleans:
        """Tell which elements are chosen or lie inside a chosen one.

        >>> nest([2, 1, 0, 0]).inside(np.array([False, True, False, False])).tolist()
        [False, True, True, False]
        """
        starts = chosen.nonzero()[0]
        count = len(chosen) + 1
        changes = np.bincount(starts, minlength=count) - np.bincount(self.stops[starts], minlength=count)
        return changes.cumsum()[:-1] > 0

    def nearest(self, chosen: Booleans) -> Integers:
        """Return, for each element, the nearest chosen one among itself and its ancestors, or the root.

        >>> nest([2, 1, 0, 0]).nearest(np.array([False, True, False, False])).tolist()
        [0, 1, 1, 0]
        """
        found = np.where(chosen, np.arange(len(chosen)), self.parents)
        found[0] = 0
        # Each round doubles how far up every element has looked.
        while ((further := found[found]) != found).any():
            found = further
        return found

    def marked(self, *events: Integers) -> Integers:
        """Return a 1 for each of these events and a 0 for all others, so that they can be counted."""
        marks = np.zeros(2 * len(self.stops), np.intp)
        for places in events:
            marks[places] = 1
        return marks


def nest(child_counts: list[int]) -> Nesting:
    """Return how elements nest, from the number of children of each in document order.

    >>> nested = nest([2, 1, 0, 0])
    >>> nested.parents.tolist(), nested.stops.tolist()
    ([-1, 0, 1, 0], [4, 3, 3, 4])
    >>> nested.opened.tolist(), nested.closed.tolist()
    ([0, 1, 2, 5], [7, 4, 3, 6])
    """
    children = np.array(child_counts, np.intp)
    stops = _stops(children)
    numbers = np.arange(len(children))
    depths = numbers - np.bincount(stops, minlength=len(children) + 1).cumsum()[:-1]
    # Level by level, the children of one element after the other are simply the elements in their order.
    levels = depths.astype(np.int16).argsort(kind="stable")  # numpy sorts 16 bits by radix, in linear time
    parents = np.empty_like(stops)
    parents[0] = -1
    parents[levels[1:]] = levels.repeat(children[levels])
    return Nesting(parents, stops, 2 * numbers - depths, 2 * stops - depths - 1)


def _stops(children: Integers) -> Integers:
    """Return, for each element, one past its last descendant.

    Going through the elements in order, count those that a parent has announced and that have not come yet: each
    element takes one away and announces its children. Its descendants stop where the count is first one lower than at
    itself. Bisection finds that place among the places sorted by count; count and place are packed into one integer.
    """
    bits = (len(children) + 1).bit_length()
    places = np.zeros(len(children) + 1, np.intp)
    np.cumsum(children - 1, out=places[1:])
    places <<= bits
    places |= np.arange(len(places))
    places.sort()
    found = places.searchsorted(places[1:] - (1 << bits))
    places &= (1 << bits) - 1
    stops = np.empty_like(children)
    stops[places[1:]] = places[found]
    return stops
