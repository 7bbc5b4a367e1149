"""The blocks of a page as columns: their texts as a reader sees them, and how many of their characters are links."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.text_forms import as_read

if TYPE_CHECKING:
    from newsextract.page.nesting import Integers
    from newsextract.page.text_runs import Arrays


@dataclass(frozen=True, slots=True)
class BlockTable:
    """The same blocks as `Outline.blocks`, as columns for code that computes on all of them at once."""

    texts: list[str]
    link_chars: Integers
    starts: Integers
    stops: Integers
    owners: Integers


def tabulate(runs: list[str], arrays: Arrays) -> BlockTable:
    """Return the blocks that have at least one visible character."""
    bounds = arrays.bounds.tolist()
    starts, stops = arrays.bounds[:-1], arrays.bounds[1:]
    joined = [runs[start] for start in bounds[:-1]]
    for number in (stops - starts > 1).nonzero()[0].tolist():
        joined[number] = "".join(runs[bounds[number] : bounds[number + 1]])
    texts = list(map(as_read, joined))
    linked_chars = _all_link_chars(texts, runs, arrays)
    if "" in texts:
        kept = [number for number, text in enumerate(texts) if text]
        texts = [texts[number] for number in kept]
        starts, stops, linked_chars = starts[kept], stops[kept], linked_chars[kept]
    return BlockTable(texts, linked_chars, starts, stops, arrays.owners[arrays.holders[starts]])


def _all_link_chars(texts: list[str], runs: list[str], arrays: Arrays) -> Integers:
    """Return how many characters of each text lie inside links."""
    linked_before = np.append(0, arrays.linked.cumsum())
    starts, stops = arrays.bounds[:-1], arrays.bounds[1:]
    linked = linked_before[stops] - linked_before[starts]
    found: Integers = np.fromiter(map(len, texts), np.intp, len(texts)) * (linked == stops - starts)
    for number in ((linked > 0) & (linked < stops - starts)).nonzero()[0].tolist():
        inside = slice(starts[number], stops[number])
        found[number] = link_chars(texts[number], runs[inside], arrays.linked[inside].tolist())
    return found


def link_chars(text: str, runs: list[str], linked: list[bool]) -> int:
    """Return how many characters of the text made of these runs lie inside links."""
    if True not in linked:
        return 0
    return len(text) if False not in linked else len(as_read("".join(compress(runs, linked))))
