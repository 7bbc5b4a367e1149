"""What copies of a text are found and judged by: made once, where the page is read, and kept for the recent texts."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Self

from newsextract.page.text import caseless
from newsextract.storage.copies.likeness import said_words, shingles

_MOST_BYTES = 8 * 1024 * 1024
"""Bytes of the shingles kept, those of some three thousand articles."""


@dataclass(frozen=True, slots=True)
class TextPrint:
    """The keys and the shingles of a text."""

    keys: tuple[int, ...]
    """As `fingerprint` returns them; empty if the text is too short."""
    packed: bytes
    """The shingles, four bytes each: a frozenset of them takes thirty times as much."""

    @classmethod
    def of(cls, text: str | None) -> Self:
        """Make the print of a text."""
        # It brings numpy, which a crawl's own process does without.
        from newsextract.storage.copies.minhash import keys_of  # noqa: PLC0415

        folded = caseless(text or "")
        said = said_words(folded)
        found = shingles(said)
        return cls(keys_of(folded, said, found), array("I", found).tobytes())

    @property
    def shingles(self) -> frozenset[int]:
        """The shingles of the text, see `likeness.shingles`."""
        return frozenset(memoryview(self.packed).cast("I"))


class TextPrints:
    """Keeps the prints of recent texts by their hashes, see `text_key`; threads may share it."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, TextPrint] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def put(self, text_hash: str, made: TextPrint) -> None:
        """Keep the print of a text, in place of those that were not used for longest."""
        with self._lock:
            self._size += len(made.packed) - len(self._kept.pop(text_hash, _NONE).packed)
            self._kept[text_hash] = made
            while self._size > self._most_bytes:
                self._size -= len(self._kept.popitem(last=False)[1].packed)

    def get(self, text_hash: str | None) -> TextPrint | None:
        """Return the print of the text with this hash, or `None`."""
        with self._lock:
            found = self._kept.get(text_hash or "")
            if found is not None:
                self._kept.move_to_end(text_hash or "")
            return found

    def made_for(self, text_hash: str | None, text: str | None) -> TextPrint:
        """Return the print of a text, made now if it is not kept; without a hash there is no text."""
        found = self.get(text_hash)
        if found is None:
            found = TextPrint.of(text)
            self.put(text_hash or "", found)
        return found


_NONE = TextPrint((), b"")
