"""What a target is: a place that messages are sent to, and two ways in which it may not take one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from newsextract.storage.outbox.message_store import Letter

BATCH_SECONDS = 20.0
"""After which a batch goes no further, so that its sender keeps its hold: a third of `HOLD_SECONDS`."""


class Away(Exception):  # noqa: N818 - a state of the target
    """The target cannot be reached, or says that it is busy; the same message may be welcome later."""

    def __init__(self, reason: str, wait_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.wait_seconds = wait_seconds
        """How long the target asks to be left alone, where it says so."""


class Refused(Exception):  # noqa: N818 - an answer of the target
    """The target is there and does not want the first of the messages it was given."""


class Target(Protocol):
    """A place that messages are sent to, by one thread, in their order."""

    name: str
    """What the database knows it by, at most 255 characters, without passwords."""
    most: int
    """Messages that it is given at once."""

    def wants(self, kind: str) -> bool:
        """Tell whether it gets messages of a kind."""
        ...

    def deliver(self, letters: Sequence[Letter]) -> int:
        """Hand over messages in order, and return how many are safe there, at least one.

        Raises:
            Away: none is, for now.
            Refused: the first is not wanted.
        """
        ...

    def close(self) -> None:
        """Let go of connections and files."""
        ...


def deliver_each(letters: Sequence[Letter], deliver: Callable[[Letter], None]) -> int:
    """Hand over messages one by one until one cannot be, or time is up; raises what the very first one raises."""
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
