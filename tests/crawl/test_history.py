"""Revisions and stories of a crawl's articles, by their settings."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from newsextract.article import Article
from tests.crawl.parts import close, new_parts

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
    own = new_parts(NEWSEXTRACT_DATABASE=f"sqlite:///{folder}/a.db", **settings)
    database = own.database
    assert database is not None

    async def store() -> None:
        for article in (FIRST, SECOND, LOOK, COPY):
            await database.run(database.put, article)

    asyncio.run(store())
    close(own)
    stats: dict[str, Any] = own.stats.get_stats()
    return {name: value for name, value in stats.items() if name.startswith(("newsextract/rev", "newsextract/stories"))}


def test_changes_and_copies_are_counted_and_looks_are_not(tmp_path: Path) -> None:
    assert stats_after(tmp_path) == {"newsextract/revisions": 1, "newsextract/stories/linked": 2}


def test_each_can_be_switched_off(tmp_path: Path) -> None:
    assert stats_after(tmp_path, NEWSEXTRACT_STORIES=False) == {"newsextract/revisions": 1}
    (tmp_path / "b").mkdir()
    assert stats_after(tmp_path / "b", NEWSEXTRACT_REVISIONS=False) == {"newsextract/stories/linked": 2}
