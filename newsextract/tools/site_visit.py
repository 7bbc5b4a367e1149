"""A visit of a new site for the verb `probe`: its sources, sections and some articles.

A few pages are fetched, one at a time, as robots.txt allows; nothing is stored.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.page.links import page_links
from newsextract.page.page import Page, PageError
from newsextract.page.urls import clean_url, unique_urls
from newsextract.reading.notices import ARTICLE_LIKE
from newsextract.reading.reader import read_article
from newsextract.reading.script_need import SHELL_WORDS, count_of_words, script_need
from newsextract.sites.article_address import Candidate
from newsextract.sites.feeds import feed_links, read_feed
from newsextract.sites.fetching import FetchError, PageFetcher
from newsextract.sites.site import Site
from newsextract.sites.site_files import SiteFileError
from newsextract.sites.sitemaps import SitemapLink, read_sitemap
from newsextract.tools.site_sources import FoundSource, best_samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from protego import Protego

    from newsextract.article import Article
    from newsextract.tools.site_sources import SourceKind

SECONDS = 25.0
"""Seconds for fetching; reading the pages takes some more."""

ARTICLES, MOST_FEEDS, MOST_SITEMAPS = 5, 5, 4
"""What is fetched of a site; the sitemaps of an index newest first."""

MOST_SITEMAP_FILES = 12
"""Sitemaps and the indexes that lead to them: an index may list indexes without end."""

MOST_SECTIONS = 5
"""Sections whose links are read while too few pages are known that may be articles."""

SOURCES_SHARE = 0.6
"""Share of the time for sources; the rest is for the articles."""

MAX_SOURCE_BYTES = 10 * 1024 * 1024
"""Size limit of a sitemap or feed as it arrives; a larger one takes too long to fetch."""

LEAST_WORDS = 40
"""A body with fewer words does not show how well the site is read."""


class TimeUp(Exception):  # noqa: N818 - what happened, no fault
    """The time for fetching is over."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One page as `auto` reads it, or why it could not be fetched."""

    url: str
    asked: str
    """The address that a source lists, before redirects."""
    error: str | None = None
    article: Article | None = None
    needs_script: bool = False
    is_consent_page: bool = False

    @classmethod
    def of(cls, page: Page, asked: str) -> Sample:
        """Return the reading of a page."""
        article = read_article(page)
        is_short = (article.wordCount or 0) < LEAST_WORDS
        needs_script = is_short and script_need(page) is not None
        return cls(page.url or "", asked, None, article, needs_script, is_short and is_consent_page(page))

    @property
    def kind(self) -> str | None:
        """The kind of page, `article`, `listing`, …; `None` if the page does not show its text."""
        if self.article is None or self.needs_script or self.is_consent_page or self.article.metadata is None:
            return None
        return self.article.metadata.pageKind

    @property
    def is_read(self) -> bool:
        """Whether an article was read."""
        return self.kind in ARTICLE_LIKE and self.article is not None and (self.article.wordCount or 0) >= LEAST_WORDS

    @property
    def is_other(self) -> bool:
        """Whether it is a readable page of another kind, such as a listing."""
        return self.kind is not None and self.kind not in ARTICLE_LIKE


@dataclass
class Visit:
    """One visit of a site, filled in as it proceeds."""

    asked: str
    """The URL that was given."""
    seconds: float
    """The time for fetching."""
    fetcher: PageFetcher
    pause: float = 0.0
    """Seconds between two requests; a longer Crawl-delay holds."""
    home: Page | None = None
    error: FetchError | PageError | None = None
    """Why there is nothing to report."""
    sources: list[FoundSource] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    """The pages that a crawl would fetch first, read."""
    requests: int = 0
    took: float = 0.0
    is_cut: bool = False
    """Whether the time ran out."""

    def go(self) -> None:
        """Visit the site."""
        self._began = time.monotonic()
        self._last = float("-inf")
        try:
            self.home = self._page(self.asked)
            self.sources.append(links_of(self.home, self.site))
            for url in feed_links(self.home.tree, self.home.base_url or "")[:MOST_FEEDS]:
                if not self._is_late():
                    self._note("feed", url, *self._entries(url, read_feed))
            named = self.robots.sitemaps if self.robots else ()
            self._read_sitemaps(unique_urls(clean_url(each, self.start) for each in list(named) or ["/sitemap.xml"]))
            self._read_articles()
        except TimeUp:
            self.is_cut = True
        except (FetchError, PageError) as error:
            self.error = error
        self.took = time.monotonic() - self._began

    @property
    def start(self) -> str:
        """The page to start from, behind redirects."""
        return (self.home.url if self.home else None) or self.asked

    @property
    def site(self) -> Site:
        """The site of that page."""
        return Site(self.start)

    @property
    def robots(self) -> Protego | None:
        """The robots.txt of the start page's host; `None` if none was read."""
        return self.fetcher.rules(self.start)

    @property
    def delay(self) -> float:
        """Seconds that robots.txt wants between two requests."""
        return self.fetcher.delay(self.start)

    def sections(self) -> int:
        """Return the number of sections whose links were read."""
        return max(sum(source.kind == "links" for source in self.sources) - 1, 0)

    def _page(self, url: str) -> Page:
        try:
            return self._turn().fetch(url)
        except FetchError as error:
            self._end_in_time(error)
            raise

    def _turn(self) -> PageFetcher:
        """Wait until the next request is due, and return a fetcher that keeps to the time; raises `TimeUp`."""
        wait = max(self._last + max(self.pause, self.delay) - time.monotonic(), 0)
        if wait >= self._left():
            raise TimeUp
        time.sleep(wait)
        self._last = time.monotonic()
        self.requests += 1
        return replace(self.fetcher, seconds=self._left())

    def _end_in_time(self, error: FetchError) -> None:
        if error.reason == "timeout" and self._left() <= 0:
            raise TimeUp from error

    def _left(self) -> float:
        return self._began + self.seconds - time.monotonic()

    def _is_late(self) -> bool:
        has_articles = any(source.entries for source in self.sources)
        return has_articles and self._left() < self.seconds * (1 - SOURCES_SHARE)

    def _read_sitemaps(self, roots: list[str]) -> None:
        """Read sitemaps, and those of an index newest first."""
        waiting: list[tuple[str, str | None]] = [(url, None) for url in roots[:MOST_SITEMAPS]]
        met = set(roots)
        left, files = MOST_SITEMAPS, MOST_SITEMAP_FILES
        while waiting and left and files and not self._is_late():
            files -= 1
            url, root = waiting.pop(0)
            entries, error = self._entries(url, read_sitemap)
            links = [entry for entry in entries if isinstance(entry, SitemapLink) and entry.url not in met]
            further = [link.url for link in sorted(links, key=_newness)[:MOST_SITEMAPS]]
            met.update(further)
            waiting += [(link, root or url) for link in further]
            if error or not entries or not all(isinstance(entry, SitemapLink) for entry in entries):
                left -= 1  # an index is not a source itself
                self._note("sitemap", url, entries, error, root)

    def _entries(
        self, url: str, read: Callable[[bytes, str], Iterable[Candidate | SitemapLink]]
    ) -> tuple[list[Candidate | SitemapLink], str | None]:
        """Return the entries of a sitemap or feed, and the error at which reading stopped, if any."""
        entries: list[Candidate | SitemapLink] = []
        try:
            answer = replace(self._turn(), max_bytes=MAX_SOURCE_BYTES).answer(url)
            entries.extend(read(answer.body, answer.url))
        except FetchError as error:
            self._end_in_time(error)
            return entries, error.reason
        except SiteFileError as error:
            return entries, str(error)
        return entries, None

    def _note(
        self,
        kind: SourceKind,
        url: str,
        entries: Iterable[Candidate | SitemapLink],
        error: str | None,
        root: str | None = None,
    ) -> None:
        found = tuple(entry for entry in entries if not isinstance(entry, SitemapLink))
        is_news = any(entry.source == "news_sitemap" for entry in found)
        self.sources.append(FoundSource("news_sitemap" if is_news else kind, url, found, error, root))

    def _read_articles(self) -> None:
        """Read pages as a crawl would fetch them: likely articles first, then those whose address does not tell."""
        met: set[str] = set()
        while len(self.samples) < ARTICLES:
            candidate = next((one for one in best_samples(self.sources, self.site) if one.url not in met), None)
            if candidate is None:
                return
            met.add(candidate.url)
            try:
                page = self._page(candidate.url)
                sample = Sample.of(page, candidate.url)
            except (FetchError, PageError) as error:
                reason = error.reason if isinstance(error, FetchError) else str(error)
                self.samples.append(Sample(candidate.url, candidate.url, reason))
                continue
            if candidate.source != "links" or candidate.is_article_like or not sample.is_other:
                self.samples.append(sample)
            elif self.sections() == MOST_SECTIONS:
                return
            else:
                self.sources.append(links_of(page, self.site))


def _newness(link: SitemapLink) -> tuple[bool, float]:
    """Return a sort key for the sitemaps of an index: news sitemaps first, then the newest."""
    return "news" not in link.url.lower(), -link.lastmod.timestamp() if link.lastmod else 0.0


def links_of(home: Page, site: Site) -> FoundSource:
    """Return the links from a home page or section to other pages of its site, as a source."""
    links = page_links(home.tree, home.base_url or "")
    entries = tuple(Candidate(link.url, "links", title=link.text or None) for link in links if site.holds(link.url))
    return FoundSource("links", home.url or "", entries)


CONSENT_WORDS = 400
"""Words at most of a page that asks for consent; a page with more has its articles beside the banner."""

_CONSENT_HOST = re.compile(r"^(?:consent|privacy|cmp|gdpr|cookie|myprivacy)[.-]|[.-]consent\.", re.IGNORECASE)
_CONSENT_PATH = re.compile(
    r"/(?:consent|cookie-?(?:wall|consent)|privacy-?(?:wall|gate)|gdpr|cmp)(?:[/?.-]|$)", re.IGNORECASE
)
_CONSENT_WORD = re.compile(
    r"cookie|consent|accept all|i agree|we value your privacy|our partners|gdpr|zustimm|alle akzeptieren|einwillig"
    r"|tout accepter|accepter et|consentement|aceptar|consentimiento|accetta|consenso|akkoord|toestemming|samtyck"
    r"|zgod|同意",
    re.IGNORECASE,
)


def is_consent_page(page: Page) -> bool:
    """Return whether a page asks for consent instead of showing its content: by a button, and hardly any links."""
    parts = urlsplit(page.url or "")
    if _CONSENT_HOST.search(parts.hostname or "") or _CONSENT_PATH.search(parts.path):
        return True
    if not SHELL_WORDS // 6 <= count_of_words(page) <= CONSENT_WORDS or page.tree.find(".//article") is not None:
        return False
    text = " ".join(block.text for block in page.blocks if block.text)
    links = sum(1 for link in page.tree.iter("a") if link.get("href"))
    has_button = next(page.tree.iter("button", "form", "input"), None) is not None
    return len({match[0].lower() for match in _CONSENT_WORD.finditer(text)}) >= 2 and has_button and links <= 12
