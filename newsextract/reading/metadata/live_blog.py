"""The entries of a live blog: from its JSON-LD, else from the visible page.

In the visible page they are sibling containers, each with a `<time>` and a text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from newsextract.article import LiveUpdate
from newsextract.page.blocks import blocks_inside
from newsextract.page.outline import names_of
from newsextract.reading.metadata.clues import Findings, Refused
from newsextract.reading.metadata.comparing import fold, unescape, visible_text
from newsextract.reading.metadata.dates import read_date, refusal
from newsextract.reading.metadata.json_ld import as_list, text_of, types_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

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

_MIN_ENTRIES = 3
"""Fewer containers with a time are an article and its comment."""
_MAX_LEVELS = 8
"""Elements between a time and the container of all entries: the entry, its header, some wrappers."""
_MAX_DATE_CHARS = 60
_MAX_CLOCK_CHARS = 300
"""Characters read of a time, to leave it out of the entry's body."""
_MIN_BODY_CHARS = 20
"""A shorter text beside the time is a label: links with times are a list of news."""

_LIVE_MARKUP = "LiveBlogPosting"
_LIVE_NAME = re.compile(
    r"live[-_]?(?:blog|ticker|update|event|feed|stream|report|entr|post)|(?:^|[\s_-])live(?:$|[\s_-])|ticker"
)
_LIVE_ADDRESS = re.compile(
    r"live-?(?:blog|ticker|updates?|stream)|[/_-]live(?:[/_-]|$)|ticker|en-direct|minuto-a-minuto|ao-vivo|diretta"
    r"|onlayn|na-zywo"
)
_HEADLINES = ("h2", "h3", "h4", "h5")


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


def read_visible_entries(clues: Clues) -> Findings:
    """Return the entries in page order, or an empty `Findings` if nothing says that the page is live."""
    times = clues.elements["time"]
    if len(times) < _MIN_ENTRIES:
        return Findings()
    is_marked, body = _is_marked(clues), clues.page.tree.find("body")
    is_named = any(_LIVE_ADDRESS.search(url.lower()) for url in clues.addresses)
    if not (is_marked or is_named or _is_named_live(clues.page.tree if body is None else body)):
        return Findings()
    timed = _entries(times)
    first = next(iter(timed), None)
    around = [] if first is None else [first, *islice(first.iterancestors(), 3)]
    # Without mark-up, the names around the entries must say so, too.
    if not is_marked and not any(_is_named_live(el) for el in around if el.tag not in ("body", "html")):
        return Findings()
    updates = tuple(_updates(clues, timed))
    return Findings({"liveBlogUpdates": [updates]} if len(updates) >= _MIN_ENTRIES else {})


def _is_marked(clues: Clues) -> bool:
    if any(_LIVE_MARKUP in types_of(node) for node in clues.linked_data.nodes):
        return True
    times = clues.elements["time"]
    # The element marked as a live blog holds its times; the first times may be those of teasers.
    around = (el for time in (times[0], times[len(times) // 2], times[-1]) for el in time.iterancestors())
    return any(_LIVE_MARKUP in el.get("itemtype", "") for el in around)


def _is_named_live(el: HtmlElement) -> bool:
    return _LIVE_NAME.search(names_of(el).lower()) is not None


def _entries(times: Sequence[HtmlElement]) -> Mapping[HtmlElement, HtmlElement]:
    """Return the sibling containers that hold most of the times, each with its first time."""
    groups: dict[HtmlElement, dict[HtmlElement, HtmlElement]] = {}
    for time in times[:MAX_UPDATES]:
        inner = time
        for around in islice(time.iterancestors(), _MAX_LEVELS):
            groups.setdefault(around, {}).setdefault(inner, time)
            inner = around
    alike = ({el: time for el, time in group.items() if el is not time} for group in groups.values())
    # max keeps the first of equals: the innermost, because the loop climbs from the times.
    return max(alike, key=len, default={})


def _updates(clues: Clues, timed: Mapping[HtmlElement, HtmlElement]) -> Iterator[LiveUpdate]:
    outline = clues.page.outline
    numbers = {el: number for number, el in enumerate(outline.elements) if el in timed}
    for el, time in timed.items():
        heading = next(el.iter(*_HEADLINES), None)
        headline = None if heading is None else visible_text(heading, MAX_HEADLINE_CHARS) or None
        clock = visible_text(time, _MAX_CLOCK_CHARS)
        texts = [block.text for block in blocks_inside(outline, [numbers[el]])] if el in numbers else []
        body = "\n".join(text for text in texts if text not in (headline, clock))
        if len(body) >= _MIN_BODY_CHARS:
            yield LiveUpdate(time.get("datetime", "").strip() or clock[:_MAX_DATE_CHARS], headline, body)
