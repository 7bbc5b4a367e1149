"""What is left to visit on one site: candidates in order of promise, listings within bounds, nothing twice."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from newsextract.sites.candidates import Candidate, best_first
from newsextract.sites.links import ARTICLE_THRESHOLD, article_likeness, is_section_like
from newsextract.sites.urls import is_binary_url, is_on_site, url_key

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from newsextract.sites.links import Link
    from newsextract.sites.sitemaps import SitemapLink

MAX_LISTING_DEPTH = 3
"""Clicks from the home page: a section, its sub-section, and one page further."""

MAX_LISTINGS = 200
"""Listing pages visited per site and run; calendars and endless archives go on for ever."""


@dataclass
class Frontier:
    """The addresses of one site that a run knows.

    Candidates from links wait until the sitemaps and feeds have been read, because these know dates. Without a limit
    every candidate is handed out at once; with one, no more than may still become articles.
    """

    site: str
    limit: int | None = None
    """Articles wanted; `None` for all."""
    since: datetime | None = None
    """Candidates dated before this are left out; those without a date are not."""
    skipped_old: int = 0
    skipped_off_site: int = 0
    articles: int = 0
    _seen: set[str] = field(default_factory=set)
    _sources: set[str] = field(default_factory=set)
    _waiting: dict[str, Candidate] = field(default_factory=dict)
    _hints: dict[str, dict[str, str]] = field(default_factory=dict)
    _parts: set[str] = field(default_factory=set)
    _later: deque[str] = field(default_factory=deque)
    _listings: int = 0
    _under_way: int = 0
    _open_sources: int = 0

    def claim(self, url: str) -> bool:
        """Note an address as visited; tell whether it was new."""
        key = url_key(url)
        is_new = key not in self._seen
        self._seen.add(key)
        return is_new

    def open_source(self, url: str) -> bool:
        """Note that a sitemap or feed is being read; tell whether it was not read before."""
        is_new = url not in self._sources
        self._sources.add(url)
        self._open_sources += is_new
        return is_new

    def close_source(self) -> None:
        """Note that a sitemap or feed has been read, or could not be."""
        self._open_sources -= 1

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Take in candidates; those seen, too old, binary or of another site are left out."""
        for candidate in candidates:
            if not is_on_site(candidate.url, self.site):
                self.skipped_off_site += 1
            elif not is_binary_url(candidate.url):
                if hints := candidate.hints:
                    # Also of what is on its way already: most sitemaps are read before the feeds are found.
                    self._hints[url_key(candidate.url)] = hints
                self._take_in(candidate)

    def hints_of(self, url: str) -> dict[str, str]:
        """Return what feeds and news sitemaps have said of an address: `title`, `date` of publication."""
        return self._hints.get(url_key(url), {})

    def claim_part(self, url: str) -> bool:
        """Note an address as a further page of an article, no candidate any more; tell whether it was none before."""
        key = url_key(url)
        self._waiting.pop(key, None)
        self._seen.add(key)
        is_new = key not in self._parts
        self._parts.add(key)
        return is_new

    def is_part(self, url: str) -> bool:
        """Return whether the address is a further page of an article that was met before."""
        return url_key(url) in self._parts

    def _take_in(self, candidate: Candidate) -> None:
        key = url_key(candidate.url)
        known = self._waiting.get(key)
        brings_date = known is not None and known.date is None and candidate.date is not None
        if not self.claim(candidate.url) and not brings_date:
            return
        if self.since and candidate.date and candidate.date < self.since:
            self.skipped_old += 1
            self._waiting.pop(key, None)
        else:
            self._waiting[key] = replace(candidate, title=candidate.title or (known.title if known else None))

    def add_sitemaps(self, links: Iterable[SitemapLink]) -> None:
        """Take in the sitemaps of an index, the newest first, without those that can hold nothing new."""
        wanted = [link for link in links if not (self.since and link.lastmod and link.lastmod < self.since)]
        wanted.sort(key=lambda link: -link.lastmod.timestamp() if link.lastmod else 0.0)
        self._later.extend(link.url for link in wanted)

    def take_sitemaps(self) -> list[str]:
        """Return the sitemaps to read now: all, or with a limit the next one when nothing else is left to fetch.

        An archive of twenty years is in hundreds of them; twenty articles are in the first. With `since` all are read,
        for the dates in them, as the old ones are left out already.
        """
        if self.limit is None or self.since:
            taken = list(self._later)
            self._later.clear()
            return taken
        has_room = self.articles + self._under_way < self.limit
        is_waiting = self._open_sources > 0 or bool(self._waiting)
        return [self._later.popleft()] if self._later and has_room and not is_waiting else []

    def sort_links(self, links: Iterable[Link], depth: int) -> list[Link]:
        """Take in the candidates among a page's links; return those to visit as listings, at this depth."""
        listings = []
        for link in links:
            if not is_on_site(link.url, self.site):
                continue
            if depth <= MAX_LISTING_DEPTH and is_section_like(link.url, link.text):
                if self._listings < MAX_LISTINGS and self.claim(link.url):
                    self._listings += 1
                    listings.append(link)
            elif article_likeness(link.url, link.text) >= ARTICLE_THRESHOLD:
                self.add([Candidate(link.url, "links", title=link.text, depth=depth)])
        return listings

    def open_listing(self, depth: int) -> bool:
        """Tell whether the links of a candidate that turned out to be a listing may be followed, and count it.

        Days of a calendar look like articles by their addresses and lead to each other, so the bounds are the same.
        """
        is_within = depth <= MAX_LISTING_DEPTH and self._listings < MAX_LISTINGS
        self._listings += is_within
        return is_within

    def take(self) -> list[Candidate]:
        """Return the candidates to fetch now, the best first."""
        room = len(self._waiting) if self.limit is None else max(self.limit - self.articles - self._under_way, 0)
        if not room:
            return []
        ready = (c for c in self._waiting.values() if c.source != "links" or not self._open_sources)
        taken = best_first(ready)[:room]
        for candidate in taken:
            del self._waiting[url_key(candidate.url)]
        self._under_way += len(taken)
        return taken

    def reserve(self) -> bool:
        """Make room for a page that was not a candidate but may become an article; tell whether there was any."""
        has_room = self.limit is None or self.articles + self._under_way < self.limit
        self._under_way += has_room
        return has_room

    def settle(self, *, was_candidate: bool, is_article: bool) -> None:
        """Note how the visit of a page ended."""
        self._under_way -= was_candidate
        self.articles += is_article

    @property
    def is_full(self) -> bool:
        """Whether the wanted number of articles is reached."""
        return self.limit is not None and self.articles >= self.limit
