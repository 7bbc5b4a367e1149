"""What the copies of an article are found by: made where its page is read, and kept until the end of the run."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Self

from newsextract.page.text import caseless
from newsextract.storage.likeness import band_keys, said_words, shingles

if TYPE_CHECKING:
    from collections.abc import Mapping

DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class ArticlePrint:
    """The print of an article's text; all of it is empty for an article without a text."""

    digest: bytes
    """The same for the same text, `DIGEST_BYTES` long or empty."""
    keys: tuple[int, ...]
    """See `newsextract.storage.likeness.band_keys`: empty for a short text, which only has exact copies."""
    shingles: bytes
    """Four bytes each, as this machine orders them; see `newsextract.storage.likeness.shingles`."""

    @classmethod
    def of(cls, text: str | None) -> Self:
        """Make the print of a text."""
        if not text:
            return cls(b"", (), b"")
        said = said_words(caseless(text))
        found = shingles(said)
        keys = band_keys(said, found)
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()
        # Of a text without keys, nothing is ever compared.
        return cls(digest, keys, array("I", found).tobytes() if keys else b"")

    def row(self, month: str, record_id: str | None, date: str | None) -> Mapping[str, object]:
        """Return the row of `PRINTS` of the article with this record, in this month's file."""
        return {
            "month": month,
            "record_id": record_id,
            "date": date,
            "digest": self.digest,
            "keys": self.keys,
            "shingles": self.shingles,
        }
