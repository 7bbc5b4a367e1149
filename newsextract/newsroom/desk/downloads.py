"""The views that answer with files: the articles of a choice, and one article as JSON."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datasette.utils.asgi import Response

from newsextract.newsroom.desk import article_export
from newsextract.newsroom.desk.choice import Choice
from newsextract.newsroom.desk.day_range import DayError
from newsextract.newsroom.desk.limited_reading import TooMuchError, read_within_limits
from newsextract.storage.export import csv_head
from newsextract.storage.search.queries import QueryError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

logger = logging.getLogger(__name__)

_CSV, _JSON_LINES = "text/csv; charset=utf-8", "application/x-ndjson; charset=utf-8"


async def export_articles(datasette: Any, request: Any) -> Any:
    """Answer `/export.csv` and `/export.jsonl` with the arguments of the front page: the articles that it lists."""
    choice = Choice.of(request.args)
    try:
        if choice.days.mistake:
            return Response.text(choice.days.mistake, status=400)
        places = await read_within_limits(datasette, lambda connection: article_export.exported(connection, choice))
    except (QueryError, DayError) as error:
        return Response.text(f"{error}", status=400)
    except TooMuchError as error:
        return Response.text(str(error), status=503)
    suffix = request.url_vars["format"]
    is_csv = suffix == "csv"
    head, lines = (csv_head(), article_export.csv_lines) if is_csv else ("", article_export.json_lines)

    async def parts() -> AsyncIterator[str]:
        yield head
        for start in range(0, len(places), article_export.AT_ONCE):
            some = places[start : start + article_export.AT_ONCE]
            yield await read_within_limits(datasette, _written(some, lines))

    return Download(choice.file_name(suffix), _CSV if is_csv else _JSON_LINES, parts())


@dataclass(frozen=True)
class Download:
    """A file that is sent part by part, as a response of datasette."""

    name: str
    content_type: str
    parts: AsyncIterator[str]

    async def asgi_send(self, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        """Send the parts; if one cannot be read, the response stays unfinished, and browsers say so."""
        stated = {"content-type": self.content_type, "content-disposition": f'attachment; filename="{self.name}"'}
        headers = [(name.encode(), value.encode()) for name, value in stated.items()]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        try:
            async for part in self.parts:
                await send({"type": "http.response.body", "body": part.encode(), "more_body": True})
        except TooMuchError as error:
            logger.warning("%s is incomplete: %s", self.name, error)
            return
        await send({"type": "http.response.body", "body": b""})


def _written(places: Sequence[int], lines: Callable[[Sequence[Any]], str]) -> Callable[[Any], str]:
    """Return the function that reads some articles from a connection and writes their lines."""
    return lambda connection: lines(article_export.read_rows(connection, places))


async def article_json(datasette: Any, request: Any) -> Any:
    """Answer `/article/ID.json`: the item, with the field names of a crawl's JSON Lines."""

    def read(connection: Any) -> str:
        return article_export.article_as_json(connection, request.url_vars["id"])

    try:
        text = await read_within_limits(datasette, read)
    except TooMuchError as error:
        return Response.text(str(error), status=503)
    if not text:
        return Response.json({"ok": False, "error": "There is no such article."}, status=404)
    return Response(text, content_type="application/json; charset=utf-8")
