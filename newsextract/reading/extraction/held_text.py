"""Compare what a page shows of its article with a text that it holds elsewhere: in its JSON-LD, or for its scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.page.blocks import Block

LITTLE_TEXT = 250
"""Letters: a page that shows fewer of its article may hold the rest elsewhere."""
MUCH_MORE = 1.5
"""How many times longer than what is shown a held text must be to matter."""
_HELD = 0.85
"""Share of what is shown that the held text must hold to be the same article's."""
_without_signs = re.compile(r"\W+").sub


def chars_of(blocks: Iterable[Block]) -> int:
    """Return the length of a text."""
    return sum(len(block.text) for block in blocks)


def letters(block: Block) -> str:
    """Return the letters and digits; spaces and quotation marks differ between a page and what it holds."""
    return _without_signs("", block.text).lower()


def all_letters(blocks: Iterable[Block]) -> str:
    """Return the letters and digits of a text."""
    return "".join(map(letters, blocks))


def is_of_same_article(shown: tuple[Block, ...], held: str) -> bool:
    """Return whether the letters of a held text have most of what is shown."""
    same = chars_of(block for block in shown if letters(block) in held)
    return same >= _HELD * chars_of(shown)
