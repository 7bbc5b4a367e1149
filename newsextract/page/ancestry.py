"""What an element inherits from those around it, and what lies inside it, in linear time for the page at any depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from newsextract.page.blocks import Block, Outline

_T = TypeVar("_T")


class Inherited(Generic[_T]):
    """A property of elements that follows from that of their parent, worked out once for each element asked for."""

    def __init__(self, outline: Outline, outside: _T, step: Callable[[_T, int], _T]) -> None:
        """Take the value outside of the root, and the step from a parent's value and an element to the element's."""
        self._parents = outline.parents
        self._known = {-1: outside}
        self._step = step

    def of(self, element: int) -> _T:
        """Return the value for an element."""
        pending = []
        while element not in self._known:
            pending.append(element)
            element = self._parents[element]
        value = self._known[element]
        for inner in reversed(pending):
            value = self._known[inner] = self._step(value, inner)
        return value


class Nowhere(Inherited[_T]):
    """A property that no element adds to: all have the value from outside."""

    def of(self, element: int) -> _T:  # noqa: ARG002 - whatever the element
        """Return the value, which is the same for all elements."""
        return self._known[-1]


def nearest(outline: Outline, tag: str) -> Inherited[int]:
    """Return which element of this tag, itself included, is nearest around each element; -1 where there is none."""
    if tag not in outline.tags:
        return Nowhere(outline, -1, lambda around, _: around)
    return Inherited(outline, -1, lambda around, element: element if outline.tags[element] == tag else around)


def blocks_inside(outline: Outline, elements: Iterable[int]) -> Iterator[Block]:
    """Yield the blocks inside elements given in the order of the page, each once where elements are nested."""
    reached = 0
    for element in elements:
        start, stop = outline.runs_of(element)
        yield from outline.blocks_between(max(start, reached), stop)
        reached = max(reached, stop)
