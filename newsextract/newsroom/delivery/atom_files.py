"""Atom feeds as files: `all.xml` for every article, and one for each watch rule with a match."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.delivery.atom_xml import entry, merged
from newsextract.newsroom.delivery.envelope import MATCH
from newsextract.newsroom.delivery.target import Away
from newsextract.storage.ledger.process_identity import host_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from newsextract.storage.outbox.message_store import Letter

logger = logging.getLogger(__name__)

ALL = "all.xml"
_ALL_TITLE = "All articles"


class AtomFeeds:
    """A folder of feeds. Writing an entry twice changes nothing."""

    most = 200

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Each host has its own files.
        self.name = f"atom {host_name()}:{folder.absolute()}"[:255]

    def wants(self, _kind: str) -> bool:
        """Return True: it takes every kind of message."""
        return True

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

    def close(self) -> None:
        """Do nothing: no file stays open."""

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
