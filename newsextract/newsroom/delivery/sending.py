"""Sends the outbox to targets: one thread for each.

At least once: a message is marked as delivered after the target has confirmed it. A target that is away is retried
with growing pauses; the others have their own threads and are not affected.
"""

from __future__ import annotations

import json
import logging
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sqlalchemy import select, tuple_
from sqlalchemy.exc import SQLAlchemyError

from newsextract.newsroom.delivery.messages import ARTICLE, stored_message
from newsextract.newsroom.delivery.targets import Away, Refused
from newsextract.reading.usage_rights import LeftOut
from newsextract.storage.articles import values_of
from newsextract.storage.database import StorageError
from newsextract.storage.outbox import (
    FORGET_DAYS,
    Letter,
    Progress,
    Seeking,
    advance,
    head,
    hold,
    let_go,
    letters_after,
    note_refusals,
    prune,
    register,
)
from newsextract.storage.rows import stamp
from newsextract.storage.schema import articles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from sqlalchemy import Engine

    from newsextract.newsroom.delivery.targets import Target
    from newsextract.storage.database_thread import DatabaseThread


END_SECONDS = 10.0
"""Time for targets to get the rest when a crawl ends: a stopped crawl should end soon; what is left waits."""

KEEP_DAYS = 7.0
"""Days to keep messages that all targets have: long enough to look up what was sent last week."""

logger = logging.getLogger(__name__)

MOST_REFUSALS = 5
"""Refusals of a message after which it is given up and the next one is sent."""

_WAIT_SECONDS = 30.0
"""Seconds between two looks at messages that wait for their time."""
_LOOK_SECONDS = 0.5
"""Seconds between two checks of an empty outbox."""
_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 60.0


class Sender:
    """Sends to one target. Its counts and its position may be read at any time."""

    def __init__(self, target: Target, database: DatabaseThread) -> None:
        self.target = target
        self.database = database
        self.counts: Counter[str] = Counter()
        """Counts named `delivered`, `dead` and `outages`."""
        self.away: str | None = None
        """Why the target is away, while it is."""
        self.is_waiting = False
        """Whether the next messages wait for their time, as those of a digest do."""
        self.position: int | None = None
        """The outbox position of the last message that the target is known to have."""
        self.left_out = LeftOut(target.use) if target.use else None
        self._judged = 0
        """The position up to which the messages left out are counted: a batch may be sent again."""
        self._id = uuid4().hex
        self._pause = _FIRST_PAUSE_SECONDS
        self._wake = threading.Event()
        self._deadline: float | None = None
        self._patience: float | None = None
        # A daemon, so that a program can end while a target hangs.
        self._thread = threading.Thread(target=self._work, name=f"newsextract-{target.name}"[:60], daemon=True)

    def start(self) -> None:
        """Register the target and start; messages added to the outbox from now on are sent."""
        self.database.submit(register, self._seeking())
        self._thread.start()

    def finish(self, seconds: float, *, is_patient: bool = False) -> None:
        """Stop when nothing is left or after `seconds`, counted from the last delivery if patient."""
        self._patience = seconds if is_patient else None
        self._deadline = time.monotonic() + seconds
        self._wake.set()

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the thread to end, and return whether it has."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def left(self) -> int:
        """Return how many messages are still to be sent."""
        with self.database.engine.connect() as connection:
            return max(head(connection) - (self.position or 0), 0)

    def _work(self) -> None:
        try:
            while not self._is_over():
                self._wait(self._step())
        finally:
            self.target.close()
            self.database.submit(let_go, self._seeking())

    def _is_over(self) -> bool:
        return self._deadline is not None and time.monotonic() >= self._deadline

    def _wait(self, seconds: float | None) -> None:
        """Sleep for the pause or until a stop is requested; stop if one is and nothing is left."""
        if seconds is None:
            if self._deadline is not None:
                self._deadline = 0.0
            seconds = _LOOK_SECONDS
        if self._deadline is not None:
            seconds = min(seconds, max(self._deadline - time.monotonic(), 0))
            time.sleep(seconds)
        elif seconds and self._wake.wait(seconds):
            self._pause = _FIRST_PAUSE_SECONDS

    def _step(self) -> float | None:
        """Send a batch; return the seconds to wait, `None` if there was nothing to send."""
        try:
            letters, refusals = self._next()
            if letters:
                pause = self._send(letters, refusals)
                if pause == 0:
                    self._note_return()
                return pause
        except Away as error:
            return self._note_absence(str(error), error.wait_seconds)
        except (StorageError, SQLAlchemyError) as error:
            return self._note_absence(f"the outbox is away: {str(error).partition(chr(10))[0]}", None)
        except Exception as error:  # our own bug must not end the delivery silently
            logger.exception("delivery to %s failed", self.target.name)
            return self._note_absence(f"{type(error).__name__}: {error}", None)
        if not self._has_all():
            return self._note_absence("another sender is at it", None, is_outage=False)
        return None

    def _next(self) -> tuple[list[Letter], int]:
        """Return the next messages and how often the first was refused; no messages if another process sends them."""
        if self._has_all():
            return [], 0
        found = self.database.submit(hold, self._seeking()).result()
        self.position = found.position
        if not found.is_ours:
            return [], 0
        with self.database.engine.connect() as connection:
            # Asked first: what is added between the two queries is simply found the next time.
            newest = head(connection)
            letters = letters_after(connection, found.position, self.target.most)
            if not letters:  # deleted by hand
                self._note(newest)
        return letters, found.refusals

    def _has_all(self) -> bool:
        with self.database.engine.connect() as connection:
            return self.position is not None and head(connection) <= self.position

    def _send(self, letters: Sequence[Letter], refusals: int) -> float | None:
        """Deliver as many as the target accepts, and record its position; return the seconds to wait, as `_step`."""
        wanted = [letter for letter in letters if self.target.wants(letter.kind) and self._may_have(letter)]
        due = self.target.due(wanted, datetime.now(UTC)) if wanted else []
        self.is_waiting = len(due) < len(wanted)
        if wanted and not due:
            return None if self._deadline is not None else _WAIT_SECONDS
        try:
            done = self.target.deliver(due) if due else 0
        except Refused as error:
            self._note_refusal(due[0], str(error), refusals + 1)
            return 0.0
        self.counts["delivered"] += done
        # The unwanted kinds right after the last delivered message are skipped together with it.
        self._note(letters[-1].position if done == len(wanted) else wanted[done].position - 1)
        return 0.0

    def _may_have(self, letter: Letter) -> bool:
        if self.left_out is None:
            return True
        judge = self.left_out if letter.position > self._judged else LeftOut(self.left_out.use)
        self._judged = max(self._judged, letter.position)
        return judge.keeps(_rights_in(letter))

    def _note_refusal(self, letter: Letter, reason: str, times: int) -> None:
        if times < MOST_REFUSALS:
            self.database.submit(note_refusals, (self.target.name, self.position or 0, times)).result()
            raise Away(reason)
        self._note(letter.position, dead=letter, reason=reason)
        self.counts["dead"] += 1
        told = "%s refuses message %s (%s): the message is in the table dead_letters"
        logger.error(told, self.target.name, letter.id, reason)

    def _note(self, position: int, **more: Any) -> None:
        step = Progress(self.target.name, position, datetime.now(UTC), **more)
        self.database.submit(advance, step).result()
        self.position = position
        if self._patience is not None:
            self._deadline = time.monotonic() + self._patience

    def _note_absence(self, reason: str, wait_seconds: float | None, *, is_outage: bool = True) -> float:
        if is_outage and self.away is None:
            self.away = reason
            self.counts["outages"] += 1
            logger.warning("%s is away, its messages wait in the outbox: %s", self.target.name, reason)
        jittered = self._pause * random.uniform(0.5, 1)  # noqa: S311 - so that several senders do not retry at once
        self._pause = min(self._pause * 2, _LONGEST_PAUSE_SECONDS)
        return max(jittered, wait_seconds or 0.0)

    def _note_return(self) -> None:
        self._pause = _FIRST_PAUSE_SECONDS
        if self.away is not None:
            self.away = None
            logger.warning("%s is back", self.target.name)

    def _seeking(self) -> Seeking:
        return Seeking(self.target.name, self._id, datetime.now(UTC))


_LAST_WORDS_SECONDS = 12.0
"""Time for a delivery in progress to complete at the end: its own timeout and a little more."""


@dataclass(frozen=True, slots=True)
class Report:
    """The numbers of messages for one target that were delivered, refused or left."""

    target: str
    delivered: int
    dead: int
    """Messages given up because the target refuses them."""
    outages: int
    left: int | None
    """Messages in the outbox for the next run; `None` if the database cannot be reached."""
    away: str | None = None
    """Why the target cannot be reached, if it cannot."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """The numbers of messages that it does not get, as a use of their articles is reserved, by reason."""
    waiting: int = 0
    """Messages that wait for their time: a digest's, or those of quiet hours. They are not among those left."""


class Senders:
    """Starts and stops one sender thread per target."""

    def __init__(self, targets: Sequence[Target], database: DatabaseThread) -> None:
        self.database = database
        self.senders = [Sender(target, database) for target in targets]

    def start(self) -> None:
        """Register the targets, start sending, and prune the outbox."""
        for sender in self.senders:
            sender.start()
        self.prune()

    def prune(self) -> None:
        """Have the database thread delete old messages that all targets have."""
        self.database.submit(prune, (datetime.now(UTC), KEEP_DAYS)).add_done_callback(_tell)

    def finish(self, seconds: float, *, is_patient: bool = False) -> list[Report]:
        """Send what is left, stop the senders, and return a report for each target.

        Args:
            seconds: time limit for the remaining messages.
            is_patient: whether the limit counts from the last delivered message instead of from now.
        """
        for sender in self.senders:
            sender.finish(seconds, is_patient=is_patient)
        end = time.monotonic() + seconds + _LAST_WORDS_SECONDS
        for sender in self.senders:
            if not sender.join(None if is_patient else max(end - time.monotonic(), 0)):
                logger.error("%s hangs; what it has not taken is sent by the next run", sender.target.name)
        return [_report(sender) for sender in self.senders]


def _report(sender: Sender) -> Report:
    counts = sender.counts
    try:
        left = sender.left()
    except SQLAlchemyError:
        left = None
    left_out = dict(sender.left_out.counts) if sender.left_out else {}
    waits = bool(left) and sender.is_waiting and not sender.away
    counted = counts["delivered"], counts["dead"], counts["outages"], 0 if waits else left
    return Report(sender.target.name, *counted, sender.away, left_out, left or 0 if waits else 0)


def _tell(future: Future[tuple[int, tuple[str, ...]]]) -> None:
    error = future.exception()
    if error is not None:
        logger.warning("old messages were not deleted: %s", error)
        return
    for name in future.result()[1]:
        logger.warning("%s has been in no settings for %d days: nothing is kept for it any more", name, FORGET_DAYS)


_AT_ONCE = 50
"""Rows read at once: an article may have a megabyte."""


def send_stored(engine: Engine, target: Target, since: datetime, patience: float) -> Report:
    """Send a target the articles that were first seen since a time; `patience` is in seconds without success.

    A message has the id that it had when its article was new, so that a reader can tell what it has had.
    """
    counts: Counter[str] = Counter()
    left, away = 0, ""
    left_out = LeftOut(target.use) if target.use else None
    for batch in _letters(engine, since) if target.wants(ARTICLE) else ():
        wanted = [each for each in batch if left_out is None or left_out.keeps(_rights_in(each))]
        waiting = wanted if not away else []
        left += len(wanted) - len(waiting)
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
    counted = dict(left_out.counts) if left_out else {}
    return Report(target.name, counts["delivered"], counts["dead"], int(bool(away)), left, away or None, counted)


def _rights_in(letter: Letter) -> Mapping[str, Any] | None:
    rights: Mapping[str, Any] | None = json.loads(letter.payload)["article"].get("usageRights")
    return rights


def _deliver(target: Target, letters: list[Letter], patience: float) -> int:
    end = time.monotonic() + patience
    while True:
        try:
            return target.deliver(letters)
        except Away as error:
            pause = max(_FIRST_PAUSE_SECONDS, error.wait_seconds or 0.0)
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
