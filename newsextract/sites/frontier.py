"""The URLs left to visit on one site: candidates in order of promise, a limited number of listings, none twice."""

from __future__ import annotations

import logging
import re
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from heapq import heappop, heappush
from itertools import count, groupby
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from newsextract.page.links import ARTICLE_THRESHOLD, article_likeness, is_section_like
from newsextract.page.urls import is_binary_url, is_on_site, url_key
from newsextract.sites.article_address import Candidate, rank
from newsextract.sites.site import SOURCES

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from newsextract.page.links import Link
    from newsextract.sites.article_address import Rank
    from newsextract.sites.site import Site
    from newsextract.sites.sitemaps import SitemapLink


# Skipping an article is worse than visiting a trap, which the limits on listings end as well. So each rule is far
# beyond what URLs of articles look like: of 4,050 in five corpora none is skipped.

MAX_SEGMENTS = 16
"""Folders in a path; the deepest article met has nine, and date and archive URLs add some."""

MAX_SAME_SEGMENT = 3
"""How often one folder may occur in a path, numbers aside: `/news/news/` exists, four times the same is a loop."""

MAX_VALUES = 4
"""Of one parameter: `color=red&color=blue&…` are the boxes ticked in a shop."""

YEARS_BACK, YEARS_AROUND = 400, 2
"""How far from today a page of a day may be: newspapers scan themselves back to their first issue, and announce the
next season. Of what calls itself a calendar or events, the past is over sooner."""

_MONTH = r"(?:0?[1-9]|1[0-2])"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR_OF_DAY = re.compile(rf"/(\d{{4}})(?:/{_MONTH}/{_DAY}|-(?:0[1-9]|1[0-2])-\d\d)/?$")
_YEAR_OF_MONTH = re.compile(rf"/(\d{{4}})[/-]{_MONTH}(?:[/-]{_DAY})?/?$")
_YEAR_VALUE = re.compile(r"\d{4}(?:-?(?:0[1-9]|1[0-2])(?:-?\d\d)?)?")
_YEAR_NAMES = frozenset({"year", "date", "tribe-bar-date", "jahr", "datum", "annee", "fecha", "anno"})
_CALENDAR_WORDS = re.compile(
    r"/(?:calendar|kalender|calendrier|calendario|events?|agenda|veranstaltungen|termine)(?=/)", re.IGNORECASE
)
# TYPO3 has words in its brackets, `tx_ttnews[day]=14`, in the addresses of articles.
_FACET = re.compile(r"[\w-]+\[\d*\]|facets?|filters?(?:[._-].*)?|refine(?:ment)?s?|pf_.*", re.IGNORECASE)


def trap_of(url: str, today: date) -> str | None:
    """Return why a URL found through a link is not worth a visit; `None` if it may be.

    >>> from datetime import date
    >>> trap_of("https://example.com/news/world/news/world/news/world/news/world/", date(2026, 5, 14))
    'repeating path'
    >>> trap_of("https://example.com/2026/05/14/floods-close-three-alpine-passes.html", date(2026, 5, 14)) is None
    True
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return "broken address"
    segments = [segment for segment in parts.path.split("/") if segment]
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    if _repeats([segment.lower() for segment in segments if not segment.isdigit()]):
        return "repeating path"
    if len(segments) > MAX_SEGMENTS:
        return "deep path"
    if _is_faceted(pairs):
        return "faceted search"
    return "calendar" if _is_calendar(parts.path, pairs, today) else None


def _repeats(words: list[str]) -> bool:
    if max(Counter(words).values(), default=0) > MAX_SAME_SEGMENT:
        return True
    # `/a/b/a/b/a/b`: two folders or more, three times in a row.
    for size in range(2, len(words) // 3 + 1):
        for start in range(len(words) - 3 * size + 1):
            run = words[start : start + size]
            if run * 3 == words[start : start + 3 * size]:
                return True
    return False


def _is_faceted(pairs: list[tuple[str, str]]) -> bool:
    facets = sum(bool(_FACET.fullmatch(name)) for name, _ in pairs)
    names = sorted(name for name, _ in pairs)
    return facets >= MAX_VALUES or max((len(list(same)) for _, same in groupby(names)), default=0) >= MAX_VALUES


def _is_calendar(path: str, pairs: list[tuple[str, str]], today: date) -> bool:
    is_named = bool(_CALENDAR_WORDS.search(path))
    # The page of a day or month ends in it; behind a date, anything else may be a headline or the number of an article.
    years = _YEAR_OF_MONTH.findall(path) if is_named else _YEAR_OF_DAY.findall(path)
    years += [value[:4] for name, value in pairs if name.lower() in _YEAR_NAMES and _YEAR_VALUE.fullmatch(value)]
    first, last = today.year - (YEARS_AROUND if is_named else YEARS_BACK), today.year + YEARS_AROUND
    return any(not first <= int(year) <= last for year in years)


# Keeps crawler traps out of a run: those that a URL gives away, and those that show by how many URLs are alike.
#
# Only pages found through links are judged: a site lists a page in a sitemap or feed on purpose. Sitemaps are read
# until many in a row list no page.

logger = logging.getLogger(__name__)

MAX_OF_SHAPE, VISITS_WITHOUT_ARTICLE = 300, 50
"""URLs of one shape that are admitted, and the visits without an article after which that limit applies."""

MAX_LINKS = 20_000
"""URLs taken from links per site and run: a hundred from each of the listings that are visited."""

MAX_SOURCES = 10_000
"""Sitemaps and feeds read per site and run: one a day for twenty-five years."""

MAX_SOURCES_WITHOUT_FIND = 100
"""Sitemaps in a row that list no page: indexes that lead to nothing but indexes."""

MAX_SHAPES, MAX_NOTED = 10_000, 100_000
"""Shapes and URLs kept per site, to limit memory; shapes met after those are not judged."""


def shape_of(url: str) -> str:
    """Return what the URLs made by one script have in common: the path without its digits, and the query's names.

    >>> shape_of("https://example.com/events/2026-05-14/?view=day&id=7")
    '/events/0-0-0/?id&view'
    """
    parts = urlsplit(url)
    names = "&".join(sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}))
    return re.sub(r"\d+", "0", parts.path) + (f"?{names}" if names else "")


@dataclass(slots=True)
class _Shape:
    admitted: int = 0
    visits: int = 0
    articles: int = 0


@dataclass
class TrapGuard:
    """Keeps a site's traps out of a run; `counts` has the number of skipped URLs by reason."""

    site: str = ""
    today: date = field(default_factory=lambda: datetime.now(UTC).date())
    report: Callable[[str], None] = lambda _reason: None
    """Called with the reason for every URL that is skipped."""

    counts: Counter[str] = field(default_factory=Counter)
    sources_without_find: int = 0
    """Sitemaps and feeds read since one last listed a page."""

    _admitted: int = 0
    _sources: int = 0
    _shapes: dict[str, _Shape] = field(default_factory=dict)
    _noted: set[str] = field(default_factory=set)

    def admit(self, url: str) -> bool:
        """Return whether a URL found through a link may enter the frontier; call it once for each new URL."""
        if url_key(url) in self._noted:
            return False
        reason = trap_of(url, self.today) or self._shape_trap(url)
        if not reason and self._admitted >= MAX_LINKS:
            reason = "link limit"
        if reason:
            self.note(reason, url)
        self._admitted += reason is None
        return reason is None

    def admit_source(self, url: str) -> bool:
        """Return whether a sitemap or feed may be read; call it once for each new one."""
        if self.sources_without_find >= MAX_SOURCES_WITHOUT_FIND or self._sources >= MAX_SOURCES:
            self.note("sitemaps without end", url)
            return False
        self._sources += 1
        return True

    def note(self, reason: str, url: str) -> None:
        """Count a skipped URL the first time it is met, and log the first one of each reason."""
        key = url_key(url)
        if key in self._noted:
            return
        if len(self._noted) < MAX_NOTED:
            self._noted.add(key)
        self.counts[reason] += 1
        self.report(reason)
        if self.counts[reason] == 1:
            logger.info("%s: leaves out addresses, the first of them %s: %s", self.site, url, reason)

    def note_visit(self, url: str, *, is_article: bool) -> None:
        """Record whether a visit gave an article, by which the shape of its URL is judged."""
        if shape := self._shapes.get(shape_of(url)):
            shape.visits += 1
            shape.articles += is_article

    def _shape_trap(self, url: str) -> str | None:
        key = shape_of(url)
        if key not in self._shapes and len(self._shapes) >= MAX_SHAPES:
            return None
        shape = self._shapes.setdefault(key, _Shape())
        is_barren = shape.visits >= VISITS_WITHOUT_ARTICLE and not shape.articles
        if is_barren and shape.admitted >= MAX_OF_SHAPE:
            return "too many alike"
        shape.admitted += 1
        return None


_Place: TypeAlias = "tuple[Rank, int, Candidate]"


@dataclass
class CandidateQueue:
    """The candidates of one site, by the keys of their URLs.

    The ledger is asked about a candidate; it waits in order of promise, is being claimed, and is then ready to fetch.
    Candidates from links have their own heap, as they are held back while other sources are being read.
    """

    ready: deque[Candidate] = field(default_factory=deque)
    """The candidates that are claimed and not yet handed out."""
    _asked: dict[str, Candidate] = field(default_factory=dict)
    _waiting: dict[str, Candidate] = field(default_factory=dict)
    _listed: list[_Place] = field(default_factory=list)
    _linked: list[_Place] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)
    _being_claimed: int = 0
    _open: set[str] = field(default_factory=set)
    """The candidates whose first visit has begun and not ended."""

    def __bool__(self) -> bool:
        return bool(self._waiting or self.ready)

    @property
    def is_waiting(self) -> bool:
        """Whether there are candidates that nobody has claimed yet."""
        return bool(self._waiting) or self._being_claimed > 0

    def get(self, key: str) -> Candidate | None:
        """Return the candidate with this key that is asked about or waits; `None` if there is none."""
        return self._asked.get(key) or self._waiting.get(key)

    def ask(self, candidate: Candidate) -> None:
        """Keep a candidate while the ledger is asked about it; call `add` with the answer."""
        self._asked[url_key(candidate.url)] = candidate

    def add(self, asked: Iterable[Candidate], due: Mapping[str, bool]) -> None:
        """Queue the candidates that are due. `due` maps each URL to whether it was visited before."""
        for sent in asked:
            candidate = self._asked.pop(url_key(sent.url), None)
            if candidate is not None and sent.url in due:
                self._put(replace(candidate, is_revisit=due[sent.url]))

    def put_instead(self, candidate: Candidate) -> None:
        """Replace the candidate with the same key by one that knows more."""
        key = url_key(candidate.url)
        if key in self._asked:
            self._asked[key] = candidate
        elif (known := self._waiting.get(key)) is not None:
            self._put(replace(candidate, is_revisit=known.is_revisit))

    def discard(self, key: str) -> None:
        """Remove a candidate from the queue."""
        self._asked.pop(key, None)
        self._waiting.pop(key, None)
        self.ready = deque(each for each in self.ready if url_key(each.url) != key)

    def take_best(self, most: int, *, with_links: bool) -> list[Candidate]:
        """Remove and return up to `most` of the best candidates, to be claimed; call `make_ready` with the answer.

        Those from links are among them only if `with_links`.
        """
        best: list[Candidate] = []
        heaps = [self._listed, self._linked] if with_links else [self._listed]
        while len(best) < most and (heap := min(filter(None, heaps), default=None)):
            _, _, candidate = heappop(heap)
            key = url_key(candidate.url)
            if self._waiting.get(key) is candidate:  # else it was removed or replaced
                del self._waiting[key]
                best.append(candidate)
                if not candidate.is_revisit:
                    self._open.add(key)
        self._being_claimed += len(best)
        return best

    def is_to_visit(self, url: str) -> bool:
        """Return whether a candidate waits for its visit, or is on its first one."""
        key = url_key(url)
        return key in self._open or self.get(key) is not None

    def release(self, url: str) -> None:
        """Note that the visit of a URL has ended."""
        self._open.discard(url_key(url))

    def make_ready(self, asked: Sequence[Candidate], claimed: Container[str]) -> None:
        """Make the claimed candidates ready to hand out; the others are being visited by another crawler."""
        self._being_claimed -= len(asked)
        self.ready.extend(candidate for candidate in asked if candidate.url in claimed)

    def _put(self, candidate: Candidate) -> None:
        self._waiting[url_key(candidate.url)] = candidate
        heap = self._linked if candidate.source == "links" else self._listed
        heappush(heap, (rank(candidate), next(self._numbers), candidate))


@dataclass
class OpenSources:
    """The sitemaps and feeds of a site that are being read; each is read once per run."""

    guard: TrapGuard
    """Decides when too many sitemaps have been read."""
    count: int = 0
    """How many are being read."""
    later: deque[SitemapLink] = field(default_factory=deque)
    """The sitemaps of indexes that are read next."""
    _known: set[str] = field(default_factory=set)

    def open(self, url: str) -> bool:
        """Mark a sitemap or feed as being read, and return whether it was not read before."""
        is_new = url not in self._known and self.guard.admit_source(url)
        self._known.add(url)
        self.count += is_new
        return is_new

    def close(self) -> None:
        """Record that a sitemap or feed has been read, or could not be read."""
        self.count -= 1
        self.guard.sources_without_find += 1

    def add_sitemaps(self, links: Iterable[SitemapLink], since: datetime | None) -> None:
        """Queue the sitemaps of an index, newest first, without those that can list nothing new."""
        wanted = [link for link in links if not (since and link.lastmod and link.lastmod < since)]
        wanted.sort(key=lambda link: -link.lastmod.timestamp() if link.lastmod else 0.0)
        self.later.extend(wanted)


MAX_LISTING_DEPTH = 3
"""Clicks from the home page: a section, its sub-section, and one page further."""

MAX_LISTINGS = 200
"""Listing pages visited per site and run; calendars and archives can be endless."""

MAX_PAGE_LINKS = 5_000
"""Links of one page that are judged, in page order; the fullest home pages have some hundred."""

WINDOW = 64
"""Candidates of a site in progress at once: enough for a server on loopback, and few to keep claimed."""


@dataclass
class Frontier:
    """The URLs of one site that a run knows.

    Candidates from links wait until the sitemaps and feeds have been read, because these state dates. They are handed
    out a window at a time; with a limit, no more than may still become articles.
    """

    site: str
    limit: int | None = None
    """Articles wanted; `None` for all."""
    since: datetime | None = None
    """Candidates dated before this are skipped; those without a date are not."""
    definition: Site | None = None
    """The site's entry in the list of sites: its hosts and sections."""
    max_pages: int | None = None
    """Pages to request at most; `None` for any number."""
    discover: frozenset[str] = frozenset(SOURCES)
    """Which of `feeds`, `sitemaps` and `links` are used."""
    joins_pages: bool = False
    """Whether the pages of articles that have several are joined."""
    articles: int = 0
    may_have_more: bool = False
    """Whether the ledger may have more candidates than it has returned."""
    guard: TrapGuard = field(default_factory=TrapGuard)
    """Decides which URLs found through links are skipped."""
    queue: CandidateQueue = field(default_factory=CandidateQueue)
    too_old: list[Candidate] = field(default_factory=list)
    """Candidates skipped because of `since`; the ledger keeps them, as a later run may want them."""
    sources: OpenSources = field(init=False)
    _seen: set[str] = field(default_factory=set)
    _hints: dict[str, dict[str, str]] = field(default_factory=dict)
    _parts: set[str] = field(default_factory=set)
    _listings: int = 0
    _pages: int = 0
    _under_way: int = 0

    def __post_init__(self) -> None:
        self.guard.site = self.site
        self.sources = OpenSources(self.guard)

    def claim(self, url: str) -> bool:
        """Mark a URL as visited, and return whether it was new."""
        key = url_key(url)
        is_new = key not in self._seen
        self._seen.add(key)
        return is_new

    def holds(self, url: str) -> bool:
        """Return whether a URL is on the site."""
        return self.definition.holds(url) if self.definition else is_on_site(url, self.site)

    def wants(self, url: str) -> bool:
        """Return whether a URL is in a wanted section."""
        return self.definition is None or self.definition.wants(url)

    def uses(self, source: str) -> bool:
        """Return whether one of `feeds`, `sitemaps` and `links` is used."""
        return source in self.discover

    def count_page(self) -> bool:
        """Count a page that is about to be requested, and return whether the site's page limit allows it."""
        is_allowed = self.max_pages is None or self._pages < self.max_pages
        self._pages += is_allowed
        return is_allowed

    def filter(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Return the candidates worth a visit: without those met before, too old, binary or on another site."""
        wanted = []
        for candidate in candidates:
            if self.holds(candidate.url) and self.wants(candidate.url) and not is_binary_url(candidate.url):
                if hints := candidate.hints:
                    # Also for candidates already in progress: most sitemaps are read before the feeds are found.
                    self._hints[url_key(candidate.url)] = hints
                if self._is_wanted(candidate):
                    wanted.append(candidate)
        return wanted

    def hints_of(self, url: str) -> dict[str, str]:
        """Return what feeds and news sitemaps say about a URL: `title`, `date` of publication; empty if nothing."""
        return self._hints.get(url_key(url), {})

    def claim_part(self, url: str) -> bool:
        """Mark a URL as a further page of an article instead of a candidate; return whether that is new."""
        key = url_key(url)
        self.queue.discard(key)
        self._seen.add(key)
        is_new = key not in self._parts
        self._parts.add(key)
        return is_new

    def is_part(self, url: str) -> bool:
        """Return whether the URL is marked as a further page of an article."""
        return url_key(url) in self._parts

    def _is_wanted(self, candidate: Candidate) -> bool:
        """Return whether to ask the ledger about a candidate; it may give its date to one that waits already."""
        key = url_key(candidate.url)
        known = self.queue.get(key)
        is_old = self.since is not None and candidate.date is not None and candidate.date < self.since
        if known is not None and known.date is None and candidate.date is not None:
            if is_old:
                self.queue.discard(key)
            else:
                self.queue.put_instead(replace(candidate, title=candidate.title or known.title))
        elif not self.claim(candidate.url):
            return False
        elif is_old:
            self.too_old.append(candidate)
        else:
            self.queue.ask(candidate)
            if candidate.source != "links":
                self.guard.sources_without_find = 0
            return True
        return False

    def take_sitemaps(self) -> list[SitemapLink]:
        """Remove and return the sitemaps to read now: all, or with a limit the next one when nothing else is left.

        An archive of twenty years is in hundreds of them; twenty articles are in the first. With `since` all are read,
        for the dates in them, as the old ones are left out already.
        """
        later = self.sources.later
        most = len(later)
        if later and self.limit is not None and not self.since:
            is_busy = self.sources.count > 0 or self.queue.is_waiting or self.queue.ready
            most = 1 if self._has_room and not is_busy else 0
        return [later.popleft() for _ in range(most)]

    def sort_links(self, links: Iterable[Link], depth: int) -> tuple[list[Link], list[Candidate]]:
        """Return the links of a page to visit as listings at this depth, and those that may be articles."""
        listings, candidates = [], []
        for number, link in enumerate(links):
            if number >= MAX_PAGE_LINKS:
                self.guard.note("links of one page", link.url)
                break
            if not self.holds(link.url) or url_key(link.url) in self._seen:
                continue
            is_section = is_section_like(link.url, link.text)
            if is_section and depth <= MAX_LISTING_DEPTH:
                if self._may_list(link.url):
                    listings.append(link)
            elif article_likeness(link.url, link.text) >= ARTICLE_THRESHOLD:
                if self.guard.admit(link.url):
                    candidates.append(Candidate(link.url, "links", title=link.text, depth=depth))
            elif is_section:
                self.guard.note("depth limit", link.url)
        return listings, candidates

    def _may_list(self, url: str) -> bool:
        if self._listings >= MAX_LISTINGS:
            self.guard.note("listing limit", url)
            return False
        may_list = self.wants(url) and self.guard.admit(url) and self.claim(url) and self.count_page()
        self._listings += may_list
        return may_list

    def open_listing(self, depth: int, url: str) -> bool:
        """Count a candidate that turned out to be a listing, and return whether its links may be followed."""
        # Calendar days have URLs like articles and link to each other, so the limits are the same.
        if depth > MAX_LISTING_DEPTH or self._listings >= MAX_LISTINGS:
            self.guard.note("depth limit" if depth > MAX_LISTING_DEPTH else "listing limit", url)
            return False
        self._listings += 1
        return True

    def nothing_is_under_way(self) -> None:
        """Reset the counts, because no request of the site is left."""
        self.sources.count = 0
        self._under_way = 0

    @property
    def has_candidates(self) -> bool:
        """Whether there are candidates that could be fetched now."""
        return self._has_room and not self.is_full and bool(self.queue)

    def take(self) -> list[Candidate]:
        """Return the candidates to fetch now, the best first."""
        room = WINDOW if self.limit is None else min(self.limit - self.articles, WINDOW)
        taken: list[Candidate] = []
        while self.queue.ready and self._under_way < room:
            candidate = self.queue.ready.popleft()
            if self.count_page():
                taken.append(candidate)
                self._under_way += 1
        return taken

    def reserve(self) -> bool:
        """Make room for a page that was not a candidate but may become an article; tell whether there was any."""
        has_room = self._has_room
        self._under_way += has_room
        return has_room

    def release(self, url: str, *, held_place: bool, is_article: bool) -> None:
        """Note how the visit of a page ended; `held_place` if it was taken, or had room made for it."""
        self.queue.release(url)
        self.guard.note_visit(url, is_article=is_article)
        self._under_way -= held_place
        self.articles += is_article

    @property
    def _has_room(self) -> bool:
        return self.limit is None or self.articles + self._under_way < self.limit

    @property
    def is_full(self) -> bool:
        """Whether the wanted number of articles, or of pages, is reached."""
        has_all_pages = self.max_pages is not None and self._pages >= self.max_pages
        return has_all_pages or (self.limit is not None and self.articles >= self.limit)
