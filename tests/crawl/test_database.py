"""A crawl and its database: through outages, and searched."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING

import pytest
from sqlalchemy.engine import make_url

from newsextract.article import Article
from newsextract.storage.articles import ArticleStore
from tests.conftest import own_database
from tests.scrapy_runs import html, listing, story
from tests.storage.test_databases import Cable

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Reply, Routes, Scrapy, TinyWeb

PATHS = [f"/2026/05/20/the-mayor-opens-bridge-number-{number}.html" for number in range(12)]


def site_with(cable: Cable) -> Routes:
    """Return a site that takes the database down when its third story is fetched, and brings it back later."""
    mending = threading.Timer(1.5, cable.mend)

    def cutting(_path: str) -> Reply:
        if mending.ident is None:
            cable.cut()
            mending.start()
        return html(story(3))

    routes = {path: html(story(number)) for number, path in enumerate(PATHS)}
    return routes | {"/": html(listing(*PATHS)), PATHS[3]: cutting}


@pytest.mark.server
def test_a_database_that_goes_away_for_a_while_costs_nothing(tmp_path: Path, crawl: Scrapy, tiny_web: TinyWeb) -> None:
    with own_database("postgresql", tmp_path) as url:
        ArticleStore.open(url).close()
        parsed = make_url(url)
        cable = Cable(parsed.host or "127.0.0.1", parsed.port or 5432)
        through = parsed.set(host="127.0.0.1", port=cable.port).render_as_string(hide_password=False)
        settings = ("-s", f"NEWSEXTRACT_DATABASE={through}", "-s", "NEWSEXTRACT_SITE_MEMORY=0")
        started = time.monotonic()
        run = crawl(tmp_path, tiny_web(site_with(cable)).home, *settings)
        assert time.monotonic() - started > 1.5
        assert (run.code, run.states["article"]) == (0, len(PATHS)), run.err
        assert "item_error_count" not in run.stats
        assert "the database is away" in run.err
        assert "the database is back" in run.err
        store = ArticleStore.open(url)
        assert store.count() == len(PATHS)
        store.close()
        cable.cut()


def test_stored_articles_are_searched(tmp_path: Path, scrapy: Scrapy) -> None:
    url = f"sqlite:///{tmp_path}/a.db"
    store = ArticleStore.open(url)
    store.put(Article(url="https://a.example/1", headline="L'[b]Élysée", articleBody="Un pont.", datePublished="2026"))
    store.close()
    chosen = ("-s", f"NEWSEXTRACT_DATABASE={url}")
    shown = scrapy(tmp_path, "search", "elysee", '"un pont"', *chosen)
    assert (shown.code, shown.err) == (0, f"database: {tmp_path}/a.db\n")
    assert "L'[b]Élysée" in shown.out
    assert "https://a.example/1" in shown.out
    (hit,) = map(json.loads, scrapy(tmp_path, "search", "--json", "-n", "3", "PONT", *chosen).out.splitlines())
    assert (hit["site"], hit["date_published"], hit["snippet"]) == ("a.example", "2026", "Un pont.")
    nothing = scrapy(tmp_path, "search", "missing", *chosen)
    assert (nothing.code, nothing.out) == (1, "")
    wrong = scrapy(tmp_path, "search", "東京", "headlin:pont", *chosen)
    assert wrong.code == 2
    assert "newsextract search: headlin: is no field; did you mean headline:? (in quotes, it is a word)\n" in wrong.err
    assert wrong.err.endswith("\n  東京 headlin:pont\n       ^\n")
    refused = scrapy(tmp_path, "search", "pont", "-s", "NEWSEXTRACT_DATABASE=")
    assert refused.code == 2
    assert "NEWSEXTRACT_DATABASE is not set" in refused.err
