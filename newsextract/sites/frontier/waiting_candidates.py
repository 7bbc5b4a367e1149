"""The candidates that wait for a visit, in order of promise."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from newsextract.page.urls.clean_urls import url_key
from newsextract.sites.candidate import rank

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.sites.candidate import Candidate, Rank

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
