"""Which records are read as pages: by host, URL, date, status and language, before their articles are extracted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from w3lib.encoding import http_content_type_encoding

from newsextract.page.charset import decode
from newsextract.reading.metadata.language import detect
from newsextract.reading.usage_rights import why_reserved
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


_DAY = re.compile(r"\d{4}-\d\d-\d\d")
RESERVED_BY = "reserved by "
"""How the reason of a page begins whose use is reserved."""

_WANTED_STATUSES = (None, 200)
"""None is that of a page that was archived without a response."""


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """What is wanted of records; an empty part wants everything. Make one with `record_filter`."""

    hosts: frozenset[str] = frozenset()
    """A host stands for its subdomains, too."""
    languages: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    """Not included."""
    urls: tuple[re.Pattern[str], ...] = ()
    rights: str = ""
    """The use that may not be reserved."""

    def reason(self, record: WarcRecord) -> str | None:
        """Return why a record is left out, as a short phrase, or None if it is wanted."""
        url = record.url or ""
        if record.status not in _WANTED_STATUSES:
            return f"status {record.status}"
        if self.hosts and not (_lineage(url) & self.hosts):
            return "another host"
        if self.urls and not any(pattern.search(url) for pattern in self.urls):
            return "URL not wanted"
        if reason := self._date_reason(record.date):
            return reason
        return "another language" if self.languages and not may_be_in(record, self.languages) else None

    def _date_reason(self, date: str | None) -> str | None:
        if self.since is None and self.until is None:
            return None
        if date is None:
            return "no date"
        moment = datetime.fromisoformat(date)
        if self.since and moment < self.since:
            return "before the time wanted"
        return "after the time wanted" if self.until and moment >= self.until else None

    def article_reason(self, article: Article) -> str | None:
        """Return why an article is left out: it is in another language for sure, or its use is reserved."""
        if speaks(self.languages, article.inLanguage) is False:
            return f"language {article.inLanguage}"
        reason = why_reserved(article.usageRights, self.rights) if self.rights else None
        return f"{RESERVED_BY}{reason}" if reason else None


def record_filter(  # noqa: PLR0913 - an option each
    *,
    hosts: str = "",
    languages: Iterable[str] = (),
    since: str = "",
    until: str = "",
    urls: Iterable[str] = (),
    rights: str = "",
    now: datetime | None = None,
) -> RecordFilter:
    """Return the filter that these options mean.

    Raises:
        ValueError: an option has no such form; the message begins with its name on the command line.
    """
    begin, end = time_span(since, until, now or datetime.now(UTC))
    return RecordFilter(_hosts(hosts), _languages(languages), begin, end, tuple(map(_pattern, urls)), rights)


def time_span(since: str, until: str, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Return the times that two options mean; the end is not included, and that of a day alone is the day's.

    Raises:
        ValueError: an option is no time, or the end is not behind the begin.
    """
    begin, end = _moment("--since", since, now), _moment("--until", until, now)
    if end and _DAY.fullmatch(until.strip()):
        end += timedelta(days=1)
    if begin and end and begin >= end:
        raise ValueError(f"--until: {until} is not after --since {since}")
    return begin, end


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


def _pattern(written: str) -> re.Pattern[str]:
    try:
        return re.compile(written)
    except re.error as error:
        raise ValueError(f"--url: {written!r} is not a regular expression: {error}") from error
