"""Articles, and the messages that storing them makes."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from newsextract.article import Article, ArticleMetadata
from newsextract.newsroom.delivery.messages import KINDS, announce
from newsextract.newsroom.delivery.targets import Target, deliver_each
from newsextract.storage.articles import put_articles, row_of
from newsextract.storage.database import writing
from newsextract.storage.outbox import Letter, letters_after
from newsextract.storage.revisions import Change

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from sqlalchemy import Engine

    from newsextract.newsroom.delivery.sending import Sender
    from newsextract.storage.outbox import Message
    from newsextract.storage.revisions import Effect

DOWNLOADED = "2026-05-20T09:00:00+00:00"


class Fake(Target):
    """A target that accepts the messages that `takes` lets through, and raises its errors."""

    most = 10

    def __init__(self, name: str = "fake", kinds: Collection[str] = KINDS) -> None:
        self.name = name
        self.kinds = kinds
        self.headlines: list[str] = []
        self.letters: list[Letter] = []
        self.is_closed = False
        self.takes: Callable[[str], None] = lambda _headline: None

    def wants(self, kind: str) -> bool:
        return kind in self.kinds

    def deliver(self, letters: Sequence[Letter]) -> int:
        return deliver_each(letters, self._take)

    def close(self) -> None:
        self.is_closed = True

    def _take(self, letter: Letter) -> None:
        headline = envelope(letter)["article"]["headline"]
        self.takes(headline)
        self.headlines.append(headline)
        self.letters.append(letter)


def article(number: int = 1, text: str = "It opens.", downloaded: str = DOWNLOADED, **fields: Any) -> Article:
    return Article(
        url=f"https://a.example/{number}",
        headline=f"Bridge {number}",
        articleBody=text,
        metadata=ArticleMetadata(downloaded),
        **fields,
    )


def change(found: Article, before: Article | None = None) -> Change:
    return Change(found, row_of(found), row_of(before) if before else None)


def letter(message: Message, position: int = 1) -> Letter:
    return Letter(position, message.id, message.kind, message.payload)


def envelope(message: Message | Letter) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(message.payload)
    return read


def put(engine: Engine, articles: Sequence[Article], *before: Effect) -> None:
    """Store articles one by one, so that their messages have their order."""
    for one in articles:
        with writing(engine) as connection:
            put_articles(connection, [one], effects=[*before, announce])


def outbox_of(engine: Engine) -> list[dict[str, Any]]:
    with engine.connect() as connection:
        return [envelope(found) for found in letters_after(connection, 0, 10_000)]


def wait_until(is_so: Callable[[], object], seconds: float = 100.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


def end(sender: Sender, seconds: float = 100.0) -> None:
    sender.finish(seconds)
    assert sender.join(seconds + 5)
