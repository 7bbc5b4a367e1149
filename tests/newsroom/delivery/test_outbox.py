"""The outbox and the progress of its targets, on every database."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from sqlalchemy import select, text, update

from newsextract.article import Author, Image, UsageRights
from newsextract.newsroom.delivery.messages import announce, article_message, schema
from newsextract.newsroom.delivery.sending import MOST_REFUSALS, Sender, send_stored
from newsextract.newsroom.delivery.targets import Away, Refused
from newsextract.storage.articles import put_articles
from newsextract.storage.database import open_engine, writing
from newsextract.storage.database_thread import DatabaseThread
from newsextract.storage.outbox import (
    FORGET_DAYS,
    HOLD_SECONDS,
    Message,
    Progress,
    Seeking,
    add,
    advance,
    head,
    hold,
    let_go,
    letters_after,
    prune,
    register,
)
from newsextract.storage.schema import dead_letters, deliveries, outbox
from tests.newsroom.delivery.messages import Fake, article, change, end, envelope, outbox_of, put, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sqlalchemy import Connection, Engine

    from newsextract.storage.revisions import Change
    from tests.article_store import ArticleStore


NOW = datetime(2026, 5, 20, 9, tzinfo=UTC)


def message(number: int) -> Message:
    return Message(f"{number:032x}", "article", f"{number:032x}", f'{{"number":{number}}}')


def seeking(sender: str = "a", seconds: float = 0, target: str = "hook") -> Seeking:
    return Seeking(target, sender, NOW + timedelta(seconds=seconds))


def done(engine: Engine, operation: Any, *arguments: Any) -> Any:
    with writing(engine) as connection:
        return operation(connection, list(arguments))


def test_a_new_article_and_its_message_are_stored_together_or_not_at_all(store: ArticleStore) -> None:
    def fail(_connection: Connection, _changes: Sequence[Change]) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"), writing(store.engine) as connection:
        put_articles(connection, [article()], effects=[announce, fail])
    assert (store.count(), outbox_of(store.engine)) == (0, [])
    put(store.engine, [article(1), article(2), article(1)])
    found = outbox_of(store.engine)
    assert [(one["kind"], one["article"]["headline"]) for one in found] == [
        ("article", "Bridge 1"), ("article", "Bridge 2"),
    ]  # fmt: skip


def test_a_repeated_transaction_adds_nothing(store: ArticleStore) -> None:
    for _ in range(2):
        with writing(store.engine) as connection:
            add(connection, [message(1), message(2), message(1)])
    with store.engine.connect() as connection:
        assert [found.position for found in letters_after(connection, 0, 10)] == [1, 2]
        assert head(connection) == 2


def test_places_are_without_gaps_in_the_order_of_commits(store: ArticleStore) -> None:
    """A reader that has reached a place never finds something new before it."""
    problems: list[str] = []

    def write(first: int) -> None:
        for number in range(first, first + 20):
            with writing(store.engine) as connection:
                add(connection, [message(2 * number), message(2 * number + 1)])

    threads = [threading.Thread(target=write, args=(first,)) for first in (0, 100, 200)]
    for thread in threads:
        thread.start()
    position = 0
    while position < 120:
        with store.engine.connect() as connection:
            for found in letters_after(connection, position, 50):
                if found.position != position + 1:
                    problems.append(f"{found.position} after {position}")
                position = found.position
        if problems or not any(thread.is_alive() for thread in threads):
            break
    for thread in threads:
        thread.join(100)
    assert problems == []
    with store.engine.connect() as connection:
        assert head(connection) == len(letters_after(connection, 0, 1000)) == 120


def test_a_new_target_gets_what_comes_from_now_on(store: ArticleStore) -> None:
    put(store.engine, [article(1)])
    done(store.engine, register, seeking())
    put(store.engine, [article(2)])
    done(store.engine, register, seeking())
    (found,) = done(store.engine, hold, seeking())
    assert (found.position, found.is_ours) == (1, True)


def test_a_target_has_one_sender_at_a_time(store: ArticleStore) -> None:
    done(store.engine, register, seeking())
    assert done(store.engine, hold, seeking("a"))[0].is_ours
    assert done(store.engine, hold, seeking("a", 10))[0].is_ours
    assert not done(store.engine, hold, seeking("b", HOLD_SECONDS + 5))[0].is_ours
    assert done(store.engine, hold, seeking("b", HOLD_SECONDS + 20))[0].is_ours
    done(store.engine, let_go, seeking("a"))
    assert not done(store.engine, hold, seeking("a", HOLD_SECONDS + 21))[0].is_ours
    done(store.engine, let_go, seeking("b"))
    assert done(store.engine, hold, seeking("a", HOLD_SECONDS + 22))[0].is_ours


def test_a_place_never_moves_back(store: ArticleStore) -> None:
    done(store.engine, register, seeking())
    done(store.engine, advance, Progress("hook", 5, NOW), Progress("hook", 3, NOW))
    assert done(store.engine, hold, seeking())[0].position == 5


def test_old_messages_go_when_all_targets_have_them(store: ArticleStore) -> None:
    done(store.engine, register, seeking(), seeking(target="feed"))
    put(store.engine, [article(number) for number in range(1, 5)])
    with store.engine.begin() as connection:
        old = (NOW - timedelta(days=8)).isoformat()
        connection.execute(update(outbox).where(outbox.c.id <= 3).values(date_created=old))
        connection.execute(update(outbox).where(outbox.c.id == 4).values(date_created=NOW.isoformat()))
    done(store.engine, advance, Progress("hook", 4, NOW), Progress("feed", 2, NOW))
    assert done(store.engine, prune, (NOW, 7.0))[0][0] == 2
    done(store.engine, advance, Progress("feed", 4, NOW))
    assert done(store.engine, prune, (NOW, 7.0))[0][0] == 1
    put(store.engine, [article(9)])
    with store.engine.connect() as connection:
        assert [found.position for found in letters_after(connection, 0, 10)] == [4, 5]


def test_a_target_that_is_in_no_settings_for_long_holds_up_nothing(store: ArticleStore) -> None:
    done(store.engine, register, seeking(), seeking(target="gone"))
    put(store.engine, [article()])
    done(store.engine, advance, Progress("hook", 1, NOW))
    later = NOW + timedelta(days=FORGET_DAYS + 400)
    done(store.engine, hold, Seeking("hook", "a", later))
    (pruned,) = done(store.engine, prune, (later, 7.0))
    assert pruned[1] == ("gone",)
    with store.engine.connect() as connection:
        assert connection.execute(select(deliveries.c.target)).scalars().all() == ["hook"]
        assert connection.execute(text("select count(*) from outbox")).scalar() == 0


# Sending from the outbox to targets that behave as told.


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
    put(engine, [article(number) for number in range(25)])
    wait_until(lambda: len(target.headlines) == 25)
    put(engine, [article(25)])
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
    put(engine, [article(number) for number in range(6)])
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
    put(engine, [article(1), article(2)])
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
    put(engine, [article(number) for number in range(3)])
    wait_until(lambda: len(target.headlines) == 2)
    end(sender)
    assert target.headlines == bridges(0, 2)
    assert sender.counts["dead"] == 1
    assert asked["Bridge 1"] >= MOST_REFUSALS
    with engine.connect() as connection:
        (row,) = connection.execute(select(dead_letters)).mappings()
    assert (row["target"], row["reason"]) == ("fake", "answered 400")
    assert '"Bridge 1"' in row["payload"]


def test_two_senders_of_one_target_do_not_send_everything_twice(engine: Engine, database: DatabaseThread) -> None:
    target = Fake()
    target.takes = lambda _headline: time.sleep(0.002)
    senders = [started(target, database) for _ in range(2)]
    put(engine, [article(number) for number in range(60)])
    wait_until(lambda: len(set(target.headlines)) == 60)
    for sender in senders:
        end(sender)
    assert target.headlines == bridges(*range(60))


# What a target that was added later is sent.

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def stored(store: ArticleStore, count: int) -> None:
    with writing(store.engine) as connection:
        put_articles(connection, [article(number) for number in range(count)])


def test_what_is_stored_is_sent_as_it_was_when_it_was_new(store: ArticleStore) -> None:
    rich = article(1, authors=[Author("Ada Byron")], mainImage=Image("https://a.example/1.jpg"), keywords=["bridge"])
    with writing(store.engine) as connection:
        put_articles(connection, [rich])
    target = Fake()
    assert send_stored(store.engine, target, LONG_AGO, 0).delivered == 1
    (sent,), was = target.letters, article_message(change(rich))
    assert sent.id == was.id
    Draft202012Validator(schema()).validate(envelope(sent))
    for name in ("headline", "articleBody", "authors", "mainImage", "keywords", "url"):
        assert envelope(sent)["article"][name] == envelope(was)["article"][name], name


def test_what_is_reserved_is_sent_to_nobody_who_heeds_it(engine: Engine, database: DatabaseThread) -> None:
    careful, other = Fake(), Fake("other")
    careful.use = "train-ai"
    senders = [started(target, database) for target in (careful, other)]
    tagged = UsageRights(statements=("meta robots: noai",))
    put(engine, [article(0), article(1, usageRights=tagged), article(2)])
    for sender in senders:
        end(sender)
    assert (careful.headlines, other.headlines) == (bridges(0, 2), bridges(0, 1, 2))
    assert senders[0].left() == 0
    assert senders[0].left_out is not None
    assert senders[0].left_out.counts == {"noai in meta": 1}
    again = Fake()
    again.use = "train-ai"
    report = send_stored(engine, again, LONG_AGO, 0)
    assert (report.delivered, report.left, report.left_out) == (2, 0, {"noai in meta": 1})


def test_all_of_many_are_sent_and_none_from_before(store: ArticleStore) -> None:
    stored(store, 120)
    target = Fake()
    assert send_stored(store.engine, target, LONG_AGO, 0).delivered == 120
    assert len(set(target.headlines)) == 120
    assert send_stored(store.engine, Fake(), datetime(2100, 1, 1, tzinfo=UTC), 0).delivered == 0
