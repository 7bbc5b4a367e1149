"""The desk over PostgreSQL and MariaDB: a copy of the last days that shows what the database holds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import insert

from newsextract.newsroom.desk import desk_copy
from newsextract.newsroom.desk.__main__ import main
from newsextract.newsroom.desk.desk_copy import as_sqlite, copy_days
from newsextract.newsroom.desk.desk_database import DeskError, database_path
from newsextract.storage.articles.article_store import ArticleStore
from newsextract.storage.database.connection import open_engine
from newsextract.storage.ledger.runs import Run, begin_run
from newsextract.storage.schema.history_tables import matches, stories, story_articles
from tests.conftest import own_database
from tests.newsroom.desk.conftest import ARTICLES, BRIDGE_ID, COPY_ID, story

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SINCE = datetime(2026, 3, 1, tzinfo=UTC)
SEEN = "2026-03-02T12:00:00+00:00"
OLD = story("old.example", "1", headline="Last year", body="Nothing new.", seen="2025-03-02T10:00:00+00:00")


@pytest.fixture(params=["postgresql", "mariadb"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database with the articles of the desk's tests, a story, a match and a run."""
    with own_database(request.param, tmp_path) as url:
        store = ArticleStore.open(url)
        for article in (*ARTICLES, OLD):
            store.put(article)
        with store.engine.begin() as connection:
            link = {"story_id": BRIDGE_ID, "similarity": 0.9, "containment": 0.9}
            connection.execute(insert(stories), {"id": BRIDGE_ID, "date_first_seen": SEEN, "day": 20514})
            connection.execute(insert(story_articles), [link | {"article_id": each} for each in (BRIDGE_ID, COPY_ID)])
            match = {"article_id": BRIDGE_ID, "rule": "Bridges", "revision": "", "date_matched": SEEN, "passages": []}
            connection.execute(insert(matches), match)
            begin_run(connection, Run.here("news", "the sites", {"sites": "a"}), datetime.now(UTC))
        store.close()
        yield url


def test_the_copy_shows_articles_stories_matches_and_finds_words(
    server: str, tmp_path: Path, ask: Callable[..., Any]
) -> None:
    path = tmp_path / "desk.db"
    count, since = copy_days(server, path, SINCE)
    assert (count, since) == (len(ARTICLES), SINCE)
    front = ask(database_path(str(path)), "/").text
    assert "Bridge opened in Tarn" in front
    assert "Last year" not in front
    found = ask(path, "/?q=toll").text
    assert "Tarn opens bridge" in found
    assert "Bridge opened in Tarn" not in found
    assert "Tarn opens bridge" in ask(path, f"/article/{BRIDGE_ID}").text
    assert "Bridges" in ask(path, "/matches").text
    assert ask(path, "/runs").status_code == 200


def test_too_many_articles_are_cut_to_the_newest(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_copy, "MOST_ARTICLES", 1)
    count, since = copy_days(server, tmp_path / "desk.db", SINCE)
    assert (count, since) == (1, datetime(2026, 3, 2, 11, tzinfo=UTC))


def test_a_copy_is_gone_when_the_desk_is_closed(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    with as_sqlite(server, days=3650) as copied:
        assert database_path(copied).is_file()
    with pytest.raises(DeskError):
        database_path(copied)
    assert f"Copied {len(ARTICLES) + 1} articles" in capsys.readouterr().err


def test_the_database_can_be_one_that_is_only_read(server: str, tmp_path: Path) -> None:
    if not server.startswith("postgresql"):
        pytest.skip("the option is PostgreSQL's")
    standby = f"{server}%20-cdefault_transaction_read_only%3Don"
    with open_engine(standby).connect() as connection:
        assert connection.exec_driver_sql("show transaction_read_only").scalar() == "on"
    assert copy_days(standby, tmp_path / "desk.db", SINCE)[0] == len(ARTICLES)


def test_sqlite_is_read_as_it_is(filled: Path) -> None:
    with as_sqlite(str(filled), days=1) as readable:
        assert readable == str(filled)


def test_a_number_of_days_that_is_none_is_refused(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([str(filled), "--days", "0"])
    assert "'0' is not a number of days" in capsys.readouterr().err
