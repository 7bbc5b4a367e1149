"""Copies of articles, and the stories they make."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select, text

from newsextract.article import Article, ArticleMetadata
from newsextract.storage.articles import put_articles
from newsextract.storage.database import writing
from newsextract.storage.likeness import TextPrint, additions, text_likeness
from newsextract.storage.schema import articles, fingerprint_keys, stories, story_articles
from newsextract.storage.stories import KEPT, WINDOW_DAYS, forget_old_keys, link_stories
from tests.article_store import ArticleStore
from tests.tellings import Telling, tellings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlalchemy import Connection

    from newsextract.storage.revisions import Change


# Keys of texts must stay the same, as stored ones are compared with new ones.

STORY = " ".join(f"Speaker number {number} said that the bridge over the river would open soon." for number in range(9))


def test_the_keys_of_a_text_are_those_that_databases_hold() -> None:
    keys = TextPrint.of(STORY).keys
    assert len(keys) == 33
    assert (keys[:2], keys[-1]) == ((1366706123744629438, 1435277201051341718), 8676893915162219243)


# Copies linked as they are stored: the same behaviour on each database.

ENGLISH = list(tellings("english"))
ORIGINAL, OTHER = ENGLISH[0].text, ENGLISH[1].text
FORMS = {telling.form: telling.text for telling in ENGLISH[:11]}
DAY = date(2026, 5, 20)


def article(body: str, name: str, days: int = 0, site: str = "a.example") -> Article:
    day = DAY + timedelta(days=days)
    return Article(
        url=f"https://{site}/{name}",
        headline=name,
        articleBody=body,
        datePublished=f"{day}T08:00:00+02:00",
        metadata=ArticleMetadata(f"{day}T09:{len(name):02}:00+00:00"),
    )


def put(store: ArticleStore, *batch: Article) -> int:
    linked = 0

    def link(connection: Connection, changes: Sequence[Change]) -> None:
        nonlocal linked
        linked += link_stories(connection, changes)

    with writing(store.engine) as connection:
        put_articles(connection, batch, effects=[link])
    return linked


def story_id_of(store: ArticleStore, name: str) -> str | None:
    ids = select(articles.c.id).where(articles.c.headline == name)
    with store.engine.connect() as connection:
        found: str | None = connection.execute(
            select(story_articles.c.story_id).where(story_articles.c.article_id.in_(ids))
        ).scalar()
    return found


def names(store: ArticleStore, name: str) -> list[str | None]:
    """Return the headlines of an article's story, those seen first before the others."""
    members = select(story_articles.c.article_id).where(story_articles.c.story_id == story_id_of(store, name))
    order = articles.c.date_first_seen, articles.c.date_published_utc, articles.c.id
    with store.engine.connect() as connection:
        found = select(articles.c.headline).where(articles.c.id.in_(members)).order_by(*order)
        return list(connection.execute(found).scalars())


def pair_figures(store: ArticleStore, told: Sequence[Telling]) -> tuple[float, float]:
    """Return precision and recall of the pairs in one story, with each telling stored separately."""
    for number, telling in enumerate(told):
        put(store, article(telling.text, f"{number}", site=f"site{number}.example"))
    with store.engine.connect() as connection:
        rows = connection.execute(
            text("select a.headline, c.story_id from articles a join story_articles c on c.article_id = a.id")
        )
        found = {int(headline): story for headline, story in rows}
    pairs = list(combinations(range(len(told)), 2))
    linked = {(one, two) for one, two in pairs if one in found and found[one] == found.get(two)}
    copies = {(one, two) for one, two in pairs if told[one].story == told[two].story}
    return len(linked & copies) / len(linked), len(linked & copies) / len(copies)


@pytest.mark.parametrize("words", ["english", "french", "chinese"])
def test_copies_are_told_from_articles_on_the_same_subject(words: str, tmp_path: Path) -> None:
    store = ArticleStore.open(f"sqlite:///{tmp_path}/articles.db")
    precision, recall = pair_figures(store, list(tellings(words)))
    assert precision >= 0.95, (precision, recall)
    assert recall >= 0.95, (precision, recall)


@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("original", "other")])
def test_a_copy_is_one_however_it_was_edited(form: str) -> None:
    # What surrounds a shortened one may be longer than the rest of it.
    original = FORMS["shortened"] if form == "inside a longer one" else ORIGINAL
    assert text_likeness(original, FORMS[form]).is_copy
    assert set(TextPrint.of(original).keys) & set(TextPrint.of(FORMS[form]).keys)


def test_a_story_has_its_articles_and_how_alike_they_are(store: ArticleStore) -> None:
    longer = ORIGINAL + "\nNobody at the harbour had expected as many visitors on the first evening."
    assert put(store, article(FORMS["shortened"], "short", 1, "c.example")) == 0
    assert put(store, article(ORIGINAL, "first"), article(longer, "longer", 0, "b.example")) == 3
    assert names(store, "short") == ["first", "longer", "short"]
    assert additions(ORIGINAL, longer) == ["Nobody at the harbour had expected as many visitors on the first evening."]
    with store.engine.connect() as connection:
        shared = connection.execute(select(story_articles.c.similarity, story_articles.c.containment)).all()
    assert sorted(containment for _, containment in shared) == [1.0, 1.0, 1.0]
    assert min(similarity for similarity, _ in shared) < 0.9


def test_an_article_without_copies_has_no_story(tmp_path: Path) -> None:
    store = ArticleStore.open(f"sqlite:///{tmp_path}/articles.db")
    put(store, article(ORIGINAL, "one"), article(OTHER, "two"), article("Too short to tell.", "three", 0, "b.example"))
    put(store, article("Too short to tell.", "four", 0, "c.example"), article("", "five"))
    assert [names(store, name) for name in ("one", "two", "three", "four", "five")] == [[]] * 5


def test_two_stories_become_one_when_an_article_links_them(store: ArticleStore) -> None:
    lines = ENGLISH[0].text.splitlines()
    half = len(lines) // 2
    front, back = "\n".join(lines[:half]), "\n".join(lines[half:])
    put(store, article(front, "a1"), article(front, "a22"))
    put(store, article(back, "b333"), article(back, "b4444"))
    younger = story_id_of(store, "b333")
    assert names(store, "a1") == ["a1", "a22"]
    assert put(store, article(ORIGINAL, "all-of-it")) == 1
    assert names(store, "b4444") == ["a1", "a22", "b333", "b4444", "all-of-it"]
    with store.engine.connect() as connection:
        merged = connection.execute(select(stories.c.merged_into).where(stories.c.id == younger)).scalar()
    assert merged == story_id_of(store, "a1") != younger


def test_two_crawlers_that_bring_copies_at_once_make_one_story(store: ArticleStore) -> None:
    batches = [article(ORIGINAL, f"copy-{number}", site=f"s{number}.example") for number in range(8)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda one: put(store, one), batches))
    assert len(names(store, "copy-0")) == 8
    with store.engine.connect() as connection:
        assert connection.execute(select(func.count()).select_from(stories)).scalar_one() == 1


def test_what_recurs_is_not_one_story_for_ever(tmp_path: Path) -> None:
    store = ArticleStore.open(f"sqlite:///{tmp_path}/articles.db")
    for week in range(6):
        put(store, article(ORIGINAL, f"week-{week}", 7 * week))
    stories = [names(store, f"week-{week}") for week in range(6)]
    assert stories[0] == ["week-0", "week-1", "week-2"]
    assert stories[5] == ["week-3", "week-4", "week-5"]
    assert WINDOW_DAYS == 14


def test_storing_again_and_changing_keep_the_links(store: ArticleStore) -> None:
    put(store, article(ORIGINAL, "one"), article(ORIGINAL, "other-one"))
    changed = replace(article(OTHER, "one"), metadata=ArticleMetadata("2026-05-21T09:00:00+00:00"))
    assert put(store, article(ORIGINAL, "one"), changed) == 0
    assert names(store, "one") == ["one", "other-one"]
    assert put(store, article(OTHER, "a-third", site="b.example")) == 1
    assert names(store, "one") == ["one", "a-third", "other-one"]


def test_a_phrase_that_very_many_have_links_nothing_and_grows_no_further(store: ArticleStore) -> None:
    box = "All rights are reserved and no part of this may be printed again without a letter from the publisher."
    told = [article(f"{box}\n" + f"w{number} " * 5 + " ".join(f"{number}x{at}" for at in range(60)), f"{number}")
            for number in range(130)]  # fmt: skip
    put(store, *told[:110])
    assert put(store, *told[110:]) == 0
    with store.engine.connect() as connection:
        shared = (
            select(func.count())
            .select_from(fingerprint_keys)
            .group_by(fingerprint_keys.c.key)
            .order_by(func.count().desc())
            .limit(1)
        )
        assert connection.execute(shared).scalar_one() == 110


# Keys of articles that copies no longer come of are deleted, a few articles at a time.

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


# The prints of texts: kept for recent texts, and copies are the same whoever has made them.
