"""The verb `evidence`: packs what is known of an article as WACZ 1.1.1, which replayweb.page opens."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import click

from newsextract.terminal import DONE, NOTHING, FileToWrite, Refusal, say, verb, why
from newsextract.tools.project import database_of, settings_of, store_of, with_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.storage.warc_store import WarcStore

SECONDS = 30
"""For the answer of a time stamp server."""

_WARC, _INDEX, _PAGES, _FACTS = (
    "archive/evidence.warc.gz", "indexes/index.cdxj", "pages/pages.jsonl", "metadata/article.json",
)  # fmt: skip
_PACKAGE = "datapackage.json"
_NO_EVIDENCE = ("number", "page_words")
"""Columns of an article that only the database has use for."""


@verb(
    "newsextract evidence https://example.com/story.html -o story.wacz",
    nothing="nothing was fetched from the URL",
)
@click.argument("url", metavar="URL", help="an article's URL, or that of any page that crawls have fetched")
@click.option("-o", "--output", type=FileToWrite(), default=Path("evidence.wacz"), metavar="FILE", help="file to write")
@click.option("--timestamp-server", metavar="URL", help="add a time stamp of this server (RFC 3161)")
@with_settings
def evidence(url: str, output: Path, timestamp_server: str | None, given: tuple[str, ...]) -> int:
    """Pack what is known of an article as WACZ: its WARC records, texts, revisions, times and hashes.

    The records are those that crawls with NEWSEXTRACT_WARC have written.
    """
    settings = settings_of(given)
    store = store_of(settings)
    with database_of(settings, "nothing is known of the URL", is_named=False) as engine, engine.connect() as connection:
        known = Known.read(connection, store, url)
    if not known.captures:
        say(f"nothing in {store.folder} was fetched from {url}")
        return NOTHING
    write_wacz(output, known, timestamp_server)
    versions, records = len(known.facts["revisions"]), len(known.captures)
    what = f"{versions} version{'s' * (versions != 1)} of the article" if versions else "no article"
    print(f"{output}: {records} record{'s' * (records != 1)}, {what}")
    return DONE


@dataclass(frozen=True, slots=True)
class Capture:
    """A WARC record, perhaps with that of its request, as it is stored."""

    row: Mapping[str, Any]
    packed: bytes
    mime: str

    @property
    def date(self) -> str:
        """When it was fetched, as in the WARC."""
        from newsextract.storage.warc_store import date_of

        return date_of(self.row)

    @property
    def is_shown(self) -> bool:
        """Whether it is among the pages: neither a repetition, nor the error that an article may have ended as."""
        return self.row["kind"] != "revisit" and "html" in self.mime and (self.row["status"] or 200) < 400

    def line(self, offset: int) -> str:
        """Return its line in the index, CDXJ, where it is at an offset of the one WARC file."""
        told = {
            "url": self.row["url"], "mime": self.mime, "status": str(self.row["status"] or 200),
            "digest": self.row["digest"], "length": str(self.row["length"]), "offset": str(offset),
            "filename": Path(_WARC).name,
        }  # fmt: skip
        stamp = "".join(filter(str.isdigit, self.date))
        return f"{sort_key(self.row['url'])} {stamp} {json.dumps(told)}\n"


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a URL."""

    url: str
    captures: Sequence[Capture] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    """The article's row, its versions, what was said of its use, and its removal."""

    @classmethod
    def read(cls, connection: Connection, store: WarcStore, url: str) -> Known:
        """Read it; a record that is damaged is told of and left out."""
        from sqlalchemy import or_, select

        from newsextract.storage.kept_pages import contents_of
        from newsextract.storage.ledger import address_id
        from newsextract.storage.removals import last_removals
        from newsextract.storage.revisions import revisions_of
        from newsextract.storage.rights import history
        from newsextract.storage.schema import articles, warc_records
        from newsextract.storage.warc_store import UnreadablePage, stored_bodies

        is_it = or_(articles.c.id == address_id(url), articles.c.url == url, articles.c.canonical_url == url)
        article = connection.execute(select(articles).where(is_it)).mappings().first()
        urls = {url, *((article["url"], article["canonical_url"]) if article else ())}
        contents = contents_of(connection, article["id"]) if article else []
        is_of_it = or_(warc_records.c.url_key.in_(set(map(address_id, urls))), warc_records.c.content.in_(contents))
        query = select(warc_records).where(is_of_it).order_by(warc_records.c.date_fetched, warc_records.c.position)
        rows = {row["id"]: dict(row) for row in connection.execute(query).mappings()}
        bodies = stored_bodies(connection, [row["content"] for row in rows.values()])  # of what is a repetition
        captures = []
        for row in (rows | {row["id"]: row for row in bodies if row}).values():
            try:
                captures.append(_capture(store, row))
            except UnreadablePage as error:
                say(f"cannot be read: {row['url']}: {error}")
        facts: dict[str, Any] = {"url": url, "article": None, "revisions": [], "rights": [], "removal": None}
        if article is not None:
            facts["article"] = _without_words(dict(article))
            facts["rights"] = history(connection, article["id"], article["url"])
            facts["revisions"] = [_without_words(row) for row in revisions_of(connection, article["id"])]
            facts["removal"] = last_removals(connection, [article["id"]]).get(article["id"])
        return cls(url, captures, facts)


def write_wacz(path: Path, known: Known, timestamp_server: str | None = None) -> None:
    """Write what is known as WACZ; raises `Refusal` if there is no time stamp, and then leaves no file."""
    from newsextract.storage.warc_store import warcinfo

    captures = sorted(known.captures, key=lambda each: (each.date, each.row["position"]))
    parts, lines, offset = [warcinfo(Path(_WARC).name)], [], 0
    for each in captures:
        offset += len(parts[-1])
        lines.append(each.line(offset))
        parts.append(each.packed)
    headline = (known.facts["article"] or {}).get("headline") or known.url
    shown = [each for each in captures if each.is_shown]
    pages = [{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}]
    pages += [
        {"id": each.row["id"], "url": each.row["url"], "ts": each.date, "title": headline} for each in reversed(shown)
    ]
    own = ("url", "kind", "status", "date_fetched", "digest", "file", "position", "length")
    facts = known.facts | {"records": [{name: each.row[name] for name in own} for each in captures]}
    files = {
        _WARC: b"".join(parts),
        _INDEX: "".join(sorted(lines)).encode(),
        _PAGES: "".join(json.dumps(page, ensure_ascii=False) + "\n" for page in pages).encode(),
        _FACTS: json.dumps(facts, ensure_ascii=False, default=str, indent=1).encode("utf-8", "replace"),
    }
    resources = [
        {"name": Path(name).name, "path": name, "hash": _hash(content), "bytes": len(content)}
        for name, content in files.items()
    ]
    package = json.dumps({
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "software": f"newsextract {version('newsextract')}",
        "created": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "title": headline,
        **({"mainPageUrl": shown[-1].row["url"], "mainPageDate": shown[-1].date} if shown else {}),
        "resources": resources,
    }, ensure_ascii=False, indent=1).encode("utf-8", "replace")  # fmt: skip
    digest: dict[str, Any] = {"path": _PACKAGE, "hash": _hash(package)}
    if timestamp_server:
        token = base64.b64encode(time_stamp(package, timestamp_server)).decode()
        digest["timeStamp"] = {"server": timestamp_server, "response": token}
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content, ZIP_STORED if name == _WARC else None)
        archive.writestr(_PACKAGE, package)
        archive.writestr("datapackage-digest.json", json.dumps(digest, indent=1))


def time_stamp(data: bytes, server: str) -> bytes:
    """Return a server's answer with a time stamp for data, as RFC 3161 has it; raises `Refusal`."""
    from rfc3161_client import HashAlgorithm, TimestampRequestBuilder, decode_timestamp_response

    if urlsplit(server).scheme not in ("http", "https"):
        raise Refusal(f"--timestamp-server {server}: write an address, as in https://freetsa.org/tsr")
    asked = TimestampRequestBuilder(data, HashAlgorithm.SHA256).build()
    request = Request(server, asked.as_bytes(), {"Content-Type": "application/timestamp-query"})  # noqa: S310 - http
    try:
        with urlopen(request, timeout=SECONDS) as answer:  # noqa: S310 - likewise
            packed: bytes = answer.read()
        told = decode_timestamp_response(packed)
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None)  # which `URLError` wraps
        raise Refusal(
            f"--timestamp-server {server}: {why(reason if isinstance(reason, OSError) else error)}"
        ) from error
    if told.status not in (0, 1):
        raise Refusal(f"--timestamp-server {server}: refused: {' '.join(told.status_string)}")
    if (told.tst_info.message_imprint.message, told.tst_info.nonce) != (sha256(data).digest(), asked.nonce):
        raise Refusal(f"--timestamp-server {server}: its time stamp is for something else")
    return packed


def sort_key(url: str) -> str:
    """Return the key by which the index is sorted, with the host from its end on.

    >>> sort_key("https://www.Example.com:8080/a?b=1")
    'com,example:8080)/a?b=1'
    """
    host, slash, path = url.lower().partition("://")[2].removeprefix("www.").partition("/")
    name, colon, port = host.partition(":")
    return f"{','.join(reversed(name.split('.')))}{colon}{port}){slash}{path}"


def _capture(store: WarcStore, row: dict[str, Any]) -> Capture:
    from warcio.archiveiterator import ArchiveIterator

    if row["kind"] != "revisit":
        store.get(row)  # which looks whether it is whole
    packed = store.packed(row["file"], row["position"], row["length"] + row["request_length"])
    record = next(iter(ArchiveIterator(BytesIO(packed))))
    headers = record.http_headers or record.rec_headers
    mime = (headers.get_header("Content-Type") or "").partition(";")[0].strip()
    return Capture(row, packed, "warc/revisit" if row["kind"] == "revisit" else mime or "unk")


def _without_words(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in _NO_EVIDENCE}


def _hash(content: bytes) -> str:
    return f"sha256:{sha256(content).hexdigest()}"
