"""Start and stop the senders of all targets, and report what each has delivered."""

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


class Senders:
    """Starts and stops one sender thread per target; `told_at` is the level at which outages are logged."""

    def __init__(
        self, targets: Sequence[Target], database: DatabaseThread, keep_days: float, told_at: int = logging.WARNING
    ) -> None:
        self.database = database
        self.keep_days = keep_days
        self.senders = [Sender(target, database, told_at) for target in targets]

    def start(self) -> None:
        """Register the targets, start sending, and prune the outbox."""
        for sender in self.senders:
            sender.start()
        self.prune()

    def prune(self) -> None:
        """Have the database thread delete old messages that all targets have."""
        self.database.submit(prune, (datetime.now(UTC), self.keep_days)).add_done_callback(_tell)

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
    return Report(sender.target.name, counts["delivered"], counts["dead"], counts["outages"], left, sender.away)


def _tell(future: Future[Pruned]) -> None:
    error = future.exception()
    if error is not None:
        logger.warning("old messages were not deleted: %s", error)
        return
    for name in future.result().forgotten:
        logger.warning("%s has been in no settings for %d days: nothing is kept for it any more", name, FORGET_DAYS)
