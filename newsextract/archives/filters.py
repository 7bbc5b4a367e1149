"""Which records are read as pages: by host, URL, date, status, type and language, before their articles are extracted.

What only the article tells, its language for sure and the kind of its page, `PageFilter` judges afterwards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from w3lib.encoding import http_content_type_encoding

from newsextract.page.charset import decode
from newsextract.processes.limits import time_limit
from newsextract.reading.kinds import UnknownKind, check_kinds
from newsextract.reading.metadata.language import detect
from newsextract.sites.site import SiteListError, is_language, primary, speaks
from newsextract.sites.site_files import parse_since
from newsextract.sites.site_list import read_sites

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from newsextract.archives.warc import WarcRecord
    from newsextract.article import Article


# Whether a page may be in certain languages, as far as its bytes tell before they are parsed.

_READ_BYTES = 256 * 1024
"""The text of nearly all pages begins within it."""

_DECLARED_BYTES = 4 * 1024
_LANG = re.compile(rb"<html\b[^>]{0,2000}?\s(?:xml:)?lang\s*=\s*[\"']?([A-Za-z_-]{2,20})", re.IGNORECASE)
_HIDDEN = re.compile(
    r"<(script|style|noscript|template|svg)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(r"<[^<>]*>")
_LINK = re.compile(r"<a\b.*?(?:</a\s*>|\Z)", re.IGNORECASE | re.DOTALL)

_MAX_RUNS = 6
_MAX_CHARS = 2_000
_RUN_CHARS = 1_000
"""As much as is read of a parsed page."""


def may_be_in(record: WarcRecord, languages: Collection[str]) -> bool:
    """Return whether the page of a record may be in one of the languages.

    What it declares in `Content-Language` or `lang` is believed if that is wanted. If not, its text decides, as
    templates declare English for all; where that is unclear, a page that declares another language is not wanted.
    """
    declared = [speaks(languages, tag) for tag in _declared(record)]
    if True in declared:
        return True
    found = detect(_running_text(record)) if record.body else None
    return speaks(languages, found[0]) is True if found else False not in declared


def _declared(record: WarcRecord) -> list[str]:
    stated = next((value for name, value in record.headers if name.lower() == "content-language"), "")
    tags = [tag.strip() for tag in stated.split(",") if tag.strip()]
    if found := _LANG.search((record.body or b"")[:_DECLARED_BYTES]):
        tags.append(found[1].decode("ascii"))
    return tags


def _running_text(record: WarcRecord) -> str:
    text = decode((record.body or b"")[:_READ_BYTES], http_content_type_encoding(record.content_type)).text
    runs = _TAG.split(_LINK.sub("<a>", _HIDDEN.sub("<s>", text)))
    longest = sorted(runs, key=len, reverse=True)[:_MAX_RUNS]
    return " ".join(" ".join(run.split())[:_RUN_CHARS] for run in longest)[:_MAX_CHARS]


PATTERN_SECONDS = 5.0
"""For the patterns on one URL: they take microseconds, or they try all ways of cutting it into parts."""

_STATUS = re.compile(r"([1-5])(xx|\d\d)", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TYPE = re.compile(r"[\w.+-]+/[\w.+*-]+")


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """What is wanted of records; an empty part wants everything. Make one with `record_filter`."""

    hosts: frozenset[str] = frozenset()
    """A host stands for its subdomains, too."""
    languages: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    """Not included."""
    statuses: frozenset[int] = frozenset()
    types: frozenset[str] = frozenset()
    urls: tuple[re.Pattern[str], ...] = ()
    not_urls: tuple[re.Pattern[str], ...] = ()

    def reason(self, record: WarcRecord) -> str | None:
        """Return why a record is left out, as a short phrase, or None if it is wanted."""
        return (
            self._address_reason(record.url or "")
            or self._date_reason(record.date)
            or self._response_reason(record)
            or self._language_reason(record)
        )

    def _address_reason(self, url: str) -> str | None:
        if self.hosts and not (_lineage(url) & self.hosts):
            return "another host"
        if not (self.urls or self.not_urls):
            return None
        endless = TimeoutError(f"--url, --not-url: a pattern does not come to an end on {url[:200]!r}")
        with time_limit(PATTERN_SECONDS, endless):
            if self.urls and not any(pattern.search(url) for pattern in self.urls):
                return "URL not wanted"
            return "URL excluded" if any(pattern.search(url) for pattern in self.not_urls) else None

    def _date_reason(self, date: str | None) -> str | None:
        if self.since is None and self.until is None:
            return None
        if date is None:
            return "no date"
        moment = datetime.fromisoformat(date)
        if self.since and moment < self.since:
            return "before the time wanted"
        return "after the time wanted" if self.until and moment >= self.until else None

    def _response_reason(self, record: WarcRecord) -> str | None:
        if self.statuses and record.status is not None and record.status not in self.statuses:
            return f"status {record.status}"
        kind = (record.content_type or "").partition(";")[0].strip().lower()
        if self.types and kind not in self.types and f"{kind.partition('/')[0]}/*" not in self.types:
            return f"type {kind[:40] or 'not stated'}"
        return None

    def _language_reason(self, record: WarcRecord) -> str | None:
        return None if not self.languages or may_be_in(record, self.languages) else "another language"


@dataclass(frozen=True, slots=True)
class PageFilter:
    """What is wanted of articles; an empty part wants everything. Make one with `page_filter`."""

    languages: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()

    def reason(self, article: Article) -> str | None:
        """Return why an article is left out, as a short phrase, or None; an unknown language or kind is wanted."""
        if self.languages and speaks(self.languages, article.inLanguage) is False:
            return f"language {article.inLanguage}"
        kind = article.metadata.pageKind if article.metadata else None
        return f"kind {kind}" if self.kinds and kind and kind not in self.kinds else None


def record_filter(  # noqa: PLR0913 - the options of a command, all by name
    *,
    hosts: str = "",
    languages: Iterable[str] = (),
    since: str = "",
    until: str = "",
    statuses: Iterable[str] = ("200",),
    types: Iterable[str] = (),
    urls: Iterable[str] = (),
    not_urls: Iterable[str] = (),
    now: datetime | None = None,
) -> RecordFilter:
    """Return the filter that these options mean.

    `hosts` are hosts or URLs, separated by commas or spaces, or a list of sites such as `sites.yml`. `since` and
    `until` are ages (`7d`) or dates, compared with `WARC-Date`; a day is included. `statuses` are `200` or `2xx`, and
    do not concern records without one. `types` are content types, `text/*` too. `urls` and `not_urls`
    are regular expressions that are found anywhere in a URL.

    Raises:
        ValueError: an option has no such form; the message begins with its name on the command line.
    """
    now = now or datetime.now(UTC)
    begin, end = _moment("--since", since, now), _moment("--until", until, now)
    if end and _DAY.fullmatch(until.strip()):
        end += timedelta(days=1)
    if begin and end and begin >= end:
        raise ValueError(f"--until: {until} is not after --since {since}")
    return RecordFilter(
        hosts=_hosts(hosts),
        languages=_languages(languages),
        since=begin,
        until=end,
        statuses=frozenset(status for written in statuses for status in _statuses(written)),
        types=frozenset(_type(written) for written in types),
        urls=_patterns("--url", urls),
        not_urls=_patterns("--not-url", not_urls),
    )


def page_filter(*, languages: Iterable[str] = (), kinds: Iterable[str] = ()) -> PageFilter:
    """Return the filter that these options mean.

    Raises:
        ValueError: an option has no such form; the message begins with its name on the command line.
    """
    wanted = tuple(kinds)
    try:
        return PageFilter(_languages(languages), frozenset(check_kinds(wanted)) if wanted else frozenset())
    except UnknownKind as error:
        raise ValueError(f"--kinds: {error}") from error


def _lineage(url: str) -> set[str]:
    """Return the host of a URL and all that it is a subdomain of."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
        labels = (host if host.isascii() else host.encode("idna").decode()).split(".")
    except (ValueError, UnicodeError):
        return set()
    return {".".join(labels[start:]) for start in range(len(labels))}


def _hosts(written: str) -> frozenset[str]:
    if not written.strip():
        return frozenset()
    try:
        homes = [urlsplit(site.home).hostname or "" for site in read_sites(written)]
    except SiteListError as error:
        raise ValueError(f"--hosts: {error}") from error
    return frozenset(home.removeprefix("www.") for home in homes)


def _languages(written: Iterable[str]) -> frozenset[str]:
    found = set()
    for language in written:
        code = primary(language)
        if code is None or not is_language(language):
            raise ValueError(f"--languages: {language!r} is not a language tag; write en, pt-BR or nb")
        found.add(code)
    return frozenset(found)


def _moment(option: str, written: str, now: datetime) -> datetime | None:
    if not written.strip():
        return None
    try:
        return parse_since(written, now)
    except ValueError as error:
        raise ValueError(f"{option}: {error}") from error


def _statuses(written: str) -> range:
    match = _STATUS.fullmatch(written.strip())
    if match is None:
        raise ValueError(f"--statuses: {written!r} is not a status; write 200 or 2xx")
    first = int(match[1]) * 100
    return (
        range(first, first + 100)
        if match[2].lower() == "xx"
        else range(first + int(match[2]), first + int(match[2]) + 1)
    )


def _type(written: str) -> str:
    kind = written.strip().lower()
    if not _TYPE.fullmatch(kind):
        raise ValueError(f"--types: {written!r} is not a content type; write text/html or text/*")
    return kind


def _patterns(option: str, written: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    patterns = []
    for each in written:
        try:
            patterns.append(re.compile(each))
        except re.error as error:
            raise ValueError(f"{option}: {each!r} is not a regular expression: {error}") from error
    return tuple(patterns)
