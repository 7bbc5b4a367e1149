from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from newsextract.article import Article
from newsextract.storage.articles import row_of
from newsextract.storage.ledger import (
    Admission,
    Claim,
    Finding,
    Pending,
    Role,
    address_id,
    admit,
    claim,
    pending,
    prune_daily,
)
from tests.storage.ledger.ledger_samples import NOON, SITE, admitted, begun, entries, finding, known, recorded, visit

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Engine

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def left(engine: Engine, now: datetime, most: int = 10) -> list[str]:
    with engine.begin() as connection:
        (found,) = pending(connection, [Pending(SITE, now, most)])
    return [entry.url.rpartition("/")[2] for entry in found]


def test_an_article_has_the_same_key_in_the_ledger_and_in_its_table() -> None:
    url = "http://www.news.example/a/?b=1"
    assert row_of(Article(url=url))["id"] == address_id("https://news.example/a?b=1")


def test_new_addresses_are_wanted_in_their_order_and_each_once(engine: Engine) -> None:
    found = [finding(name) for name in ("z", "a", "m", "a")]
    assert admitted(engine, NOON, *found) == ["z", "a", "m"]
    assert admitted(engine, NOON, *reversed(found)) == ["a", "m", "z"], "nobody has visited them yet"


def test_what_was_visited_is_left_out_until_it_is_due(engine: Engine) -> None:
    found = finding("a")
    admitted(engine, NOON, found)
    recorded(engine, visit(found, NOON, published=NOON))
    assert admitted(engine, NOON + HOUR / 3, found, finding("b")) == ["b"]
    assert admitted(engine, NOON + HOUR / 2, found) == ["a"]


def test_spellings_of_an_address_are_one_page_but_several_sources(engine: Engine) -> None:
    urls = ("https://news.example/feed", "http://www.news.example/feed")
    for role, count in ((Role.ARTICLE, 1), (Role.SOURCE, 2)):
        assert len(admitted(engine, NOON, *(Finding(url, SITE, role) for url in urls))) == count


def test_more_findings_than_fit_one_statement_are_all_written(engine: Engine) -> None:
    found = [finding(f"a{number}") for number in range(1201)]
    assert len(admitted(engine, NOON, *found)) == 1201
    with engine.begin() as connection:
        assert None not in entries(connection, [one.id for one in found])


def test_admissions_of_one_batch_are_answered_each_for_itself(engine: Engine) -> None:
    with engine.begin() as connection:
        both = admit(connection, [Admission((finding("a"),), NOON), Admission((finding("b"), finding("a")), NOON)])
    assert [len(wanted) for wanted in both] == [1, 2]


def test_a_source_that_tells_more_is_heard_and_one_that_tells_less_changes_nothing(engine: Engine) -> None:
    admitted(engine, NOON, finding("a", hints={"title": "A"}))
    admitted(engine, NOON, finding("a", listed=NOON, hints={"date": "2026-03-01"}))
    admitted(engine, NOON, finding("a", listed=NOON - DAY))
    entry = known(engine, finding("a").id)
    assert entry.hints == {"title": "A", "date": "2026-03-01"}
    assert entry.listed == NOON


def test_titles_are_kept_but_for_characters_that_no_text_has(engine: Engine) -> None:
    title = "Ça \N{PILE OF POO} 新闻 \0 \ud800"
    admitted(engine, NOON, finding("a", hints={"title": title}))
    assert known(engine, finding("a").id).hints == {"title": "Ça \N{PILE OF POO} 新闻  \ufffd"}


def test_a_newer_date_in_the_source_makes_an_article_due(engine: Engine) -> None:
    found = finding("a", listed=NOON - DAY)
    admitted(engine, NOON, found)
    recorded(engine, visit(found, NOON, published=NOON - 10 * DAY))
    later = NOON + HOUR
    assert admitted(engine, later, found) == []
    assert admitted(engine, later, finding("a", listed=NOON + HOUR / 2)) == ["a"]
    recorded(engine, visit(found, later, "unchanged"))
    assert admitted(engine, later + HOUR / 2, finding("a", listed=later + HOUR / 3)) == [], "it cried wolf"
    assert admitted(engine, later + HOUR, finding("a", listed=later + HOUR / 3)) == ["a"]


def test_a_page_that_turns_out_to_be_a_section_is_due_as_one(engine: Engine) -> None:
    page, section = finding("sport"), finding("sport", Role.LISTING, found_in="links", depth=1)
    admitted(engine, NOON, page)
    assert recorded(engine, visit(page, NOON, "listing")).next_visit is None
    assert admitted(engine, NOON + DAY, page) == []
    assert admitted(engine, NOON + DAY, section) == ["sport"]
    assert known(engine, page.id).role is Role.LISTING
    recorded(engine, visit(section, NOON + DAY, "listing"))
    assert admitted(engine, NOON + DAY, page, section) == []


def test_an_article_stays_one_even_if_a_page_links_it_like_a_section(engine: Engine) -> None:
    recorded(engine, visit(finding("a"), NOON, article_id="1" * 32))
    assert admitted(engine, NOON, finding("a", Role.LISTING)) == []
    assert known(engine, finding("a").id).role is Role.ARTICLE


@pytest.mark.parametrize("role", [Role.LISTING, Role.SOURCE])
def test_listings_and_sources_are_wanted_by_their_own_rhythm(engine: Engine, role: Role) -> None:
    found = finding("politics", role, found_in="sitemap", depth=2)
    assert admitted(engine, NOON, found) == ["politics"]
    recorded(engine, visit(found, NOON, "listing"))
    assert admitted(engine, NOON + HOUR * 0.9, found) == []
    assert admitted(engine, NOON + HOUR, found) == ["politics"]


def test_what_earlier_runs_left_comes_newest_first_and_before_revisits(engine: Engine) -> None:
    admitted(engine, NOON, finding("undated"), finding("old", listed=NOON - DAY), finding("new", listed=NOON + HOUR))
    admitted(engine, NOON, finding("section", Role.LISTING), finding("read"))
    recorded(engine, visit(finding("read"), NOON, published=NOON))
    assert left(engine, NOON) == ["new", "undated", "old"]
    assert left(engine, NOON + HOUR) == ["new", "undated", "old", "read"]
    assert left(engine, NOON + HOUR, most=2) == ["new", "undated"]


def test_pruning_forgets_old_pages_but_no_article_and_nothing_recent(engine: Engine) -> None:
    recorded(engine, visit(finding("shop"), NOON - 500 * DAY, "other"))
    recorded(engine, visit(finding("article"), NOON - 500 * DAY, article_id="1" * 32))
    recorded(engine, visit(finding("thread"), NOON, "other"))
    with engine.begin() as connection:
        assert prune_daily(connection, [NOON]) == [1]
        gone, article, thread = entries(connection, [finding(name).id for name in ("shop", "article", "thread")])
    assert gone is None
    assert article
    assert thread


def test_what_a_living_run_holds_is_not_left_for_others(engine: Engine) -> None:
    admitted(engine, NOON, finding("a"), finding("b"))
    with engine.begin() as connection:
        claim(connection, [Claim(begun(engine).id, (finding("a").id,), NOON)])
    assert left(engine, NOON) == ["b"]
    assert set(left(engine, NOON + HOUR)) == {"a", "b"}, "that run has been silent for an hour"
