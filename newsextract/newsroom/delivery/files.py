"""Messages as files: JSON Lines that rotate, and Atom feeds."""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import os
import re
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, UUID, uuid5

from lxml import etree

from newsextract.newsroom.delivery.messages import MATCH
from newsextract.newsroom.delivery.targets import Away, Target
from newsextract.sites.article_address import believes
from newsextract.storage.ledger.runs import host_name
from newsextract.storage.schema import utc_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from newsextract.storage.outbox import Letter


# A JSON Lines file with one message per line, rotated by size or day; a partial line left by a crash is dropped.

DEFAULT_BYTES = 100 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Rotation:
    """When a file is rotated, and how."""

    max_bytes: int = DEFAULT_BYTES
    """Rotate before a line that would make the file larger, unless it is the first; 0: no limit."""
    is_daily: bool = False
    """Rotate before the first line of a new day (UTC)."""
    zips: bool = False
    """Whether rotated files are compressed."""


def _now() -> datetime:
    return datetime.now(UTC)


class JsonLines(Target):
    """A file that messages are appended to; rotated files are beside it, named by the time of rotation.

    It is opened for each batch, and may be moved away between two.
    """

    most = 500

    def __init__(self, path: Path, rotation: Rotation | None = None, clock: Callable[[], datetime] = _now) -> None:
        self.path = path
        self.rotation = rotation or Rotation()
        self.clock = clock
        # Each host has its own files.
        self.name = f"messages {host_name()}:{path.absolute()}"[:255]

    def deliver(self, letters: Sequence[Letter]) -> int:
        """Append messages and flush them to disk; return how many were written."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists():
                drop_broken_line(self.path)
            return self._write([f"{letter.payload}\n".encode() for letter in letters])
        except OSError as error:
            raise Away(f"{self.path}: {error.strerror or error}") from error

    def _write(self, lines: Sequence[bytes]) -> int:
        """Append as many lines as the file has room for, at least one, and return their number."""
        self._rotate_if_due(len(lines[0]))
        size, most = self._size(), self.rotation.max_bytes
        taken = 1
        size += len(lines[0])
        while taken < len(lines) and not (most and size + len(lines[taken]) > most):
            size += len(lines[taken])
            taken += 1
        with self.path.open("ab") as file:
            file.write(b"".join(lines[:taken]))
            file.flush()
            os.fsync(file.fileno())
        return taken

    def _size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def _rotate_if_due(self, more_bytes: int) -> None:
        size, most = self._size(), self.rotation.max_bytes
        if size and ((most and size + more_bytes > most) or (self.rotation.is_daily and self._is_of_another_day())):
            self._rotate()

    def _is_of_another_day(self) -> bool:
        written = datetime.fromtimestamp(self.path.stat().st_mtime, UTC)
        return written.date() != self.clock().astimezone(UTC).date()

    def _rotate(self) -> None:
        aside = self._free_name()
        self.path.rename(aside)
        if self.rotation.zips:
            compress(aside)

    def _free_name(self) -> Path:
        stem = f"{self.path.stem}-{self.clock().astimezone(UTC):%Y%m%dT%H%M%SZ}"
        number = 1
        while True:
            name = f"{stem}{f'-{number}' if number > 1 else ''}{self.path.suffix}"
            path = self.path.with_name(name)
            if not path.exists() and not path.with_name(f"{name}.gz").exists():
                return path
            number += 1


def compress(path: Path) -> None:
    """Replace a file by a compressed one, `.gz`; an interruption leaves the original."""
    unfinished = path.with_name(f"{path.name}.gz.part")
    with path.open("rb") as plain, gzip.open(unfinished, "wb") as zipped:
        shutil.copyfileobj(plain, zipped, 1 << 20)
    unfinished.replace(path.with_name(f"{path.name}.gz"))
    path.unlink()


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
# A feed has one entry per article, and keeps the newest entries.

ATOM = "http://www.w3.org/2005/Atom"
MOST_ENTRIES = 100
"""Entries kept in a feed: feed readers poll about hourly."""

_SUMMARY_CHARS = 400
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WITH_OFFSET = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_Element = etree._Element  # noqa: SLF001 - lxml has no other name for it

logger = logging.getLogger(__name__)

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


def merged(known: bytes | None, title: str, entries: Iterable[_Element]) -> bytes:
    """Return a feed with newer entries before its existing ones, one per article.

    Raises:
        ValueError: the existing content is not a feed.
    """
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


def _entries(known: bytes | None) -> list[_Element]:
    if known is None:
        return []
    try:
        feed = etree.fromstring(known, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    except etree.XMLSyntaxError as error:
        raise ValueError(f"it is not XML: {error}") from error
    if feed.tag != _name("feed"):
        raise ValueError("it is not an Atom feed")
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


def _id(one: _Element) -> str:
    return one.findtext(_name("id"), "")


def _name(tag: str) -> str:
    return f"{{{ATOM}}}{tag}"


def _add(parent: _Element, tag: str, text: str) -> None:
    etree.SubElement(parent, _name(tag)).text = _plain(text)


def _plain(text: str) -> str:
    return _NOT_XML.sub(" ", text)


class AtomFeeds(Target):
    """A folder of feeds. Writing an entry twice changes nothing."""

    most = 200

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Each host has its own files.
        self.name = f"atom {host_name()}:{folder.absolute()}"[:255]

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
        known = path.read_bytes() if path.exists() else None
        try:
            feed = merged(known, title, entries)
        except ValueError as error:
            aside = path.with_suffix(".broken")
            logger.warning("the feed %s is begun anew, %s: what was there is %s", path, error, aside)
            path.replace(aside)
            feed = merged(None, title, entries)
        unfinished = path.with_suffix(".part")
        with unfinished.open("wb") as file:
            file.write(feed)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)


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
