"""Pages as they were fetched, in WARC files, and what the database says of them."""

from __future__ import annotations

import gzip
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from errno import ENOSPC
from io import BytesIO
from secrets import token_bytes
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select, update
from warcio.archiveiterator import ArchiveIterator

from newsextract.archives.warc import read_records
from newsextract.article import Article, ArticleMetadata
from newsextract.page.page import Hints, Page
from newsextract.storage.articles import put_articles
from newsextract.storage.database import writing
from newsextract.storage.kept_pages import forget_pages, keep_pages, newest_pages, read_kept_pages
from newsextract.storage.schema import kept_pages, warc_records
from newsextract.storage.warc_store import MOST_BYTES, Fetched, UnreadablePage, WarcStore

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlalchemy import Connection

    from newsextract.archives.warc import WarcRecord
    from newsextract.storage.revisions import Change
    from tests.article_store import ArticleStore


HTML = "<p>Élysée</p>".encode("latin-1")
DAY = datetime(2026, 5, 1, 8, tzinfo=UTC)
HINTS = Hints("A title", "2026-05-20T08:00:00+02:00", {"link": '<x>; rel="y"'}, {"tdm-reservation": "1"})
SECOND = Page(b"<p>2</p>", "https://a.example/1/2", charset="ascii")
PAGE = Page(HTML, "https://a.example/1", charset="latin-1", extractor="mss", hints=HINTS)


@pytest.fixture
def files(tmp_path: Path) -> WarcStore:
    return WarcStore(tmp_path / "warc")


def store_page(store: ArticleStore, files: WarcStore, page: Page, day: int = 1, body: str = "It opens.") -> None:
    obtained = ArticleMetadata(f"2026-05-{day:02d}T08:00:00+00:00")
    article = Article(url=page.url, headline="Bridge", articleBody=body, metadata=obtained)

    def keep(connection: Connection, changes: Sequence[Change]) -> None:
        keep_pages(connection, files, [(change.row, page) for change in changes])

    with writing(store.engine) as connection:
        put_articles(connection, [article], effects=[keep])


def read_back(store: ArticleStore, files: WarcStore, **arguments: Any) -> list[Page]:
    with store.engine.connect() as connection:
        return [kept.page(files) for kept in read_kept_pages(connection, newest_pages(connection, **arguments))]


def count_rows(store: ArticleStore) -> int:
    with store.engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(kept_pages)).scalar_one()


@pytest.mark.parametrize(
    "page",
    [
        PAGE,
        Page("<p>text \ud800 \0</p>", "https://a.example/1"),
        Page(b"<p>1</p>", "https://a.example/1", continued=(SECOND,)),
    ],
    ids=["bytes", "text", "of several pages"],
)
def test_a_page_comes_back_as_it_was_read(page: Page, store: ArticleStore, files: WarcStore) -> None:
    store_page(store, files, page)
    (found,) = read_back(store, files)
    pairs = [(page, found), *zip(page.continued, found.continued, strict=True)]
    assert all(one.html == other.html and one.arguments == other.arguments for one, other in pairs)


def test_the_newest_version_of_an_article_is_the_one_that_is_read_again(store: ArticleStore, files: WarcStore) -> None:
    for day, html in ((1, b"<p>a</p>"), (2, b"<p>b</p>"), (3, b"<p>a</p>")):
        store_page(store, files, Page(html, "https://a.example/1"), day, body=f"{day}")
    store_page(store, files, Page(b"<p>c</p>", "https://b.example/1"), 2)
    assert count_rows(store) == 3
    assert [page.html for page in read_back(store, files, site="a.example")] == [b"<p>a</p>"]
    assert len(read_back(store, files)) == 2
    assert len(read_back(store, files, limit=1)) == 1
    assert len(read_back(store, files, since=datetime(2026, 5, 3, tzinfo=UTC))) == 1


def records_of(folder: Path) -> list[WarcRecord]:
    found = [record for path in sorted(folder.iterdir()) for record in read_records(BytesIO(path.read_bytes()))]
    return [record for record in found if record.type != "warcinfo"]


def test_a_response_is_written_with_its_request_once_and_without_secrets(files: WarcStore) -> None:
    sent = [("Content-Type", "text/html"), ("Set-Cookie", "a=s3cret"), ("X-Robots-Tag", "noai")]
    asked = {"User-Agent": "news", "Cookie": "a=s3cret", "Authorization": "s3cret"}
    fetched = Fetched("https://a.example/1?b", HTML, DAY, 200, sent, asked=asked, ip="192.0.2.1")
    rows = [files.put(fetched), files.put(replace(fetched, date=DAY + timedelta(1)))]
    files.put(Fetched("https://a.example/1?b", b"", DAY, 304))
    files.close()
    assert [row["kind"] for row in rows] == ["response", "revisit"]
    assert files.get(rows[0]) == HTML
    (path,) = files.folder.iterdir()
    text = gzip.decompress(path.read_bytes())
    assert b"s3cret" not in text
    assert b"GET /1?b HTTP/1.1\r\nHost: a.example\r\nUser-Agent: news\r\n" in text
    assert b"WARC-Refers-To-Date: 2026-05-01T08:00:00Z" in text
    records = records_of(files.folder)
    assert [record.type for record in records] == ["response", "request", "revisit", "request", "revisit"]
    assert records[0].body == HTML
    assert records[0].digest == records[2].digest == rows[0]["digest"]
    assert (records[0].ip, records[0].status, dict(records[0].headers)["X-Robots-Tag"]) == ("192.0.2.1", 200, "noai")
    with path.open("rb") as file:
        whole = [record for record in ArchiveIterator(file, check_digests="raise") if record.raw_stream.read() or True]
    assert len(whole) == 6


def test_files_are_rotated_by_size(files: WarcStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_BYTES == 10**9
    monkeypatch.setattr("newsextract.storage.warc_store.MOST_BYTES", 10_000)
    rows = [files.put(Fetched(f"https://a.example/{n}", token_bytes(4_000), DAY)) for n in range(9)]
    files.close()
    assert len(list(files.folder.iterdir())) == len({row["file"] for row in rows}) == 3
    assert all(len(files.get(row)) == 4_000 for row in rows)


def test_a_write_that_fails_leaves_the_file_whole(files: WarcStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def on_a_full_disk(packed: bytes) -> None:
        files._file.write(packed[:100])
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    row = files.put(Fetched("https://a.example/1", token_bytes(4_000), DAY))
    with monkeypatch.context() as full:
        full.setattr(files, "_write", on_a_full_disk)
        for _ in range(2):  # in a file that has something, and in a new one
            with pytest.raises(OSError, match="No space left"):
                files.put(Fetched("https://a.example/2", token_bytes(4_000), DAY))
    later = files.put(Fetched("https://a.example/3", HTML, DAY))
    files.close()
    assert [record.type for record in records_of(files.folder)] == ["response", "response"]
    assert (len(files.get(row)), files.get(later)) == (4_000, HTML)


def test_what_a_killed_process_has_left_is_made_whole_and_what_a_living_one_writes_stays(files: WarcStore) -> None:
    row, last = (files.put(Fetched(f"https://a.example/{n}", token_bytes(4_000), DAY)) for n in range(2))
    assert WarcStore(files.folder).repair() == 0
    files._file.close()  # as at a kill
    (path,) = files.folder.iterdir()
    path.write_bytes(path.read_bytes()[:-1_000])
    other = WarcStore(files.folder)
    assert other.repair() == 1
    assert [record.type for record in records_of(files.folder)] == ["response"]
    assert len(other.get(row)) == 4_000
    with pytest.raises(UnreadablePage, match="no whole record"):
        other.get(last)


def test_pages_are_forgotten_by_age_and_files_with_the_last_of_them(store: ArticleStore, tmp_path: Path) -> None:
    shared, old = b"<p>shared</p>", b"<p>old</p>"
    first, second = (WarcStore(tmp_path / "warc") for _ in range(2))
    store_page(store, first, Page(old, "https://a.example/2"), 1)
    store_page(store, second, Page(shared, "https://a.example/1"), 1)
    store_page(store, second, Page(shared, "https://a.example/3"), 5)
    first.close()
    with writing(store.engine) as connection:
        connection.execute(update(warc_records).values(date_fetched="2026-05-01T08:00:00+00:00"))
        count, names = forget_pages(connection, datetime(2026, 5, 3, tzinfo=UTC))
    assert count == 2
    (unused,) = names
    (tmp_path / "warc" / unused).unlink()
    assert [page.html for page in read_back(store, second)] == [shared]


def test_a_row_of_another_record_is_an_error_of_its_page(files: WarcStore) -> None:
    one, other = (files.put(Fetched("https://a.example/1", body, DAY)) for body in (b"1", b"2"))
    with pytest.raises(UnreadablePage, match="holds something else"):
        files.get(one | {"position": other["position"]})
    with pytest.raises(UnreadablePage, match="No such file"):
        files.get(one | {"file": "gone.warc.gz"})
    with pytest.raises(ValueError, match="no name"):
        files.get(one | {"file": "../../etc/passwd"})
