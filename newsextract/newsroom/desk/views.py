"""The views of the front pages: each reads plain data in a thread and renders a template."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from datasette.utils.asgi import Base400, Response
from datasette.views.base import DatasetteError
from markupsafe import Markup

from newsextract.newsroom.desk import article_detail, article_listing, sites_overview, story_detail, watch_matches
from newsextract.newsroom.desk.article_selection import WINDOW
from newsextract.newsroom.desk.choice import ORDERS, Choice, page_of
from newsextract.newsroom.desk.day_range import DayRange
from newsextract.newsroom.desk.desk_database import Tables
from newsextract.newsroom.desk.desk_guard import OWN_POLICY
from newsextract.newsroom.desk.display import pictures, shown
from newsextract.newsroom.desk.downloads import article_json, export_articles
from newsextract.newsroom.desk.limited_reading import TooMuchError, read_within_limits

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Awaitable, Callable

logger = logging.getLogger(__name__)


async def front_page(datasette: Any, request: Any) -> Any:
    """Answer `/`: the newest articles, search and facets."""
    choice = Choice.of(request.args)
    context = {"orders": ORDERS, "window": WINDOW, "choice": choice}
    return await _page(
        datasette, request, "front", lambda connection: article_listing.front(connection, choice), context
    )


async def article_page(datasette: Any, request: Any) -> Any:
    """Answer `/article/ID`; pictures from other hosts are loaded only with `?pictures=1`."""
    with_pictures = request.args.get("pictures") == "1"

    def read(connection: sqlite3.Connection) -> article_detail.ArticlePage | None:
        return article_detail.article(connection, request.url_vars["id"])

    context = {"shown": shown, "pictures": pictures, "with_pictures": with_pictures}
    policy = OWN_POLICY.format(pictures=" http: https:" if with_pictures else "")
    return await _page(datasette, request, "article", read, context, policy)


async def matches_page(datasette: Any, request: Any) -> Any:
    """Answer `/matches`: which article matched which watch rule, with the passages."""
    choice = watch_matches.MatchChoice.of(request.args)
    context = {"choice": choice, "window": WINDOW, "no_days": DayRange()}
    return await _page(
        datasette, request, "matches", lambda connection: watch_matches.match_page(connection, choice), context
    )


async def sites_page(datasette: Any, request: Any) -> Any:
    """Answer `/sites`: each site with its articles, its pages by state, and its troubles."""
    number = page_of(request.args)
    return await _page(datasette, request, "sites", lambda connection: sites_overview.site_page(connection, number))


def _plain(name: str, read: Callable[..., Any]) -> Callable[[Any, Any], Awaitable[Any]]:
    """Return a view that shows what `read` returns for a connection and the parts of the URL."""

    async def view(datasette: Any, request: Any) -> Any:
        return await _page(datasette, request, name, lambda connection: read(connection, *request.url_vars.values()))

    return view


async def _page(
    datasette: Any,
    request: Any,
    name: str,
    read: Callable[[sqlite3.Connection], Any],
    context: dict[str, Any] | None = None,
    policy: str = OWN_POLICY.format(pictures=""),
) -> Any:
    """Return the response with the data as `page`: status 404 for `None`, 503 if reading took too long."""
    status, message = 200, ""
    try:
        known = await read_within_limits(datasette, lambda connection: _known(connection, read))
        if known["page"] is None:
            status, message = 404, f"There is no such {name}."
    except TooMuchError as error:
        known, status, message = {"tables": (), "filled": ()}, 503, str(error)
    template = f"desk/{'message' if message else name}.html"
    everything = known | {"message": message} | (context or {})
    html = await datasette.render_template(template, everything, request=request)
    return Response.html(html, status=status, headers={"content-security-policy": policy})


async def error_page(datasette: Any, request: Any, error: Exception) -> Any:
    """Return the response to a request that failed; only a fault of the desk itself is logged."""
    status, message = getattr(error, "status", 500), str(error)
    if isinstance(error, DatasetteError):
        message = Markup(error.message) if error.message_is_html else error.message  # noqa: S704 - datasette's own
    elif not isinstance(error, Base400):
        logger.error("%s could not be shown", request.path, exc_info=error)
    if request.path.endswith(".json"):
        told = {"ok": False, "error": message, "status": status, "title": getattr(error, "title", None)}
        return Response.json(getattr(error, "error_dict", {}) | told, status=status)
    if status == 404:
        message = f"There is no page at {request.path}."
    context = {"tables": (), "filled": (), "message": message}
    html = await datasette.render_template("desk/message.html", context, request=request)
    return Response.html(html, status=status)


def _known(connection: sqlite3.Connection, read: Callable[[sqlite3.Connection], Any]) -> dict[str, Any]:
    """Return the data of a page, and the other pages to link to."""
    tables = Tables.of(connection)
    return {"page": read(connection), "tables": tables, "filled": tables.filled(connection)}


ROUTES = [
    (r"^/$", front_page),
    (r"^/export\.(?P<format>csv|jsonl)$", export_articles),
    (r"^/article/(?P<id>\w+)$", article_page),
    (r"^/article/(?P<id>\w+)\.json$", article_json),
    (r"^/matches$", matches_page),
    (r"^/story/(?P<id>\w+)$", _plain("story", story_detail.story)),
    (r"^/stories$", _plain("stories", story_detail.stories)),
    (r"^/sites$", sites_page),
    (r"^/runs$", _plain("runs", sites_overview.runs)),
]
