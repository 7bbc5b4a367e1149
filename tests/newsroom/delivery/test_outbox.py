"""The outbox and the progress of its targets, on every database."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, text, update

from newsextract.newsroom.delivery.messages import Announcer
from newsextract.storage.articles import put_articles
from newsextract.storage.database import writing
from newsextract.storage.outbox import (
    FORGET_DAYS,
    HOLD_SECONDS,
    Letter,
    Message,
    Progress,
    Seeking,
    add,
    advance,
    head,
    hold,
    let_go,
    letters_after,
    note_refusals,
    prune,
    register,
)
from newsextract.storage.schema import dead_letters, deliveries, outbox
from tests.newsroom.delivery.messages import article, outbox_of
from tests.newsroom.delivery.messages import store as put

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Engine

    from newsextract.storage.articles import ArticleStore
    from newsextract.storage.revisions import Change

NOW = datetime(2026, 5, 20, 9, tzinfo=UTC)

FOUND = {"rule": "bridges", "passages": ["opens"], "dateMatched": "2026-05-20T12:00:00+00:00"}


def message(number: int) -> Message:
    return Message(f"{number:032x}", "article", f"{number:032x}", f'{{"number":{number}}}')


def seeking(sender: str = "a", seconds: float = 0, target: str = "hook") -> Seeking:
    return Seeking(target, sender, NOW + timedelta(seconds=seconds))


def done(engine: Engine, operation: Any, *arguments: Any) -> Any:
    with writing(engine) as connection:
        return operation(connection, list(arguments))


def kinds(engine: Engine) -> list[str]:
    return [str(found["kind"]) for found in outbox_of(engine)]


def test_a_new_article_and_its_message_are_stored_together_or_not_at_all(store: ArticleStore) -> None:
    def fail(_connection: Connection, _changes: Sequence[Change]) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"), writing(store.engine) as connection:
        put_articles(connection, [article()], effects=[Announcer(), fail])
    assert (store.count(), outbox_of(store.engine)) == (0, [])
    put(store.engine, [article(1), article(2), article(1)])
    found = outbox_of(store.engine)
    assert [(one["kind"], one["article"]["headline"]) for one in found] == [
        ("article", "Bridge 1"), ("article", "Bridge 2"),
    ]  # fmt: skip


def test_a_changed_article_is_a_revision_and_another_look_is_none(store: ArticleStore) -> None:
    put(store.engine, [article(), article(text=" IT OPENS")])
    assert kinds(store.engine) == ["article"]
    put(store.engine, [article(text="It closes.", downloaded="2026-05-21T09:00:00+00:00")])
    assert kinds(store.engine) == ["article", "revision"]
    assert outbox_of(store.engine)[1]["revision"]["previous"]["headline"] == "Bridge 1"


def test_others_say_what_matches(store: ArticleStore) -> None:
    def bridges(_connection: Connection, changes: Sequence[Change]) -> dict[str, Any]:
        return {str(change.row["id"]): [FOUND] for change in changes}

    announcer = Announcer(bridges)
    put(store.engine, [article(), article(text="Other.", downloaded="2026-05-21T09:00:00+00:00")], announcer)
    assert kinds(store.engine) == ["article", "match", "revision", "match"]
    assert outbox_of(store.engine)[1]["match"] == outbox_of(store.engine)[3]["match"] == FOUND


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


def test_a_target_that_was_forgotten_is_known_again(store: ArticleStore) -> None:
    (found,) = done(store.engine, hold, seeking())
    assert (found.position, found.is_ours) == (0, True)


def test_a_place_never_moves_back(store: ArticleStore) -> None:
    done(store.engine, register, seeking())
    done(store.engine, advance, Progress("hook", 5, NOW), Progress("hook", 3, NOW))
    assert done(store.engine, hold, seeking())[0].position == 5


def test_refusals_are_counted_for_one_message(store: ArticleStore) -> None:
    done(store.engine, register, seeking())
    done(store.engine, note_refusals, ("hook", 0, 3), ("hook", 7, 9))
    assert done(store.engine, hold, seeking())[0].refusals == 3
    letter = Letter(1, "0" * 32, "article", "{}")
    for _ in range(2):
        done(store.engine, advance, Progress("hook", 1, NOW, letter, "answered 400"))
    assert done(store.engine, hold, seeking())[0].refusals == 0
    with store.engine.connect() as connection:
        rows = connection.execute(select(dead_letters)).mappings().all()
    assert [(row["target"], row["payload"], row["reason"]) for row in rows] == [("hook", "{}", "answered 400")]


def test_old_messages_go_when_all_targets_have_them(store: ArticleStore) -> None:
    done(store.engine, register, seeking(), seeking(target="feed"))
    put(store.engine, [article(number) for number in range(1, 5)])
    with store.engine.begin() as connection:
        old = (NOW - timedelta(days=8)).isoformat()
        connection.execute(update(outbox).where(outbox.c.id <= 3).values(date_created=old))
        connection.execute(update(outbox).where(outbox.c.id == 4).values(date_created=NOW.isoformat()))
    done(store.engine, advance, Progress("hook", 4, NOW), Progress("feed", 2, NOW))
    assert done(store.engine, prune, (NOW, 7.0))[0].messages == 2
    done(store.engine, advance, Progress("feed", 4, NOW))
    assert done(store.engine, prune, (NOW, 7.0))[0].messages == 1
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
    assert pruned.forgotten == ("gone",)
    with store.engine.connect() as connection:
        assert connection.execute(select(deliveries.c.target)).scalars().all() == ["hook"]
        assert connection.execute(text("select count(*) from outbox")).scalar() == 0
