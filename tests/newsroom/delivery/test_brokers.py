"""Real brokers, stopped in the middle."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.newsroom.delivery.sending import Sender
from newsextract.newsroom.delivery.targets import Away, Broker
from newsextract.storage.database import open_engine
from newsextract.storage.database_thread import DatabaseThread
from newsextract.storage.outbox import letters_after
from tests.newsroom.delivery.messages import article, end, outbox_of, put, wait_until
from tests.newsroom.delivery.servers import BROKERS, moved, received, remove, require
from tests.storage.test_databases import Cable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sqlalchemy import Engine

    from newsextract.storage.outbox import Letter

kombu = pytest.importorskip("kombu", reason="kombu is not installed: pip install 'newsextract[broker]'")

_numbers = count()


@pytest.fixture(params=sorted(BROKERS))
def broker_url(request: pytest.FixtureRequest) -> str:
    return require(BROKERS[request.param])


@pytest.fixture
def queue() -> str:
    return f"newsextract_{os.getpid()}_{next(_numbers)}"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = open_engine(f"sqlite:///{tmp_path}/a.db")
    yield opened
    opened.dispose()


def first_times(messages: list[dict[str, Any]]) -> list[str]:
    """Return the ids in the order of their first arrival."""
    return list(dict.fromkeys(message["id"] for message in messages))


def run_through(engine: Engine, target: Broker, breaks: Callable[[], None], mends: Callable[[], None]) -> Sender:
    """Send 180 messages, with the broker away in the middle."""
    database = DatabaseThread(engine)
    sender = Sender(target, database)
    sender.start()
    wait_until(lambda: sender.position is not None)
    put(engine, [article(number) for number in range(60)])
    wait_until(lambda: sender.counts["delivered"] > 10)
    breaks()
    put(engine, [article(number) for number in range(60, 120)])
    wait_until(lambda: sender.counts["outages"])
    time.sleep(0.5)
    mends()
    put(engine, [article(number) for number in range(120, 180)])
    wait_until(lambda: sender.left() == 0)
    end(sender)
    assert database.close(100)
    return sender


def check_all_arrived(engine: Engine, messages: list[dict[str, Any]]) -> None:
    assert first_times(messages) == [message["id"] for message in outbox_of(engine)]
    assert len(messages) <= 180 + 2 * Broker.most, "too many came twice"


def test_a_broker_that_is_cut_off_in_the_middle_gets_every_message(broker_url: str, queue: str, engine: Engine) -> None:
    ports = {"redis": 6379, "amqp": 5672}
    cable = Cable("127.0.0.1", int(broker_url.rpartition(":")[2].partition("/")[0] or ports[broker_url[:4]]))
    try:
        sender = run_through(engine, Broker(moved(broker_url, cable.port), queue), cable.cut, cable.mend)
        check_all_arrived(engine, list(received(broker_url, queue, least=180)))
        assert sender.counts["delivered"] == 180
    finally:
        cable.cut()
        remove(broker_url, queue)


@pytest.fixture
def letters(engine: Engine) -> list[Letter]:
    """Three articles and a revision."""
    newer = article(1, text="It closes.", downloaded="2026-05-21T09:00:00+00:00")
    put(engine, [article(1), article(2), newer, article(3)])
    with engine.connect() as connection:
        return letters_after(connection, 0, 10)


def deliver_all(target: Broker, letters: list[Letter]) -> None:
    waiting = letters
    while waiting:
        with suppress(Away):
            waiting = waiting[target.deliver(waiting) :]


def test_a_queue_of_ones_own_gets_the_kinds_that_it_is_bound_to(
    broker_url: str, queue: str, letters: list[Letter]
) -> None:
    target, own = Broker(broker_url, queue), f"{queue}_revisions"
    try:
        target.deliver(letters[:1])
        with kombu.Connection(broker_url) as connection:
            kombu.Queue(own, kombu.Exchange(queue, "topic"), routing_key="revision")(connection.channel()).declare()
        target.deliver(letters[1:])
        assert [message["kind"] for message in received(broker_url, queue, own)] == ["revision"]
        everything = [message["id"] for message in received(broker_url, queue)]
        assert everything == [letter.id for letter in letters]
    finally:
        remove(broker_url, own, queue)


def test_a_queue_that_someone_has_deleted_is_made_again(broker_url: str, queue: str, letters: list[Letter]) -> None:
    target, own = Broker(broker_url, queue), f"{queue}_others"
    try:
        target.deliver(letters[:1])
        remove(broker_url, queue)
        with kombu.Connection(broker_url) as connection:  # someone else has a way, which must not be taken for ours
            kombu.Queue(own, kombu.Exchange(queue, "topic"), routing_key="#")(connection.channel()).declare()
        deliver_all(target, letters[1:])
        assert {message["id"] for message in received(broker_url, queue)} == {letter.id for letter in letters[1:]}
    finally:
        remove(broker_url, own, queue)


def test_nobody_there_is_away(letters: list[Letter]) -> None:
    for url in ("redis://127.0.0.1:1/0", "amqp://guest:guest@127.0.0.1:1//"):
        with pytest.raises(Away, match="refused"):
            Broker(url).deliver(letters)


def test_its_name_has_no_password() -> None:
    assert Broker("amqp://me:hush@broker.example//").name == "broker amqp://broker.example// newsextract"
