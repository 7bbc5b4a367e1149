"""The candidates of a site by stage: asked about in the ledger, waiting, being claimed, ready to fetch."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from newsextract.page.urls.clean_urls import url_key
from newsextract.sites.frontier.waiting_candidates import Waiting

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from newsextract.sites.candidate import Candidate


@dataclass
class CandidateQueue:
    """The candidates of one site, by the keys of their URLs."""

    _asked: dict[str, Candidate] = field(default_factory=dict)
    _waiting: Waiting = field(default_factory=Waiting)
    _being_claimed: int = 0
    _ready: deque[Candidate] = field(default_factory=deque)

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
        return best

    def make_ready(self, asked: Sequence[Candidate], claimed: Container[str]) -> None:
        """Make the claimed candidates ready to hand out; the others are being visited by another crawler."""
        self._being_claimed -= len(asked)
        self._ready.extend(candidate for candidate in asked if candidate.url in claimed)

    def take(self, most: int) -> list[Candidate]:
        """Remove and return up to `most` of the candidates that are ready."""
        return [self._ready.popleft() for _ in range(min(most, len(self._ready)))]
