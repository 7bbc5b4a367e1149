"""Sending from the outbox to targets that behave as told."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import delete, select

from newsextract.newsroom.delivery.sending import MOST_REFUSALS, Sender, Senders
from newsextract.newsroom.delivery.targets import Away, Refused
from newsextract.storage.database import open_engine
from newsextract.storage.database_thread import DatabaseThread
from newsextract.storage.outbox import letters_after
from newsextract.storage.schema import dead_letters, outbox
from tests.newsroom.delivery.messages import Fake, article, end, store, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection, Engine

    from newsextract.storage.outbox import Letter


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = open_engine(f"sqlite:///{tmp_path}/a.db")
    yield opened
    opened.dispose()


@pytest.fixture
def database(engine: Engine) -> Iterator[DatabaseThread]:
    thread = DatabaseThread(engine)
    yield thread
    assert thread.close(100)


def started(target: Fake, database: DatabaseThread) -> Sender:
    sender = Sender(target, database)
    sender.start()
    wait_until(lambda: sender.position is not None)
    return sender


def bridges(*numbers: int) -> list[str]:
    return [f"Bridge {number}" for number in numbers]


def test_messages_arrive_in_their_order_while_articles_are_stored(engine: Engine, database: DatabaseThread) -> None:
    target = Fake()
    sender = started(target, database)
    store(engine, [article(number) for number in range(25)])
    wait_until(lambda: len(target.headlines) == 25)
    store(engine, [article(25)])
    end(sender)
    assert target.headlines == bridges(*range(26))
    assert sender.counts == Counter(delivered=26)
    assert (sender.left(), target.is_closed) == (0, True)


def test_a_target_that_is_away_is_tried_again_and_others_do_not_wait(
    engine: Engine, database: DatabaseThread, caplog: pytest.LogCaptureFixture
) -> None:
    away, there = Fake("away"), Fake("there")
    is_back = threading.Event()

    def takes(headline: str) -> None:
        if headline == "Bridge 3" and not is_back.is_set():
            raise Away("no answer")

    away.takes = takes
    senders = [started(target, database) for target in (away, there)]
    store(engine, [article(number) for number in range(6)])
    wait_until(lambda: len(there.headlines) == 6)
    wait_until(lambda: senders[0].counts["outages"])
    assert away.headlines == bridges(0, 1, 2)
    is_back.set()
    wait_until(lambda: len(away.headlines) == 6)
    for sender in senders:
        end(sender)
    assert away.headlines == there.headlines == bridges(*range(6))
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert told == ["away is away, its messages wait in the outbox: no answer", "away is back"]


def test_what_is_left_is_for_the_next_run(engine: Engine, database: DatabaseThread) -> None:
    target = Fake()

    def refuses(_headline: str) -> None:
        raise Away("no answer")

    target.takes = refuses
    sender = started(target, database)
    store(engine, [article(1), article(2)])
    end(sender, 0.3)
    assert (target.headlines, sender.left()) == ([], 2)
    later = Fake()
    end(started(later, database))
    assert later.headlines == bridges(1, 2)


def test_one_that_will_not_be_taken_is_put_aside_at_last(
    engine: Engine, database: DatabaseThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("newsextract.newsroom.delivery.sending._FIRST_PAUSE_SECONDS", 0.01)
    asked: Counter[str] = Counter()
    target = Fake()

    def takes(headline: str) -> None:
        asked[headline] += 1
        if headline == "Bridge 1":
            raise Refused("answered 400")

    target.takes = takes
    sender = started(target, database)
    store(engine, [article(number) for number in range(3)])
    wait_until(lambda: len(target.headlines) == 2)
    end(sender)
    assert target.headlines == bridges(0, 2)
    assert sender.counts["dead"] == 1
    assert asked["Bridge 1"] >= MOST_REFUSALS
    with engine.connect() as connection:
        (row,) = connection.execute(select(dead_letters)).mappings()
    assert (row["target"], row["reason"]) == ("fake", "answered 400")
    assert '"Bridge 1"' in row["payload"]


def test_refusals_of_earlier_runs_count(
    engine: Engine, database: DatabaseThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("newsextract.newsroom.delivery.sending._FIRST_PAUSE_SECONDS", 60.0)
    asked = []

    def refuses(headline: str) -> None:
        asked.append(headline)
        raise Refused("answered 400")

    end(started(Fake(), database))
    store(engine, [article(1)])
    for _ in range(MOST_REFUSALS):  # each tries once, and is ended before it would try again
        target = Fake()
        target.takes = refuses
        sender = Sender(target, database)
        sender.start()
        wait_until(lambda: sender.counts["outages"] or sender.counts["dead"])  # noqa: B023 - asked at once
        end(sender, 0)
    assert len(asked) == MOST_REFUSALS
    assert sender.counts["dead"] == 1


def test_a_fault_of_the_target_is_logged_and_tried_again(
    engine: Engine, database: DatabaseThread, caplog: pytest.LogCaptureFixture
) -> None:
    faults = [ValueError("a bug")]
    target = Fake()

    def takes(_headline: str) -> None:
        if faults:
            raise faults.pop()

    target.takes = takes
    sender = started(target, database)
    store(engine, [article(1)])
    wait_until(lambda: target.headlines)
    end(sender)
    assert target.headlines == bridges(1)
    assert "delivery to fake failed" in caplog.text


def test_a_target_gets_the_kinds_that_it_wants(engine: Engine, database: DatabaseThread) -> None:
    target = Fake(kinds=["revision"])
    sender = started(target, database)
    later = "2026-05-21T09:00:00+00:00"
    store(engine, [article(1), article(2), article(1, text="It closes.", downloaded=later), article(3)])
    end(sender)
    assert target.headlines == bridges(1)
    assert sender.left() == 0


def test_two_senders_of_one_target_do_not_send_everything_twice(engine: Engine, database: DatabaseThread) -> None:
    target = Fake()
    target.takes = lambda _headline: time.sleep(0.002)
    senders = [started(target, database) for _ in range(2)]
    store(engine, [article(number) for number in range(60)])
    wait_until(lambda: len(set(target.headlines)) == 60)
    for sender in senders:
        end(sender)
    assert target.headlines == bridges(*range(60))


def test_an_end_without_hurry_waits_as_long_as_something_arrives(engine: Engine, database: DatabaseThread) -> None:
    slow = Fake()
    slow.most = 1
    end(started(Fake(), database))
    store(engine, [article(number) for number in range(8)])
    slow.takes = lambda _headline: time.sleep(0.5)
    senders = Senders([slow], database, 7.0)
    senders.start()
    (report,) = senders.finish(3.0, is_patient=True)
    assert (report.delivered, report.left) == (8, 0)
    assert slow.headlines == bridges(*range(8))


def test_what_is_added_while_it_looks_is_not_passed_over(
    engine: Engine, database: DatabaseThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    end(started(Fake(), database))
    store(engine, [article(1)])
    with engine.begin() as connection:
        connection.execute(delete(outbox))

    def looks_before_the_next(connection: Connection, position: int, most: int) -> list[Letter]:
        found = letters_after(connection, position, most)
        if not target.headlines and not found:
            connection.rollback()
            store(engine, [article(2)])
            monkeypatch.undo()
        return found

    monkeypatch.setattr("newsextract.newsroom.delivery.sending.letters_after", looks_before_the_next)
    target = Fake()
    end(started(target, database))
    assert target.headlines == bridges(2)
