"""The texts in a feed: the entry of an article that may stand in for its page."""

from __future__ import annotations

import calendar
import re
import sys
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

from w3lib.html import remove_tags

from newsextract.page.text import count_words
from newsextract.page.urls import clean_url, unique_urls
from newsextract.reading.feed_entry import MIN_CONTENT_WORDS, MIN_SUMMARY_WORDS, FeedEntry
from newsextract.sites.article_address import Candidate
from newsextract.sites.site_files import (
    ForbiddenEntity,
    Malformed,
    TooLarge,
    fold,
    parse_date,
    read_text,
    skip_prolog,
    stated_date,
    unescape,
)

if TYPE_CHECKING:
    from lxml.html import HtmlElement


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


# RSS, RDF and Atom feeds: the articles they announce, and where pages advertise them.

_ParsedFeed: TypeAlias = Any
"""A dictionary of feedparser, which has no types."""

MAX_FEED_BYTES = 5 * 1024 * 1024
"""Limit for one feed, uncompressed; feeds of some hundred full articles stay below a third of it."""

MAX_TAGS = 200_000
"""Tags outside CDATA; feedparser takes some seconds for as many, and normal feeds have a tenth of it."""

MAX_UNCLOSED = 1_000
"""Elements open at once; feedparser is quadratic in them, and feeds with raw HTML reach some hundred."""

MAX_ATTRIBUTES = 500
"""Attributes of one tag; feedparser is quadratic in them, and tags of feeds have a dozen."""

_FEED_TYPES = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml"}
)

_NO_TAGS = re.compile(r"<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)", re.DOTALL)
"""Comments, instructions and CDATA, in which tags are text."""
_ATTRIBUTES = re.compile(r"<\w(?:[^<>\"']|\"[^\"]*\"|'[^']*')*+")
_FEED_TAG = re.compile(r"<(/?)(\w[\w:.-]*)(?:[^<>]*(?<=/)(>))?")

_NUMBERED = re.compile(r"&#(?:0*(\d+)|[xX]0*([0-9a-fA-F]+));?")
_MOST_DIGITS = 7
"""A character's number has no more, in either notation."""

_ON_ODD_FEEDS = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""What feedparser raises on some feeds that it cannot read."""

_COMMENTS = re.compile(r"\bcomments?\b|commentaire|kommentar|comentario|commenti", re.IGNORECASE)
"""Feeds of readers' comments, recognised by URL or title."""


def read_feed(body: bytes, url: str, *, with_texts: bool = False) -> list[Candidate]:
    """Return the entries that have a URL, in the feed's order; for a broken feed, those that could be read.

    `with_texts` is for feeds that may speak for the pages of their site: then candidates have the text of their entry.
    """
    parsed = _parse(_safe_text(body), url)
    if not parsed.entries and not parsed.get("version"):
        raise Malformed("no feed: neither RSS, RDF nor Atom")
    language = fold(parsed.feed.get("language"))
    read = [(entry, candidate) for entry in parsed.entries if (candidate := _candidate(entry, url, language))]
    found = {candidate.url: (entry, candidate) for entry, candidate in read}
    return [_with_text(entry, candidate, url) if with_texts else candidate for entry, candidate in found.values()]


def _with_text(entry: _ParsedFeed, candidate: Candidate, url: str) -> Candidate:
    told = entry_of(entry, candidate, url)
    return replace(candidate, entry=told.pack()) if told else candidate


def _safe_text(body: bytes) -> str:
    # Decoded before the check, so that no encoding hides a declaration from it. A DOCTYPE is only taken away:
    # RSS 0.91 has one by its specification. The rest of the prolog costs feedparser quadratic time.
    text = "".join(read_text(body, MAX_FEED_BYTES))
    if "<!ENTITY" in text:
        raise ForbiddenEntity("declares entities")
    markup = _NO_TAGS.sub("", text)
    if markup.count("<") > MAX_TAGS:
        raise TooLarge(f"more than {MAX_TAGS:,} tags")
    if count_unclosed(markup) > MAX_UNCLOSED:
        raise Malformed(f"more than {MAX_UNCLOSED:,} elements are never closed")
    if any(tag.count("=") > MAX_ATTRIBUTES for tag in _ATTRIBUTES.findall(markup)):
        raise TooLarge(f"more than {MAX_ATTRIBUTES:,} attributes of one tag")
    return _NUMBERED.sub(_possible, skip_prolog(text))


def _possible(reference: re.Match[str]) -> str:
    """Return a character reference, or the replacement character where there is none of that number.

    >>> _NUMBERED.sub(_possible, "&#65;&#x41;&#x110000;&#xD800;&#99999999;")
    '&#65;&#x41;���'
    """
    decimal, hexadecimal = reference.groups()
    digits = decimal or hexadecimal
    if len(digits) <= _MOST_DIGITS:
        number = int(digits, 10 if decimal else 16)
        if number <= sys.maxunicode and not 0xD800 <= number <= 0xDFFF:
            return reference[0]
    return "\ufffd"


def count_unclosed(text: str) -> int:
    """Return the greatest number of elements open at once, where a closing tag ends only the last opened.

    >>> count_unclosed("<rss><item><br/></item><item><b></x>")
    3
    """
    deepest = 0
    names: list[str] = []
    for closing, name, empty in _FEED_TAG.findall(text):
        if not closing and not empty:
            names.append(name)
            deepest = max(deepest, len(names))
        elif closing and names and names[-1] == name:
            names.pop()
    return deepest


def _parse(text: str, url: str) -> _ParsedFeed:
    import feedparser  # noqa: PLC0415 - only what reads feeds needs it

    # A stream, because feedparser fetches a string that looks like a URL, and opens one that looks like a path.
    try:
        return feedparser.parse(
            BytesIO(text.encode()),
            response_headers={"content-location": url, "content-type": "application/xml; charset=utf-8"},
            resolve_relative_uris=False,
            sanitize_html=False,
        )
    except _ON_ODD_FEEDS as error:
        raise Malformed(f"feedparser cannot read it: {error}") from error


def _candidate(entry: _ParsedFeed, base: str, language: str | None) -> Candidate | None:
    link = entry.get("feedburner_origlink") or entry.get("link") or _alternate(entry)
    url = clean_url(link, base) if link else None
    if not url:
        return None
    title = fold(unescape(remove_tags(entry.get("title", ""))))
    return Candidate(url, "feed", _date(entry), title, _own_language(entry) or language, _published(entry))


def _alternate(entry: _ParsedFeed) -> str | None:
    links = (link.get("href") for link in entry.get("links", ()) if link.get("rel") in {None, "alternate"})
    return next(filter(None, links), None)


def _own_language(entry: _ParsedFeed) -> str | None:
    return fold(entry.get("title_detail", {}).get("language"))


def _published(entry: _ParsedFeed) -> str | None:
    if "published" not in entry:
        return None
    odd = _from_parts(entry.get("published_parsed"))
    return stated_date(entry["published"]) or (odd.isoformat() if odd else None)


def _date(entry: _ParsedFeed) -> datetime | None:
    # Membership first: feedparser warns when it has to answer for one date with the other.
    for name in ("published", "created", "updated"):
        if name in entry and (date := parse_date(entry[name]) or _from_parts(entry.get(f"{name}_parsed"))):
            return date
    return None


def _from_parts(parts: _ParsedFeed) -> datetime | None:
    # feedparser reads some spellings that parse_date does not, and gives them as UTC without saying so.
    try:
        return datetime.fromtimestamp(calendar.timegm(parts), UTC) if parts else None
    except (ValueError, OverflowError, OSError):
        return None


def feed_links(tree: HtmlElement, base_url: str) -> list[str]:
    """Return the URLs of the feeds that a page links in its head, without comment feeds."""
    links = tree.xpath("//link[@href and @type and @rel]")
    return unique_urls(clean_url(link.get("href"), base_url) for link in links if _announces_feed(link))


def _announces_feed(link: HtmlElement) -> bool:
    media_type = link.get("type", "").partition(";")[0].strip().lower()
    is_alternate = "alternate" in link.get("rel", "").lower().split()
    described = f"{link.get('href')} {link.get('title', '')}"
    return is_alternate and media_type in _FEED_TYPES and not _COMMENTS.search(described)
