"""An example that would be passed over without a word is an error, with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.examples import PAGES, UnclearExampleError, examples_of

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = "```console\n$ make\n```\n"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (2, "~~~console\n$ make\n~~~\n"),
        (2, "````console\n$ make\n````\n"),
        (2, "``` console\n$ make\n```\n"),
        (2, "```console title=x\n$ make\n```\n"),
        (2, "```Console\n$ make\n```\n"),
        (2, "- ```console\n  $ make\n  ```\n"),
        (2, "> ```console\n> $ make\n> ```\n"),
        (2, "```console\n$ make\n"),
        (2, f"```console\n$ make\n\n{BLOCK}"),
        (2, "```console\n$ make\n  ```\n"),
        (3, f"<!-- not run: it takes an hour -->\n\n{BLOCK}"),
        (3, f"<!-- not run: it takes an hour -->\nA sentence.\n{BLOCK}"),
        (2, f"<!-- Not run: it takes an hour -->\n{BLOCK}"),
        (2, f"<!-- not run -->\n{BLOCK}"),
        (2, f"  <!-- not run: it takes an hour -->\n{BLOCK}"),
        (2, f"<!-- not tested: it takes an hour -->\n{BLOCK}"),
    ],
)
def test_what_is_written_in_another_way_is_an_error(line: int, text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n{text}")
    with pytest.raises(UnclearExampleError, match=rf"page\.md:{line}: "):
        examples_of(page)


def test_a_mark_without_a_block_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(f"{BLOCK}<!-- in: folder -->\n")
    with pytest.raises(UnclearExampleError, match=r"page\.md: "):
        examples_of(tmp_path / "page.md")


def test_a_block_has_its_marks_and_language(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(f"<!-- in: folder -->\n<!-- exit code: 2 -->\n{BLOCK}\n<!-- table: of x -->\n")
    (example,) = examples_of(tmp_path / "page.md")
    assert (example.line, example.language, example.commands) == (3, "console", ["make"])
    assert example.marks == {"in": "folder", "exit code": "2"}


def test_the_pages_are_written_so() -> None:
    assert sum(len(examples_of(page)) for page in PAGES) > len(PAGES)
