"""The desk's web application and its server: its routes, its guard, and the limits of each reading."""

from __future__ import annotations

import socket
import webbrowser
from contextlib import closing, suppress
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, get_type_hints

import uvicorn
from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import newsextract
from newsextract.newsroom.desk import articles as article_pages
from newsextract.newsroom.desk import sites as site_pages
from newsextract.newsroom.desk.access import Access, Door
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
from newsextract.newsroom.desk.questions import ASKED, Questions, UnknownError, told_wrong
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
from newsextract.storage.database import StorageError, TooLongError, open_database, reading
from newsextract.storage.export import csv_head, csv_lines, json_line, names_in
from newsextract.storage.schema import articles
from newsextract.storage.search.queries import QueryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import Engine
    from starlette.middleware.base import RequestResponseEndpoint
    from starlette.requests import Request
    from starlette.routing import BaseRoute


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
        """Answer `/article/ID`; pictures from other hosts are loaded only with `?pictures=1`.

        `?beside=2` shows the whole versions before and after the second revision.
        """
        beside = request.query_params.get("beside", "")
        number = int(beside) if beside.isdecimal() and len(beside) < 7 else 0
        with reading(self.engine) as connection:
            found = article_pages.article_page(connection, request.path_params["id"], number)
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
        return self.page(request, "site", site=site)

    def pages(self, request: Request) -> Response:
        """Answer `/pages`: the pages that were visited, and why those that are no articles are not."""
        choice = Choice.of("/pages", PAGE_FACETS, request.query_params)
        with reading(self.engine) as connection:
            return self.page(request, "pages", page=listing(connection, choice, PAGES), choice=choice)

    def runs(self, request: Request) -> Response:
        """Answer `/runs`: the last runs of the spider."""
        with reading(self.engine) as connection:
            to_come = site_pages.messages_to_come(connection)
            return self.page(request, "runs", runs=site_pages.newest_runs(connection), to_come=to_come)

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
        """Answer a request that failed, with a sentence: to programs as JSON."""
        status, message = 500, str(error).partition("\n")[0]
        if isinstance(error, TooLongError):
            status, message = 503, _TOO_LONG
        elif isinstance(error, HTTPException):
            status, message = error.status_code, error.detail
            message = "There is no such page." if message == "Not Found" else message
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": message}, status)
        return self.page(request, "message", status, message=message)


def make_desk(engine: Engine, access: Access | None = None) -> Starlette:
    """Return the application, for a database that `open_database` opened; by default, as on loopback."""
    desk, access = Desk(engine), access or Access()
    door = Door(access)

    async def guarded(request: Request, answer: RequestResponseEndpoint) -> Response:
        """Let a request in, and add what browsers may do with the answer; a view's own headers stay."""
        response = door.refusal(request) or await answer(request)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response

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
    assistants, lifespan = _for_assistants(engine) if access.token else ((), None)
    static = Mount("/static", StaticFiles(packages=[("newsextract.newsroom.desk", "static")]))
    return Starlette(
        routes=[
            *(Route(path, view, methods=["GET"]) for path, view in views.items()),
            *api_routes(engine),
            *assistants,
            static,
        ],
        lifespan=lifespan,
        middleware=[
            Middleware(BaseHTTPMiddleware, dispatch=guarded),
            Middleware(TrustedHostMiddleware, allowed_hosts=access.hosts, www_redirect=False),
        ],
        exception_handlers=dict.fromkeys((TooLongError, HTTPException, StorageError, SQLAlchemyError), desk.failed),
    )


def _for_assistants(engine: Engine) -> tuple[Sequence[BaseRoute], Any]:
    """Return the routes of the MCP server and what runs with them; none where its SDK is not installed."""
    try:
        from newsextract.newsroom.desk.mcp_server import http_routes  # noqa: PLC0415 - of another extra
    except ModuleNotFoundError:
        return (), None
    return http_routes(engine)


def serve(database: str, port: int = 0, access: Access | None = None, *, is_opened: bool = False) -> None:
    """Serve the desk of a database, given as a path or SQLAlchemy URL, until Ctrl-C; port 0 chooses a free one.

    Raises:
        StorageError: the database is missing, or cannot be read by the desk.
        OSError: the port is in use.
    """
    access = access or Access()
    engine = open_database(database)
    application = make_desk(engine, access)
    family = socket.AF_INET6 if ":" in access.host else socket.AF_INET
    listening = socket.create_server((access.host, port), family=family)
    with closing(listening), suppress(KeyboardInterrupt):
        url = f"http://{access.hosts[2]}:{listening.getsockname()[1]}/"
        named = f", for {', '.join(access.names)}," if access.names else ""
        print(f"The desk is at {url}{named} until Ctrl-C.", flush=True)  # noqa: T201 - what it was started for
        if is_opened:
            webbrowser.open(url)  # waits for a response: we are listening already
        settings = uvicorn.Config(
            application,
            log_level="warning",
            server_header=False,
            proxy_headers=True,
            forwarded_allow_ips=list(access.proxies),
        )
        uvicorn.Server(settings).run(sockets=[listening])
    engine.dispose()


# The questions as JSON, `/api/search?query=bridge`, and their description in OpenAPI, `/api/openapi.json`.


def api_routes(engine: Engine) -> list[Route]:
    """Return a route for each question, and one for their description."""
    questions = Questions(engine)
    models = {name: _model(getattr(questions, name)) for name in ASKED}
    described = JSONResponse(_openapi(questions, models))
    answers = [
        Route(f"/api/{name}", _view(getattr(questions, name), model), methods=["GET"]) for name, model in models.items()
    ]
    return [*answers, Route("/api/openapi.json", lambda _: described, methods=["GET"])]


def _model(question: Callable[..., Any]) -> type[BaseModel]:
    """Return a question's arguments as a model, which checks them."""
    hints = get_type_hints(question, include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], ... if parameter.default is Parameter.empty else parameter.default)
        for name, parameter in signature(question).parameters.items()
    }
    return create_model(question.__name__, __config__=ConfigDict(extra="forbid"), **fields)


def _view(question: Callable[..., Any], model: type[BaseModel]) -> Callable[[Request], Response]:
    lists = {name for name, part in model.model_json_schema()["properties"].items() if part.get("type") == "array"}

    def answer(request: Request) -> Response:
        query = request.query_params
        given = {name: query.getlist(name) if name in lists else query[name] for name in query}
        try:
            asked = model.model_validate(given)
            return JSONResponse(question(**{name: getattr(asked, name) for name in model.model_fields}))
        except ValidationError as error:
            return JSONResponse({"error": told_wrong(error)}, 400)
        except QueryError as error:
            return JSONResponse({"error": str(error)}, 400)
        except UnknownError as error:
            return JSONResponse({"error": str(error)}, 404)

    return answer


def _openapi(questions: Questions, models: dict[str, type[BaseModel]]) -> dict[str, Any]:
    told = {"application/json": {"schema": {"type": "object"}}}
    responses = {
        "200": {"description": "The answer; what websites wrote is below `from_page`.", "content": told},
        "400": {"description": "An argument is wrong.", "content": told},
        "404": {"description": "There is nothing of that name.", "content": told},
        "500": {"description": "The database does not answer.", "content": told},
        "503": {"description": "This took too long and was given up.", "content": told},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "newsextract", "version": newsextract.__version__},
        "paths": {
            f"/api/{name}": {
                "get": {
                    "operationId": name,
                    "summary": getattr(questions, name).__doc__,
                    "parameters": _parameters(model.model_json_schema()),
                    "responses": responses,
                }
            }
            for name, model in models.items()
        },
    }


def _parameters(schema: dict[str, Any]) -> list[dict[str, Any]]:
    required = schema.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": part}
        for name, part in schema["properties"].items()
    ]
