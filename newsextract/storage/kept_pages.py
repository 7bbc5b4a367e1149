"""The pages of stored articles, so that a later version can read them again: rows here, bytes in WARC files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Text, cast, or_, select

from newsextract.page.page import Hints, Page
from newsextract.storage.rows import chunks, content_hash, fit, stamp, text_hash, write_rows
from newsextract.storage.schema import articles, kept_pages, warc_records
from newsextract.storage.warc_store import WITH_BODY, Fetched, UnreadablePage, put_records, stored_bodies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.storage.warc_store import WarcStore


# A page is kept in the transaction that stores its article. So the newest page of an article is always the page that
# its row was read from.


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
    records: Mapping[str, Mapping[str, Any]]
    """The rows of the WARC records by the hashes of their bodies."""

    def page(self, store: WarcStore) -> Page:
        """Return the page as it was fetched; raises `UnreadablePage`."""
        further = tuple(self._page(store, part["content"], part["arguments"]) for part in self.continued)
        return self._page(store, self.content, self.arguments, further)

    def _page(self, store: WarcStore, content: str, told: Mapping[str, Any], continued: tuple[Page, ...] = ()) -> Page:
        if content not in self.records:
            raise UnreadablePage("no WARC record has its bytes")
        body, arguments = store.get(self.records[content]), dict(told)
        html = body.decode("utf-8", "surrogatepass") if arguments.pop("is_text") else body
        hints = dict(arguments["hints"])
        hints |= {name: tuple(hints.get(name, ())) for name in ("originals", "body")}  # JSON has lists alone
        return Page(html, continued=continued, **{**arguments, "hints": Hints(**hints)})


def keep_pages(connection: Connection, store: WarcStore, kept: Sequence[tuple[Mapping[str, Any], Page]]) -> None:
    """Keep pages with the rows of their articles; repeating it changes nothing. Raises `OSError`."""
    contents = _stored(connection, store, [part for _, page in kept for part in (page, *page.continued)])
    rows = {}
    for article, page in kept:
        content = contents[page]
        row = {
            "id": text_hash(f"{article['id']} {content}"),
            "article_id": article["id"],
            "site": article["site"],
            "url": page.url or article["url"],
            "date_fetched": article["date_downloaded"],
            "content": content,
            "arguments": _arguments_of(page),
            "continued": [{"content": contents[part], "arguments": _arguments_of(part)} for part in page.continued],
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
        contents = sorted(_contents(rows))
        records = {row["content"]: row for part in chunks(contents) for row in stored_bodies(connection, part) if row}
        names = ("url", "site", "content", "arguments")
        for row in rows:
            if row["article_id"] in stored:  # it may have just been deleted
                known = {name: row[name] for name in names}
                article = stored[row["article_id"]]
                yield KeptPage(**known, continued=row["continued"] or [], stored=article, records=records)


def forget_pages(connection: Connection, before: datetime) -> tuple[int, list[str]]:
    """Delete pages fetched before a time; return how many, and the WARC files that have nothing newer or in use."""
    count = connection.execute(kept_pages.delete().where(kept_pages.c.date_fetched < stamp(before))).rowcount
    has_parts = cast(kept_pages.c.continued, Text) != "[]"
    rows = connection.execute(select(kept_pages.c.content, kept_pages.c.continued).where(has_parts))
    kinds = warc_records.c.kind.in_(WITH_BODY)
    is_page = warc_records.c.content.in_(select(kept_pages.c.content)) & kinds
    used = select(warc_records.c.file).where(or_(warc_records.c.date_fetched >= stamp(before), is_page))
    names = set(connection.scalars(select(warc_records.c.file).distinct())) - set(connection.scalars(used.distinct()))
    for part in chunks(sorted(_contents(rows.mappings()))):
        names.difference_update(row["file"] for row in stored_bodies(connection, part) if row)
    for name in sorted(names):
        connection.execute(warc_records.delete().where(warc_records.c.file == name))
    return count, sorted(names)


def contents_of(connection: Connection, article_id: str) -> list[str]:
    """Return the hashes of all pages that an article was read from, further ones included."""
    query = select(kept_pages.c.content, kept_pages.c.continued).where(kept_pages.c.article_id == article_id)
    return sorted(_contents(connection.execute(query).mappings()))


def _contents(rows: Any) -> set[str]:
    return {name for row in rows for name in (row["content"], *(part["content"] for part in row["continued"] or ()))}


def _stored(connection: Connection, store: WarcStore, pages: Sequence[Page]) -> dict[Page, str]:
    """Return the hashes of pages; those whose bytes no record has, as of Scrapy's cache, get one of their own."""
    contents = {page: content_hash(_bytes_of(page)) for page in pages}
    unknown = {content: page for page, content in contents.items() if content not in store.known}
    found = stored_bodies(connection, list(unknown)) if unknown else []
    for page in (page for page, record in zip(unknown.values(), found, strict=True) if record is None):
        charset = "utf-8" if isinstance(page.html, str) else page.arguments["charset"]
        kind = "text/html" + (f"; charset={charset}" if charset else "")
        fetched = Fetched(
            page.url or "", _bytes_of(page), datetime.now(UTC), headers=[("Content-Type", kind)], is_made=True
        )
        put_records(connection, [store.put(fetched)])
        store.known.pop(contents[page], None)  # this transaction may be repeated
    return contents


def _bytes_of(page: Page) -> bytes:
    return page.html.encode("utf-8", "surrogatepass") if isinstance(page.html, str) else page.html


def _arguments_of(page: Page) -> dict[str, Any]:
    given = ((name, getattr(page.hints, name)) for name in Hints.__dataclass_fields__)
    # What is empty is so by default, and most are: to clean and write them took a third of the time.
    hints = {name: dict(value) if name in _TABLES else value for name, value in given if value}
    return {**page.arguments, "hints": hints, "is_text": isinstance(page.html, str)}


_TABLES = ("headers", "site_rights")
"""The hints that are dictionaries."""
