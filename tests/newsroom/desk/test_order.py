"""The desk sorts and counts by moments, wherever on Earth an article was published."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from newsextract.article import Article, ArticleMetadata
from newsextract.newsroom.desk.application import _QUERIES
from newsextract.newsroom.desk.article_listing import front
from newsextract.newsroom.desk.choice import Choice
from newsextract.newsroom.desk.day_range import DayRange
from newsextract.newsroom.desk.desk_database import open_read_only
from newsextract.newsroom.desk.sites_overview import sites
from newsextract.storage.articles.article_store import ArticleStore
from tests.storage.articles.test_sorting_dates import STATED

if TYPE_CHECKING:
    from pathlib import Path


def test_what_was_published_last_is_first_and_days_are_those_of_utc(tmp_path: Path) -> None:
    store = ArticleStore.open(f"sqlite:///{tmp_path}/a.db")
    for name, stated in sorted(STATED.items()):
        seen = ArticleMetadata("2026-05-21T00:00:00+00:00")
        store.put(Article(f"https://a.example/{name}", headline=name, datePublished=stated, metadata=seen))
    store.close()
    with closing(open_read_only(tmp_path / "a.db")) as connection:
        shown = front(connection, Choice())
        assert [card.row["headline"] for card in shown.cards] == list(STATED)
        (days,) = [facet for facet in shown.facets if facet.key == "day"]
        assert [(value.name, value.count) for value in days.values] == [("2026-05-20", 2), ("2026-05-19", 3)]
        narrowed = front(connection, Choice(days=DayRange("2026-05-19", "2026-05-19")))
        assert [card.row["headline"] for card in narrowed.cards] == list(STATED)[2:]
        newest = connection.execute(_QUERIES["newest"]["sql"], {"site": "a.example"})
        assert [row[1] for row in newest] == list(STATED)
        assert [site.newest for site in sites(connection)] == ["2026-05-20T08:00:00+00:00"]
