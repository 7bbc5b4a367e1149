"""Tables in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return a table; a bar in a cell is escaped.

    >>> print(table(["a", ""], [["b", "c|d"]]), end="")
    | a |  |
    | --- | --- |
    | b | c\|d |
    """
    lines = (heads, ["---"] * len(heads), *([each.replace("|", "\\|") for each in row] for row in rows))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def code(text: object) -> str:
    """Return a text as code on a line.

    >>> code("--json"), code(None)
    ('`--json`', '')
    """
    return "" if text is None else f"`{text}`"
