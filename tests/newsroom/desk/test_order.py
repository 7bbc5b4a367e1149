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
from newsextract.newsroom.desk.sites_overview import PAGE_SITES, site_page
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
        assert [site.newest for site in site_page(connection).sites] == ["2026-05-20T08:00:00+00:00"]


def test_a_list_of_many_sites_has_pages(tmp_path: Path) -> None:
    store = ArticleStore.open(f"sqlite:///{tmp_path}/a.db")
    for number in range(PAGE_SITES + 2):
        store.put(Article(f"https://s{number:03}.example/1", headline="One", metadata=ArticleMetadata("2026-05-21")))
    store.put(Article("https://s101.example/2", headline="Two", metadata=ArticleMetadata("2026-05-21")))
    store.close()
    with closing(open_read_only(tmp_path / "a.db")) as connection:
        first, second = site_page(connection), site_page(connection, 2)
        assert (first.total, first.pages, len(first.sites)) == (PAGE_SITES + 2, 2, PAGE_SITES)
        assert (first.sites[0].name, first.sites[0].articles) == ("s101.example", 2)
        assert [site.name for site in second.sites] == ["s099.example", "s100.example"]
        assert site_page(connection, 3).sites == []
