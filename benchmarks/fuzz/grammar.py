"""Pages of a grammar of our own: all that the reader looks at, with values that are right, wrong or of another kind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from benchmarks.fuzz import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

MAX_DEPTH = 8
DEEP = (300, 1_200, 2_500)
"""Levels of nesting of pages that are nested without end; libxml2 stops at 2,048."""


def written_page(random: Random) -> str:
    """Return a page: a head, and a body of elements, with or without an article in it."""
    body = elements(random, random.choice((3, 8, 20, 40)))
    if random.random() < 0.6:
        body += story(random)
    if random.random() < 0.05:
        body = f"<{random.choice(words.BLOCK_TAGS + words.INLINE_TAGS)}>" * random.choice(DEEP) + body
    if random.random() < 0.1:
        body = ""  # what a script makes of it, we do not see
    return random.choice(("<!doctype html><html lang=en><head>{}</head><body>{}", "{}{}")).format(head(random), body)


def story(random: Random) -> str:
    """Return an article in running text."""
    paragraphs = "".join(f"<p>{sentence(random, 30)}</p>" for _ in range(random.randint(1, 8)))
    by, date = random.choice(words.NAMES), random.choice(words.DATES)
    top = f"<h1>{sentence(random, 8)}</h1><p class=byline>{by}</p><time datetime='{date}'>{date}</time>"
    return f"<article>{top}{paragraphs}</article>"


def head(random: Random) -> str:
    """Return what a head holds: a title, `meta` and `link`, JSON-LD."""
    found = [f"<title>{sentence(random, 8)}</title>"]
    for _ in range(random.randint(0, 12)):
        name, content = random.choice(words.META_NAMES), attribute(random)
        found.append(
            f"<meta {random.choice(('name', 'property', 'itemprop', 'http-equiv'))}={name} content='{content}'>"
        )
    for _ in range(random.randint(0, 3)):
        rel = random.choice(("canonical", "next", "amphtml", "alternate", "author", "license", "image_src"))
        found.append(f"<link rel={rel} href='{random.choice(words.ADDRESSES)}'>")
    found += [json_ld(random) for _ in range(random.choice((0, 0, 1, 1, 2)))]
    if random.random() < 0.2:
        found.insert(0, f"<meta charset='{random.choice(words.CHARSETS)}'>")
    random.shuffle(found)
    return "".join(found)


def json_ld(random: Random) -> str:
    """Return JSON-LD, the most of it whole."""
    written = json.dumps(schema_value(random, 4), ensure_ascii=random.random() < 0.5)
    if random.random() < 0.2:
        place = random.randrange(len(written) + 1)
        written = (
            written[:place]
            + random.choice(('"', "}", "]", ",", "\\", "\n", "//", "\\u12", "1" * 5_000))
            + written[place:]
        )
    return f"<script type='application/ld+json'>{written}</script>"


def schema_value(random: Random, depth: int) -> object:
    """Return a value as it stands in structured data: a node, a list, a text, or what nobody expects there."""
    roll = random.random()
    if depth and roll < 0.4:
        node = {random.choice(words.SCHEMA_KEYS): schema_value(random, depth - 1) for _ in range(random.randint(0, 8))}
        return {"@type": random.choice(words.SCHEMA_TYPES), **node}
    if depth and roll < 0.5:
        return [schema_value(random, depth - 1) for _ in range(random.randint(0, 4))]
    return random.choice(_SCALARS)(random)


_SCALARS: Sequence[Callable[[Random], object]] = (
    lambda r: sentence(r, r.choice((0, 1, 8, 200))),
    lambda r: r.choice(words.DATES),
    lambda r: r.choice(words.NAMES),
    lambda r: r.choice(words.ADDRESSES),
    lambda r: r.choice(words.ODD),
    lambda r: r.choice((None, True, False, 0, -1, 10**30, 1e308, float("nan"), float("inf"), "", " ", {}, [], [[[]]])),
)


def elements(random: Random, count: int) -> str:
    """Return elements inside one another, not all of them closed."""
    found: list[str] = []
    still_open: list[str] = []
    for _ in range(count):
        tag = random.choice(words.BLOCK_TAGS if random.random() < 0.6 else words.INLINE_TAGS)
        found.append(f"<{tag}{attributes(random, tag)}>{random.choice(_CONTENTS)(random)}")
        still_open.append(tag)
        while still_open and (len(still_open) > MAX_DEPTH or random.random() < 0.5):
            closed = still_open.pop(random.randrange(len(still_open)) if random.random() < 0.1 else -1)
            if random.random() < 0.9:
                found.append(f"</{closed}>")
    return "".join(found)


_CONTENTS: Sequence[Callable[[Random], str]] = (
    lambda r: sentence(r, 4), lambda r: sentence(r, 25), lambda r: r.choice(words.DATES),
    lambda r: r.choice(words.NAMES), lambda r: r.choice(words.ODD), lambda _: "",
)  # fmt: skip


def attributes(random: Random, tag: str) -> str:
    """Return the attributes of a tag."""
    found = []
    if tag in ("a", "img", "iframe", "video") or random.random() < 0.1:
        found.append(f"{random.choice(('href', 'src', 'srcset', 'data-src'))}='{random.choice(words.ADDRESSES)}'")
    if random.random() < 0.3:
        found.append(f"{random.choice(('class', 'id', 'rel', 'itemprop'))}='{random.choice(words.CLASSES)}'")
    if random.random() < 0.1:
        found.append(f"itemscope itemtype='http://schema.org/{random.choice(words.SCHEMA_TYPES)}'")
    if random.random() < 0.1:
        found.append(f"itemprop={random.choice(words.ITEMPROPS)} content='{attribute(random)}'")
    if random.random() < 0.1:
        name = random.choice(
            ("datetime", "style", "hidden", "lang", "dir", "alt", "title", "\x01", "a\ufffe", "<", "xml:lang")
        )
        found.append(f"{name}='{random.choice(('display:none', 'rtl', attribute(random)))}'")
    return "".join(f" {each}" for each in found)


def attribute(random: Random) -> str:
    """Return the value of an attribute."""
    kinds = (
        words.DATES,
        words.NAMES,
        words.ADDRESSES,
        words.ODD,
        words.WORDS,
        ("index, noai, max-snippet: 50", "1", "0", "article", "en"),
    )
    return str(random.choice(random.choice(kinds))).replace("'", "&#39;")


def sentence(random: Random, most: int) -> str:
    """Return up to so many words, with marks between them, and at times something odd."""
    found = []
    for _ in range(random.randint(0, most)):
        found.append(random.choice(words.WORDS))
        found.append(random.choice(words.MARKS) if random.random() < 0.15 else " ")
    if found and random.random() < 0.05:
        found.insert(random.randrange(len(found)), random.choice(words.ODD))
    return "".join(found)
