from __future__ import annotations

import runpy
import sys
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.tools.field_reference import fields_page, message_schema

if TYPE_CHECKING:
    import pytest

PROJECT = Path(__file__).parents[2]


def test_the_docs_have_the_fields_of_today() -> None:
    assert (PROJECT / "docs" / "fields.md").read_text("utf-8") == fields_page(), "run make fields"


def test_the_schema_of_messages_has_the_fields_of_today() -> None:
    written = files("newsextract.newsroom.delivery").joinpath("envelope-1.json").read_text("utf-8")
    assert written == message_schema(), "run make fields"


def test_writes_both_as_make_runs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = [tmp_path / "docs" / "fields.md", tmp_path / "newsextract" / "newsroom" / "delivery" / "envelope-1.json"]
    for file in written:
        file.parent.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "newsextract.tools.field_reference")
    runpy.run_module("newsextract.tools.field_reference", run_name="__main__")
    assert [file.read_text("utf-8") for file in written] == [fields_page(), message_schema()]
