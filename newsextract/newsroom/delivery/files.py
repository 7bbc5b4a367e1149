"""Messages as files: JSON Lines that rotate, and feeds, as Atom and as JSON Feed."""

from __future__ import annotations

import hashlib
import json
import os
import re
from datetime import UTC, datetime
from itertools import count
from socket import gethostname
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, UUID, uuid5

from lxml import etree

from newsextract.newsroom.delivery.messages import MATCH
from newsextract.newsroom.delivery.targets import Away, Target
from newsextract.sites.article_address import believes
from newsextract.storage.schema import utc_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from newsextract.storage.outbox import Letter


MOST_BYTES = 100 * 1024 * 1024
"""A larger file is rotated before the next batch: most editors open one of this size."""


class JsonLines(Target):
    """A JSON Lines file, one message per line; rotated files are beside it, named by the time of rotation.

    It is opened for each batch, and may be moved away between two. A partial line left by a crash is dropped.
    """

    most = 500

    def __init__(self, path: Path) -> None:
        self.path = path
        # Each host has its own files.
        self.name = f"messages {gethostname()}:{path.absolute()}"[:255]

    def deliver(self, letters: Sequence[Letter]) -> int:
        """Append messages and flush them to disk; return how many were written."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists():
                drop_broken_line(self.path)
                if self.path.stat().st_size > MOST_BYTES:
                    self.path.rename(self._free_name())
            with self.path.open("ab") as file:
                file.writelines(f"{letter.payload}\n".encode() for letter in letters)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise Away(f"{self.path}: {error.strerror or error}") from error
        return len(letters)

    def _free_name(self) -> Path:
        stem = f"{self.path.stem}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
        names = (f"{stem}{f'-{number}' if number > 1 else ''}{self.path.suffix}" for number in count(1))
        return next(path for name in names if not (path := self.path.with_name(name)).exists())


def drop_broken_line(path: Path) -> None:
    """Truncate a file after its last line feed."""
    size = path.stat().st_size
    end = size
    with path.open("rb") as file:
        while end:
            start = max(end - 65536, 0)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
    if end < size:
        os.truncate(path, end)


# Atom feeds (RFC 4287) as files: `all.xml` for every article, and one for each watch rule with a match.
#
# A feed has one entry per article, and keeps the newest entries. Beside each is the same as JSON Feed 1.1.

ATOM = "http://www.w3.org/2005/Atom"
MOST_ENTRIES = 100
"""Entries kept in a feed: feed readers poll about hourly."""

_SUMMARY_CHARS = 400
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WITH_OFFSET = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_Element = etree._Element  # noqa: SLF001 - lxml has no other name for it

ALL = "all.xml"
_ALL_TITLE = "All articles"


def entry(envelope: Mapping[str, Any]) -> _Element:
    """Return the entry for a message; all messages of an article share one entry."""
    article = envelope["article"]
    made = etree.Element(_name("entry"), nsmap={None: ATOM})
    _add(made, "id", UUID(envelope["articleId"]).urn)
    _add(made, "title", article["headline"] or article["url"] or "")
    _add(made, "updated", envelope["time"])
    published = article["datePublished"] or ""
    if _WITH_OFFSET.fullmatch(published):
        _add(made, "published", utc_time(published) or published)
    for author in article["authors"] or [{"name": article["publisher"] or envelope["site"]}]:
        _add(etree.SubElement(made, _name("author")), "name", author["name"])
    etree.SubElement(made, _name("link"), rel="alternate", href=_plain(_address(article)))
    for term in (envelope["site"], *(article["keywords"] or ())):
        etree.SubElement(made, _name("category"), term=_plain(term))
    _add(made, "summary", _summary(envelope))
    return made


def _address(article: Mapping[str, Any]) -> str:
    own, canonical = article["url"] or "", article["canonicalUrl"]
    return canonical if canonical and (not own or believes(own, canonical)) else own


def merged(known: bytes, title: str, entries: Iterable[_Element]) -> bytes:
    """Return a feed with newer entries before its existing ones, one per article; of what is broken, none is kept."""
    newest: dict[str, _Element] = {}
    for one in reversed(list(entries)):
        newest.setdefault(_id(one), one)
    for one in _entries(known):
        newest.setdefault(_id(one), one)
    kept = list(newest.values())[:MOST_ENTRIES]
    feed = etree.Element(_name("feed"), nsmap={None: ATOM})
    _add(feed, "id", uuid5(NAMESPACE_URL, f"newsextract:feed:{title}").urn)
    _add(feed, "title", title)
    _add(feed, "updated", _updated(kept))
    _add(feed, "generator", "newsextract")
    feed.extend(kept)
    written: bytes = etree.tostring(feed, xml_declaration=True, encoding="utf-8")
    return written


def _updated(entries: Iterable[_Element]) -> str:
    times = [one.findtext(_name("updated"), "") for one in entries]
    return max(times, default=datetime.now(UTC).isoformat(timespec="seconds"))


def _entries(known: bytes) -> list[_Element]:
    try:
        feed = etree.fromstring(known, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    except etree.XMLSyntaxError:
        return []
    return feed.findall(_name("entry"))


def _summary(envelope: Mapping[str, Any]) -> str:
    """Return the passages that the rule matched, else the article's description, else its beginning."""
    passages = [
        passage if isinstance(passage, str) else passage.get("text", "")
        for passage in (envelope.get("match") or {}).get("passages") or ()
    ]
    article = envelope["article"]
    text = " … ".join(filter(None, passages)) or article["description"] or article["articleBody"] or ""
    return text if len(text) <= _SUMMARY_CHARS else f"{text[:_SUMMARY_CHARS].rsplit(' ', 1)[0]} …"


def json_feed(atom: bytes) -> bytes:
    """Return a feed of ours as JSON Feed 1.1."""
    feed = etree.fromstring(atom)
    stated = {"version": "https://jsonfeed.org/version/1.1", "title": feed.findtext(_name("title"))}
    items = [_item(one) for one in feed.findall(_name("entry"))]
    return json.dumps({**stated, "items": items}, ensure_ascii=False).encode()


def _item(one: _Element) -> dict[str, Any]:
    texts = {
        "id": "id", "title": "title", "content_text": "summary", "date_modified": "updated",
        "date_published": "published",
    }  # fmt: skip
    return {
        **{key: one.findtext(_name(tag)) or "" for key, tag in texts.items() if one.find(_name(tag)) is not None},
        "url": next(one.iterfind(_name("link"))).get("href"),
        "authors": [{"name": name.text} for name in one.iterfind(f"{_name('author')}/{_name('name')}")],
        "tags": [tag.get("term") for tag in one.iterfind(_name("category"))],
    }


def _id(one: _Element) -> str:
    return one.findtext(_name("id"), "")


def _name(tag: str) -> str:
    return f"{{{ATOM}}}{tag}"


def _add(parent: _Element, tag: str, text: str) -> None:
    etree.SubElement(parent, _name(tag)).text = _plain(text)


def _plain(text: str) -> str:
    return _NOT_XML.sub(" ", text)


class AtomFeeds(Target):
    """A folder of feeds, each as Atom and as JSON Feed. Writing an entry twice changes nothing."""

    most = 200

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Each host has its own files.
        self.name = f"atom {gethostname()}:{folder.absolute()}"[:255]

    def deliver(self, letters: Sequence[Letter]) -> int:
        """Add messages to their feeds; each feed file is replaced atomically."""
        by_feed: dict[tuple[str, str], list[Any]] = {}
        for letter in letters:
            envelope = json.loads(letter.payload)
            by_feed.setdefault(_feed(envelope), []).append(entry(envelope))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for (file_name, title), entries in by_feed.items():
                self._add(self.folder / file_name, title, entries)
        except OSError as error:
            raise Away(f"{self.folder}: {error.strerror or error}") from error
        return len(letters)

    def _add(self, path: Path, title: str, entries: Sequence[Any]) -> None:
        feed = merged(path.read_bytes() if path.exists() else b"", title, entries)
        unfinished = path.with_suffix(".part")
        for whole, written in ((path, feed), (path.with_suffix(".json"), json_feed(feed))):
            with unfinished.open("wb") as file:
                file.write(written)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(whole)


def _feed(envelope: Mapping[str, Any]) -> tuple[str, str]:
    """Return the file and the title of the feed that a message belongs to."""
    if envelope["kind"] != MATCH:
        return ALL, _ALL_TITLE
    rule = envelope["match"]["rule"]
    return file_name(rule), rule


def file_name(rule: str) -> str:
    """Return the file name of a rule's feed, with a hash if the rule's name is not a plain word, so that none collide.

    >>> file_name("energy"), file_name("Energy & Klima")
    ('watch-energy.xml', 'watch-energy-klima-bcd8d8a9.xml')
    """
    slug = re.sub(r"[^a-z0-9]+", "-", rule.lower()).strip("-")[:60]
    if slug == rule:
        return f"watch-{slug}.xml"
    number = hashlib.blake2b(rule.encode("utf-8", "replace"), digest_size=4).hexdigest()
    return f"watch-{slug}-{number}.xml" if slug else f"watch-{number}.xml"
