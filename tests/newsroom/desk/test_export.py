"""The files that the desk gives: the articles of a choice as CSV and JSON Lines, and an article as JSON."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.newsroom.desk import article_export
from newsextract.newsroom.desk.downloads import Download
from newsextract.newsroom.desk.limited_reading import TooMuchError
from newsextract.storage.articles.article_store import ArticleStore
from tests.newsroom.desk.conftest import ARTICLES, BRIDGE, BRIDGE_ID, story

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path


def table(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 200
    assert answer.text.startswith("\ufeffHeadline,")
    return list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))


def test_a_choice_is_exported_as_it_is_listed(ask: Callable[..., Any], filled: Path) -> None:
    answer = ask(filled, "/export.csv?q=bridge&from=2026-03-02")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="articles-bridge-2026-03-02.csv"'
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    found = table(answer)
    assert [row["Headline"] for row in found] == ["Tarn opens bridge", "Bridge opened in Tarn"]
    assert found[1]["Text"] == BRIDGE
    assert found[1]["Published (UTC)"] == "2026-03-02T07:00:00+00:00"
    assert len(table(ask(filled, "/export.csv"))) == len(ARTICLES)


def test_json_lines_have_the_fields_of_the_item(ask: Callable[..., Any], filled: Path) -> None:
    answer = ask(filled, "/export.jsonl?site=gazette.example")
    (item,) = map(json.loads, answer.text.splitlines())
    assert item["headline"] == "Bridge opened in Tarn"
    assert item["articleBody"] == BRIDGE
    assert item["extraction"]["sources"] == {"headline": "json_ld", "articleBody": "auto"}
    assert item["metadata"]["dateDownloaded"] == "2026-03-02T10:00:00+00:00"
    assert item["authors"] is None
    assert ask(filled, f"/article/{BRIDGE_ID}.json").json() == item
    assert ask(filled, "/article/0000.json").status_code == 404


FORMULAS = ("=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\uff1d1", "\n=1", "\ufeff=1", "\u200b=1")


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_cell_is_a_formula(ask: Callable[..., Any], tmp_path: Path, formula: str) -> None:
    path = tmp_path / "a.db"
    store = ArticleStore.open(f"sqlite:///{path}")
    store.put(story("a.example", "1", headline=formula, body=f'{formula}, he said; "no".', keywords=[formula, "x"]))
    store.close()
    (row,) = table(ask(path, "/export.csv"))
    assert row["Headline"] == f"'{formula}"
    for value in row.values():
        assert not value.lstrip().startswith(("=", "+", "-", "@", "\uff1d"))


def test_exports_in_parts_and_no_more_than_is_listed(
    ask: Callable[..., Any], filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(article_export, "AT_ONCE", 2)
    assert table(ask(filled, "/export.csv?order=seen"))[0]["Site"] == "wire.example"
    assert len(table(ask(filled, "/export.csv"))) == len(ARTICLES)
    monkeypatch.setattr(article_export, "WINDOW", 3)
    assert len(table(ask(filled, "/export.csv"))) == 3
    assert len(ask(filled, "/export.jsonl").text.splitlines()) == 3


def test_articles_that_are_too_large_together_are_read_one_by_one(
    ask: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("newsextract.newsroom.desk.desk_database._ANSWER_BYTES", 250_000)
    path = tmp_path / "large.db"
    store = ArticleStore.open(f"sqlite:///{path}")
    for number in range(3):
        store.put(story("a.example", str(number), headline=f"{number}", body=f"{number} long " * 10_000, html=""))
    store.close()
    assert len(ask(path, "/export.jsonl").text.splitlines()) == 3


@pytest.mark.parametrize(
    ("address", "status", "sentence"),
    [
        ("/export.csv?from=x", 400, "“x” is not a day"),
        ("/export.csv?from=2026-03-02&to=2026-03-01", 400, "No day is both"),
        ("/export.jsonl?q=bridge OR (golf", 400, "never closed"),
        ("/export.xml", 404, "no page"),
    ],
)
def test_a_choice_that_cannot_be_exported_is_refused(
    ask: Callable[..., Any], filled: Path, address: str, status: int, sentence: str
) -> None:
    answer = ask(filled, address)
    assert (answer.status_code, sentence in answer.text) == (status, True)


def test_an_export_that_takes_too_long_is_given_up(
    ask: Callable[..., Any], filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("newsextract.newsroom.desk.limited_reading.PAGE_MILLISECONDS", 0)
    answer = ask(filled, "/export.csv")
    assert answer.status_code == 503
    assert "took too long" in answer.text


def test_a_file_whose_parts_cannot_all_be_read_is_left_unfinished(caplog: pytest.LogCaptureFixture) -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def parts() -> AsyncIterator[str]:
        yield "Headline"
        raise TooMuchError

    asyncio.run(Download("a.csv", "text/csv", parts()).asgi_send(send))
    assert [message.get("more_body") for message in sent] == [None, True]
    assert "a.csv is incomplete: This took too long" in caplog.text


def test_a_choice_without_articles_is_a_table_without_rows(ask: Callable[..., Any], filled: Path) -> None:
    assert table(ask(filled, "/export.csv?site=nowhere.example")) == []
    assert ask(filled, "/export.jsonl?site=nowhere.example").text == ""
