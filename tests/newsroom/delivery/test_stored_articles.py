"""What a target that was added later is sent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from jsonschema import Draft202012Validator

from newsextract.article import Author, Image
from newsextract.newsroom.delivery.messages import article_message, schema
from newsextract.newsroom.delivery.sending import send_stored
from newsextract.newsroom.delivery.targets import Away, Refused
from newsextract.storage.articles import put_articles
from newsextract.storage.database import writing
from tests.newsroom.delivery.messages import Fake, article, change, envelope

if TYPE_CHECKING:
    from newsextract.storage.articles import ArticleStore
    from newsextract.storage.outbox import Letter

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def stored(store: ArticleStore, count: int) -> None:
    with writing(store.engine) as connection:
        put_articles(connection, [article(number) for number in range(count)])


class Keeping(Fake):
    def __init__(self) -> None:
        super().__init__()
        self.letters: list[Letter] = []

    def _take(self, letter: Letter) -> None:
        super()._take(letter)
        self.letters.append(letter)


def test_what_is_stored_is_sent_as_it_was_when_it_was_new(store: ArticleStore) -> None:
    rich = article(1, authors=[Author("Ada Byron")], mainImage=Image("https://a.example/1.jpg"), keywords=["bridge"])
    with writing(store.engine) as connection:
        put_articles(connection, [rich])
    target = Keeping()
    assert send_stored(store.engine, target, LONG_AGO, 0).delivered == 1
    (sent,), was = target.letters, article_message(change(rich))
    assert sent.id == was.id
    Draft202012Validator(schema()).validate(envelope(sent))
    for name in ("headline", "articleBody", "authors", "mainImage", "keywords", "url"):
        assert envelope(sent)["article"][name] == envelope(was)["article"][name], name


def test_all_of_many_are_sent_and_none_from_before(store: ArticleStore) -> None:
    stored(store, 120)
    target = Fake()
    assert send_stored(store.engine, target, LONG_AGO, 0).delivered == 120
    assert len(set(target.headlines)) == 120
    assert send_stored(store.engine, Fake(), datetime(2100, 1, 1, tzinfo=UTC), 0).delivered == 0


def test_what_a_target_refuses_or_is_away_for_is_counted(store: ArticleStore) -> None:
    stored(store, 5)

    def takes(headline: str) -> None:
        if len(target.headlines) == 2 and headline in (refused or [headline]):
            refused.append(headline)
            raise Refused("no")
        if len(target.headlines) == 3:
            raise Away("gone")

    refused: list[str] = []
    target = Fake()
    target.takes = takes
    report = send_stored(store.engine, target, LONG_AGO, 0)
    assert (report.delivered, report.dead, report.left, report.away) == (3, 1, 1, "gone")
