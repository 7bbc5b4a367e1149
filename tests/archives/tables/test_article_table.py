"""Rows of articles and records, as Arrow takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from newsextract import read_article
from newsextract.archives.tables.article_table import RecordFields, article_row, article_schema, stored_row
from newsextract.archives.tables.record_end import MEANINGS, RecordEnd
from newsextract.archives.tables.record_table import record_row, record_schema
from newsextract.archives.warc import WarcRecord
from newsextract.article import Article, Author, UsageRights
from newsextract.article_parts import Comment

if TYPE_CHECKING:
    from newsextract.storage.articles import ArticleStore

RECORD = WarcRecord(
    42, "response", "<urn:uuid:1>", "https://a.example/1", "2026-05-01T00:00:00Z", "sha1:X", "192.0.2.1"
)
ARTICLE = Article(
    "https://a.example/1",
    headline="Bridge open",
    articleBody="The bridge is open.\nTrams run.",
    inLanguage="en",
    authors=[Author("Ann", url="https://a.example/ann")],
    usageRights=UsageRights(tdmReservation=True, robots=("noai", "max-snippet:50")),
    comments=[Comment("Yes.", "Ann"), Comment("No.", "Ben", parent=0, depth=1)],
    keywords=["bridge", "тест"],
)


def there_and_back(row: dict[str, Any], schema: Any) -> dict[str, Any]:
    (found,) = pa.Table.from_pylist([row], schema).to_pylist()
    return found  # type: ignore[no-any-return]


def test_an_article_of_an_archive() -> None:
    found = there_and_back(article_row(ARTICLE, RecordFields.of(RECORD, "a.warc.gz")), article_schema())
    assert found["headline"] == "Bridge open"
    assert found["canonical_url"] == found["url"] == "https://a.example/1"
    assert found["authors"] == [{"name": "Ann", "nameRaw": None, "url": "https://a.example/ann", "type": "Person"}]
    assert found["usage_rights"]["tdmReservation"] is True
    assert found["usage_rights"]["robots"] == ["noai", "max-snippet:50"]
    assert [comment["parent"] for comment in found["comments"]] == [None, 0]
    assert found["keywords"] == ["bridge", "тест"]
    assert (found["warc_file"], found["warc_offset"], found["warc_ip"]) == ("a.warc.gz", 42, "192.0.2.1")
    assert found["duplicate_of"] is found["near_duplicate_of"] is None
    assert found["quality_punctuated_lines"] == 1


def test_whatever_is_read_from_a_page_fits_its_column() -> None:
    html = (
        '<html lang="fr"><meta name="robots" content="noai"><h1>Le pont est ouvert</h1>'
        "<p>Le pont est ouvert de nouveau, et les trams roulent.</p>" + "<p>Une phrase de plus, et encore une.</p>" * 9
    )
    article = read_article(html, "https://a.example/1", comments=True)
    row = article_row(article, RecordFields.of(RECORD, "a.warc.gz"))
    assert set(row) == set(article_schema().names)
    found = there_and_back(row, article_schema())
    assert {"name": "articleBody", "value": "auto"} in found["sources"]
    assert found["quality_repeated_lines"] > 0.5


def test_an_article_of_a_database_has_the_same_columns_without_the_record(store: ArticleStore) -> None:
    store.put(ARTICLE)
    (row,) = store.rows()
    found = there_and_back(stored_row(row), article_schema(is_archived=False))
    assert found["headline"] == "Bridge open"
    assert found["authors"][0]["name"] == "Ann"
    assert "warc_file" not in found
    archived = article_row(ARTICLE, RecordFields.of(RECORD, "a.warc.gz"))
    assert found["quality_mean_word_length"] == pytest.approx(archived["quality_mean_word_length"])


def test_a_record_has_one_end_which_is_said_in_words() -> None:
    row = record_row(RECORD, "a.warc.gz", RecordEnd.FILTERED, "its host is not wanted")
    found = there_and_back(row, record_schema())
    assert found["state"] == "filtered"
    assert found["offset"] == 42
    assert set(MEANINGS) == set(RecordEnd)
