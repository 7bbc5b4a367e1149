"""The verb `probe`: says what a new site offers, what blocks it, and its lines for `sites.yml`.

A few pages are fetched, one at a time, as robots.txt allows; nothing is stored.
"""

from __future__ import annotations

import json as json_form
import re
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from textwrap import indent
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from newsextract.newsroom.health.judging import duration
from newsextract.page.links import page_links
from newsextract.page.page import Page, PageError
from newsextract.page.urls import clean_url, unique_urls, url_key
from newsextract.reading.notices import ARTICLE_LIKE
from newsextract.reading.reader import read_article
from newsextract.reading.script_need import SHELL_WORDS, count_of_words, script_need
from newsextract.sites.article_address import Candidate
from newsextract.sites.feeds import feed_links, read_feed
from newsextract.sites.fetching import FetchError, PageFetcher
from newsextract.sites.site import Site, is_language, read_address
from newsextract.sites.site_files import SiteFileError
from newsextract.sites.sitemaps import SitemapLink, read_sitemap
from newsextract.terminal import DONE, NOTHING, Refusal, console, say, show, table, verb
from newsextract.tools.project import check_urls, fetcher_of, settings_of, why_unfetched, with_settings
from newsextract.tools.site_sources import BY_BROWSER, FoundSource, advise, best_samples, judge_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from protego import Protego
    from rich.console import RenderableType
    from rich.padding import Padding
    from rich.text import Text

    from newsextract.article import Article
    from newsextract.tools.site_sources import SourceKind, SourceVerdict


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


WIDTH = 80
"""Columns if there is no terminal to ask."""

FIRST_CHARS = 140
"""Characters shown of a body."""

LARGE_SHARE = 0.3
"""Share of paid articles from which a subscription is named."""

_ASKING = ("the site answered 401", "the site answered 402")
"""Why a page could not be fetched that asks for an account or for money."""

_RENDER, _OWN = "docs/how-to/render.md", "docs/how-to/subscriptions.md"


@verb(
    "newsextract probe https://example.com",
    "newsextract probe https://example.com --json",
    nothing="the page cannot be fetched, or no article could be read",
)
@click.argument("url", metavar="URL", help="the home page, or a section")
@click.option("--json", is_flag=True, help="print JSON")
@click.option(
    "--seconds", type=click.FloatRange(0.1, 600), default=SECONDS, metavar="SECONDS", help="for what is fetched"
)
@with_settings
def probe(url: str, json: bool, seconds: float, given: tuple[str, ...]) -> int:
    """Examine a site: its sources, five articles, and the lines for sites.yml."""
    check_urls(url)
    address = read_address(url)
    if address is None:
        raise Refusal("name one site: newsextract probe https://example.com/")
    settings = settings_of(given)
    visit = Visit(address, seconds, fetcher_of(given), settings.getfloat("DOWNLOAD_DELAY"))
    visit.go()
    report = Report(visit, datetime.now(UTC))
    if json:
        print(json_form.dumps(report.plain(), ensure_ascii=False))
    elif visit.home is not None:
        show(console(WIDTH, highlight=False), *terminal_report(report))
        print(f"\n{report.block}" if report.block else "", end="")
    if visit.home is None:
        say(f"{address}: {_why_not(visit)}")
    return DONE if report.read else NOTHING


def _why_not(visit: Visit) -> str:
    """Return why the home page could not be fetched, and what helps, if anything does."""
    if isinstance(visit.error, FetchError):
        return why_unfetched(visit.error, visit.asked)
    more = f"; robots.txt asks for {visit.delay:g} s between requests: --seconds {visit.delay * 10:.0f}"
    return str(visit.error or f"not reached in {visit.seconds:.0f} s{more if visit.delay else ''}")


class Report:
    """What is known about a site after one visit."""

    def __init__(self, visit: Visit, now: datetime) -> None:
        self.visit = visit
        self.samples = visit.samples
        self.home_need = script_need(visit.home) if visit.home else None
        self.is_asking = visit.home is not None and is_consent_page(visit.home)
        self.sources = judge_sources(visit.sources, now, {url_key(one.asked): one.is_read for one in self.samples})
        self.read = sum(sample.is_read for sample in self.samples)
        self.needy = sum(sample.needs_script for sample in self.samples)
        # Addresses may look like articles', but what was fetched decides.
        is_other = bool(self.samples) and all(one.is_other for one in self.samples)
        follows_links = self.home_need is None and not self.is_asking
        self.advice = None if is_other else advise(self.sources, follows_links=follows_links)
        if self.advice is None and self.home_need is not None and not self.samples:
            self.advice = BY_BROWSER

    @property
    def needs_script(self) -> bool:
        """Whether articles need a browser: at least as many of the pages as can be read without.

        The home page speaks for them only where none was fetched.
        """
        return self.needy >= max(self.read, 1) if self.samples else self.home_need is not None

    @property
    def language(self) -> str | None:
        """The language of most articles, without script and region; `None` if none is known."""
        tags = [sample.article.inLanguage for sample in self.samples if sample.article]
        found = Counter(tag.partition("-")[0].lower() for tag in tags if tag)
        return found.most_common(1)[0][0] if found else None

    @property
    def block(self) -> str | None:
        """A `sites.yml` with this one site; the lines below `sites:` can be pasted into a longer list."""
        from newsextract.yaml_files import yaml_text

        if self.advice is None:
            return None
        entry: dict[str, Any] = {"start": self.visit.start}
        if "feeds" in self.advice.discover and self.advice.feeds:
            entry["feeds"] = list(self.advice.feeds)
        if self.advice.sitemaps:
            entry["sitemaps"] = list(self.advice.sitemaps)
        entry["discover"] = list(self.advice.discover)
        if self.language and is_language(self.language):
            entry["language"] = self.language
        if self.needs_script:
            entry["render"] = "auto"
        entry["schedule"] = self.advice.schedule
        return f"sites:\n{indent(yaml_text([entry], flow_leaves=True), '  ')}"

    def plain(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            "url": self.visit.asked,
            "start": self.visit.start,
            "error": None if self.visit.error is None else str(self.visit.error),
            "seconds": round(self.visit.took, 1),
            "requests": self.visit.requests,
            "is_cut": self.visit.is_cut,
            "robots": _robots(self.visit),
            "language": self.language,
            "obstacles": list(obstacles(self)),
            "sources": [
                {
                    "kind": one.source.kind,
                    "url": one.source.url,
                    "error": one.source.error,
                    "entries": len(one.source.entries),
                    "newest_seconds": one.newest and one.newest.total_seconds(),
                    "articles_per_day": one.per_day,
                    "fetched": one.fetched,
                    "articles": one.articles,
                }
                for one in self.sources
            ],
            "articles": [
                {
                    "url": one.url,
                    "error": one.error,
                    "is_read": one.is_read,
                    "article": one.article.to_dict() if one.article else None,
                }
                for one in self.samples
            ],
            "sites_yml": self.block,
        }


def why_nothing(report: Report) -> str:
    """Return why no source is recommended, in a sentence."""
    fetched, sections = len(report.samples), report.visit.sections()
    listed = len({entry.url for source in report.visit.sources for entry in source.entries})
    why = "No page that the site lists looks like an article"
    if fetched:
        why = f"None of {fetched} pages fetched, of {listed:,} listed, is an article"
    elif sections:
        why = f"The home page and {sections} sections link to no article"
    return f"{why}: there is nothing to crawl here."


def obstacles(report: Report) -> Iterator[str]:
    """Yield the obstacles to a crawl, each with what helps, and the document that says how."""
    visit, samples = report.visit, report.samples
    pages = f"of {len(samples)} pages"
    if not Site(visit.asked).holds(visit.start):
        yield f"{urlsplit(visit.asked).netloc} leads to {urlsplit(visit.start).netloc}: the block starts there"
    if report.home_need is not None:
        home = f"the home page shows {report.home_need.words} words without JavaScript ({report.home_need.signs[0]})"
        yield home if samples else f"{home}: `render: auto` takes its links, too ({_RENDER})"
    if report.needy:
        yield f"{report.needy} {pages} are empty without JavaScript: `render: auto` reads them ({_RENDER})"
    walls = [f"{asking} {pages} ask"] if (asking := sum(one.is_consent_page for one in samples)) else []
    for who in [*(["the home page asks"] if report.is_asking else []), *walls]:
        yield f"{who} for consent: `cookies` of a browser that has given it open the pages ({_OWN})"
    for error, failed in Counter(one.error for one in samples if one.error).items():
        yield f"{failed} {pages}: {error}" + (f"; use your own subscription ({_OWN})" if error in _ASKING else "")
    read = [one.article for one in samples if one.is_read and one.article]
    paid = sum(one.isAccessibleForFree is False or bool(one.paywalledParts) for one in read)
    if paid and paid >= LARGE_SHARE * len(read):
        yield f"{paid} of {len(read)} articles are not free: use your own subscription ({_OWN})"
    if read and (alike := max(Counter(one.articleBody for one in read).values())) > 1:
        yield f"{alike} {pages} have the same text"
    if visit.is_cut:
        why = f" (Crawl-delay {visit.delay:g} s)" if visit.delay else ""
        yield f"time was up after {visit.took:.0f} s{why}; more --seconds help"


def terminal_report(report: Report) -> Iterator[RenderableType]:
    """Yield the report without the lines to paste, which must not be wrapped."""
    from rich.table import Column
    from rich.text import Text

    visit = report.visit
    yield Text.assemble((visit.start, "bold"), (f"  {visit.requests} requests in {visit.took:.1f} s", "dim"))
    facts = table(Column(style="cyan", no_wrap=True), Column(), show_header=False)
    facts.add_row("robots.txt", _robots(visit))
    facts.add_row("language", report.language or "unknown")
    for number, obstacle in enumerate(obstacles(report)):
        facts.add_row("" if number else "obstacles", Text(obstacle, "yellow"))
    yield facts
    figures = [Column(name, justify="right", no_wrap=True) for name in ("entries", "newest", "a day", "articles")]
    sources = table(Column("source"), *figures)
    for verdict in sorted(report.sources, key=lambda one: one.source.kind == "links"):
        sources.add_row(*_source_row(verdict, urlsplit(visit.start).netloc))
    yield sources
    yield from map(_sample, report.samples)
    if report.advice is None:
        yield Text(f"\n{why_nothing(report)}", "bold red")
    else:
        what = f"discover: {', '.join(report.advice.discover)}; schedule: {report.advice.schedule}"
        name = "Best" if report.read else "Best, but no article could be read yet"
        yield Text.assemble("\n", (f"{name}: ", "bold"), (what, "bold green"), f" ({report.advice.reason})")


def _robots(visit: Visit) -> str:
    if visit.robots is None:
        return "not read"
    allows = "allows us" if visit.robots.can_fetch(visit.start, visit.fetcher.user_agent) else "forbids us"
    delay = f"Crawl-delay {visit.delay:g} s" if visit.delay else "no Crawl-delay"
    return f"{allows}, {delay}, sitemaps named: {len(list(visit.robots.sitemaps))}"


def _source_row(verdict: SourceVerdict, host: str) -> Iterator[Text]:
    from rich.text import Text

    source = verdict.source
    parts = urlsplit(source.url)
    shown = parts._replace(scheme="", netloc="").geturl() if parts.netloc == host else source.url
    name = Text.assemble((source.kind.replace("_", " "), "cyan"), " ", shown)
    yield name.append(f"  {source.error}", "red") if source.error else name
    yield Text(f"{len(source.entries):,}")
    yield Text("" if verdict.newest is None else duration(verdict.newest.total_seconds()))
    yield Text("" if verdict.per_day is None else f"{verdict.per_day:.{int(verdict.per_day < 10)}f}")
    yield Text(f"{verdict.articles} of {verdict.fetched}" if verdict.fetched else "")


def _sample(sample: Sample) -> Padding:
    from rich.padding import Padding
    from rich.text import Text

    article = sample.article
    if not sample.is_read or article is None:
        words = article.wordCount or 0 if article else 0
        states = ((sample.needs_script, "needs JavaScript"), (sample.is_consent_page, "asks for consent"))
        why = sample.error or next((told for is_so, told in states if is_so), "")
        lines = Text.assemble(sample.url, "\n", (why or f"no article: {words} words, taken for {sample.kind}", "red"))
    else:
        facts = [(article.datePublished or "no date")[:16].replace("T", " ")]
        facts += [
            ", ".join(author.name for author in article.authors or ()) or "no author",
            f"{article.wordCount} words",
        ]
        beginning = " ".join((article.articleBody or "")[:FIRST_CHARS].split())
        title = (article.headline or "no headline", "bold")
        lines = Text.assemble(title, "\n", (" · ".join(facts), "cyan"), "\n", (f"{beginning} …", "dim"))
    return Padding(lines, (0, 0, 0, 2))
