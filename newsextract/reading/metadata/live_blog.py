"""The entries of a live blog, as its JSON-LD lists them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from newsextract.article import LiveUpdate
from newsextract.reading.metadata.clues import Refused
from newsextract.reading.metadata.comparing import fold, unescape
from newsextract.reading.metadata.dates import read_date, refusal
from newsextract.reading.metadata.json_ld import as_list, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.reading.metadata.clues import Clues, Raw
    from newsextract.reading.metadata.json_ld import Graph, Node

MAX_UPDATES = 1_000
"""Entries read at most: the longest live blogs, over several days, have some hundreds."""
_MAX_BODY_CHARS = 20_000
"""Longer entries are cut: an entry has a few paragraphs."""
MAX_HEADLINE_CHARS = 300
_MAX_RAW_CHARS = 5_000
"""Characters read of an entry's headline or time."""

_CLOCK = re.compile(r"\W*([01]?\d|2[0-3])\s?[:.h]\s?([0-5]\d)(?::[0-5]\d)?\s*([ap])?\.?m?\.?\b.{0,12}$", re.IGNORECASE)
"""A time without a date: live blogs of one day give no more."""
_LINE_END = re.compile(r"<(?:br|/p|/div|/li|/h[1-6]|/blockquote)\b[^>]{0,200}>", re.IGNORECASE)


def listed_updates(node: Node, graph: Graph) -> Iterator[Raw]:
    """Yield the distinct entries of a live blog's node, as one candidate.

    Each entry is read once, however many nodes refer to it, so the entries are never longer than the page.
    """
    nodes = (graph.resolve(each) for each in as_list(node.get("liveBlogUpdate")) if isinstance(each, dict))
    entries = {id(entry): entry for entry in islice(nodes, MAX_UPDATES)}
    if found := tuple(map(_update, entries.values())):
        yield found


def _update(entry: Node) -> LiveUpdate:
    return LiveUpdate(
        text_of(entry.get("datePublished")) or text_of(entry.get("dateModified")),
        text_of(entry.get("headline")) or text_of(entry.get("name")),
        text_of(entry.get("articleBody")) or text_of(entry.get("text")) or text_of(entry.get("description")) or "",
    )


def check_updates(raw: Raw, _clues: Clues) -> tuple[LiveUpdate, ...] | Refused:
    """Return the entries that are not empty, with folded texts and ISO 8601 dates; refuse them if none has a date."""
    entries = (_clean(entry) for entry in raw if isinstance(entry, LiveUpdate))
    found = tuple(entry for entry in entries if entry.headline or entry.articleBody)
    return found if any(entry.datePublished for entry in found) else Refused()


def _clean(entry: LiveUpdate) -> LiveUpdate:
    headline = fold((entry.headline or "")[:_MAX_RAW_CHARS])
    return replace(
        entry,
        datePublished=_time(fold((entry.datePublished or "")[:_MAX_RAW_CHARS])),
        headline=headline if 0 < len(headline) <= MAX_HEADLINE_CHARS else None,
        articleBody=lines(entry.articleBody[:_MAX_BODY_CHARS]),
    )


def _time(text: str) -> str | None:
    """Return the time of an entry in ISO 8601, a bare time if the page gives no date, or `None`.

    >>> _time("2026-05-20T08:00:00Z"), _time("9.05 pm"), _time("19h30"), _time("19:30 Uhr"), _time("yesterday")
    ('2026-05-20T08:00:00+00:00', '21:05', '19:30', '19:30', None)
    """
    if date := read_date(text):
        return None if refusal(date) else date
    clock = _CLOCK.match(text)
    if not clock:
        return None
    hour, minute, half = clock.groups()
    hours = int(hour) % 12 + (12 if half in "pP" else 0) if half else int(hour)
    return f"{hours:02}:{minute}"


def lines(markup: str) -> str:
    r"""Return a text, which may be HTML, with one line for each paragraph.

    >>> lines("<p>Rain&nbsp;falls.</p><p>Then <b>sun</b>.</p>")
    'Rain falls.\nThen sun.'
    """
    text = unescape(markup) if "&lt;" in markup else markup
    paragraphs = (fold(line) for line in _LINE_END.sub("\n", text).split("\n"))
    return "\n".join(filter(None, paragraphs))
