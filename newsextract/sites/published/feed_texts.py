"""The texts in a feed: the entry of an article that may stand in for its page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from newsextract.page.text import count_words
from newsextract.reading.feed_article import MIN_CONTENT_WORDS, MIN_SUMMARY_WORDS, FeedEntry
from newsextract.sites.published.site_files import fold, unescape
from newsextract.sites.published.stated_dates import stated_date

if TYPE_CHECKING:
    from newsextract.sites.candidate import Candidate

_Parsed: TypeAlias = Any
"""A dictionary of feedparser, which has no types."""

MAX_BODY_CHARS = 500_000
"""A longer body is no article's; the longest reports have a fifth of it in markup."""
_MAX_SUMMARY_CHARS = 5_000
_MOST_NAMES = 20
"""Authors and keywords read of each entry."""

_HTML = frozenset(("text/html", "application/xhtml+xml"))
_TAG = re.compile(r"<[^<>]*>")
"""Linear, which w3lib's pattern is not in tags that are never closed."""
_IN_BRACKETS = re.compile(r"[^()]*\(([^()]+)\)?\s*$")
"""How RSS writes an author: `anna@example.com (Anna Lee)`. Of longer domains feedparser leaves `ple (Anna Lee`."""


def entry_of(entry: _Parsed, candidate: Candidate, feed: str) -> FeedEntry | None:
    """Return what the feed at a URL has of a candidate's article; `None` if it has no text, or a teaser only."""
    found = _content(entry) or _summary(entry)
    if found is None:
        return None
    body, is_html, is_summary = found
    lead = _TAG.sub("", entry.get("summary", "")[:_MAX_SUMMARY_CHARS])
    has_lead = not is_summary and entry.get("summary") != body and count_words(lead) < MIN_SUMMARY_WORDS
    names = (author.get("name", "") for author in entry.get("authors", ())[:_MOST_NAMES])
    labels = (tag.get("label") or tag.get("term") for tag in entry.get("tags", ())[:_MOST_NAMES])
    return FeedEntry(
        feed,
        body,
        is_html,
        is_summary,
        title=candidate.title,
        summary=fold(unescape(lead)) if has_lead else None,
        published=candidate.published,
        modified=stated_date(entry["updated"]) if "updated" in entry else None,
        authors=tuple(filter(None, map(_name, names))),
        language=candidate.language,
        keywords=tuple(filter(None, map(fold, labels))),
    )


def _content(entry: _Parsed) -> tuple[str, bool, bool] | None:
    """Return the longest content of an entry, whether it is HTML, and False: it is no summary."""
    known = [part for part in entry.get("content", ()) if part.get("type") in {*_HTML, "text/plain"}]
    best = max(known, key=lambda part: len(part.get("value", "")), default=None)
    return _body(best, MIN_CONTENT_WORDS, is_summary=False) if best else None


def _summary(entry: _Parsed) -> tuple[str, bool, bool] | None:
    return _body(entry.get("summary_detail", {}), MIN_SUMMARY_WORDS, is_summary=True)


def _body(part: _Parsed, least: int, *, is_summary: bool) -> tuple[str, bool, bool] | None:
    body, is_html = part.get("value", ""), part.get("type") in _HTML
    if not 0 < len(body) <= MAX_BODY_CHARS:
        return None
    # Markup that is escaped twice has its words as well.
    return (body, is_html, is_summary) if count_words(_TAG.sub(" ", body)) >= least else None


def _name(written: str) -> str | None:
    is_address = "@" in written or written.count("(") != written.count(")")
    named = _IN_BRACKETS.match(written[:200]) if is_address else None
    name = fold(named[1] if named else written)
    return name if name and "@" not in name else None
