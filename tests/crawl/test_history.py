"""Revisions and stories of a crawl's articles, by their settings."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from newsextract.article import Article
from newsextract.commands.preflight import check_settings
from newsextract.crawl.extensions.article_history import History
from newsextract.crawl.extensions.database_writer import Database

if TYPE_CHECKING:
    from pathlib import Path

FIRST = Article(
    url="https://a.example/1",
    headline="Flood",
    articleBody="At least 12 are dead. " + " ".join(f"The river rose in street {number}." for number in range(20)),
)
SECOND = replace(FIRST, articleBody=str(FIRST.articleBody).replace("12", "15"))
LOOK = replace(SECOND, headline="FLOOD!")
COPY = replace(SECOND, url="https://b.example/1")


def stats_after(folder: Path, **settings: Any) -> dict[str, Any]:
    """Store versions and a copy, and return the resulting stats."""
    database_url = {"NEWSEXTRACT_DATABASE": f"sqlite:///{folder}/a.db"}
    extensions = {
        "newsextract.crawl.extensions.database_writer.Database": 0,
        "newsextract.crawl.extensions.article_history.History": 0,
    }
    crawler = get_crawler(settings_dict={"NEWSEXTRACT_REVISIONS": True, "NEWSEXTRACT_STORIES": True} | database_url
                          | {"EXTENSIONS": extensions} | settings)  # fmt: skip
    database = crawler.get_extension(Database)
    watching = crawler.get_extension(History)
    assert database is not None
    assert watching is not None
    watching.spider_opened()

    async def store() -> None:
        for article in (FIRST, SECOND, LOOK, COPY):
            await database.run(database.put, article)
        await database.close()

    asyncio.run(store())
    stats: dict[str, Any] = crawler.stats.get_stats()
    return {name: value for name, value in stats.items() if name.startswith("newsextract/")}


def test_changes_and_copies_are_counted_and_looks_are_not(tmp_path: Path) -> None:
    assert stats_after(tmp_path) == {"newsextract/revisions": 1, "newsextract/stories/linked": 2}


def test_each_can_be_switched_off(tmp_path: Path) -> None:
    assert stats_after(tmp_path, NEWSEXTRACT_STORIES=False) == {"newsextract/revisions": 1}
    (tmp_path / "b").mkdir()
    assert stats_after(tmp_path / "b", NEWSEXTRACT_REVISIONS=False) == {"newsextract/stories/linked": 2}


@pytest.mark.parametrize("name", ["NEWSEXTRACT_REVISIONS", "NEWSEXTRACT_STORIES"])
def test_a_switch_that_is_none_is_refused_at_the_start(name: str) -> None:
    settings = Settings({name: "perhaps", "NEWSEXTRACT_DATABASE": None})
    with pytest.raises(UsageError, match=f"{name}: 'perhaps' is neither True nor False"):
        check_settings(settings)
