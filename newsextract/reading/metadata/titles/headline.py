"""Read the headline from the heading and from `<title>`, and check candidates."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.reading.metadata.findings import Findings, Refused
from newsextract.reading.metadata.schema.schema_nodes import texts_of
from newsextract.reading.metadata.text_folding import fold
from newsextract.reading.metadata.titles.title_affixes import begins_with, without_affixes, words_of
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues

_MAX_KICKER_WORDS = 3
_MIN_HEADLINE_WORDS = 4
_MIN_KICKER_CHARS = 4
"""Shorter words before a headline belong to it: "The", "2025"."""

_SIGN = re.compile(r"[:|–—-]")
"""What separates a kicker from the headline where a declared title has both."""

_MAX_NODES = 40
"""Nodes of JSON-LD whose headlines are compared with the heading: that of the article is among the first."""

_MAX_CHARS = 300
"""Longer headlines are texts."""

_MIN_CONFIRMED_WORDS = 3
"""A shorter heading may name a section or the site."""


def read_heading(clues: Clues) -> Findings:
    """Return the heading that agrees best with the page's titles, or an empty `Findings`."""
    heading = clues.heading
    if heading is None:
        return Findings()
    found, whole = without_kicker(heading.text, map(clues.bare, clues.titles)), clues.whole_heading
    if found != heading.text or (whole and words_of(whole) != words_of(heading.text)):
        declared = [clues.bare(title) for title in _declared(clues)]
        found = next((text for text in (heading.text, whole) if _is_declared(text, found, declared)), found)
    return Findings({"headline": [found]})


def _is_declared(text: str, headline: str, titles: Iterable[str]) -> bool:
    """Tell whether a title is the text, with a sign behind the kicker that the text has before the headline.

    >>> _is_declared("Opinion We like rain", "We like rain", ["Opinion: We like rain"])
    True
    >>> _is_declared("Opinion We like rain", "We like rain", ["Opinion We like rain"])
    False
    """
    said, kept = words_of(text), words_of(headline)
    same = [title for title in titles if words_of(title) == said]
    if said == kept or said[-len(kept) :] != kept:
        return bool(same)
    kicker = said[: -len(kept)]
    return any(words_of(title[: sign.start()]) == kicker for title in same for sign in _SIGN.finditer(title))


def _declared(clues: Clues) -> Iterator[str]:
    """Yield the titles for other sites and for search engines: `og:title`, `twitter:title` and those in JSON-LD."""
    yield from clues.titles_in("og:title")
    yield from clues.titles_in("twitter:title")
    for node in clues.linked_data.graph.nodes[:_MAX_NODES]:
        yield from (fold(text) for text in texts_of(node.get("headline")) if len(text) <= _MAX_CHARS)


def without_kicker(heading: str, titles: Iterable[str]) -> str:
    """Return the title that follows a short section name or label in a heading, or else the heading.

    >>> without_kicker("Opinion Why we like rain", ["Why we like rain"])
    'Why we like rain'
    >>> without_kicker("Weather: why we like rain", ["Why we like rain"])
    'Weather: why we like rain'
    """
    said = words_of(heading)
    for title in titles:
        words = words_of(title)
        extra = len(said) - len(words)
        if 0 < extra <= _MAX_KICKER_WORDS and len(words) >= _MIN_HEADLINE_WORDS and said[extra:] == words:
            kicker = heading[: len(heading) - len(title)].rstrip()
            if (
                len(kicker) >= _MIN_KICKER_CHARS
                and not kicker.isdecimal()
                and not kicker.endswith((":", ",", "–", "-"))
            ):
                return title
    return heading


def read_window_title(clues: Clues) -> Findings:
    """Return the text of `<title>`, then the headings."""
    return Findings({"headline": [text for text in (clues.title, *clues.headings) if text]})


def check_headline(raw: Raw, clues: Clues) -> str | Refused:
    """Return the headline without the name of the site."""
    text = fold(raw) if isinstance(raw, str) else ""
    if len(text) > _MAX_CHARS:
        return Refused(Notice(NoticeCode.TOO_LONG, most=_MAX_CHARS))
    if not text:
        return Refused()
    confirmed = {words for heading in clues.headings if len(words := words_of(heading)) >= _MIN_CONFIRMED_WORDS}
    if len(clues.headings) == 1 and begins_with(text, clues.headings[0]):
        confirmed.add(words_of(clues.headings[0]))
    return without_affixes(text, clues.site_keys, confirmed)
