"""The examples of the documentation: fenced blocks, with what comments before them say about running them.

A comment directly before a block is a mark: `<!-- not run: REASON -->` (only its syntax is checked),
`<!-- exit code: N -->`, `<!-- in: FOLDER -->`, and `<!-- file: PATH -->` or `<!-- append: PATH -->`, which write the
block instead of running it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).resolve().parents[2]
DOCS = PROJECT / "docs"
PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]

KEYS = {"not run", "exit code", "in", "file", "append"}

_MARK = re.compile(r"<!-- ([a-z ]+): (.+) -->\s*$")
_FENCE = re.compile(r"(\s*)```([\w{}-]*)\s*$")


@dataclass(frozen=True)
class Example:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str
    marks: dict[str, str]

    @property
    def where(self) -> str:
        """The place as editors understand it."""
        return f"{self.page.relative_to(PROJECT)}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """The commands of a block of a console: those behind `$`, with the lines that continue them."""
        found: list[str] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                found.append(line[2:])
            elif found and found[-1].endswith("\\"):
                found[-1] = f"{found[-1]}\n{line}"
        return found


def examples_of(page: Path) -> list[Example]:
    """Return the blocks of a page, in order."""
    return list(_examples(page, page.read_text("utf-8")))


def _examples(page: Path, text: str) -> Iterator[Example]:
    marks: dict[str, str] = {}
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        if mark := _MARK.match(line):
            marks[mark[1]] = mark[2]
        elif fence := _FENCE.match(line):
            indent, language = fence.groups()
            body = []
            for _, inner in lines:
                if inner == f"{indent}```":
                    break
                body.append(inner.removeprefix(indent))
            yield Example(page, number, language, "\n".join(body) + "\n", {k: v for k, v in marks.items() if k in KEYS})
            marks = {}
        else:
            marks = {}


def inline_commands(page: Path) -> list[str]:
    """Return the commands of ours that stand in the sentences of a page."""
    prose = re.sub(r"(?ms)^\s*```.*?^\s*```$", "", page.read_text("utf-8"))
    found = (" ".join(each.split()) for each in re.findall(r"(?<!`)`([^`]+)`(?!`)", prose))
    return [each for each in found if re.match(r"(scrapy|newsextract|make|python -m newsextract\S*|pip) ", each)]
