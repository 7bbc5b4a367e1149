"""Leases of hosts and sites, between runs that the test plays."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from newsextract.storage.database.database_time import database_ms
from newsextract.storage.ledger.crawl_runs import (
    LEASE_SECONDS,
    Run,
    begin_run,
    begin_runs,
    end_run,
    heartbeat,
    revive,
    sweep,
)
from newsextract.storage.ledger.host_leases import HostState, HostWish, give_back_hosts, slow_down_hosts, take_hosts
from newsextract.storage.ledger.site_leases import Share, ShareWish, give_back_sites, share_sites
from newsextract.storage.schema.crawl_tables import runs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from newsextract.storage.articles.article_store import ArticleStore
    from newsextract.storage.ledger.host_leases import HostLease

HOST = "www.news.example"
SITES = {f"site{number}.example": (f"www.site{number}.example",) for number in range(10)}


class Node:
    """A run on some machine, whose process cannot be seen."""

    def __init__(self, store: ArticleStore, command: str = "crawl") -> None:
        self.store = store
        self.run = Run(Run.here("news", command, {}).id, "news", command, host="far away", boot="b", pid=1)
        self.begun_ms: int | None = None
        self.do(lambda connection: begin_run(connection, self.run, datetime.now(UTC), may_overlap=True))
        assert self.beat()

    def do(self, work: Callable[..., Any]) -> Any:
        with self.store.engine.begin() as connection:
            return work(connection)

    def beat(self) -> bool:
        alive: list[bool] = self.do(lambda connection: heartbeat(connection, [(self.run.id, datetime.now(UTC))]))
        return alive == [True]

    def fall_silent(self) -> None:
        long_ago = database_ms() - (LEASE_SECONDS + 1) * 1000
        self.do(
            lambda connection: connection.execute(update(runs).where(runs.c.id == self.run.id).values(beat_ms=long_ago))
        )

    def take(self, host: str = HOST, delay: float = 0.0) -> HostLease | None:
        found: list[HostLease | None]
        found = self.do(lambda connection: take_hosts(connection, [HostWish(self.run.id, host, delay)]))
        return found[0]

    def give_back(self, delay: float = 0.0, asked: float = 0.0, wait: float = 0.0, host: str = HOST) -> None:
        state = HostState(self.run.id, host, delay, asked, wait)
        self.do(lambda connection: give_back_hosts(connection, [state]))

    def share(self, sites: Sequence[str] = tuple(SITES)) -> Share:
        wanted = {site: SITES[site] for site in sites}
        wish = ShareWish(self.run.id, self.run.command, wanted, datetime.now(UTC), self.begun_ms)
        (share,) = self.do(lambda connection: share_sites(connection, [wish]))
        self.begun_ms = share.begun_ms
        assert isinstance(share, Share)
        return share

    def leave(self, sites: Sequence[str], *, is_done: bool = False) -> None:
        given = [(self.run.id, site, is_done) for site in sites]
        self.do(lambda connection: give_back_sites(connection, given))


def test_the_clock_is_that_of_the_present_in_milliseconds(store: ArticleStore) -> None:
    with store.engine.begin() as connection:
        now_ms = connection.execute(select(database_ms())).scalar_one()
    assert abs(now_ms - datetime.now(UTC).timestamp() * 1000) < 60_000


def test_a_host_is_one_run_s_at_a_time(store: ArticleStore) -> None:
    one, other = Node(store), Node(store)
    assert one.take() is not None
    assert other.take() is None
    assert one.take() is not None
    other.give_back()  # which is not its own
    assert other.take() is None
    one.give_back()
    assert other.take() is not None
    assert one.take() is None


def test_two_that_ask_in_one_transaction_are_told_apart(store: ArticleStore) -> None:
    nodes = [Node(store), Node(store)]
    wishes = [HostWish(node.run.id, HOST, 0.5) for node in nodes]
    found = nodes[0].do(lambda connection: take_hosts(connection, wishes))
    assert [lease is not None for lease in found] == [True, False]


def test_the_next_holder_waits_for_the_rest_of_the_delay(store: ArticleStore) -> None:
    one, other = Node(store), Node(store)
    one.take(delay=30)
    one.give_back(delay=30, wait=20)
    lease = other.take(delay=30)
    assert lease is not None
    assert 10 < lease.wait_seconds <= 20
    assert lease.asked_seconds == 0


def test_a_delay_that_the_host_asked_for_holds_for_the_next_holder(store: ArticleStore) -> None:
    one, other = Node(store), Node(store)
    one.take()
    one.give_back(delay=7, asked=7)
    lease = other.take()
    assert lease is not None
    assert lease.asked_seconds == 7


def test_of_a_run_that_died_the_next_waits_a_whole_delay(store: ArticleStore) -> None:
    one, other = Node(store), Node(store)
    one.take()
    one.do(lambda connection: slow_down_hosts(connection, [HostState(one.run.id, HOST, 40, 40)]))
    one.fall_silent()
    assert other.take() is None, "nobody has ended it yet"
    assert other.do(lambda connection: sweep(connection, datetime.now(UTC))) == [one.run.id]
    lease = other.take()
    assert lease is not None
    assert 30 < lease.wait_seconds <= 40
    assert lease.asked_seconds == 40


def test_a_run_that_was_taken_for_dead_is_told_and_goes_on_without_leases(store: ArticleStore) -> None:
    one, other = Node(store), Node(store)
    one.take()
    one.fall_silent()
    other.share()
    assert not one.beat()
    one.do(lambda connection: revive(connection, [(one.run.id, datetime.now(UTC))]))
    assert one.beat()
    assert other.take() is not None
    assert one.take() is None


def test_a_run_that_has_ended_leaves_its_hosts_and_sites(store: ArticleStore) -> None:
    one, other = Node(store), Node(store)
    one.take()
    one.share()
    one.do(lambda connection: end_run(connection, [(one.run.id, "finished", {}, datetime.now(UTC))]))
    assert other.take() is not None
    assert other.share().held == SITES.keys()


def test_a_run_that_is_alone_has_all_sites_and_shares_them_with_one_that_joins(store: ArticleStore) -> None:
    one = Node(store)
    first = one.share()
    assert first.held == SITES.keys()
    assert (first.excess, first.others, first.may_get_more) == (0, 0, False)
    other = Node(store)
    joined = other.share()
    assert (joined.held, joined.fellows, joined.may_get_more) == (frozenset(), 2, True)
    assert one.share().excess == 5
    one.leave(sorted(SITES)[:5])
    assert (one.share().held, one.share().excess) == (frozenset(sorted(SITES)[5:]), 0)
    assert other.share().held == set(sorted(SITES)[:5])


def test_what_is_done_is_nobody_s_until_the_next_run_begins(store: ArticleStore) -> None:
    one = Node(store)
    one.share()
    other = Node(store)
    other.share()
    done = min(SITES)
    one.leave([done], is_done=True)
    assert other.share().done == {done}
    assert one.share().held == SITES.keys() - {done}
    one.do(lambda connection: end_run(connection, [(one.run.id, "finished", {}, datetime.now(UTC))]))
    assert other.share().held == SITES.keys() - {done}
    other.leave(sorted(SITES))
    assert done in Node(store, "another").share().held


def test_a_run_on_a_machine_whose_clock_is_late_is_not_taken_for_silent(store: ArticleStore) -> None:
    now = datetime.now(UTC)
    late = replace(Run.here("news", "late", {}), host="far away", boot="b", pid=1)
    with store.engine.begin() as connection:
        assert begin_runs(connection, [(late, now - timedelta(hours=1), True)]) == [None]
    with store.engine.begin() as connection:
        assert sweep(connection, now + timedelta(hours=1)) == []
        assert heartbeat(connection, [(late.id, now - timedelta(hours=1))]) == [True]


def test_the_sites_of_a_silent_run_go_to_the_others(store: ArticleStore) -> None:
    one = Node(store)
    one.share()
    other = Node(store)
    assert other.share().held == frozenset()
    one.fall_silent()
    assert other.share().held == SITES.keys()


def test_a_site_whose_host_is_another_s_is_left_to_it(store: ArticleStore) -> None:
    one, other = Node(store, "one"), Node(store, "other")
    one.take(SITES["site3.example"][0])
    share = other.share()
    assert share.held == SITES.keys() - {"site3.example"}
    assert share.may_get_more


def test_the_sites_of_another_crawl_are_not_waited_for(store: ArticleStore) -> None:
    one, other = Node(store, "one"), Node(store, "other")
    one.share()
    share = other.share(["site1.example", "site2.example"])
    assert (share.held, share.may_get_more, share.others) == (frozenset(), False, 1)
    assert one.share().excess == 0
