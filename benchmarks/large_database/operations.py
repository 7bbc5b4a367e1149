"""What is timed: the functions that a crawl, `newsextract search` and the desk call, with what they are called with."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from starlette.testclient import TestClient

from benchmarks.large_database.filling import NOW, TEMPLATES, articles, url_of, vocabulary
from newsextract.newsroom.desk.application import make_desk
from newsextract.storage.articles import put_new_texts, text_key
from newsextract.storage.database import writing
from newsextract.storage.ledger import (
    Admission,
    Claim,
    Finding,
    Pending,
    Role,
    VisitRecord,
    admit,
    claim,
    pending,
    prune_daily,
    record,
)
from newsextract.storage.likeness import TextPrint, TextPrints
from newsextract.storage.read_only import open_database
from newsextract.storage.run_lock import Run, begin_run
from newsextract.storage.search.article_search import search
from newsextract.storage.stories import link_stories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import Connection, Engine

    from newsextract.article import Article
    from newsextract.storage.revisions import Change

_BATCH = 100
_BATCHES = 8
_SITEMAP = 5000
_SITE = "site20.example"


@dataclass(frozen=True, slots=True)
class Operation:
    """Something to time."""

    name: str
    act: Callable[[], object]
    units: int = 1
    """How many things it does."""


def of_crawl(engine: Engine) -> Iterator[Operation]:
    """Yield what a crawl does, in its batches. What is new is new in each measurement of a database."""
    unique = time.time_ns() // 1_000_000
    new = _batches(range(unique * 1000, unique * 1000 + _BATCH * _BATCHES), "new")
    yield Operation("store 100 new articles", partial(_store, engine, new, links=False), _BATCH)
    known = _batches(range(_BATCH * _BATCHES), "site")
    yield Operation("store 100 articles that have not changed", partial(_store, engine, known, links=False), _BATCH)
    other = _batches(range((unique + 1) * 1000, (unique + 1) * 1000 + _BATCH * _BATCHES), "new")
    yield Operation("store 100, no copies, with stories", partial(_store, engine, other, links=True), _BATCH)
    copies = _batches(range(TEMPLATES - _BATCH * _BATCHES, TEMPLATES), f"copy{unique}-")
    yield Operation("store 100, all copies, with stories", partial(_store, engine, copies, links=True), _BATCH)
    yield from _of_ledger(engine, unique)


def _of_ledger(engine: Engine, unique: int) -> Iterator[Operation]:
    now = NOW + timedelta(minutes=1)
    run = Run.here("news", f"benchmark {unique}"[:32], {})
    with writing(engine) as connection:
        begin_run(connection, [(run, now)])
    listed = [
        Finding(url_of(number), _SITE, Role.ARTICLE, "sitemap") for number in range(TEMPLATES, TEMPLATES + _SITEMAP)
    ]
    yield _writing(engine, "admit a sitemap of 5,000 known URLs", lambda to: admit(to, [Admission(tuple(listed), now)]))
    fresh = iter(range(unique * 100_000, (unique + 1) * 100_000, _SITEMAP))

    def admit_new(connection: Connection) -> object:
        first = next(fresh)
        found = [
            Finding(url_of(number, "fresh"), _SITE, Role.ARTICLE, "sitemap")
            for number in range(first, first + _SITEMAP)
        ]
        return admit(connection, [Admission(tuple(found), now)])

    yield _writing(engine, "admit a sitemap of 5,000 new URLs", admit_new)
    yield _writing(
        engine, "ask for 500 pages of a site that are due", lambda to: pending(to, [Pending(_SITE, now, 500)])
    )
    with engine.connect() as connection:
        due = [entry for found in pending(connection, [Pending(_SITE, now, 500)]) for entry in found][:_BATCH]
    keys = tuple(entry.id for entry in due)
    yield _writing(engine, "claim 100 pages", lambda to: claim(to, [Claim(run.id, keys, now)]), _BATCH)
    visits = [VisitRecord(id=one.id, url=one.url, site=_SITE, role=one.role, state="other", at=now) for one in due]
    yield _writing(engine, "record 100 visits", lambda to: record(to, visits), _BATCH)
    yield _writing(engine, "forget old pages, once a day", lambda to: prune_daily(to, [NOW]))


def of_search(engine: Engine) -> Iterator[Operation]:
    """Yield searches for words of different frequency."""
    words, _ = vocabulary()
    often, rare = words[0], words[-10]
    queries = {
        "a word of most articles": often,
        "a rare word": rare,
        "two frequent words": f"{words[1]} {words[2]}",
        "a phrase": f'"{words[3]} {words[4]}"',
        "a beginning of words": f"{words[50][:4]}*",
        "one word without another": f"{words[20]} NOT {words[21]}",
        "two words near each other": f"{words[30]} NEAR {words[31]}",
        "headlines of a site": f"headline:{words[10]} site:{_SITE}",
    }
    for name, query in queries.items():
        yield Operation(f"search: {name}", partial(search, engine, query))


def of_desk(url: str) -> Iterator[Operation]:
    """Yield the desk's pages."""
    words, _ = vocabulary()
    client = TestClient(make_desk(open_database(url)), base_url="http://127.0.0.1")
    pages = {
        "front page": "/",
        "front page, last of a hundred": "/?page=100",
        "front page, by when they were seen": "/?order=seen",
        "front page of a site": f"/?site={_SITE}",
        "front page of a language": "/?language=fr",
        "front page of a section": "/?section=Sport",
        "front page of a watch rule": "/?watch=rule 10",
        "search for a word of most articles": f"/?q={words[0]}",
        "search for a rare word": f"/?q={words[-10]}",
        "search for two near words": f"/?q={words[30]} NEAR {words[31]}",
        "stories": "/stories",
        "matches": "/matches",
        "sites": "/sites",
        "pages": "/pages",
        "pages of a site": f"/pages?site={_SITE}",
        "runs": "/runs",
    }
    for path, name in (("article", "an article"), ("story", "a story")):
        found = re.search(rf"/{path}/\w+", client.get("/" if path == "article" else "/stories").text)
        pages |= {name: found[0]} if found else {}
    for name, page in pages.items():
        yield Operation(f"desk: {name}", partial(client.get, page))


def _batches(numbers: range, host: str) -> Iterator[tuple[list[Article], TextPrints]]:
    """Return an iterator over batches of articles, made before it is timed, with the prints that workers make."""
    made = list(articles(numbers, host=host, seen=NOW + timedelta(minutes=1)))
    prints = TextPrints()
    for article in made:
        prints.put(text_key(article) or "", TextPrint.of(article.articleBody))
    return iter([(made[first : first + _BATCH], prints) for first in range(0, len(made), _BATCH)])


def _store(engine: Engine, batches: Iterator[tuple[list[Article], TextPrints]], *, links: bool) -> None:
    batch, prints = next(batches)

    def link(connection: Connection, changes: Sequence[Change]) -> None:
        link_stories(connection, changes, prints=prints)

    with writing(engine) as connection:
        put_new_texts(connection, batch, effects=[link] if links else [])


def _writing(engine: Engine, name: str, act: Callable[[Connection], object], units: int = 1) -> Operation:
    def done() -> None:
        with writing(engine) as connection:
            act(connection)

    return Operation(name, done, units)
