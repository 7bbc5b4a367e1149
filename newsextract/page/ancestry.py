"""What an element inherits from its ancestors, and what lies inside it; linear in the size of the page at any depth."""

from __future__ import annotations

from types import MethodType
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakMethod

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from newsextract.page.blocks import Block, Outline

_T = TypeVar("_T")


class Inherited(Generic[_T]):
    """A property that each element derives from its parent's; computed on demand, once for each element."""

    def __init__(self, outline: Outline, outside: _T, step: Callable[[_T, int], _T]) -> None:
        """Take the value outside the root, and the function from (parent's value, element) to the element's value.

        A method's object must live as long as this, which does not keep it.
        """
        self._parents = outline.parents
        self._known = {-1: outside}
        # An object that holds this would be in a cycle with it, and keep its page until the garbage collector runs.
        self._step = WeakMethod(step) if isinstance(step, MethodType) else lambda: step

    def of(self, element: int) -> _T:
        """Return the value for an element."""
        try:
            return self._known[element]
        except KeyError:
            return self._derived(element)

    def _derived(self, element: int) -> _T:
        pending = []
        while element not in self._known:
            pending.append(element)
            element = self._parents[element]
        value = self._known[element]
        step = self._step()
        if step is None:
            raise ReferenceError("the object whose method computes the property is gone")
        for inner in reversed(pending):
            value = self._known[inner] = step(value, inner)
        return value


class Nowhere(Inherited[_T]):
    """A property that no element changes: all have the value from outside the root."""

    def of(self, element: int) -> _T:  # noqa: ARG002 - whatever the element
        """Return the value, which is the same for all elements."""
        return self._known[-1]


def nearest(outline: Outline, tag: str) -> Inherited[int]:
    """Return, for each element, the nearest one of this tag among itself and its ancestors, or -1."""
    if tag not in outline.tag_names:
        return Nowhere(outline, -1, lambda around, _: around)
    return Inherited(outline, -1, lambda around, element: element if outline.tags[element] == tag else around)


def blocks_inside(outline: Outline, elements: Iterable[int]) -> Iterator[Block]:
    """Yield the blocks inside these elements, which come in page order; blocks of nested elements come once."""
    reached = 0
    for element in elements:
        start, stop = outline.runs_of(element)
        yield from outline.blocks_between(max(start, reached), stop)
        reached = max(reached, stop)
