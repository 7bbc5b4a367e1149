"""Damage to pages: what lines, disks, templates and people do to them, and what nobody does."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from benchmarks.fuzz import words
from benchmarks.fuzz.grammar import DEEP, schema_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    Mutation = Callable[[bytes, Random, Sequence[bytes]], bytes]
    """From a page, and others that it may be mixed with, to another page."""

MAX_BYTES = 2_000_000
"""No page grows beyond it: what is slow by its size alone tells nothing."""

_TAG = re.compile(rb"<[^<>]*>")
_NUMBER = re.compile(rb"\d+")
_VALUE = re.compile(rb"(?:content|datetime|href|src|class|id|style|rel|title)=[\"']?([^\"'>]*)")
_JSON_LD = re.compile(rb"(<script[^>]*ld\+json[^>]*>)(.*?)(</script)", re.DOTALL | re.IGNORECASE)
_NUMBERS = (
    b"0", b"-1", b"99999999999999999999", b"1e999", b"31", b"2024", b"\xd9\xa3", b"\xc2\xb2",
    b"00000000000000000000",
)  # fmt: skip


def damaged(page: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Return the page with one to four kinds of damage."""
    for _ in range(random.choice((1, 1, 2, 3, 4))):
        page = random.choice(MUTATIONS)(page, random, others)[:MAX_BYTES]
    return page


def flip_bytes(page: bytes, random: Random, _others: Sequence[bytes]) -> bytes:
    """Change some bytes at random."""
    changed = bytearray(page)
    for _ in range(random.choice((1, 5, 50)) if page else 0):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def drop_tags(page: bytes, random: Random, _others: Sequence[bytes]) -> bytes:
    """Leave out some of the tags."""
    share = random.choice((0.01, 0.1, 0.5))
    return _TAG.sub(lambda tag: b"" if random.random() < share else tag[0], page)


def change_tags(page: bytes, random: Random, _others: Sequence[bytes]) -> bytes:
    """Replace some of the tags by others."""
    share = random.choice((0.01, 0.1))
    tags = [b"<%s>" % tag.encode() for tag in words.BLOCK_TAGS + words.INLINE_TAGS]
    return _TAG.sub(lambda tag: random.choice(tags) if random.random() < share else tag[0], page)


def truncate(page: bytes, random: Random, _others: Sequence[bytes]) -> bytes:
    """Keep the beginning, or the end."""
    place = random.randrange(len(page) + 1)
    return page[:place] if random.random() < 0.8 else page[place:]


def splice(page: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Go on with a part of another page, or take one in."""
    other = random.choice(others)
    start, stop = sorted(random.randrange(len(other) + 1) for _ in range(2))
    place = random.randrange(len(page) + 1)
    return page[:place] + other[start:stop] + (page[place:] if random.random() < 0.5 else b"")


def repeat(page: bytes, random: Random, _others: Sequence[bytes]) -> bytes:
    """Write a part of the page many times."""
    start = random.randrange(len(page) + 1)
    part = page[start : start + random.choice((10, 100, 2_000))]
    times = min(random.choice((2, 50, 2_000)), 300_000 // max(len(part), 1))
    return page[:start] + part * times + page[start:]


def insert_odd(page: bytes, random: Random, _others: Sequence[bytes]) -> bytes:
    """Put in what has hurt parsers."""
    for _ in range(random.choice((1, 3, 20))):
        place = random.randrange(len(page) + 1)
        page = page[:place] + as_bytes(random.choice(words.ODD)) + page[place:]
    return page


def nest(page: bytes, random: Random, _others: Sequence[bytes]) -> bytes:
    """Put a part of the page deep inside."""
    tag = random.choice(words.BLOCK_TAGS + words.INLINE_TAGS).encode()
    place = random.randrange(len(page) + 1)
    return page[:place] + b"<%s>" % tag * random.choice(DEEP) + page[place:]


def change_numbers(page: bytes, random: Random, _others: Sequence[bytes]) -> bytes:
    """Replace some of the numbers."""
    return _NUMBER.sub(lambda number: random.choice(_NUMBERS) if random.random() < 0.1 else number[0], page)


def change_values(page: bytes, random: Random, _others: Sequence[bytes]) -> bytes:
    """Replace the values of some attributes."""
    pool = (*words.ODD, *words.DATES, *words.NAMES, *words.ADDRESSES)

    def changed(value: re.Match[bytes]) -> bytes:
        if random.random() > 0.1:
            return value[0]
        return value[0][: value.start(1) - value.start()] + as_bytes(random.choice(pool))

    return _VALUE.sub(changed, page)


def change_json_ld(page: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Change values of the JSON-LD, or its bytes; a page without gets some."""

    def changed(script: re.Match[bytes]) -> bytes:
        try:
            value = json.loads(script[2])
        except (ValueError, RecursionError):
            return script[1] + flip_bytes(script[2], random, others) + script[3]
        written = json.dumps(_changed(value, random, random.choice((0.02, 0.2))), ensure_ascii=False)
        return script[1] + as_bytes(written) + script[3]

    if not _JSON_LD.search(page):
        value = json.dumps(schema_value(random, 5))
        return b"<script type=application/ld+json>%s</script>%s" % (value.encode(), page)
    return _JSON_LD.sub(changed, page)


def _changed(value: object, random: Random, share: float) -> object:
    if random.random() < share:
        return schema_value(random, 3)
    if isinstance(value, dict):
        return {
            key if random.random() > share else random.choice(words.SCHEMA_KEYS): _changed(each, random, share)
            for key, each in value.items()
        }
    return [_changed(each, random, share) for each in value] if isinstance(value, list) else value


def recode(page: bytes, random: Random, _others: Sequence[bytes]) -> bytes:
    """Write the page in another charset than it says."""
    charset = random.choice(
        ("utf-16", "utf-16-le", "utf-8-sig", "cp1251", "shift_jis", "gb18030", "cp1252", "utf-7", "iso2022_jp")
    )
    return page.decode("utf-8", "replace").encode(charset, "replace")


def as_bytes(text: str) -> bytes:
    """Return a text in UTF-8, with halves of surrogate pairs as they are."""
    return text.encode("utf-8", "surrogatepass")


MUTATIONS: tuple[Mutation, ...] = (
    flip_bytes, drop_tags, change_tags, truncate, splice, repeat, insert_odd, nest, change_numbers, change_values,
    change_json_ld, recode,
)  # fmt: skip
