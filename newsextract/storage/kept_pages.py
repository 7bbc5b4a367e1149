"""Keeps pages as fetched, so that a later version can read them again: rows in the database, bytes in files."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import tempfile
import time
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from newsextract.page.page import Hints, Page
from newsextract.storage.rows import chunks, fit, stamp, write_rows
from newsextract.storage.schema import articles, kept_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection


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
            "arguments": _arguments_of(page),
            "continued": [
                {"content": files.put(_bytes_of(part)), "arguments": _arguments_of(part)} for part in page.continued
            ],
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


def _arguments_of(page: Page) -> dict[str, Any]:
    hints = {name: dict(value) if name in _TABLES else value for name, value in asdict(page.hints).items()}
    return {**page.arguments, "hints": hints, "is_text": isinstance(page.html, str)}


_TABLES = ("headers", "tdm_reservation")
"""The hints that are dictionaries."""


def _page(files: PageFiles, name: str, told: Mapping[str, Any], continued: tuple[Page, ...] = ()) -> Page:
    arguments = dict(told)
    content = files.get(name)
    html = content.decode("utf-8", "surrogatepass") if arguments.pop("is_text") else content
    hints = dict(arguments["hints"])
    hints |= {name: tuple(hints.get(name, ())) for name in ("originals", "body")}  # JSON has lists alone
    return Page(html, continued=continued, **{**arguments, "hints": Hints(**hints)})


# Keeps the bytes of pages in a folder: one compressed file each, named by its content's hash, so stored once.

_LEVEL = 6
_YOUNG_SECONDS = 3600
"""A file written or reused within this time is not removed: a crawl may be about to refer to it."""
_NAME = re.compile(r"[0-9a-f]{32}")


class UnreadablePage(Exception):  # noqa: N818 - the name says that it is an error
    """The file of a page is missing or damaged."""


class PageFiles:
    """A folder of pages, two levels deep: `ab/cd/abcd….gz`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, content: bytes) -> str:
        """Write bytes atomically, and return their name; raises `OSError`."""
        name = hashlib.blake2b(content, digest_size=16).hexdigest()
        path = self._path(name)
        try:
            os.utime(path)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._write(path, gzip.compress(content, _LEVEL, mtime=0))
        return name

    def get(self, name: str) -> bytes:
        """Return the bytes of this name; raises `UnreadablePage`."""
        path = self._path(name)
        try:
            content = gzip.decompress(path.read_bytes())
        except (OSError, EOFError, zlib.error, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise UnreadablePage(f"{name}: {reason}") from error
        if hashlib.blake2b(content, digest_size=16).hexdigest() != name:
            raise UnreadablePage(f"{name}: the file holds something else")
        return content

    def remove(self, name: str) -> int:
        """Remove the bytes of this name, unless they are recent; return the bytes of disk space freed."""
        path = self._path(name)
        try:
            state = path.stat()
            if time.time() - state.st_mtime < _YOUNG_SECONDS:
                return 0
            path.unlink()
        except FileNotFoundError:
            return 0
        return state.st_size

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a page's file")  # it comes from a database and becomes a path
        return self.folder / name[:2] / name[2:4] / f"{name}.gz"

    def _write(self, path: Path, packed: bytes) -> None:
        number, written = tempfile.mkstemp(dir=path.parent, prefix=".")
        try:
            with os.fdopen(number, "wb") as file:
                file.write(packed)
            Path(written).replace(path)
        except BaseException:
            Path(written).unlink(missing_ok=True)
            raise
