"""What a page said, as a few kilobytes: whether a sentence stood anywhere on it can be asked when the page is gone.

An article's text may differ from that of the last visit because the site changed it, or because the page was read
differently: by another version, or with another advertisement beside the text. Only what the page itself no longer
says, or did not say before, is a change of the site. A page is kept as a Bloom filter (Bloom 1970) of its sequences of
three words, so a sentence with one changed word is not on it; one in some three hundred sequences that are not there
is taken for known, and a changed word is in three of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from zlib import crc32

from lxml import etree

from newsextract.page.text import caseless, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from newsextract.page.page import Page

SEQUENCE_WORDS = 3
_MOST_WORDS = 20_000
"""Words of a page; the rest of a longer one counts as not said."""
_BITS = 12
"""Of the filter for each sequence; with six functions, .3 % of the sequences that are not there seem to be."""
_FUNCTIONS = 6
_FACTORS = (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35)
"""Odd factors that spread the bits of a hash."""
_MOST = 2**32 - 1
_HIDEABLE = etree.XPath("(//article | //main)//*[@style or @hidden]")
_LINE_END = "lineend"
"""A word between the lines: those of one or two words are sequences of their own."""


@dataclass(frozen=True, slots=True)
class PageWords:
    """What a page said."""

    hash: str
    """Of all that is shown or read: two visits with the same have met the same page."""
    sequences: bytes
    """The filter."""

    def says(self, text: str) -> bool:
        """Return whether the page said a text, anywhere; one without words is said everywhere."""
        said = _hashes(text)
        starts = range(max(len(said) - SEQUENCE_WORDS, 0) + 1) if said else ()
        found = (_sequences(said[start : start + SEQUENCE_WORDS]) for start in starts)
        bits, size = self.sequences, len(self.sequences) * 8
        return all(bits[place >> 3] >> (place & 7) & 1 for each in found for place in _places(each, size))


def page_words(page: Page, *texts: str | None, data: str = "") -> PageWords:
    """Return what a page says: visible text, head and JSON-LD, its further pages', and texts that were read from it.

    `data` is the text that only the data for its scripts has.
    """
    import numpy as np  # noqa: PLC0415 - a crawl's own process does without

    pages = page, *page.continued
    own = [*(line for each in pages for line in (*(block.text for block in each.blocks), *_head(each))), data]
    lines = [
        *own,
        *(line for each in pages for line in _further(each)),
        *(line for text in texts if text for line in text.splitlines()),
    ]
    said = np.array(_hashes(f"\n{_LINE_END}\n".join([*lines, ""]))[:_MOST_WORDS], np.uint64)
    ends = np.flatnonzero(said == crc32(_LINE_END.encode()))
    lengths = np.diff(ends, prepend=-1) - 1
    short = [_sequences(said[ends[lengths == size] - size + np.arange(size)[:, np.newaxis]]) for size in (1, 2)]
    said = np.delete(said, ends)
    inner = [said[start : len(said) - SEQUENCE_WORDS + 1 + start] for start in range(SEQUENCE_WORDS)]
    found = np.unique(np.concatenate([*short, _sequences(inner)]))
    size = max(len(found) * _BITS, 8) // 8 * 8
    bits = np.zeros(size, np.uint8)
    for places in _places(found, size):
        bits[places] = 1
    digest = blake2b("\n".join(own).encode("utf-8", "replace"), digest_size=16).hexdigest()
    return PageWords(digest, np.packbits(bits, bitorder="little").tobytes())


def _head(page: Page) -> Iterator[str]:
    for element in page.tree.iter("title", "meta", "script"):
        if element.tag == "meta":
            yield element.get("content") or ""
        elif element.tag == "title" or "ld+json" in (element.get("type") or ""):
            yield element.text or ""


def _further(page: Page) -> Iterator[str]:
    """Yield the lines of code, which is one block, and what an article hides, which is shown where it is much."""
    from newsextract.page.outline import is_hidden  # noqa: PLC0415 - imports numpy

    for pre in page.tree.iter("pre"):
        yield from str(pre.text_content()).splitlines()
    for element in _HIDEABLE(page.tree):
        if is_hidden(element, element.tag):
            yield from element.itertext()
            yield " ".join(element.itertext())


def _hashes(text: str) -> list[int]:
    return [*map(crc32, " ".join(words(caseless(text))).encode("utf-8", "replace").split())]


def _sequences(hashes: Iterable[Any]) -> Any:
    """Return the hash of up to three words, of one sequence or of arrays of first, second and third words."""
    return sum(each * factor for each, factor in zip(hashes, _FACTORS, strict=False)) & _MOST


def _places(found: Any, size: int) -> Iterator[Any]:
    """Yield the places of hashes in a filter of this many bits: of one as an integer, or of an array of them."""
    step = found * _FACTORS[0] >> 15 & 0xFFFF | 1
    for number in range(_FUNCTIONS):
        yield (found + number * step) % size
