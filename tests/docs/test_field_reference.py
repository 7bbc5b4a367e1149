from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from docs.generators.extractors import PAGE, with_options
from docs.generators.field_reference import fields_page, main, message_schema

PROJECT = Path(__file__).parents[2]


def test_the_docs_have_the_fields_of_today() -> None:
    assert (PROJECT / "docs" / "fields.md").read_text("utf-8") == fields_page(), "run make fields"


def test_the_docs_have_the_options_of_today() -> None:
    page = (PROJECT / PAGE).read_text("utf-8")
    assert page == with_options(page), "run python -m docs.generators.extractors"


def test_the_schema_of_messages_has_the_fields_of_today() -> None:
    written = files("newsextract.newsroom.delivery").joinpath("envelope-1.json").read_text("utf-8")
    assert written == message_schema(), "run make fields"


def test_writes_both_files(tmp_path: Path) -> None:
    written = [tmp_path / "docs" / "fields.md", tmp_path / "newsextract" / "newsroom" / "delivery" / "envelope-1.json"]
    for file in written:
        file.parent.mkdir(parents=True)
    main(tmp_path)
    assert [file.read_text("utf-8") for file in written] == [fields_page(), message_schema()]
