"""The numbers of the items of ordered lists, by `start`, `value` and `reversed`, as browsers show them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.page.blocks import Outline

LISTS = {"ul": "ul", "ol": "ol", "menu": "ul", "dir": "ul"}
"""The elements that are lists, and as which they are written."""
NUMBERINGS = ("a", "A", "i", "I")
"""Values of an ordered list's `type` that are not the default, which is numbers."""

_INTEGER = re.compile(r"\s*([+-]?[0-9]{1,9})(?![0-9])")


class ListNumbers:
    """The numbers of items, computed once for each list."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._of_list: dict[int, dict[int, int]] = {}

    def of(self, ordered: int, item: int) -> int | None:
        """Return the number of an item in an ordered list; `None` if it is no item of the list."""
        if ordered not in self._of_list:
            self._of_list[ordered] = self._number(ordered)
        return self._of_list[ordered].get(item)

    def _number(self, ordered: int) -> dict[int, int]:
        items = _items(self._outline, ordered)
        element = self._outline.elements[ordered]
        step = -1 if element.get("reversed") is not None else 1
        following = _integer(element.get("start"))
        if following is None:
            following = len(items) if step < 0 else 1
        numbers = {}
        for item in items:
            value = _integer(self._outline.elements[item].get("value"))
            numbers[item] = following if value is None else value
            following = numbers[item] + step
        return numbers


def numbering(outline: Outline, ordered: int) -> str:
    """Return how a list is numbered: one of `NUMBERINGS`, or an empty string for plain numbers."""
    kind = (outline.elements[ordered].get("type") or "").strip()
    return kind if kind in NUMBERINGS else ""


def _items(outline: Outline, ordered: int) -> list[int]:
    """Return the items of a list, without those of the lists inside it."""
    items, number = [], ordered + 1
    while number < outline.stops[ordered]:
        tag = outline.tags[number]
        if tag == "li":
            items.append(number)
        number = outline.stops[number] if tag in LISTS else number + 1
    return items


def _integer(text: str | None) -> int | None:
    found = _INTEGER.match(text or "")
    return int(found[1]) if found else None
