"""The fetch queue of a site in a run: its candidates by stage, and the sitemaps and feeds that are being read.

A candidate is asked about in the ledger, waits in order of promise, is being claimed, and is then ready to fetch.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from newsextract.page.urls.clean_urls import url_key
from newsextract.sites.candidate import rank

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from newsextract.sites.addresses.trap_guard import TrapGuard
    from newsextract.sites.candidate import Candidate, Rank
    from newsextract.sites.published.sitemaps import SitemapLink

_Place: TypeAlias = "tuple[Rank, int, Candidate]"


@dataclass
class Waiting:
    """A priority queue of candidates; one that is put in again replaces the earlier one.

    Candidates from links have their own queue, as they are held back while other sources are being read.
    """

    _candidates: dict[str, Candidate] = field(default_factory=dict)
    _listed: list[_Place] = field(default_factory=list)
    _linked: list[_Place] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)

    def __bool__(self) -> bool:
        return bool(self._candidates)

    def __len__(self) -> int:
        return len(self._candidates)

    def get(self, key: str) -> Candidate | None:
        """Return the candidate with this key; `None` if it does not wait."""
        return self._candidates.get(key)

    def put(self, candidate: Candidate) -> None:
        """Add a candidate, replacing the one with the same key."""
        self._candidates[url_key(candidate.url)] = candidate
        heap = self._linked if candidate.source == "links" else self._listed
        heappush(heap, (rank(candidate), next(self._numbers), candidate))

    def discard(self, key: str) -> None:
        """Remove the candidate with this key, if it waits."""
        self._candidates.pop(key, None)

    def take(self, *, with_links: bool) -> Candidate | None:
        """Remove and return the best candidate; `None` if none waits. Those from links count only if `with_links`."""
        heaps = [heap for heap in (self._listed, self._linked if with_links else []) if self._has_top(heap)]
        if not heaps:
            return None
        _, _, candidate = heappop(min(heaps, key=lambda heap: heap[0]))
        del self._candidates[url_key(candidate.url)]
        return candidate

    def _has_top(self, heap: list[_Place]) -> bool:
        """Drop removed or replaced candidates from the top, and return whether any is left."""
        while heap and self._candidates.get(url_key(heap[0][2].url)) is not heap[0][2]:
            heappop(heap)
        return bool(heap)


@dataclass
class CandidateQueue:
    """The candidates of one site, by the keys of their URLs."""

    _asked: dict[str, Candidate] = field(default_factory=dict)
    _waiting: Waiting = field(default_factory=Waiting)
    _being_claimed: int = 0
    _ready: deque[Candidate] = field(default_factory=deque)
    _open: set[str] = field(default_factory=set)
    """The candidates whose first visit has begun and not ended."""

    def __bool__(self) -> bool:
        return bool(self._waiting or self._ready)

    @property
    def is_waiting(self) -> bool:
        """Whether there are candidates that nobody has claimed yet."""
        return bool(self._waiting) or self._being_claimed > 0

    @property
    def ready_count(self) -> int:
        """How many candidates are claimed and not yet handed out."""
        return len(self._ready)

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
                self._waiting.put(replace(candidate, is_revisit=due[sent.url]))

    def put_instead(self, candidate: Candidate) -> None:
        """Replace the candidate with the same key by one that knows more."""
        key = url_key(candidate.url)
        if key in self._asked:
            self._asked[key] = candidate
        elif (known := self._waiting.get(key)) is not None:
            self._waiting.put(replace(candidate, is_revisit=known.is_revisit))

    def discard(self, key: str) -> None:
        """Remove a candidate from the queue."""
        self._asked.pop(key, None)
        self._waiting.discard(key)
        self._ready = deque(each for each in self._ready if url_key(each.url) != key)

    def take_best(self, most: int, *, with_links: bool) -> list[Candidate]:
        """Remove and return up to `most` of the best candidates, to be claimed; call `make_ready` with the answer."""
        best: list[Candidate] = []
        while len(best) < most and (candidate := self._waiting.take(with_links=with_links)):
            best.append(candidate)
        self._being_claimed += len(best)
        self._open.update(url_key(candidate.url) for candidate in best if not candidate.is_revisit)
        return best

    def is_to_visit(self, url: str) -> bool:
        """Return whether a candidate waits for its visit, or is on its first one."""
        key = url_key(url)
        return key in self._open or self.get(key) is not None

    def settle(self, url: str) -> None:
        """Note that the visit of a URL has ended."""
        self._open.discard(url_key(url))

    def make_ready(self, asked: Sequence[Candidate], claimed: Container[str]) -> None:
        """Make the claimed candidates ready to hand out; the others are being visited by another crawler."""
        self._being_claimed -= len(asked)
        self._ready.extend(candidate for candidate in asked if candidate.url in claimed)

    def take(self, most: int) -> list[Candidate]:
        """Remove and return up to `most` of the candidates that are ready."""
        return [self._ready.popleft() for _ in range(min(most, len(self._ready)))]


@dataclass
class OpenSources:
    """The sitemaps and feeds of a site that are being read; each is read once per run."""

    guard: TrapGuard
    """Decides when too many sitemaps have been read."""
    count: int = 0
    """How many are being read."""
    _known: set[str] = field(default_factory=set)
    _later: deque[SitemapLink] = field(default_factory=deque)

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

    def close_all(self) -> None:
        """Reset the count: no source is being read."""
        self.count = 0

    def add_sitemaps(self, links: Iterable[SitemapLink], since: datetime | None) -> None:
        """Queue the sitemaps of an index, newest first, without those that can list nothing new."""
        wanted = [link for link in links if not (since and link.lastmod and link.lastmod < since)]
        wanted.sort(key=lambda link: -link.lastmod.timestamp() if link.lastmod else 0.0)
        self._later.extend(wanted)

    def take_sitemaps(self, most: int | None = None) -> list[SitemapLink]:
        """Remove and return the next sitemaps of an index, or all of them."""
        count = len(self._later) if most is None else min(most, len(self._later))
        return [self._later.popleft() for _ in range(count)]
