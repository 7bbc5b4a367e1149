"""Pages kept as they were fetched: bytes in files, the rest in the database."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from newsextract.article import Article, ArticleMetadata
from newsextract.page.page import Hints, Page
from newsextract.storage.articles import ArticleStore, put_articles
from newsextract.storage.database import writing
from newsextract.storage.kept_pages import (
    PageFiles,
    UnreadablePage,
    forget_pages,
    keep_pages,
    newest_pages,
    read_kept_pages,
)
from newsextract.storage.schema import kept_pages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlalchemy import Connection

    from newsextract.storage.revisions import Change


HTML = "<p>Élysée</p>".encode("latin-1")
HINTS = Hints("A title", "2026-05-20T08:00:00+02:00", {"link": '<x>; rel="y"'}, {"tdm-reservation": "1"})
SECOND = Page(b"<p>2</p>", "https://a.example/1/2", charset="ascii")
PAGE = Page(HTML, "https://a.example/1", charset="latin-1", extractor="mss", hints=HINTS)


@pytest.fixture
def files(tmp_path: Path) -> PageFiles:
    return PageFiles(tmp_path / "pages")


def store_page(store: ArticleStore, files: PageFiles, page: Page, day: int = 1, body: str = "It opens.") -> None:
    obtained = ArticleMetadata(f"2026-05-{day:02d}T08:00:00+00:00")
    article = Article(url=page.url, headline="Bridge", articleBody=body, metadata=obtained)

    def keep(connection: Connection, changes: Sequence[Change]) -> None:
        keep_pages(connection, files, [(change.row, page) for change in changes])

    with writing(store.engine) as connection:
        put_articles(connection, [article], effects=[keep])


def read_back(store: ArticleStore, files: PageFiles, **arguments: Any) -> list[Page]:
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
def test_a_page_comes_back_as_it_was_read(page: Page, store: ArticleStore, files: PageFiles) -> None:
    store_page(store, files, page)
    (found,) = read_back(store, files)
    pairs = [(page, found), *zip(page.continued, found.continued, strict=True)]
    assert all(one.html == other.html and one.arguments == other.arguments for one, other in pairs)


def test_the_newest_version_of_an_article_is_the_one_that_is_read_again(store: ArticleStore, files: PageFiles) -> None:
    for day, html in ((1, b"<p>a</p>"), (2, b"<p>b</p>"), (3, b"<p>a</p>")):
        store_page(store, files, Page(html, "https://a.example/1"), day, body=f"{day}")
    store_page(store, files, Page(b"<p>c</p>", "https://b.example/1"), 2)
    assert count_rows(store) == 3
    assert [page.html for page in read_back(store, files, site="a.example")] == [b"<p>a</p>"]
    assert len(read_back(store, files)) == 2
    assert len(read_back(store, files, limit=1)) == 1
    assert len(read_back(store, files, since=datetime(2026, 5, 3, tzinfo=UTC))) == 1


def test_the_same_bytes_are_on_the_disk_once(files: PageFiles) -> None:
    assert files.put(HTML) == files.put(HTML)
    assert len([path for path in files.folder.rglob("*") if path.is_file()]) == 1


def test_pages_are_forgotten_by_age_and_files_with_the_last_of_them(store: ArticleStore, files: PageFiles) -> None:
    shared, old = b"<p>shared</p>", b"<p>old</p>"
    store_page(store, files, Page(shared, "https://a.example/1"), 1)
    store_page(store, files, Page(old, "https://a.example/2"), 1)
    store_page(store, files, Page(shared, "https://a.example/3"), 5)
    with writing(store.engine) as connection:
        count, names = forget_pages(connection, datetime(2026, 5, 3, tzinfo=UTC))
    assert count == 2
    assert {files.get(name) for name in names} == {old}
    (name,) = names
    assert files.remove(name) == 0  # a crawl may have met the same bytes a moment ago
    os.utime(files.folder / name[:2] / name[2:4] / f"{name}.gz", (0, 0))
    assert files.remove(name) > 0
    assert [page.html for page in read_back(store, files)] == [shared]


@pytest.mark.parametrize("damage", [b"", b"no gzip", None])
def test_a_file_that_is_gone_or_damaged_is_an_error_of_its_page(files: PageFiles, damage: bytes | None) -> None:
    name = files.put(HTML)
    path = files.folder / name[:2] / name[2:4] / f"{name}.gz"
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
    with pytest.raises(UnreadablePage, match=name):
        files.get(name)


def test_a_name_never_leads_out_of_the_folder(files: PageFiles) -> None:
    with pytest.raises(ValueError, match="no name"):
        files.get("../../etc/passwd")
