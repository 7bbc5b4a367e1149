"""The examples of the documentation: fenced blocks, with what comments before them say about running them.

A comment directly before a block is a mark: `<!-- not run: REASON -->` (only its syntax is checked),
`<!-- exit code: N -->`, `<!-- in: FOLDER -->`, and `<!-- file: PATH -->` or `<!-- append: PATH -->`, which write the
block instead of running it. There is one way to write a block and a mark; any other is an error, as nobody would
notice an example that is passed over.
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

NOTES = {"generated", "table"}
"""What other comments are called."""
LANGUAGES = {"", "bash", "console", "ini", "json", "pycon", "python", "sql", "text", "yaml", "{toctree}"}

_MARK = re.compile(r"<!-- ([a-z ]+): (\S.*) -->\s*$")
_FENCE = re.compile(r"( *)```([\w{}-]*)\s*$")
_LIKE_A_MARK = re.compile(rf"[\s>]*<!--\s*({'|'.join(KEYS)})\b", re.IGNORECASE)
_LIKE_A_FENCE = re.compile(r"[\s>*+\d.)-]*(```|~~~)")


class UnclearExampleError(ValueError):
    """A block or mark is not written as it has to be."""


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
        where = f"{page}:{number}"
        if (mark := _MARK.match(line)) and mark[1] in KEYS:
            marks[mark[1]] = mark[2]
        elif (mark and mark[1] not in NOTES) or _LIKE_A_MARK.match(line):
            raise UnclearExampleError(
                f"{where}: a mark is <!-- KEY: VALUE -->, and KEY is one of {', '.join(sorted(KEYS))}"
            )
        elif fence := _FENCE.match(line):
            indent, language = fence.groups()
            if language not in LANGUAGES:
                raise UnclearExampleError(f"{where}: {language} is none of {', '.join(sorted(LANGUAGES))}")
            yield Example(page, number, language, _body(lines, indent, where), marks)
            marks = {}
        elif _LIKE_A_FENCE.match(line):
            raise UnclearExampleError(f"{where}: a block begins with ``` and its language, and nothing else")
        elif marks:
            raise UnclearExampleError(f"{where}: a mark stands directly before its block")
    if marks:
        raise UnclearExampleError(f"{page}: a mark at the end has no block")


def _body(lines: Iterator[tuple[int, str]], indent: str, where: str) -> str:
    body: list[str] = []
    for _, line in lines:
        if line == f"{indent}```":
            return "\n".join(body) + "\n"
        if _LIKE_A_FENCE.match(line):
            break
        body.append(line.removeprefix(indent))
    raise UnclearExampleError(f"{where}: the block does not end with ``` below its beginning")


def inline_commands(page: Path) -> list[str]:
    """Return the commands of ours that stand in the sentences of a page."""
    prose = re.sub(r"(?ms)^\s*```.*?^\s*```$", "", page.read_text("utf-8"))
    found = (" ".join(each.split()) for each in re.findall(r"(?<!`)`([^`]+)`(?!`)", prose))
    return [each for each in found if re.match(r"(scrapy|newsextract|make|python -m newsextract\S*|pip) ", each)]
