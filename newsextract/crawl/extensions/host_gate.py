"""Lets requests out only to hosts that this run has leased: of the runs on one database, one at a time visits a host.

The queue asks about the host of each request (`RestingQueue`), and a host that nobody holds is leased then. The delay
since the last request of the former holder is waited for. Without a database every host is open.
"""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro

from newsextract.crawl.extensions.database_writer import Database
from newsextract.crawl.extensions.run_register import RunRegister
from newsextract.storage.database.connection import StorageError
from newsextract.storage.ledger.host_leases import (
    HostState,
    HostWish,
    give_back_hosts,
    slow_down_hosts,
    take_hosts,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from scrapy.core.downloader import Downloader, Slot
    from scrapy.crawler import Crawler

    from newsextract.storage.ledger.host_leases import HostLease

logger = logging.getLogger(__name__)

RETRY_SECONDS = 2.0
"""Seconds until a host is asked for again that another run holds."""

IDLE_SECONDS = 5.0
"""Seconds after its last request in which a host is not given back: the next pages are just being read."""


class HostGate:
    """The hosts that this run may send requests to, by their download slots."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._opens: dict[str, float] = {}
        """The hosts that are leased: when the first request may be sent, by the monotonic clock."""
        self._base: dict[str, float] = {}
        """The delays of these hosts by the settings; what exceeds them was asked for."""
        self._written: dict[str, float] = {}
        """The delays of these hosts that the database knows."""
        self._asked: set[str] = set()
        self._refused: dict[str, float] = {}
        """The hosts that others hold: when to ask again."""
        self._database: Database | None = None
        self._register: RunRegister | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to the begin and end of the spider."""
        self = cls(crawler)
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        return self

    def spider_opened(self) -> None:
        """Connect to the run's heartbeat, if it has a database."""
        self._database = self.crawler.get_extension(Database)
        self._register = self.crawler.get_extension(RunRegister)
        if self._register is not None:
            self._register.on_death.append(self.lose_all)

    @property
    def is_used(self) -> bool:
        """Whether the run shares a database with others."""
        return self._register is not None and self._register.run is not None

    def open_hosts(self, hosts: Iterable[str]) -> Iterable[str]:
        """Return the hosts that requests may be sent to; ask for the leases of those that are not held."""
        if self._register is None or self._register.run is None:
            return hosts
        opens, now = self._opens, monotonic()
        found = [(host, opens.get(host)) for host in hosts]
        for host, opened in found:
            if opened is None:
                self._ask(host)
        return (
            [host for host, opened in found if opened is not None and opened <= now] if self._register.is_heard else ()
        )

    def is_open(self, host: str) -> bool:
        """Return whether a request may be sent; ask for the lease of a host that is not held."""
        return host in self.open_hosts([host])

    async def take(self, hosts: Collection[str]) -> None:
        """Lease hosts that will soon be needed, as far as no other run holds them."""
        missing = sorted(set(hosts) - self._opens.keys())
        if self.is_used and missing:
            await self._lease(missing)

    async def give_back_idle(self, kept: Collection[str], left: Collection[str] = ()) -> None:
        """Give back the hosts that have no requests under way, except the kept ones: those just left at once.

        Write the delays of the others if they have changed.
        """
        now, busy = monotonic(), self._busy()
        free = [host for host in self._opens if host not in busy and host not in kept]
        await self._give_back([host for host in free if host in left or self._rests_since(host, now)])
        changed = [host for host in self._opens if self._delay(host) != self._written.get(host)]
        self._written.update({host: self._delay(host) for host in changed})
        if self._database is not None:
            await self._database.run_all(slow_down_hosts, [self._state(host) for host in changed])

    def lose_all(self) -> None:
        """Forget all leases: others have them."""
        self._opens.clear()

    async def spider_closed(self) -> None:
        """Give back all hosts, so that the next run need not wait longer than their delays."""
        if self.is_used:
            await self._give_back(list(self._opens))

    def _ask(self, host: str) -> None:
        if host in self._asked or self._refused.get(host, 0.0) > monotonic():
            return
        if not self._asked:  # together with the others that the queue is asking about now
            call_later(0, lambda: deferred_from_coro(self._lease_asked()))
        self._asked.add(host)

    async def _lease_asked(self) -> None:
        hosts = sorted(self._asked)
        try:
            await self._lease(hosts)
        except StorageError as error:
            logger.warning("hosts could not be leased: %s", error)
            self._refused.update(dict.fromkeys(hosts, monotonic() + RETRY_SECONDS))
        finally:
            self._asked.difference_update(hosts)

    async def _lease(self, hosts: Collection[str]) -> None:
        if self._database is None:
            return
        wishes = [HostWish(self._run_id, host, self._delay(host)) for host in hosts]
        leases = await self._database.run_all(take_hosts, wishes)
        for host, lease in zip(hosts, leases, strict=True):
            if lease is None:
                self._refused[host] = monotonic() + RETRY_SECONDS
                call_later(RETRY_SECONDS, self._wake)
            else:
                self._refused.pop(host, None)
                self._keep(host, lease)
        self._wake()

    def _keep(self, host: str, lease: HostLease) -> None:
        if host in self._opens:
            return
        self._base[host] = self._delay(host)
        if lease.asked_seconds > self._base[host]:
            self._slow_down(host, lease.asked_seconds)
        self._written[host] = self._delay(host)
        self._opens[host] = monotonic() + lease.wait_seconds
        if lease.wait_seconds:
            call_later(lease.wait_seconds, self._wake)

    def _slow_down(self, host: str, seconds: float) -> None:
        by_slot = self._downloader.per_slot_settings
        by_slot[host] = {**by_slot.get(host, {}), "delay": seconds, "jitter": 0.0}
        if slot := self._downloader.slots.get(host):
            slot.delay, slot.jitter = seconds, 0.0

    async def _give_back(self, hosts: Collection[str]) -> None:
        states = [self._state(host) for host in hosts]
        for host in hosts:
            del self._opens[host]
        if self._database is not None:
            await self._database.run_all(give_back_hosts, states)

    def _state(self, host: str) -> HostState:
        delay = self._delay(host)
        slot, now = self._downloader.slots.get(host), monotonic()
        # A slot that the downloader has dropped was idle for a minute.
        since = slot.lastseen if slot else now - 60.0
        asked = delay if delay > self._base[host] else 0.0
        wait = max(since + self._longest(delay, slot) - now, self._opens.get(host, 0.0) - now, 0.0)
        return HostState(self._run_id, host, delay, asked, wait)

    @staticmethod
    def _longest(delay: float, slot: Slot | None) -> float:
        return delay * (1 + slot.jitter) if slot else delay

    def _delay(self, host: str) -> float:
        if slot := self._downloader.slots.get(host):
            return slot.delay
        by_slot = self._downloader.per_slot_settings.get(host, {})
        return float(by_slot.get("delay", self.crawler.settings.getfloat("DOWNLOAD_DELAY")))

    def _rests_since(self, host: str, now: float) -> bool:
        slot = self._downloader.slots.get(host)
        return (slot is None or slot.lastseen + IDLE_SECONDS < now) and self._opens[host] + IDLE_SECONDS < now

    def _busy(self) -> set[str]:
        """Return the hosts with requests in the downloader, its middlewares included."""
        return {self._downloader.get_slot_key(request) for request in self._downloader.active}

    def _wake(self) -> None:
        engine = self.crawler.engine
        if engine is not None and engine._slot is not None:  # noqa: SLF001 - else it looks every five seconds
            engine._slot.nextcall.schedule()  # noqa: SLF001

    @property
    def _run_id(self) -> str:
        run = self._register.run if self._register else None
        return run.id if run else ""

    @property
    def _downloader(self) -> Downloader:
        return self.crawler.engine.downloader
