"""What stands beside the tables of a data set, for people and for programs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from newsextract.archives.dataset_card import describe_dataset, meaning_of
from newsextract.archives.tables import ARCHIVED, RECORDS, STORED, RecordEnd, archived_row, record_row
from newsextract.archives.warc import WarcRecord
from newsextract.article import Article, Author, ExtractionReport, UsageRights
from newsextract.article_parts import Comment

if TYPE_CHECKING:
    from pathlib import Path

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
