"""Prints matches, for people or as JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from newsextract.newsroom.watch.passages import Passage
    from newsextract.newsroom.watch.rule_index import Match

WIDTH = 120
"""Columns if there is no terminal to ask."""


def print_json(row: Mapping[str, Any], matches: list[Match]) -> None:
    """Print the matches of an article, one JSON object per line."""
    for match in matches:
        line = {
            "rule": match.rule.name,
            "revision": match.rule.revision,
            **{name: row.get(name) for name in ("url", "site", "headline")},
            "passages": [asdict(passage) | {"words": passage.words} for passage in match.passages],
        }
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")


def printer() -> Callable[[Mapping[str, Any], list[Match]], None]:
    """Return a function that prints an article's matches below its headline, with hits in colour or in brackets."""
    from rich.console import Console  # noqa: PLC0415 - only where something is printed
    from rich.padding import Padding  # noqa: PLC0415 - likewise
    from rich.text import Text  # noqa: PLC0415 - likewise

    console = Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)

    def show(row: Mapping[str, Any], matches: list[Match]) -> None:
        # Not as markup: a headline may have brackets.
        console.print(Text(row.get("headline") or "", "bold"))
        console.print(Text(" ".join(filter(None, ((row.get("date_published") or "")[:10], row.get("url")))), "dim"))
        for match in matches:
            console.print(Padding(Text(match.rule.name, "cyan"), (0, 0, 0, 2)))
            for passage in match.passages:
                text = Text.assemble((f"{passage.field}: ", "dim"), *_pieces(passage, in_colour=console.is_terminal))
                console.print(Padding(text, (0, 0, 0, 4)))
        console.print()

    return show


def _pieces(passage: Passage, *, in_colour: bool) -> list[tuple[str, str]]:
    """Return the pieces of a passage with their styles; without colours, hits are in brackets."""
    pieces = []
    at = 0
    text = passage.text.replace("\n", " ")
    for start, end in passage.marks:
        found = text[start:end]
        pieces += [(text[at:start], ""), (found, "bold yellow") if in_colour else (f"[{found}]", "")]
        at = end
    return [*pieces, (text[at:], "")]
