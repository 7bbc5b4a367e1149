"""Articles that vanish and come back, as visits are recorded, over every kind of database."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from newsextract.storage.ledger import record
from newsextract.storage.removals import TO_FRONT_PAGE, last_removals
from tests.storage.ledger.ledger_samples import NOON, finding, known, visit

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from newsextract.storage.ledger import VisitRecord
    from newsextract.storage.removals import Removal

DAY = timedelta(days=1)
KEY = "1" * 32
STORY, MOBILE = finding("story"), finding("m/story")


def looked(engine: Engine, *visits: VisitRecord) -> list[Removal]:
    """Record visits, twice each, as a commit may be repeated."""
    found = []
    for each in visits:
        for _ in range(2):
            with engine.begin() as connection:
                found += record(connection, [each])
    return found


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("error", "http 404"),
        ("error", "http 410"),
        ("error", TO_FRONT_PAGE),
        ("empty", None),
        ("other", "a short text"),
    ],
)
def test_an_article_is_removed_by_a_second_look_a_day_later_and_restored_when_it_is_back(
    engine: Engine, state: str, reason: str | None
) -> None:
    there = visit(STORY, NOON, article_id=KEY)
    missed = [visit(STORY, NOON + hours * DAY / 24, state, reason=reason) for hours in (2, 5, 27, 60)]
    back = [visit(STORY, NOON + days * DAY) for days in (3, 4)]
    assert looked(engine, there, *missed[:2]) == []
    (gone,) = looked(engine, *missed[2:])
    assert (gone.article_id, gone.reason) == (KEY, reason if state == "error" else "shows no article")
    assert (gone.date_missed, gone.date_removed) == ("2026-03-01T14:00:00+00:00", "2026-03-02T15:00:00+00:00")
    (restored,) = looked(engine, *back)
    assert restored.date_restored == "2026-03-04T12:00:00+00:00"
    again = [visit(STORY, NOON + days * DAY, "error", reason="http 404") for days in (5, 6)]
    assert [each.date_restored for each in looked(engine, *again)] == [None]
    with engine.begin() as connection:
        assert last_removals(connection, [KEY, "2" * 32])[KEY]["date_missed"] == "2026-03-06T12:00:00+00:00"


@pytest.mark.parametrize("state", ["empty", "other"])
def test_a_page_without_its_article_is_looked_at_again_and_the_same_bytes_are_no_article_either(
    engine: Engine, state: str
) -> None:
    assert looked(engine, visit(STORY, NOON, article_id=KEY), visit(STORY, NOON + DAY, state)) == []
    assert known(engine, STORY.id).next_visit == NOON + 2 * DAY
    (gone,) = looked(engine, visit(STORY, NOON + 2 * DAY, "unchanged", reason="same bytes"))
    assert (gone.article_id, gone.reason) == (KEY, "shows no article")


def test_trifles_remove_nothing(engine: Engine) -> None:
    assert looked(
        engine,
        visit(STORY, NOON, article_id=KEY),
        visit(STORY, NOON + DAY, "error", reason="http 404"),
        visit(STORY, NOON + 2 * DAY, "unchanged"),  # away for a moment
        visit(STORY, NOON + 3 * DAY, "error", reason="http 404"),
        visit(STORY, NOON + 4 * DAY, "error", reason="http 503"),  # says nothing
        visit(STORY, NOON + 5 * DAY, "blocked", reason="http 403"),
        visit(finding("never"), NOON, "error", reason="http 404"),  # was no article
        visit(finding("never"), NOON + DAY, "error", reason="http 404"),
    ) == []  # fmt: skip


def test_an_article_with_two_addresses_is_removed_when_both_are_gone(engine: Engine) -> None:
    there = [visit(each, NOON, article_id=KEY) for each in (STORY, MOBILE)]
    first, second = (
        [visit(each, NOON + days * DAY, "error", reason="http 410") for days in range(1, 4)] for each in (STORY, MOBILE)
    )
    assert looked(engine, *there, *first) == []
    assert [gone.article_id for gone in looked(engine, *second)] == [KEY]


def test_an_address_that_is_no_longer_watched_is_looked_at_once_more_when_another_is_gone(engine: Engine) -> None:
    there = [visit(each, NOON, article_id=KEY, published=NOON - 30 * DAY) for each in (STORY, MOBILE)]
    missed = [visit(STORY, NOON + days * DAY, "error", reason="http 404") for days in (1, 2)]
    assert looked(engine, *there) == []
    assert known(engine, MOBILE.id).next_visit is None
    assert looked(engine, *missed) == []
    assert known(engine, MOBILE.id).next_visit == NOON + 2 * DAY
    (gone,) = looked(engine, visit(MOBILE, NOON + 2.1 * DAY, "error", reason="http 404"))
    assert gone.article_id == KEY
