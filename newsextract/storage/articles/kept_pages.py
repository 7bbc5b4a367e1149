"""Keeps pages as fetched, so that a later version can read them again: rows in the database, bytes in files.

A page is kept in the transaction that stores its article. So the newest page of an article is always the page that
its row was read from.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from newsextract.page.page import Hints, Page
from newsextract.storage.database.batches import chunks, write_rows
from newsextract.storage.database.value_fitting import fit, stamp
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.history_tables import kept_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from newsextract.storage.articles.page_files import PageFiles


@dataclass(frozen=True, slots=True)
class KeptPage:
    """The row of a kept page, and the article that was read from it."""

    url: str
    site: str
    content: str
    arguments: Mapping[str, Any]
    continued: Sequence[Mapping[str, Any]]
    stored: Mapping[str, Any]
    """The article's row."""

    def page(self, files: PageFiles) -> Page:
        """Return the page as it was fetched; raises `UnreadablePage`."""
        further = tuple(_page(files, part["content"], part["arguments"]) for part in self.continued)
        return _page(files, self.content, self.arguments, further)


def keep_pages(connection: Connection, files: PageFiles, kept: Sequence[tuple[Mapping[str, Any], Page]]) -> None:
    """Keep pages with the rows of their articles; repeating it changes nothing. Raises `OSError`."""
    rows = {}
    for article, page in kept:
        content = files.put(_bytes_of(page))
        row = {
            "id": hashlib.blake2b(f"{article['id']} {content}".encode(), digest_size=16).hexdigest(),
            "article_id": article["id"],
            "site": article["site"],
            "url": page.url or article["url"],
            "date_fetched": article["date_downloaded"],
            "content": content,
            "arguments": _told(page),
            "continued": [{"content": files.put(_bytes_of(part)), "arguments": _told(part)} for part in page.continued],
        }
        rows[row["id"]], _ = fit(kept_pages, row)
    write_rows(connection, kept_pages, [rows[key] for key in sorted(rows)], kept=("id",))


def newest_pages(
    connection: Connection, since: datetime | None = None, site: str | None = None, limit: int | None = None
) -> list[str]:
    """Return the ids of the newest page of each article that is still stored, the newest first."""
    query = select(kept_pages.c.id, kept_pages.c.article_id).join(articles, articles.c.id == kept_pages.c.article_id)
    if since is not None:
        query = query.where(kept_pages.c.date_fetched >= stamp(since))
    if site is not None:
        query = query.where(kept_pages.c.site == site)
    newest: dict[str, str] = {}
    for page_id, article_id in connection.execute(query.order_by(kept_pages.c.date_fetched.desc(), kept_pages.c.id)):
        newest.setdefault(article_id, page_id)
        if limit is not None and len(newest) == limit:
            break
    return list(newest.values())


def read_kept_pages(connection: Connection, ids: Sequence[str]) -> Iterator[KeptPage]:
    """Yield the pages of these ids with their articles; reads them in batches."""
    for some in chunks(ids):
        joined = select(kept_pages, articles.c.id).join(articles, articles.c.id == kept_pages.c.article_id)
        rows = connection.execute(joined.where(kept_pages.c.id.in_(some))).mappings().all()
        found = select(articles).where(articles.c.id.in_([row["article_id"] for row in rows]))
        stored = {row["id"]: dict(row) for row in connection.execute(found).mappings()}
        names = ("url", "site", "content", "arguments")
        for row in rows:
            if row["article_id"] in stored:  # it may have just been deleted
                known = {name: row[name] for name in names}
                yield KeptPage(**known, continued=row["continued"] or [], stored=stored[row["article_id"]])


def forget_pages(connection: Connection, before: datetime) -> tuple[int, set[str]]:
    """Delete pages fetched before a time; return how many, and the names of the files that are now unused."""
    is_old = kept_pages.c.date_fetched < stamp(before)
    names = select(kept_pages.c.content, kept_pages.c.continued)
    old = _names(connection.execute(names.where(is_old)))
    count = connection.execute(kept_pages.delete().where(is_old)).rowcount
    return count, old - _names(connection.execute(names)) if old else set()


def _names(rows: Any) -> set[str]:
    return {name for content, continued in rows for name in (content, *(part["content"] for part in continued or ()))}


def _bytes_of(page: Page) -> bytes:
    return page.html.encode("utf-8", "surrogatepass") if isinstance(page.html, str) else page.html


def _told(page: Page) -> dict[str, Any]:
    hints = {name: dict(value) if name in _TABLES else value for name, value in asdict(page.hints).items()}
    return {**page.arguments, "hints": hints, "is_text": isinstance(page.html, str)}


_TABLES = ("headers", "tdm_reservation")
"""The hints that are dictionaries."""


def _page(files: PageFiles, name: str, told: Mapping[str, Any], continued: tuple[Page, ...] = ()) -> Page:
    arguments = dict(told)
    content = files.get(name)
    html = content.decode("utf-8", "surrogatepass") if arguments.pop("is_text") else content
    hints = dict(arguments["hints"])
    hints["originals"] = tuple(hints.get("originals", ()))  # JSON has lists alone
    return Page(html, continued=continued, **{**arguments, "hints": Hints(**hints)})
