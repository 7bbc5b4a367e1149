"""A site as a team wants it crawled: where to start, what to fetch, how often, how fast.

Beside it stands what all forms of a list of sites share: the error, URLs as people write them, and sites by host.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from posixpath import splitext
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from newsextract.page.languages import is_code
from newsextract.page.urls import MAX_URL_CHARS, clean_url, is_on_site, site_of, url_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from newsextract.reading.extraction.contract import Extractor
    from newsextract.reading.rules import SiteRules
    from newsextract.sites.subscriptions import Access


# Compares languages as pages declare them with languages as people name them.

_TAG = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{1,8})*", re.IGNORECASE)

_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "tl": "fil", "sh": "sr", "cmn": "zh"}
"""Codes that pages use for the same language: the two written forms of Norwegian, and replaced codes."""


def primary(language: str | None) -> str | None:
    """Return the language of a tag, without script and region; `None` if it is not a language tag.

    >>> primary("pt-BR"), primary("NB_no"), primary("French"), primary(None)
    ('pt', 'no', None, None)
    """
    match = _TAG.fullmatch((language or "").strip())
    code = match[1].lower() if match else None
    return _SAME.get(code, code) if code else None


def is_language(tag: str) -> bool:
    """Return whether a tag names an existing language.

    >>> is_language("pt-BR"), is_language("no"), is_language("jp"), is_language("french")
    (True, True, False, False)
    """
    code = primary(tag)
    return code is not None and is_code(code)


def speaks(languages: Collection[str], language: str | None) -> bool | None:
    """Return whether a language is among those of a site; `None` if it is unknown or the site names none.

    >>> speaks(["pt", "no"], "pt-BR"), speaks(["pt", "no"], "nb"), speaks(["pt"], "en"), speaks(["pt"], None)
    (True, True, False, None)
    """
    found = primary(language)
    if found is None or not languages:
        return None
    return found in {primary(each) for each in languages}


# Which sections of a site are wanted, by paths as people write them in a list of sites.

MAX_PATTERN_CHARS = 200
"""A longer path is not a section's."""

_FILE_EXTENSIONS = frozenset({".xml", ".gz", ".rss", ".atom", ".txt", ".json"})
"""Endings of sitemaps, feeds and robots.txt, which concern the whole site, wherever they are."""


@dataclass(frozen=True, slots=True)
class Sections:
    """The wanted paths of a site: those below `only`, or all, without those below `excluded`.

    A path stands for itself and everything below it; `*` for any characters. Case is ignored.
    """

    only: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """Return whether a URL is in a wanted section; a file such as a sitemap always is.

        >>> wanted = Sections(only=("/international/", "/20*/eco"), excluded=("/international/video",))
        >>> [wanted.allows(f"https://a.example/{path}") for path in ("international", "international/a.html", "sport/")]
        [True, True, False]
        >>> paths = ("2026/05/eco/a", "2026/economy", "international/video/1")
        >>> [wanted.allows(f"https://a.example/{path}") for path in paths]
        [True, False, False]
        >>> wanted.allows("https://a.example/sitemaps/news.xml")
        True
        """
        path = path_of(url)
        if splitext(path.partition("?")[0])[1] in _FILE_EXTENSIONS:
            return True
        is_wanted = not self.only or any(_pattern(each).match(path) for each in self.only)
        return is_wanted and not any(_pattern(each).match(path) for each in self.excluded)


def path_of(url: str) -> str:
    """Return the path and query of a URL, decoded and in lower case; the home page's is `/`.

    >>> path_of("https://a.example/D%C3%A9bats?Page=2"), path_of("https://a.example")
    ('/débats?page=2', '/')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return "/"
    query = f"?{parts.query}" if parts.query else ""
    return unquote(f"{parts.path or '/'}{query}").casefold()


@lru_cache(maxsize=4096)
def _pattern(written: str) -> re.Pattern[str]:
    *first, last = (re.escape(part) for part in unquote(written).casefold().rstrip("/").split("*"))
    if not first:
        return re.compile(f"{last}(?:[/?]|$)", re.DOTALL)
    # Atomic groups except for the last, so that no URL makes several stars backtrack.
    middle = "".join(f"(?>.*?{part})" for part in first[1:])
    end = f".*{last}(?:[/?]|$)" if last else ""
    return re.compile(f"{first[0]}{middle}{end}", re.DOTALL)


SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE)  # a digit follows the colon of a port
_HOST = re.compile(r"(localhost|[^/?#:]*[^/?#:.]\.[^/?#:.]+|\[[0-9a-f:.]+\])(:\d+)?([/?#]|$)", re.IGNORECASE)

SOURCES = ("feeds", "sitemaps", "links")
"""Where the URLs of articles are found."""

SLACK_RATIO, MAX_SLACK = 0.1, timedelta(minutes=5)
"""Timers are not exact: a site is due this share of its schedule early, or it would miss every other run."""


class SiteListError(ValueError):
    """The list of sites cannot be read; the message says where and what would be right."""


HAS_USER = (
    "a URL with a user or a password is not fetched, as logs and tables show URLs; leave out what is before the @"
)


def has_user(written: str) -> bool:
    """Return whether a URL names a user, and so may have a password.

    >>> has_user("https://me:hush@example.com/"), has_user("me:hush@example.com"), has_user("https://example.com/@me")
    (True, True, False)
    """
    if written.lower().startswith("mailto:"):
        return False
    scheme = SCHEME.match(written)
    bare = written[scheme.end() :] if scheme else written
    return "@" in re.split(r"[/?#]", bare.lstrip("/"), maxsplit=1)[0]


def read_address(written: str) -> str | None:
    """Return the URL that a person means; `None` if the text is not one.

    >>> read_address("example.com/news"), read_address("localhost:81"), read_address("mailto:desk@example.com")
    ('https://example.com/news', 'https://localhost:81/', None)
    """
    if len(written) > MAX_URL_CHARS:
        return None
    return clean_url(written if SCHEME.match(written) else f"https://{written}" if _HOST.match(written) else "")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a site one run fetches, and how fast; `None` leaves it to the run."""

    articles: int | None = None
    pages: int | None = None
    """Pages fetched, sitemaps and feeds not counted."""
    since: str | None = None
    """An age or a date, as `parse_since` reads it; an age counts back from each run."""
    delay: float | None = None
    """Seconds between two requests to a host; a longer Crawl-delay takes precedence."""
    concurrency: int | None = None
    """Requests at a time to a host."""


@dataclass(frozen=True, slots=True)
class Site:
    """The start pages of a site, and what is wanted of it; what is not set is left to the run."""

    home: str
    """The first page on which discovery starts."""
    feeds: tuple[str, ...] = ()
    """Feeds known beforehand."""
    more_starts: tuple[str, ...] = ()
    """The other pages on which discovery starts."""
    label: str = ""
    """The name its team gave it."""
    sitemaps: tuple[str, ...] = ()
    """Sitemaps to read instead of those that robots.txt names."""
    discover: frozenset[str] | None = None
    extractor: str | None = None
    """Its name, perhaps with options, as in `eatiht:version=2`."""
    sections: Sections = field(default_factory=Sections)
    languages: tuple[str, ...] = ()
    """Languages wanted; articles in others are skipped. Empty: all languages."""
    schedule: timedelta | None = None
    """The shortest time between two visits."""
    limits: Limits = field(default_factory=Limits)
    join_pages: bool | None = None
    rules: SiteRules | None = None
    test_urls: tuple[str, ...] = ()
    """Articles on which rules are tried; a crawl takes no notice of them."""
    access: Access | None = None
    """The subscription with which it is read."""
    render: str | None = None
    """When its pages are rendered in a browser: `never`, `auto` or `always`."""
    enabled: bool = True

    @property
    def name(self) -> str:
        """The site's name: as given, or the host without `www.`."""
        return self.label or site_of(self.home)

    @property
    def start(self) -> tuple[str, ...]:
        """The pages on which discovery starts."""
        return (self.home, *self.more_starts)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts of the start pages, without `www.`, each once."""
        return tuple(dict.fromkeys(site_of(url) for url in self.start))

    def holds(self, url: str) -> bool:
        """Return whether a URL is on one of the site's hosts, or on a subdomain of one.

        >>> site = Site("https://www.a.example/", label="The A")
        >>> site.holds("https://sport.a.example/1"), site.holds("https://b.example/")
        (True, False)
        """
        return any(is_on_site(url, host) for host in self.hosts)

    def wants(self, url: str) -> bool:
        """Return whether a URL is in a wanted section; the start pages always are.

        >>> site = Site("https://a.example/", sections=Sections(only=("/world/",)))
        >>> [site.wants(f"https://a.example{path}") for path in ("/", "/world/1", "/sport/1")]
        [True, True, False]
        """
        return self.sections.allows(url) or url_key(url) in map(url_key, self.start)

    def speaks(self, language: str | None) -> bool | None:
        """Return whether articles in a language are wanted; `None` if that cannot be decided: keep them."""
        return speaks(self.languages, language)

    def is_due(self, last: datetime | None, now: datetime) -> bool:
        """Return whether the site is due now; `last` is when its last visit began, `None` if it has had none.

        >>> from datetime import datetime, timedelta
        >>> site, now = Site("https://a.example/", schedule=timedelta(minutes=30)), datetime(2026, 5, 20, 12)
        >>> [site.is_due(now - timedelta(minutes=ago), now) for ago in (20, 28, 30)], site.is_due(None, now)
        ([False, True, True], True)
        """
        if last is None or self.schedule is None:
            return True
        return now - last >= self.schedule - min(self.schedule * SLACK_RATIO, MAX_SLACK)


class SiteIndex:
    """Finds the site of a URL: the one with the longest host, if one is a subdomain of another."""

    def __init__(self, sites: Iterable[Site]) -> None:
        self._by_host = {host: site for site in sites for host in site.hosts}

    def find(self, url: str) -> Site | None:
        """Return the site of a URL; `None` if it belongs to none.

        >>> from newsextract.sites.site import Site
        >>> index = SiteIndex([Site("https://a.example/"), Site("https://sport.a.example/")])
        >>> [found.name for path in ("www.a.example/1", "live.sport.a.example/2") if (found := index.find(f"http://{path}"))]
        ['a.example', 'sport.a.example']
        """
        host = site_of(url)
        while host:
            if site := self._by_host.get(host):
                return site
            host = host.partition(".")[2]
        return None


def extractors_of(sites: Iterable[Site]) -> dict[str, Extractor]:
    """Return the extractors named in a list of sites, by the hosts of their sites.

    Raises:
        UnknownExtractor, BadExtractorOption: a name or option is wrong.
    """
    from newsextract.reading.extraction.contract import create_reader  # noqa: PLC0415 - brings readers of pages

    return {host: create_reader(site.extractor) for site in sites if site.extractor for host in site.hosts}


def rules_of(sites: Iterable[Site]) -> dict[str, SiteRules]:
    """Return the rules in a list of sites, by the hosts of their sites."""
    return {host: site.rules for site in sites if site.rules for host in site.hosts}
