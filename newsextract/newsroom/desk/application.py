"""datasette with the desk in it: its settings, our pages, and the guard around both, served on loopback."""

from __future__ import annotations

import socket
import sqlite3
import webbrowser
from contextlib import closing, suppress
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from datasette import hookimpl
from datasette.app import Datasette
from datasette.database import Database
from datasette.plugins import pm

from newsextract.newsroom.desk.article_selection import searched
from newsextract.newsroom.desk.desk_copy import DAYS, as_sqlite
from newsextract.newsroom.desk.desk_database import (
    NAME,
    TOO_LARGE,
    CountedRows,
    DeskError,
    database_path,
    limit_heap,
    open_read_only,
)
from newsextract.newsroom.desk.desk_guard import Guard
from newsextract.newsroom.desk.display import FILTERS
from newsextract.newsroom.desk.views import ROUTES, error_page

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from newsextract.newsroom.desk.desk_guard import Application

_PLUGIN = "newsextract-desk"

_SETTINGS = {
    "allow_download": False,
    "default_cache_ttl": 0,  # a crawl may be writing
    "sql_time_limit_ms": 2000,
    "suggest_facets": False,  # on every column of long rows they time out one after the other
    "template_debug": False,
    "trace_debug": False,
    "truncate_cells_html": 300,  # else a row is as high as its article
}

_QUERIES = {
    "newest": {
        "title": "The newest articles of a site",
        "sql": "select id, headline, date_published, url from articles where site = :site "
        "order by date_published_utc desc limit 100",
    },
    "words_by_site": {
        "title": "Articles and their mean length, by site and language",
        "sql": "select site, in_language, count(*) as articles, round(avg(word_count)) as mean_words, "
        "sum(date_published is null) as without_date from articles group by 1, 2 order by 3 desc",
    },
    "page_states": {
        "title": "Pages by state and reason",
        "sql": "select site, state, reason, count(*) as pages from ledger where role = 'candidate' "
        "group by 1, 2, 3 order by 4 desc",
    },
}
_TABLES = {
    "articles": {
        "sort_desc": "date_first_seen",
        "label_column": "headline",
        "facets": ["site", "in_language", "section"],
        "fts_table": "articles_fts",
        "fts_pk": "number",
        "size": 20,
    },
    "ledger": {"facets": ["site", "state"]},
    "runs": {"sort_desc": "date_started"},
}

HOST = "127.0.0.1"


class ReadOnlyDatabase(Database):  # type: ignore[misc]  # datasette has no types
    """A database file that can neither be written to nor used to attach another file; its answers fit into memory."""

    async def execute_fn(self, fn: Callable[[sqlite3.Connection], Any]) -> Any:
        """Call a function with a connection, in a thread; running out of memory becomes an SQL error."""

        def bounded(connection: sqlite3.Connection) -> Any:
            try:
                return fn(connection)
            except MemoryError as error:
                raise sqlite3.OperationalError(TOO_LARGE) from error

        return await super().execute_fn(bounded)

    def connect(self, write: bool = False) -> sqlite3.Connection:
        """Open the file; not as immutable, since a crawl may be writing to it.

        Raises:
            DeskError: a write was requested.
        """
        if write:
            raise DeskError("the desk is read only")
        connection = open_read_only(Path(self.path))
        self._all_file_connections.append(connection)
        return connection


def make_desk(path: Path) -> Any:
    """Return datasette as the desk of a database; `.app()` is the ASGI application, `.client` sends requests to it."""
    if not pm.is_registered(_plugin):
        pm.register(_plugin, _PLUGIN)
    folder = files("newsextract.newsroom.desk")
    desk = Datasette(
        memory=False,
        metadata={
            "title": "newsextract",
            "plugins": {_PLUGIN: {"is_on": True}},
            "databases": {NAME: {"queries": _QUERIES, "tables": _TABLES}},
        },
        settings=_SETTINGS,
        template_dir=str(folder / "templates"),
        static_mounts=[("-/desk", str(folder / "static"))],
    )
    # Without files datasette adds an empty database in memory.
    if "_memory" in desk.databases:
        desk.remove_database("_memory")
    desk.add_database(ReadOnlyDatabase(desk, str(path)), name=NAME)
    desk.jinja_env.filters.update(FILTERS)
    desk.jinja_env.trim_blocks = desk.jinja_env.lstrip_blocks = True
    return desk


def _is_desk(datasette: Any) -> bool:
    """Return whether this datasette is the desk: plugins are shared by all of a process."""
    return datasette.plugin_config(_PLUGIN) is not None


class _Plugin:
    """The plugin hooks that datasette calls."""

    __name__ = _PLUGIN

    @hookimpl  # type: ignore[untyped-decorator]  # datasette has no types
    def register_routes(self, datasette: Any) -> list[tuple[str, Any]]:
        return ROUTES if _is_desk(datasette) else []

    @hookimpl  # type: ignore[untyped-decorator]  # datasette has no types
    def asgi_wrapper(self, datasette: Any) -> Any:
        return Guard if _is_desk(datasette) else _unchanged

    @hookimpl(trylast=True)  # type: ignore[untyped-decorator]  # datasette has no types
    def prepare_connection(self, conn: sqlite3.Connection, datasette: Any) -> None:
        if _is_desk(datasette):
            conn.create_function("escape_fts", 1, searched)  # in place of datasette's
            conn.row_factory = CountedRows()

    @hookimpl  # type: ignore[untyped-decorator]  # datasette has no types
    def menu_links(self, datasette: Any) -> list[dict[str, str]]:
        return [{"href": "/", "label": "Newest articles"}] if _is_desk(datasette) else []

    @hookimpl(hookwrapper=True)  # type: ignore[untyped-decorator]  # datasette has no types
    def handle_exception(self, datasette: Any, request: Any, exception: Exception) -> Generator[None, Any, None]:
        outcome = yield
        if _is_desk(datasette):
            # In place of datasette's, which would print all that it knows of a mistyped address.
            outcome.force_result([error_page(datasette, request, exception)])


def _unchanged(application: Application) -> Application:
    return application


_plugin = _Plugin()


def serve(database: str, port: int = 0, *, is_opened: bool = False, days: int = DAYS) -> None:
    """Serve the desk of a database, given as a path or SQLAlchemy URL, until Ctrl-C; port 0 chooses a free one.

    Of a database that is not SQLite a copy of the last days is served.

    Raises:
        DeskError: the database is missing, or cannot be read by the desk.
        OSError: the port is in use.
    """
    with as_sqlite(database, days) as readable:
        _serve(database_path(readable), port, is_opened=is_opened)


def _serve(path: Path, port: int, *, is_opened: bool) -> None:
    with closing(open_read_only(path)) as connection:
        limit_heap(connection)
    desk = make_desk(path)
    with closing(socket.create_server((HOST, port))) as listening, suppress(KeyboardInterrupt):
        address = f"http://{HOST}:{listening.getsockname()[1]}/"
        print(f"The desk is at {address} until Ctrl-C.", flush=True)  # noqa: T201 - what it was started for
        if is_opened:
            webbrowser.open(address)  # waits for a response: we are listening already
        settings = uvicorn.Config(desk.app(), log_level="warning", proxy_headers=False, server_header=False)
        uvicorn.Server(settings).run(sockets=[listening])
