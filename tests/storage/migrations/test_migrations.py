"""Tables brought up to date when a database is opened."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, event, select, text

import newsextract
from newsextract.article import Article, LiveUpdate, UsageRights
from newsextract.article_parts import Audio, Comment, Embed, Video
from newsextract.storage.articles.article_store import ArticleStore
from newsextract.storage.articles.repeated_texts import put_new_texts
from newsextract.storage.database.connection import StorageError, open_engine, writing
from newsextract.storage.ledger.ledger import Admission, Finding, Role, admit, entries
from newsextract.storage.migrations.migrating import HEAD, REVISIONS, migrate, revision_of, script_directory
from newsextract.storage.revisions.change import Stored
from newsextract.storage.schema import article_columns, crawl_tables, full_text_index, history_tables
from newsextract.storage.search.article_search import search

if TYPE_CHECKING:
    from sqlalchemy import Engine

PACKAGE = Path(newsextract.__file__).parent

LIVE = Article(
    url="https://www.example.com/live",
    headline="Bridge open",
    section="Ville",
    paywalledParts=[".paywall"],
    usageRights=UsageRights(tdmReservation=True, robots=("noai",)),
    liveBlogUpdates=[LiveUpdate("2026-05-20T08:00:00+02:00", None, "It opens.")],
    articleMarkdown="It *opens*.",
    videos=[Video("https://www.example.com/a.mp4", name="Bridge")],
    audios=[Audio("https://www.example.com/a.mp3")],
    embeds=[Embed("https://b.example/1", "b.example", "Ann")],
    comments=[Comment("Yes.", "Ann"), Comment("No.", "Ben", parent=0, depth=1)],
)
FIRST_VERSION = """
create table articles (
    id varchar(32) not null primary key, url text not null, canonical_url text not null, site varchar(255) not null,
    headline text, description text, article_body text, article_body_html text, date_published varchar(40),
    date_published_raw text, date_modified varchar(40), date_modified_raw text, authors json, publisher text,
    in_language varchar(35), keywords json, breadcrumbs json, main_image text, images json,
    is_accessible_for_free boolean, word_count integer, probability float, extractor varchar(64), confidence float,
    sources json, warnings json, rating integer, content_hash varchar(32) not null,
    date_downloaded varchar(40) not null, date_first_seen varchar(40) not null
)
"""
"""As the first version made it, with a column of the user's own."""
OLD_ROW = """
insert into articles (id, url, canonical_url, site, headline, rating, content_hash, date_downloaded, date_first_seen,
                      date_published)
values ('00ff000000000000ffffffffffffffff', 'https://a.example/1', 'https://a.example/1', 'a.example', '桥梁开放', 5,
        'x', '2026-05-20T09:00:00+00:00', '2026-05-20T09:00:00+00:00', '2026-05-20T05:09:00+08:00')
"""


def make_old(url: str) -> None:
    engine = open_engine_only(url)
    with engine.begin() as connection:
        for statement in (FIRST_VERSION, OLD_ROW):
            connection.execute(text(statement))
    engine.dispose()


def open_engine_only(url: str) -> Engine:
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).parent.mkdir(parents=True)
    if url.startswith("mysql"):
        url += "?charset=utf8mb4"
    return create_engine(url)


def ours(_object: Any, name: str | None, kind: str, *_: Any) -> bool:
    return not (kind == "table" and str(name).startswith("articles_fts"))


def differences(engine: Engine) -> list[Any]:
    assert history_tables.matches.metadata is article_columns.metadata
    known: Any = [article_columns.metadata, full_text_index.WORD_TABLES[engine.dialect.name].table.metadata]
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": ours})
        found: list[Any] = compare_metadata(context, known)
    return found


def test_the_tables_are_those_of_the_schema(store: ArticleStore) -> None:
    assert differences(store.engine) == []


def test_an_older_database_becomes_the_same(database_url: str) -> None:
    make_old(database_url)
    store = ArticleStore.open(database_url)
    # The user's own column stays; comments of columns are not worth touching what there is.
    rest = [found for found in differences(store.engine) if "modify_comment" not in str(found)]
    assert [found[0] for found in rest] == ["remove_column"]
    assert store.put(LIVE) is Stored.NEW
    rows = {row["headline"]: row for row in store.rows()}
    assert rows["Bridge open"]["usage_rights"]["robots"] == ["noai"]
    assert rows["Bridge open"]["live_blog_updates"][0]["articleBody"] == "It opens."
    assert rows["Bridge open"]["videos"][0]["name"] == "Bridge"
    assert [comment["parent"] for comment in rows["Bridge open"]["comments"]] == [None, 0]
    assert rows["Bridge open"]["article_markdown"] == "It *opens*."
    assert rows["桥梁开放"]["section"] is rows["桥梁开放"]["videos"] is rows["桥梁开放"]["article_markdown"] is None
    assert rows["桥梁开放"]["date_published_utc"] == "2026-05-19T21:09:00+00:00"
    assert rows["桥梁开放"]["number"] == 0x00FF00000000000
    assert "characters" not in rows["桥梁开放"]
    assert [hit.headline for hit in search(store.engine, "开放")] == ["桥梁开放"]
    with store.engine.connect() as connection:
        assert connection.execute(text("select rating from articles where number = :n"), {"n": 0x00FF00000000000})
    store.close()


def test_texts_of_an_older_database_are_known(database_url: str) -> None:
    make_old(database_url)
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text("update articles set article_body = 'The bridge opens.'"))
    engine.dispose()
    store = ArticleStore.open(database_url)
    repeated = Article(url="https://a.example/2", headline="A bridge", articleBody="The bridge opens.")
    with writing(store.engine) as connection:
        assert put_new_texts(connection, [repeated]) == [Stored.SAME_TEXT]
    store.close()


def test_a_feed_that_was_noted_stays_known(database_url: str) -> None:
    found = Finding("https://feeds.example/a", "a.example", Role.SOURCE, "feed")
    engine = open_engine(database_url)
    with writing(engine) as connection:
        admit(connection, [Admission((found,), datetime(2026, 5, 1, tzinfo=UTC))])
        connection.execute(text("update ledger set id = 'of its URL alone', etag = 'tag'"))
        connection.execute(text("update alembic_version set version_num = '0013'"))
    engine.dispose()
    engine = open_engine(database_url)
    with engine.connect() as connection:
        (known,) = entries(connection, [found.id])
    assert known is not None
    assert known.etag == "tag"
    engine.dispose()


@pytest.mark.parametrize("done", [0, 2, 4])
def test_stories_and_kept_pages_keep_their_rows_under_their_new_names(database_url: str, done: int) -> None:
    """`done`: how many statements of an interrupted step were carried out, where the database has no way back."""
    engine = open_engine(database_url)
    with writing(engine) as connection:
        connection.execute(text("insert into stories (id, date_first_seen, day) values ('s', 'now', 1)"))
        link = "insert into story_articles (article_id, story_id, similarity, containment) values ('a', 's', 1, 1)"
        connection.execute(text(link))
        former = (
            "drop index ix_kept_pages_fetched {on}",
            "alter table story_articles rename column story_id to cluster_id",
            "alter table kept_pages rename to raw_pages",
            "alter table story_articles rename to cluster_articles",
            "alter table stories rename to clusters",
        )
        on = "on kept_pages" if engine.dialect.name == "mysql" else ""
        for statement in former[: len(former) - done]:
            connection.execute(text(statement.format(on=on)))
        connection.execute(text("update alembic_version set version_num = '0017'"))
    engine.dispose()
    engine = open_engine(database_url)
    assert differences(engine) == []
    with engine.connect() as connection:
        assert connection.execute(text("select id from stories")).scalar_one() == "s"
        assert connection.execute(text("select story_id from story_articles")).scalar_one() == "s"
    engine.dispose()


def test_new_names_are_reached_wherever_the_step_breaks_off(database_url: str) -> None:
    """Each attempt comes one statement further than the last, before two start at once and finish."""
    engine = open_engine(database_url)
    with writing(engine) as connection:
        connection.execute(text("insert into stories (id, date_first_seen, day) values ('s', 'now', 1)"))
        for statement in (
            "alter table story_articles rename column story_id to cluster_id",
            "alter table kept_pages rename to raw_pages",
            "alter table story_articles rename to cluster_articles",
            "alter table stories rename to clusters",
            "update alembic_version set version_num = '0017'",
        ):
            connection.execute(text(statement))
    left = 0

    def break_off(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        nonlocal left
        if statement.split(maxsplit=1)[0].upper() in ("ALTER", "CREATE", "DROP", "RENAME"):
            left -= 1
            if left < 0:
                raise InterruptedError(statement)

    event.listen(engine, "before_cursor_execute", break_off)
    for number in range(3):
        left = number
        with pytest.raises(InterruptedError):
            migrate(engine)
    event.remove(engine, "before_cursor_execute", break_off)
    engine.dispose()
    with ThreadPoolExecutor(2) as pool:
        engines = list(pool.map(open_engine, [database_url] * 2))
    assert differences(engines[0]) == []
    with engines[1].connect() as connection:
        assert connection.execute(text("select id from stories")).scalar_one() == "s"
    for each in engines:
        each.dispose()


def test_a_step_that_broke_off_is_repeated(database_url: str) -> None:
    make_old(database_url)
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text("alter table articles add column number bigint"))
        connection.execute(text("alter table articles add column section text"))
    engine.dispose()
    store = ArticleStore.open(database_url)
    assert store.put(LIVE) is Stored.NEW
    assert store.count() == 2
    store.close()


def test_what_two_versions_have_in_common_can_be_written_by_both(store: ArticleStore) -> None:
    with store.engine.begin() as connection:
        connection.execute(text(OLD_ROW.replace(", rating", "").replace(", 5,", ",")))
        connection.execute(text("update articles set headline = 'new'"))
        connection.execute(text("delete from articles"))
    assert store.count() == 0


def test_many_may_open_an_empty_database_at_once(database_url: str) -> None:
    script = (
        "import sys; from newsextract.storage.database.connection import open_engine as o; o(sys.argv[1]).dispose()"
    )
    starts = [subprocess.Popen([sys.executable, "-c", script, database_url], stderr=subprocess.PIPE) for _ in range(2)]
    with ThreadPoolExecutor(3) as pool:
        engines = list(pool.map(open_engine, [database_url] * 3))
    errors = [start.communicate(timeout=100)[1].decode() for start in starts]
    assert [start.returncode for start in starts] == [0] * 2, errors
    assert differences(engines[0]) == []
    for engine in engines:
        engine.dispose()


def test_a_newer_database_is_left_alone(database_url: str) -> None:
    engine = open_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(StorageError, match=f"revision 9999, made by a newer version of newsextract; this .* {HEAD}"):
        open_engine(database_url)
    engine.dispose()


def test_the_revisions_are_those_of_the_files(tmp_path: Path) -> None:
    found = [script.revision for script in script_directory(tmp_path).walk_revisions()]
    assert tuple(reversed(found)) == REVISIONS
    assert script_directory(tmp_path).get_heads() == [HEAD]


def test_a_database_of_today_is_opened_without_alembic(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.db"
    open_engine(url).dispose()
    script = (
        "import sys; from newsextract.storage.database.connection import open_engine as o; o(sys.argv[1]).dispose();"
        "assert 'alembic' not in sys.modules, 'imported'"
    )
    subprocess.run([sys.executable, "-c", script, url], check=True, timeout=100)


def test_works_from_a_zip_file_and_says_nothing_in_the_log(tmp_path: Path) -> None:
    egg = tmp_path / "newsextract.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.json"), *PACKAGE.rglob("*.npz")]:
            archive.write(path, path.relative_to(PACKAGE.parent))
    script = (
        "import sys; sys.path[:] = [sys.argv[1], *(p for p in sys.path if p)]; import logging;"
        "logging.basicConfig(level=logging.INFO);"
        "from newsextract.storage import database; assert sys.argv[1] in database.__file__, database.__file__;"
        "from newsextract.storage.articles.article_store import ArticleStore as Store;"
        "print(Store.open(sys.argv[2]).count())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(egg), f"sqlite:///{tmp_path}/a.db"],
        capture_output=True, check=False, timeout=100, cwd=tmp_path, env={"PATH": ""},
    )  # fmt: skip
    assert (done.stdout.decode(), done.stderr.decode()) == ("0\n", "")
    engine = open_engine(f"sqlite:///{tmp_path}/a.db")
    with engine.connect() as connection:
        assert revision_of(connection) == HEAD
        assert connection.execute(select(crawl_tables.articles)).all() == []
    engine.dispose()
