"""The desk's web application, and the server on loopback: its routes, its guard, and the limits of each reading."""

from __future__ import annotations

import socket
import time
import webbrowser
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from jinja2 import Environment, PackageLoader, StrictUndefined
from sqlalchemy import event, func, inspect, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from newsextract.newsroom.desk import articles as article_pages
from newsextract.newsroom.desk import sites as site_pages
from newsextract.newsroom.desk.display import (
    direction,
    facts,
    grouped,
    is_web,
    language_shown,
    percent,
    sanitised,
    time_shown,
)
from newsextract.newsroom.desk.search import (
    ARTICLE_FACETS,
    MATCH_FACETS,
    MATCHES,
    PAGE_FACETS,
    PAGES,
    WINDOW,
    Choice,
    article_source,
    listing,
    selected,
)
from newsextract.newsroom.health.report import sparkline
from newsextract.storage.database import StorageError, make_engine, opening, shown
from newsextract.storage.export import csv_head, csv_lines, json_line, names_in
from newsextract.storage.migrations import REVISIONS, revision_of
from newsextract.storage.schema import articles
from newsextract.storage.search.queries import QueryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import Connection, Engine
    from starlette.middleware.base import RequestResponseEndpoint
    from starlette.requests import Request

HOST = "127.0.0.1"
PAGE_SECONDS = 5.0
"""For a statement; with SQLite, for all of a page. A list of 100,000 articles takes a tenth of it."""
_EXPORTED_AT_ONCE = 20
"""Articles read at a time: one may have a megabyte."""

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'{pictures}; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing from other hosts, no inline script; `pictures` allows those that a reader asked for."""
_HEADERS = {
    "content-security-policy": _POLICY.format(pictures=""),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",  # a crawl may be writing
}
_READ_ONLY = {
    "sqlite": ("PRAGMA query_only = 1",),
    "postgresql": (
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        f"SET statement_timeout = {PAGE_SECONDS * 1000:.0f}",
    ),
    "mysql": ("SET SESSION TRANSACTION READ ONLY", f"SET max_statement_time = {PAGE_SECONDS}"),
}
"""What each new connection executes, by the name of the dialect."""
_INTERRUPTED = ("57014", "70100")
"""What PostgreSQL and MariaDB call it."""
_TOO_LONG = "This took too long and was given up. A narrower choice may do: a site, a day, a search."


_FILTERS = {
    "time": time_shown,
    "grouped": grouped,
    "percent": percent,
    "direction": direction,
    "language": language_shown,
    "names": names_in,
    "texts": article_pages.text_changes,
    "pieces": article_pages.passage_pieces,
}
"""By their names in the templates."""


class TooLongError(Exception):
    """Reading a page took longer than `PAGE_SECONDS`."""


def open_database(database: str) -> Engine:
    """Return the engine of a database, given as a file or URL, whose connections can only read.

    Raises:
        StorageError: there is no database, or its tables are of another version.
    """
    url = database if "://" in database else f"sqlite:///{database}"
    with opening(url):
        engine = make_engine(url)
        path = engine.url.database
        if engine.dialect.name == "sqlite" and not (path and Path(path).is_file()):
            raise StorageError(f"there is no database at {path}: run `make crawl` first, or name another one")
        event.listen(engine, "connect", partial(_restrict, statements=_READ_ONLY[engine.dialect.name]))
        with engine.connect() as connection:
            has_articles = inspect(connection).has_table(articles.name)
            is_known = revision_of(connection) == REVISIONS[-1]
    if not (has_articles and is_known):
        raise StorageError(f"{shown(url)} has no tables of this version: a crawl makes them or brings them up to date")
    return engine


def _restrict(connection: Any, _record: Any, statements: Sequence[str]) -> None:
    cursor = connection.cursor()
    for statement in statements:
        cursor.execute(statement)
    cursor.close()
    connection.commit()


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open a connection for a page; raises `TooLongError` if a statement takes longer than `PAGE_SECONDS`."""
    try:
        with engine.connect() as connection, _limited(connection):
            yield connection
    except DBAPIError as error:
        if str(error.orig) == "interrupted" or getattr(error.orig, "sqlstate", None) in _INTERRUPTED:
            raise TooLongError from error
        raise


@contextmanager
def _limited(connection: Connection) -> Iterator[None]:
    """Interrupt SQLite, which has no time limit of its own."""
    if connection.dialect.name != "sqlite":
        yield
        return
    driver: Any = connection.connection.driver_connection
    deadline = time.monotonic() + PAGE_SECONDS
    driver.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
    try:
        yield
    finally:
        driver.set_progress_handler(None, 0)


class Desk:
    """The views: each reads plain data and puts it into a template."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.templates = Environment(
            loader=PackageLoader("newsextract.newsroom.desk"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )
        self.templates.filters.update(_FILTERS)
        self.templates.tests["web"] = is_web

    def page(self, request: Request, name: str, status: int = 200, **context: Any) -> HTMLResponse:
        """Return a rendered template."""
        html = self.templates.get_template(f"{name}.html").render(request=request, window=WINDOW, **context)
        return HTMLResponse(html, status)

    def front(self, request: Request) -> Response:
        """Answer `/`: the newest articles, search and facets."""
        choice = Choice.of("/", ARTICLE_FACETS, request.query_params)
        with reading(self.engine) as connection:
            found = listing(connection, choice, article_source(choice))
            cards = article_pages.cards(connection, [row["id"] for row in found.rows], choice.q)
            stored = connection.execute(select(func.count()).select_from(articles)).scalar_one()
        return self.page(request, "front", page=found, choice=choice, cards=cards, stored=stored)

    def article(self, request: Request) -> Response:
        """Answer `/article/ID`; pictures from other hosts are loaded only with `?pictures=1`."""
        with reading(self.engine) as connection:
            found = article_pages.article_page(connection, request.path_params["id"])
        if found is None:
            raise HTTPException(404, "There is no such article.")
        with_pictures = request.query_params.get("pictures") == "1"
        html = found["row"]["article_body_html"] or ""
        response = self.page(
            request,
            "article",
            **found,
            facts=facts(found["row"]),
            text=sanitised(html, with_pictures=with_pictures),
            pictures=html.count("<img"),
            with_pictures=with_pictures,
        )
        if with_pictures:
            response.headers["content-security-policy"] = _POLICY.format(pictures=" http: https:")
        return response

    def article_json(self, request: Request) -> Response:
        """Answer `/article/ID.json`: the item, with the field names of a crawl's JSON Lines."""
        with reading(self.engine) as connection:
            rows = article_pages.article_rows(connection, [request.path_params["id"]])
        if not rows:
            raise HTTPException(404, "There is no such article.")
        return Response(json_line(rows[0]), media_type="application/json")

    def matches(self, request: Request) -> Response:
        """Answer `/matches`: which article matched which watch rule, with the passages."""
        choice = Choice.of("/matches", MATCH_FACETS, request.query_params)
        with reading(self.engine) as connection:
            found = listing(connection, choice, MATCHES)
            cards = article_pages.match_cards(connection, found.rows)
        return self.page(request, "matches", page=found, choice=choice, cards=cards)

    def stories(self, request: Request) -> Response:
        """Answer `/stories`: those to which an article was added last."""
        with reading(self.engine) as connection:
            return self.page(request, "stories", stories=article_pages.newest_stories(connection))

    def story(self, request: Request) -> Response:
        """Answer `/story/ID`: its copies side by side."""
        with reading(self.engine) as connection:
            story = article_pages.story(connection, request.path_params["id"])
        if story is None:
            raise HTTPException(404, "There is no such story.")
        return self.page(request, "story", story=story)

    def sites(self, request: Request) -> Response:
        """Answer `/sites`: each site with its articles, its pages by state, and its problems."""
        with reading(self.engine) as connection:
            found, total = site_pages.all_sites(connection)
        return self.page(request, "sites", sites=found, total=total)

    def site(self, request: Request) -> Response:
        """Answer `/site/NAME`: its health, and what its last runs saw."""
        with reading(self.engine) as connection:
            site = site_pages.site_page(connection, request.path_params["name"])
        if site is None:
            raise HTTPException(404, "There is no such site.")
        return self.page(request, "site", site=site, sparkline=sparkline)

    def pages(self, request: Request) -> Response:
        """Answer `/pages`: the pages that were visited, and why those that are no articles are not."""
        choice = Choice.of("/pages", PAGE_FACETS, request.query_params)
        with reading(self.engine) as connection:
            return self.page(request, "pages", page=listing(connection, choice, PAGES), choice=choice)

    def runs(self, request: Request) -> Response:
        """Answer `/runs`: the last runs of the spider."""
        with reading(self.engine) as connection:
            return self.page(request, "runs", runs=site_pages.newest_runs(connection))

    def export(self, request: Request) -> Response:
        """Answer `/export.csv` and `/export.jsonl` with the articles that the front page lists."""
        suffix = request.path_params["suffix"]
        if suffix not in ("csv", "jsonl"):
            raise HTTPException(404)
        choice = Choice.of("/", ARTICLE_FACETS, request.query_params)
        try:
            with reading(self.engine) as connection:
                rows = selected(connection, choice, article_source(choice))[:WINDOW]
        except (QueryError, ValueError) as error:
            raise HTTPException(400, str(error)) from error
        is_csv = suffix == "csv"
        ids = [row["id"] for row in rows]
        return StreamingResponse(
            self._lines(ids, is_csv=is_csv),
            media_type="text/csv; charset=utf-8" if is_csv else "application/x-ndjson",
            headers={"content-disposition": f'attachment; filename="articles.{suffix}"'},
        )

    def _lines(self, ids: Sequence[str], *, is_csv: bool) -> Iterator[str]:
        yield csv_head() if is_csv else ""
        for start in range(0, len(ids), _EXPORTED_AT_ONCE):
            with reading(self.engine) as connection:
                rows = article_pages.article_rows(connection, ids[start : start + _EXPORTED_AT_ONCE])
            yield csv_lines(rows) if is_csv else "".join(map(json_line, rows))

    def failed(self, request: Request, error: Exception) -> Response:
        """Answer a request that failed, with a sentence."""
        if isinstance(error, TooLongError):
            return self.page(request, "message", 503, message=_TOO_LONG)
        if isinstance(error, HTTPException):
            message = error.detail if error.detail != "Not Found" else "There is no such page."
            return self.page(request, "message", error.status_code, message=message)
        return self.page(request, "message", 500, message=str(error).partition("\n")[0])


async def guarded(request: Request, answer: RequestResponseEndpoint) -> Response:
    """Add what browsers may do with an answer; a view's own headers stay."""
    response = await answer(request)
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    return response


def make_desk(engine: Engine) -> Starlette:
    """Return the application, for a database that `open_database` opened."""
    desk = Desk(engine)
    views: dict[str, Callable[[Request], Response]] = {
        "/": desk.front,
        "/export.{suffix:str}": desk.export,
        "/article/{id}.json": desk.article_json,
        "/article/{id}": desk.article,
        "/matches": desk.matches,
        "/stories": desk.stories,
        "/story/{id}": desk.story,
        "/sites": desk.sites,
        "/site/{name}": desk.site,
        "/pages": desk.pages,
        "/runs": desk.runs,
    }
    static = Mount("/static", StaticFiles(packages=[("newsextract.newsroom.desk", "static")]))
    return Starlette(
        routes=[*(Route(path, view, methods=["GET"]) for path, view in views.items()), static],
        # The desk has no password. Other names that resolve to loopback are refused: a stranger's page could use one.
        middleware=[
            Middleware(BaseHTTPMiddleware, dispatch=guarded),
            Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"]),
        ],
        exception_handlers=dict.fromkeys((TooLongError, HTTPException, StorageError, SQLAlchemyError), desk.failed),
    )


def serve(database: str, port: int = 0, *, is_opened: bool = False) -> None:
    """Serve the desk of a database, given as a path or SQLAlchemy URL, until Ctrl-C; port 0 chooses a free one.

    Raises:
        StorageError: the database is missing, or cannot be read by the desk.
        OSError: the port is in use.
    """
    engine = open_database(database)
    with closing(socket.create_server((HOST, port))) as listening, suppress(KeyboardInterrupt):
        url = f"http://{HOST}:{listening.getsockname()[1]}/"
        print(f"The desk is at {url} until Ctrl-C.", flush=True)  # noqa: T201 - what it was started for
        if is_opened:
            webbrowser.open(url)  # waits for a response: we are listening already
        settings = uvicorn.Config(make_desk(engine), log_level="warning", proxy_headers=False, server_header=False)
        uvicorn.Server(settings).run(sockets=[listening])
    engine.dispose()
