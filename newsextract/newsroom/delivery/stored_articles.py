"""Messages of articles that are stored already, for a target that was added later."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from sqlalchemy import select, tuple_

from newsextract.newsroom.delivery.all_senders import Report
from newsextract.newsroom.delivery.envelope import ARTICLE, stored_message
from newsextract.newsroom.delivery.target import Away, Refused
from newsextract.storage.articles.stored_values import values_of
from newsextract.storage.database.value_fitting import stamp
from newsextract.storage.outbox.message_store import Letter
from newsextract.storage.schema.crawl_tables import articles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy import Engine

    from newsextract.newsroom.delivery.target import Target

_PAUSE_SECONDS = 0.5
"""Between two attempts to reach a target."""

_AT_ONCE = 50
"""Rows read at once: an article may have a megabyte."""


def send_stored(engine: Engine, target: Target, since: datetime, patience: float) -> Report:
    """Send a target the articles that were first seen since a time; `patience` is in seconds without success.

    A message has the id that it had when its article was new, so that a reader can tell what it has had.
    """
    counts: Counter[str] = Counter()
    left, away = 0, ""
    for batch in _letters(engine, since) if target.wants(ARTICLE) else ():
        waiting = batch if not away else []
        left += len(batch) - len(waiting)
        while waiting:
            try:
                done = _deliver(target, waiting[: target.most], patience)
            except Refused:
                counts["dead"] += 1
                waiting = waiting[1:]
            except Away as error:
                away, left, waiting = str(error), left + len(waiting), []
            else:
                counts["delivered"] += done
                waiting = waiting[done:]
    target.close()
    return Report(target.name, counts["delivered"], counts["dead"], int(bool(away)), left, away or None)


def _deliver(target: Target, letters: list[Letter], patience: float) -> int:
    end = time.monotonic() + patience
    while True:
        try:
            return target.deliver(letters)
        except Away as error:
            pause = max(_PAUSE_SECONDS, error.wait_seconds or 0.0)
            if time.monotonic() + pause > end:
                raise
        time.sleep(pause)


def _letters(engine: Engine, since: datetime) -> Iterator[list[Letter]]:
    place = articles.c.date_first_seen, articles.c.id
    last = (stamp(since), "")
    while True:
        query = select(articles).where(tuple_(*place) > last).order_by(*place).limit(_AT_ONCE)
        with engine.connect() as connection:
            rows = [dict(row) for row in connection.execute(query).mappings()]
        if not rows:
            return
        last = rows[-1]["date_first_seen"], rows[-1]["id"]
        messages = [stored_message(row, values_of(row)) for row in rows]
        yield [Letter(0, message.id, message.kind, message.payload) for message in messages]
