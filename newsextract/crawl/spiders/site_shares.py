"""The sites that this run visits, of those that it shares with other runs of the same crawl.

Every few seconds it asks for its share. Sites that others have given back, or held when they died, are opened then. If
another run has joined, it gives back sites: their waiting requests are refused, those under way end, and what was
learned is saved before the lease goes. A run that is alone holds all its sites to its end.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.utils.defer import deferred_from_coro
from twisted.internet.task import LoopingCall

from newsextract.crawl.futures import answer_of
from newsextract.page.urls.clean_urls import site_of
from newsextract.storage.ledger.site_leases import ShareWish, give_back_sites, share_sites

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence

    from twisted.internet.defer import Deferred

    from newsextract.crawl.extensions.host_gate import HostGate
    from newsextract.crawl.extensions.site_reach import SiteReach
    from newsextract.crawl.middlewares.leased_hosts import LeasedHosts
    from newsextract.crawl.spiders.spider_ledger import SpiderLedger
    from newsextract.crawl.workers.worker_pool import Readers
    from newsextract.sites.frontier.frontier import Frontier
    from newsextract.sites.site_list.site import Site
    from newsextract.storage.ledger.site_leases import Share

logger = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
"""Seconds between two questions for the share: how soon a run that joins has work, or a dead one's sites go on."""

FELLOWS_PER_LOOK = 10
"""Runs of one crawl beyond which each asks less often: the questions are answered one at a time."""


@dataclass
class SiteShares:
    """Takes, opens and gives back sites."""

    ledger: SpiderLedger
    readers: Readers
    reach: SiteReach
    gate: HostGate | None
    refusing: LeasedHosts | None
    frontiers: dict[str, Frontier]
    new_frontier: Callable[[str], Frontier]
    open: Callable[[Sequence[Site]], Awaitable[None]]
    """Sends the first requests of sites."""
    go_on: Callable[[Frontier], Awaitable[None]]
    """Claims and requests what waits in a frontier."""
    wanted: dict[str, list[Site]] = field(default_factory=dict)
    """The sites of this crawl that nobody has done yet, as far as is known; a list may name one several times."""
    share: Share | None = None
    elsewhere: set[str] = field(default_factory=set)
    """The sites that were due and that other runs visit, or have visited."""
    leaving: set[str] = field(default_factory=set)
    """Sites that are given back as soon as their last requests have ended."""
    opened: set[str] = field(default_factory=set)
    """The sites whose first requests were made; the others are not done, though nothing is under way."""
    _quiet: set[str] = field(default_factory=set)
    """Sites that had nothing left to do at the last look."""
    _looks: LoopingCall | None = None
    _is_busy: bool = False

    async def first(self, sites: Sequence[Site]) -> list[Site]:
        """Return this run's share of the sites that are due; without a database, all of them."""
        for site in sites:
            self.wanted.setdefault(site.name, []).append(site)
        if self.ledger.database is None:
            return list(sites)
        if self.ledger.register is not None:
            self.ledger.register.on_death.append(self.lose_all)
        due = set(self.wanted)
        taken = await self._ask()
        # Not before the answer: a crawl that is interrupted here knows of no other run.
        self.elsewhere.update(due - {site.name for site in taken})
        self._looks = LoopingCall(self._look)
        self._looks.start(LOOK_SECONDS, now=False)
        return taken

    @property
    def is_waiting(self) -> bool:
        """Whether this run may get more to do, or is about to."""
        return self._looks is not None and (
            self._is_busy or bool(self.leaving) or (self.share is not None and self.share.may_get_more)
        )

    def lose_all(self) -> None:
        """Stop visiting all sites: the others have taken this run for dead, and its sites."""
        for site in list(self.ledger.held):
            self._leave(site)

    async def close(self, *, has_finished: bool) -> None:
        """End the visits of the sites that are held, unless the crawl was stopped: then the next run goes on."""
        if self._looks is not None and self._looks.running:
            self._looks.stop()
        self._looks = None
        if has_finished:
            await self._finish(set(self.wanted) if self.ledger.database is None else self.ledger.held - self.leaving)

    def _look(self) -> Deferred[None]:
        if self._looks is not None and self.share is not None:
            self._looks.interval = LOOK_SECONDS * max(1.0, self.share.fellows / FELLOWS_PER_LOOK)
        return deferred_from_coro(self._turn())

    async def _turn(self) -> None:
        self._is_busy = True
        try:
            await self._give_back_left()
            if self.share is not None and self.share.others:
                await self._give_back_done()
                await self._give_back_hosts()
            if taken := await self._ask():
                logger.info("%d more sites are visited by this run", len(taken))
                await self.open(taken)
                self.opened.update(site.name for site in taken)
        except Exception:
            # Whatever it is, the next turn may do better, and the sites that are held go on.
            logger.exception("the sites could not be shared with other runs")
        finally:
            self._is_busy = False

    async def _ask(self) -> list[Site]:
        """Ask for this run's share; return the sites that are new in it."""
        database, register = self.ledger.database, self.ledger.register
        if database is None or register is None or register.run is None:
            return []
        sites = {name: self._slots([name]) for name in self.wanted}
        begun = self.share.begun_ms if self.share else None
        wish = ShareWish(self.ledger.run_id, register.run.command, sites, datetime.now(UTC), begun)
        self.share = share = await database.run(share_sites, wish)
        for name in share.done - self.leaving:
            self.wanted.pop(name, None)
        new = sorted(share.held - self.ledger.held - self.leaving)
        taken = [site for name in new for site in self.wanted[name]]
        self.ledger.held.update(site.name for site in taken)
        self.elsewhere.difference_update(site.name for site in taken)
        if self.refusing is not None:
            self.refusing.sites_given_back.difference_update(site.name for site in taken)
        if self.gate is not None:
            await self.gate.take(self._slots(new))
        self._leave_some(share.excess - len(self.leaving & share.held))
        return taken

    def _leave_some(self, most: int) -> None:
        if most > 0:
            # A limit counts what one run has fetched, so a site with one stays where it is.
            free = [name for name in self.ledger.held if self._may_change_hands(self.frontiers[name])]
            free.sort(key=lambda name: (self.ledger.under_way.count(name), name))
            for name in free[:most]:
                self._leave(name)

    def _leave(self, name: str) -> None:
        self.leaving.add(name)
        self.elsewhere.add(name)
        self.opened.discard(name)
        self.ledger.held.discard(name)
        if self.refusing is not None:
            self.refusing.sites_given_back.add(name)

    async def _give_back_left(self) -> None:
        """Give back the sites whose last requests have ended, with what was learned."""
        ended = {name for name in self.leaving if not self.ledger.under_way.count(name)}
        for name in ended:
            frontier = self.frontiers[name]
            self.ledger.release([each.url for each in frontier.queue.take(frontier.queue.ready_count)])
            self.ledger.drop(name)
            self.frontiers[name] = self.new_frontier(name)
            self.reach.asked.discard(name)  # whether it can be reached is for the next run to find
        await self._give_back(ended, is_done=False)
        self.leaving -= ended

    async def _give_back_done(self) -> None:
        """End the visits of the sites that have had nothing left to do for two looks."""
        names = self.ledger.held & self.opened & self.wanted.keys()
        quiet = {name for name in names if not self.ledger.under_way.count(name)}
        for name in quiet.copy():
            frontier = self.frontiers[name]
            if frontier.has_candidates or (frontier.queue.is_waiting and not frontier.is_full):
                frontier.nothing_is_under_way()
                await self.go_on(frontier)
                quiet.discard(name)
        await self._finish(quiet & self._quiet)
        self._quiet = quiet

    async def _finish(self, names: Collection[str]) -> None:
        await self.ledger.complete(set(names) - self.reach.unreached)
        for name in names:
            self.ledger.drop(name)
        await self._give_back(names, is_done=True)
        for name in names:
            self.wanted.pop(name, None)

    async def _give_back(self, names: Collection[str], *, is_done: bool) -> None:
        database = self.ledger.database
        if database is None or not names:
            return
        if not is_done:
            for future in self.readers.let_go(sorted({site_of(f"https://{name}/") for name in names})):
                await answer_of(future)
        await self._give_back_hosts(self._slots(names))
        await database.run_all(give_back_sites, [(self.ledger.run_id, name, is_done) for name in sorted(names)])

    async def _give_back_hosts(self, left: Collection[str] = ()) -> None:
        if self.gate is not None:
            await self.gate.give_back_idle(set(self._slots(self.ledger.held & self.wanted.keys())), left)

    def _slots(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the hosts of sites, each once."""
        return tuple(dict.fromkeys(slot for name in names for site in self.wanted[name] for slot in site.slots))

    @staticmethod
    def _may_change_hands(frontier: Frontier) -> bool:
        return frontier.limit is None and frontier.max_pages is None
