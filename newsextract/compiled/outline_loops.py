"""The loops of the compiled core over the elements and texts of a page, in Python.

`outline_loops.pxd` gives Cython their C types. Each writes into arrays that its caller has made. Interpreted they are
slow, and serve only to test what is compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]
    Bytes = NDArray[np.uint8]


def nest(children: Sequence[int], parents: Integers, stops: Integers, opened: Integers, closed: Integers) -> None:
    """Find how elements nest from the number of children of each; see `nesting.nest`."""
    count = len(parents)
    parent, depth = -1, 0
    for element in range(count):
        parents[element] = parent
        opened[element] = 2 * element - depth
        left = children[element]
        stops[element] = left  # until its last child is reached, how many are left
        if left:
            parent, depth = element, depth + 1
            continue
        last = element
        while True:
            stops[last] = element + 1
            closed[last] = 2 * (element + 1) - depth - 1
            if parent < 0:
                break
            stops[parent] -= 1
            if stops[parent]:
                break
            last, parent, depth = parent, parents[parent], depth - 1


def inside(parents: Integers, chosen: NDArray[np.bool_], found: NDArray[np.bool_]) -> None:
    """Tell which elements are chosen or lie inside a chosen one; see `Nesting.inside`."""
    for element in range(len(parents)):
        found[element] = chosen[element] or (element > 0 and found[parents[element]])


def nearest(parents: Integers, chosen: NDArray[np.bool_], found: Integers) -> None:
    """Find the nearest chosen element around each; see `Nesting.nearest`."""
    for element in range(len(parents)):
        found[element] = element if chosen[element] or element == 0 else found[parents[element]]


def visible_texts(
    elements: list[HtmlElement], nesting: Integers, breaks: Bytes, shown: Bytes, line_break: str, found: Integers
) -> tuple[list[str], int]:
    """Read the text nodes that are shown, in order; return them, and how many are not blank.

    `nesting` has the parents, stops, start tags and end tags; `found` gets the holder of each text, the tag before it,
    and the places of those that are not blank. See `text_runs._visible_texts`.
    """
    texts: list[str] = []
    place = solid = 0
    count = len(elements)
    top = -1
    for element in range(count + 1):
        while top >= 0 and nesting[1, top] <= element:  # its end tag comes before this element
            parent = nesting[0, top]
            if parent < 0 or shown[parent]:
                text = elements[top].tail
                if text:
                    texts.append(text)
                    found[0, place] = parent
                    found[1, place] = nesting[3, top]
                    if not text.isspace():
                        found[2, solid] = place
                        solid += 1
                    place += 1
            top = parent
        if element < count:
            if shown[element]:
                text = line_break if breaks[element] else elements[element].text
                if text:
                    texts.append(text)
                    found[0, place] = element
                    found[1, place] = nesting[2, element]
                    if not text.isspace():
                        found[2, solid] = place
                        solid += 1
                    place += 1
            top = element
    return texts, solid


def join_runs(
    texts: list[str], events: Integers, places: Integers, marks: Bytes, bounds: Integers
) -> tuple[list[str], int]:
    """Join each text that is not blank with the blank ones before it; return them, and how many `bounds` there are.

    `marks` has a 1 for each tag that is a wall, and a 2 for each line break. See `text_runs._join_gaps` and `_bounds`.
    """
    runs: list[str] = []
    walls = breaks = reached = start = number = 0
    walls_before = breaks_before = 0
    for place in range(len(texts)):
        event = events[place]
        while reached <= event:
            if marks[reached] == 1:
                walls += 1
                start = place  # what stands before a wall joins no text behind it
            elif marks[reached] == 2:
                breaks += 1
            reached += 1
        if len(runs) < len(places) and places[len(runs)] == place:
            if not runs or walls > walls_before or breaks > breaks_before + 1:
                bounds[number] = len(runs)
                number += 1
            walls_before, breaks_before = walls, breaks
            runs.append("".join(texts[start : place + 1]) if start < place else texts[place])
            start = place + 1
    bounds[number] = len(runs)
    return runs, number + 1


def count_characters(
    texts: list[str], table: Bytes, kinds: tuple[int, ...], counts: Floats, first: Bytes, last: Bytes
) -> None:
    """Count the characters of texts by class; see `characters.read_characters`, and there for the `kinds`."""
    dense, closer, stop, ellipsis = kinds
    number = 0
    for text in texts:
        before = ending = earlier = kind = 0
        place = 0
        for char in text:
            point = ord(char)
            kind = table[min(65536, point)] if point < 0x20000 else dense
            counts[number, kind] += 1.0
            if place == 0:
                first[number] = kind
            earlier, before, ending = before, ending, kind
            place += 1
        if ending == closer and place > 1:
            ending, before = before, earlier
            place -= 1
        last[number] = ellipsis if place > 1 and ending == stop and before == stop else ending
        number += 1
