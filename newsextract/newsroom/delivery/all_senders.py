"""The senders of all targets of one program, and a report of what each has delivered."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from newsextract.newsroom.delivery.target_sender import Sender
from newsextract.storage.outbox.message_store import FORGET_DAYS, prune

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from newsextract.newsroom.delivery.target import Target
    from newsextract.storage.database.database_thread import DatabaseThread
    from newsextract.storage.outbox.message_store import Pruned

logger = logging.getLogger(__name__)

_LAST_WORDS_SECONDS = 12.0
"""Time for a delivery in progress to complete at the end: its own timeout, and some more."""


@dataclass(frozen=True, slots=True)
class Report:
    """How many messages for one target were delivered, refused or left."""

    target: str
    delivered: int
    dead: int
    """Messages given up because the target refuses them."""
    outages: int
    left: int | None
    """Messages in the outbox for the next run; `None` if the database cannot be reached."""


class Senders:
    """Starts and stops one sender thread per target."""

    def __init__(self, targets: Sequence[Target], database: DatabaseThread, keep_days: float) -> None:
        self.database = database
        self.keep_days = keep_days
        self.senders = [Sender(target, database) for target in targets]

    def start(self) -> None:
        """Register the targets, start sending, and prune the outbox."""
        for sender in self.senders:
            sender.start()
        self.prune()

    def prune(self) -> None:
        """Delete old messages that all targets have; the database thread does it later."""
        self.database.submit(prune, (datetime.now(UTC), self.keep_days)).add_done_callback(_tell)

    def finish(self, seconds: float, *, is_patient: bool = False) -> list[Report]:
        """Let each target finish what is left, wait for it, and return a report per target.

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
    return Report(sender.target.name, counts["delivered"], counts["dead"], counts["outages"], left)


def _tell(future: Future[Pruned]) -> None:
    error = future.exception()
    if error is not None:
        logger.warning("old messages were not deleted: %s", error)
        return
    for name in future.result().forgotten:
        logger.warning("%s has been in no settings for %d days: nothing is kept for it any more", name, FORGET_DAYS)
