"""A page with every kind of markup, beside its HTML, its Markdown and its text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from newsextract.page.page import Page
from newsextract.page.rendering import renderer

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parent / "everything"


@pytest.mark.parametrize("form", ["html", "md", "txt"])
def test_is_written_as_expected(form: str) -> None:
    writers: dict[str, Callable[..., str]] = {"html": renderer.html, "md": renderer.markdown, "txt": renderer.text}
    page = Page((FOLDER / "page.html").read_text(encoding="utf-8"), "https://news.example/a/1")
    assert writers[form](page.blocks) == (FOLDER / f"expected.{form}").read_text(encoding="utf-8").rstrip("\n")
