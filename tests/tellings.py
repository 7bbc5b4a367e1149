"""Made-up stories as several papers print them: shortened, reordered, with another lead, inside a longer piece.

The retellings of a story are its copies; the other story on the same subject is not, although names, numbers and
phrases are the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Telling:
    """A text, and the story that it tells."""

    story: str
    """Tellings with the same name are copies of each other."""
    form: str
    """`original`, `other` or the name of the variation."""
    text: str


def tellings(language: str) -> Iterator[Telling]:
    """Yield the texts in `english`, `french` or `chinese`: three subjects of eleven texts each, one after the other."""
    told = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))[language]
    for each in told:
        yield Telling(each["story"], each["form"], "\n".join(each["lines"]))
