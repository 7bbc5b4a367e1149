"""Leases of sites: runs of the same crawl share its sites, and each site is visited by one run at a time.

Whoever asks gets its fair share: the sites that are not done yet, by the number of runs of the same crawl. A run that
holds more, because another has joined, is told how many to give back.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from newsextract.storage.database.batches import chunks, hold, insert_missing
from newsextract.storage.database.database_thread import alone
from newsextract.storage.database.database_time import database_ms
from newsextract.storage.ledger.crawl_runs import sweep
from newsextract.storage.schema.crawl_tables import host_leases, runs, site_leases

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

_LOCK = "site leases"
_SITE, _RUN = site_leases.c.site, site_leases.c.run_id


@dataclass(frozen=True, slots=True)
class ShareWish:
    """The sites that a run wants to visit, and are not done yet as far as it knows."""

    run_id: str
    command: str
    """See `crawl_runs.Run`: runs of one command share their sites."""
    sites: Mapping[str, tuple[str, ...]]
    """By name: the hosts of their start pages."""
    now: datetime
    begun_ms: int | None = None
    """When the run first asked, by the database's clock; `None` for the first time."""


@dataclass(frozen=True, slots=True)
class Share:
    """What a run is to visit, and what the others do."""

    begun_ms: int
    held: frozenset[str]
    """The sites that it holds now."""
    done: frozenset[str]
    """The sites that another run has done since this one began."""
    excess: int
    """How many sites it holds beyond its share."""
    fellows: int
    """Runs of the same crawl, this one included."""
    others: int
    """All runs that are going on, without this one."""
    may_get_more: bool
    """Whether it is worth waiting: sites are free, or a run of the same crawl has two or more."""


@alone
def share_sites(connection: Connection, wishes: Sequence[ShareWish]) -> list[Share]:
    """Lease sites to runs up to their share; runs that have died are ended first."""
    return [_share(connection, wish) for wish in wishes]


def give_back_sites(connection: Connection, given: Sequence[tuple[str, str, bool]]) -> list[None]:
    """Give back sites: a run's id, the site, and whether nothing is left to visit there."""
    for is_done in (False, True):
        values = {"run_id": None} | ({"done_ms": database_ms()} if is_done else {})
        for run_id in sorted({run_id for run_id, *_ in given}):
            sites = sorted(site for run, site, done in given if run == run_id and done == is_done)
            for some in chunks(sites):
                connection.execute(
                    update(site_leases).where(_SITE.in_(some), site_leases.c.run_id == run_id).values(values)
                )
    return [None] * len(given)


def _share(connection: Connection, wish: ShareWish) -> Share:
    hold(connection, _LOCK)
    sweep(connection, wish.now)
    begun_ms = wish.begun_ms
    if begun_ms is None:
        begun_ms = int(connection.execute(select(database_ms())).scalar_one())
        insert_missing(connection, site_leases, [{"site": site, "run_id": None} for site in sorted(wish.sites)])
    going = connection.execute(select(runs.c.id, runs.c.command).where(runs.c.date_ended.is_(None))).all()
    fellows = {run_id for run_id, command in going if command == wish.command} | {wish.run_id}
    living = {run_id for run_id, _ in going} | {wish.run_id}
    holders, done = _holders(connection, sorted(wish.sites), begun_ms)
    held = {site for site, holder in holders.items() if holder == wish.run_id}
    free = [site for site, holder in holders.items() if holder not in living]
    by_fellow = Counter(holder for holder in holders.values() if holder in fellows)
    share = -(-(by_fellow.total() + len(free)) // len(fellows))
    taken = _take(connection, wish, free, share - len(held)) if share > len(held) else []
    # What a fellow has beyond one site, it may give back.
    may_get_more = len(taken) < len(free) or any(n > 1 for run, n in by_fellow.items() if run != wish.run_id)
    return Share(
        begun_ms=begun_ms,
        held=frozenset(held.union(taken)),
        done=frozenset(done),
        excess=max(len(held) - share, 0),
        fellows=len(fellows),
        others=len(living) - 1,
        may_get_more=may_get_more,
    )


def _holders(connection: Connection, sites: Sequence[str], begun_ms: int) -> tuple[dict[str, str | None], set[str]]:
    """Return who holds each site that is not done, and the sites that are."""
    holders: dict[str, str | None] = {}
    done: set[str] = set()
    for some in chunks(sites):
        for site, run_id, done_ms in connection.execute(
            select(_SITE, _RUN, site_leases.c.done_ms).where(_SITE.in_(some))
        ):
            if run_id is None and done_ms is not None and done_ms >= begun_ms:
                done.add(site)
            else:
                holders[site] = run_id
    return holders, done


def _take(connection: Connection, wish: ShareWish, free: Sequence[str], most: int) -> list[str]:
    """Lease some of the free sites, but none on a host that another run holds: it would wait for that one's end."""
    hosts = sorted({host for site in free for host in wish.sites[site]})
    busy: set[str] = set()
    is_of_other = host_leases.c.run_id.is_not(None) & (host_leases.c.run_id != wish.run_id)
    for some in chunks(hosts):
        query = select(host_leases.c.host).where(host_leases.c.host.in_(some), is_of_other)
        busy.update(connection.execute(query).scalars())
    taken = [site for site in free if busy.isdisjoint(wish.sites[site])][:most]
    for some in chunks(taken):
        connection.execute(update(site_leases).where(_SITE.in_(some)).values(run_id=wish.run_id))
    return taken
