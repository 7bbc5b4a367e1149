"""Articles of a database as files: each form has every article that was asked for, whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import logging
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from newsextract import cli
from newsextract.archives.dataset_card import describe_dataset, meaning_of
from newsextract.archives.tables import ARCHIVED, RECORDS, STORED, RecordEnd, archived_row, record_row
from newsextract.archives.warc import WarcRecord
from newsextract.article import Article, ArticleMetadata, Author, ExtractionReport, UsageRights
from newsextract.article_parts import Comment
from newsextract.reading.notices import UnknownExtractor
from newsextract.storage.search import article_search as article_stream
from newsextract.storage.search.article_search import stream_articles
from tests.archives.archive_pages import text_of
from tests.article_store import ArticleStore

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    return cli.main(["export", *arguments])


BRIDGE, HARBOUR, UNDATED = "Bridge opened", "=Harbour closed", "Bridge: an undated note"
ARTICLES = (
    ("https://a.example/1", BRIDGE, "2026-03-02T07:00:00+00:00"),
    ("https://b.example/2", HARBOUR, "2026-04-05"),
    ("https://b.example/3", UNDATED, None),
)


def fill(store: ArticleStore) -> ArticleStore:
    for url, headline, published in ARTICLES:
        store.put(
            Article(
                url,
                headline=headline,
                articleBody=f"{headline}.\nIt rained “all” day, 桥梁.",
                datePublished=published,
                authors=[Author("Ann Lee", url="https://a.example/ann")],
                keywords=["rain"],
                inLanguage="en",
                wordCount=7,
                metadata=ArticleMetadata("2026-05-20T00:00:00+00:00"),
                extraction=ExtractionReport("auto", 0.5, {"headline": "json_ld"}),
            )
        )
    return store


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A file of SQLite with three articles."""
    path = tmp_path / "news.db"
    fill(ArticleStore.open(f"sqlite:///{path}")).close()
    return str(path)


def exported(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def headlines(lines: str) -> list[str]:
    return [json.loads(line)["headline"] for line in lines.splitlines()]


@pytest.mark.parametrize(("query", "first", "after", "found"), [
    ("", "", "", [UNDATED, HARBOUR, BRIDGE]),
    ("bridge", "", "", [UNDATED, BRIDGE]),
    ("bridge NEAR/1 opened", "", "", [BRIDGE]),
    ("", "2026-03-03", "2026-05", [HARBOUR]),
    ("bridge", "2026-03-02T07:00:00+00:00", "2026-03-02T07:00:01+00:00", [BRIDGE]),
    ("ferry", "", "", []),
])  # fmt: skip
def test_every_database_selects_the_same(
    store: ArticleStore, query: str, first: str, after: str, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(article_stream, "AT_ONCE", 1)
    rows = stream_articles(fill(store).engine, query, first, after)
    assert [row["headline"] for row in rows] == found


def test_json_lines_are_items(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = exported(capsys, database)
    assert headlines(lines) == [UNDATED, HARBOUR, BRIDGE]
    item = json.loads(lines.splitlines()[-1])
    assert item["authors"][0]["url"] == "https://a.example/ann"
    assert item["extraction"]["sources"] == {"headline": "json_ld"}
    assert headlines(exported(capsys, f"sqlite:///{database}", "--until", "2026-03-02")) == [BRIDGE]
    assert len(headlines(exported(capsys, database, "--since", "2026-05-20", "--date", "seen"))) == len(ARTICLES)


def test_json_lines_have_other_forms(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert headlines(exported(capsys, database, "--format", "jsonld")) == [UNDATED, HARBOUR, BRIDGE]
    items = [json.loads(line) for line in exported(capsys, database, "--format", "ninjs").splitlines()]
    assert [item["headlines"][0]["value"] for item in items] == [UNDATED, HARBOUR, BRIDGE]


def test_csv_is_safe_for_spreadsheets(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "new" / "a.csv"
    assert exported(capsys, database, "--format", "csv", "-o", str(output)) == ""
    rows = list(csv.DictReader(io.StringIO(output.read_bytes().decode("utf-8-sig"))))
    assert [row["Headline"] for row in rows] == [UNDATED, f"'{HARBOUR}", BRIDGE]
    assert rows[0]["Authors"] == "Ann Lee"
    assert rows[1]["Text"].startswith("'=Harbour")


def test_markdown_files_have_a_header(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported(capsys, database, "--format", "markdown", "-o", str(tmp_path / "files"))
    (path,) = (tmp_path / "files" / "a.example").glob("*.md")
    assert path.name.startswith("2026-03-02-bridge-opened-")
    _, header, body = path.read_text("utf-8").split("---\n", 2)
    told = yaml.safe_load(header)
    assert (told["title"], told["authors"], told["url"]) == (BRIDGE, ["Ann Lee"], "https://a.example/1")
    assert body.startswith(f"\n# {BRIDGE}\n")
    assert len(list((tmp_path / "files").rglob("*.md"))) == len(ARTICLES)


def test_a_time_that_is_none_names_no_file(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE articles SET date_published_utc = '../../up' WHERE headline = ?", (BRIDGE,))
        connection.execute("UPDATE articles SET date_published_utc = '+/../../up' WHERE headline = ?", (HARBOUR,))
    connection.close()
    exported(capsys, database, "--format", "markdown", "-o", str(tmp_path / "md"))
    assert len([path for path in (tmp_path / "md").rglob("*.md") if path.name.startswith("unknown-")]) == 2
    parquet = pytest.importorskip("pyarrow.parquet", reason="wants pyarrow, of the extra archive")
    exported(capsys, database, "--format", "parquet", "-o", str(tmp_path / "set"))
    tables = list((tmp_path / "set" / "articles" / "month=unknown").iterdir())
    assert sum(parquet.read_metadata(path).num_rows for path in tables) == 2


def test_parquet_is_a_described_data_set(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="wants pyarrow, of the extra archive")
    folder = tmp_path / "set"
    exported(capsys, database, "--format", "parquet", "-o", str(folder), "-q", "bridge OR harbour")
    months = sorted((folder / "articles").iterdir())
    assert [path.name for path in months][:2] == ["month=2026-03", "month=2026-04"]
    rows: list[dict[str, Any]] = [
        row for path in months for row in parquet.read_table(path / "articles.parquet").to_pylist()
    ]
    assert [row["headline"] for row in rows] == [BRIDGE, HARBOUR, UNDATED]
    assert rows[0]["sources"] == [{"name": "headline", "value": "json_ld"}]
    assert rows[0]["site"] == "a.example"
    assert rows[0]["date_published_utc"] == datetime(2026, 3, 2, 7, tzinfo=UTC)
    card = (folder / "README.md").read_text("utf-8")
    assert "| query | bridge OR harbour |" in card
    assert "from the database of a crawl" in card
    assert json.loads((folder / "croissant.json").read_text("utf-8"))["recordSet"][0]["@id"] == "articles"


def test_nothing_is_left_of_what_failed(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from newsextract.storage import export

    def fail(_: object) -> str:
        raise OSError("no room")

    monkeypatch.setattr(export, "markdown_text", fail)
    assert main([database, "--format", "markdown", "-o", str(tmp_path / "files")]) == 1
    assert "no room" in capsys.readouterr().err
    assert not list(tmp_path.glob("*files*"))


@pytest.mark.parametrize(("arguments", "told"), [
    (["-q", "("], "--query: "),
    (["--since", "soon"], "--since: cannot read 'soon'"),
    (["--since", "2026-02-01", "--until", "2026-01-01"], "--until: 2026-01-01 is not after --since 2026-02-01"),
    (["--format", "parquet"], "name a new one with -o"),
    (["--format", "markdown", "-o", "."], "name a new folder"),
    (["-o", "."], "is a folder"),
])  # fmt: skip
def test_what_cannot_be_is_said(
    database: str, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([database, *arguments]) == 2
    assert told in capsys.readouterr().err


def test_a_mistyped_database_is_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.db")]) == 2
    assert "none.db: no such file" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_nothing_found_writes_nothing(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "a.jsonl"
    assert main([database, "-q", "ferry", "-o", str(output)]) == 1
    assert not output.exists()
    assert "no article matches" in capsys.readouterr().err
    output.write_text("old")
    assert main([database, "-o", str(output)]) == 2
    assert main([database, "-o", str(output), "--overwrite"]) == 0
    assert len(output.read_text("utf-8").splitlines()) == len(ARTICLES)


datatrove = pytest.importorskip("datatrove.data", reason="wants datatrove, whose extractors these are")

HTML = "<html><body><nav><a href=/>Home</a></nav><h1>Bridge</h1>{}<footer>Imprint</footer></body></html>".format(
    "<p>The bridge is open again, and the trams run on it, said the mayor on Monday.</p>" * 5
)


def test_documents_become_their_articles() -> None:
    from newsextract.archives.datatrove import NewsExtract

    pages = [datatrove.Document(HTML, "1"), datatrove.Document("<html></html>", "2")]
    (found,) = NewsExtract(timeout=60).run(pages)
    assert found.id == "1"
    assert "The bridge is open again" in found.text
    assert "Imprint" not in found.text


def test_a_wrong_name_is_an_error_at_once() -> None:
    from newsextract.archives.datatrove import NewsExtract

    with pytest.raises(UnknownExtractor):
        NewsExtract("autoo")


RECORD = WarcRecord(42, "response", "<urn:uuid:1>", "https://a.example/1", "2026-05-01T00:00:00Z", "sha1:X", None)
FULL = Article(
    "https://a.example/1",
    headline="Bridge open",
    articleBody="The bridge is open.\nTrams run.",
    inLanguage="en-GB",
    authors=[Author("Ann"), Author("Ben", url="https://a.example/ben")],
    usageRights=UsageRights(tdmReservation=True, ai=False, robots=("noai", "max-snippet:50")),
    comments=[Comment("Yes.", "Ann"), Comment("No.", "Ben", parent=0, depth=1)],
    keywords=["bridge", "тест"],
    isAccessibleForFree=True,
    wordCount=6,
    extraction=ExtractionReport("auto", 0.5, {"headline": "json_ld"}),
)
BARE = Article("https://b.example/2", articleBody="Ein Satz.", inLanguage="de", wordCount=2)
SUMMARY = {"files": 1, "records": 3, "ends": {"article": 2, "other": 1}, "articles": 2}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data set of two articles in two months, described."""
    for month, article in (("2026-04", FULL), ("2026-05", BARE)):
        row = archived_row(article, RECORD, "a.warc.gz")
        write(tmp_path / "articles" / f"month={month}" / "a.parquet", [row], ARCHIVED)
    records = [
        record_row(RECORD, "a.warc.gz", end, None) for end in (RecordEnd.ARTICLE, RecordEnd.ARTICLE, RecordEnd.OTHER)
    ]
    write(tmp_path / "records" / "a.parquet", records, RECORDS)
    (tmp_path / "articles" / "month=2026-05" / "_b.parquet.77").write_bytes(b"being written")
    describe_dataset(tmp_path, SUMMARY)
    return tmp_path


def write(path: Path, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema), path)


def test_the_card_says_what_is_there(folder: Path) -> None:
    text = (folder / "README.md").read_text("utf-8")
    header = yaml.safe_load(text.split("---\n")[1])
    assert header["language"] == ["de", "en"]
    assert [each["config_name"] for each in header["configs"]] == ["articles", "records"]
    assert "2 news articles in 2 languages, with 8 words, extracted from web archives" in text
    assert "| article | 2 | An article; it has a row in the table of articles. |" in text
    assert "| 2026-04 | 1 |" in text
    assert "| 1 | forbid training (`usage_rights.ai` is false) |" in text
    for column in (*ARCHIVED.names, *RECORDS.names):
        assert f"| `{column}` |" in text


def test_every_column_is_explained() -> None:
    assert [column.name for column in (*ARCHIVED, *STORED, *RECORDS) if not meaning_of(column)] == []


def test_croissant_is_valid_and_reads_the_rows(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    mlcroissant = pytest.importorskip("mlcroissant", reason="wants mlcroissant, which checks such metadata")
    with caplog.at_level(logging.WARNING):
        dataset = mlcroissant.Dataset(folder / "croissant.json")
    assert not dataset.metadata.issues.errors
    full, bare = list(dataset.records("articles"))
    assert full["articles/headline"] == b"Bridge open"
    assert full["articles/keywords"] == [b"bridge", "тест".encode()]
    assert [each["articles/authors/url"] for each in full["articles/authors"]] == [None, b"https://a.example/ben"]
    assert full["articles/usage_rights"]["articles/usage_rights/ai"] is False
    assert full["articles/usage_rights"]["articles/usage_rights/robots"] == [b"noai", b"max-snippet:50"]
    assert full["articles/word_count"] == 6
    assert bare["articles/headline"] is None
    assert len(list(dataset.records("records"))) == 3


def test_datasets_loads_the_folder(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="wants datasets, which loads such folders")
    cache = str(tmp_path_factory.mktemp("cache"))
    articles = datasets.load_dataset(str(folder), split="train", cache_dir=cache)
    assert articles["headline"] == ["Bridge open", None]
    assert articles[0]["usage_rights"]["robots"] == ["noai", "max-snippet:50"]
    assert len(datasets.load_dataset(str(folder), "records", split="train", cache_dir=cache)) == 3


RECIPE = Path(__file__).parents[2] / "docs" / "how-to" / "deduplicate.py"


def test_the_earliest_of_the_same_and_of_nearly_the_same_text_is_left(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="wants duckdb, by which the recipe works")
    pytest.importorskip("pyarrow", reason="wants the extra `archive`")
    text = "\n".join(text_of(1))
    rows = {
        "later": (text, "2026-05-03"),
        "first": (text, "2026-05-01"),
        "longer": (f"{text}\nNothing else is known about it.", "2026-05-02"),
        "other": ("\n".join(text_of(2)), "2026-05-04"),
        "without": (None, "2026-05-05"),
    }
    table = {
        "warc_record_id": list(rows),
        "article_body": [body for body, _ in rows.values()],
        "warc_date": [datetime.fromisoformat(f"{date}T00:00:00+00:00") for _, date in rows.values()],
    }
    folder = tmp_path / "set" / "articles" / "month=2026-05"
    folder.mkdir(parents=True)
    pq.write_table(pa.table(table), folder / "a.parquet")
    subprocess.run([sys.executable, RECIPE, tmp_path / "set", tmp_path / "left.parquet"], check=True)
    left = pq.read_table(tmp_path / "left.parquet").column("warc_record_id").to_pylist()
    assert sorted(left) == ["first", "other", "without"]
