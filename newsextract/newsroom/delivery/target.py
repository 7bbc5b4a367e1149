"""The base class of delivery targets, and the two errors with which they do not accept a message."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from newsextract.storage.outbox.message_store import Letter

BATCH_SECONDS = 20.0
"""Time limit of a batch, so that its sender keeps its hold on the target: a third of `HOLD_SECONDS`."""


class Away(Exception):  # noqa: N818 - a state of the target
    """The target cannot be reached or is busy; retry the same message later."""

    def __init__(self, reason: str, wait_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.wait_seconds = wait_seconds
        """How long the target asks to wait, for example by `Retry-After`; `None` if it does not say."""


class Refused(Exception):  # noqa: N818 - an answer of the target
    """The target has rejected the first of the messages it was given; retrying does not help."""


class Target:
    """A place that messages are sent to, in order, by one thread."""

    name: str
    """Its key in the database: at most 255 characters, without passwords."""
    most: int
    """The largest batch that it is given."""

    def wants(self, kind: str) -> bool:  # noqa: ARG002 - for targets that choose
        """Return whether it takes messages of this kind: all kinds, unless a target says otherwise."""
        return True

    def deliver(self, letters: Sequence[Letter]) -> int:
        """Deliver messages in order, and return how many the target has confirmed, at least one.

        Raises:
            Away: none could be delivered now.
            Refused: the target rejects the first message.
        """
        raise NotImplementedError

    def reach(self) -> None:
        """Raise `Away` if the target cannot be reached; a target that only a message can find out raises nothing."""

    def close(self) -> None:
        """Close connections and files, where any stay open."""


def deliver_each(letters: Sequence[Letter], deliver: Callable[[Letter], None]) -> int:
    """Deliver messages one by one until one fails or time is up, and return how many; raises the first one's error."""
    end = time.monotonic() + BATCH_SECONDS
    for done, letter in enumerate(letters):
        if done and time.monotonic() > end:
            return done
        try:
            deliver(letter)
        except (Away, Refused):
            if not done:
                raise
            return done
    return len(letters)
