"""Keys of articles that copies no longer come of are deleted, a few articles at a time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, insert, select

from newsextract.storage.copies import old_keys
from newsextract.storage.copies.old_keys import KEPT, forget_old_keys
from newsextract.storage.database.batches import hold
from newsextract.storage.database.connection import writing
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.history_tables import fingerprint_keys
from tests.storage.copies.test_stories import OTHER, article, put

if TYPE_CHECKING:
    from newsextract.storage.articles.article_store import ArticleStore

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC) + KEPT


def days_with_keys(store: ArticleStore) -> list[str]:
    """Return the days on which articles were first seen that still have keys, without repeats."""
    joined = select(func.substr(articles.c.date_first_seen, 1, 10)).join(
        fingerprint_keys, fingerprint_keys.c.article_number == articles.c.number
    )
    with store.engine.connect() as connection:
        return sorted(set(connection.execute(joined).scalars()))


def forget(store: ArticleStore, now: datetime = NOW) -> bool:
    with writing(store.engine) as connection:
        return forget_old_keys(connection, [now])[0]


@pytest.fixture
def aging(store: ArticleStore) -> ArticleStore:
    """A store with an article first seen on each of seven days, the third of them before `NOW` less `KEPT`."""
    put(store, *(article(f"{OTHER} {day}.", f"{day + 9}", days=day - 3) for day in range(7)))
    return store


def test_the_keys_of_old_articles_go_and_those_of_the_others_stay(aging: ArticleStore) -> None:
    assert len(days_with_keys(aging)) == 7
    assert forget(aging) is False
    assert days_with_keys(aging) == ["2026-05-21", "2026-05-22", "2026-05-23"]
    assert forget(aging) is False


def test_it_goes_on_where_it_was_and_with_later_days(aging: ArticleStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old_keys, "BATCH", 2)
    assert forget(aging) is True
    assert days_with_keys(aging)[0] == "2026-05-19"
    assert forget(aging) is True
    assert forget(aging) is False
    assert days_with_keys(aging) == ["2026-05-21", "2026-05-22", "2026-05-23"]
    forget(aging, NOW + timedelta(days=1))
    assert days_with_keys(aging) == ["2026-05-22", "2026-05-23"]


def test_articles_of_one_moment_go_together(store: ArticleStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old_keys, "BATCH", 2)
    put(store, *(article(f"{OTHER} {name}.", name) for name in ("a", "b", "c")))
    forget(store)
    assert days_with_keys(store) == []


def test_another_run_that_is_at_it_is_not_waited_for(aging: ArticleStore) -> None:
    if aging.engine.dialect.name == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    forget(aging, NOW - timedelta(days=99))  # the first time makes the row
    with writing(aging.engine) as other:
        hold(other, "old keys")
        assert forget(aging) is False
        assert len(days_with_keys(aging)) == 7
    forget(aging)
    assert len(days_with_keys(aging)) == 3


def test_keys_without_an_article_are_left_alone(store: ArticleStore) -> None:
    with writing(store.engine) as connection:
        connection.execute(insert(fingerprint_keys).values(key=1, article_number=1, day=1))
    assert forget(store) is False
