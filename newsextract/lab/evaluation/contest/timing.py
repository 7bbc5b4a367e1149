"""Time a function, and stop it after a limit."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from newsextract.processes.limits import time_limit

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")


class TooSlow(Exception):  # noqa: N818 - counted, not handled
    """A contestant took longer than allowed on a page."""


class Attempt(NamedTuple, Generic[_T]):
    """A contestant's answer and its milliseconds, or why there is no answer."""

    answer: _T | None
    ms: float
    error: str | None = None


def timed(run: Callable[[], _T]) -> tuple[_T, float]:
    """Return a function's result and its milliseconds, without garbage collection."""
    gc.disable()
    try:
        started = time.perf_counter()
        value = run()
        return value, (time.perf_counter() - started) * 1000
    finally:
        gc.enable()


def attempt(seconds: float, run: Callable[[], tuple[_T, float]]) -> Attempt[_T]:
    """Return the answer and milliseconds that a function returns; or that it was too slow, or what it raised."""
    try:
        with time_limit(seconds, TooSlow()):
            return Attempt(*run())
    except TooSlow:
        return Attempt(None, seconds * 1000, "too slow")
    except Exception as error:  # noqa: BLE001 - whatever a contestant raises is its result here
        return Attempt(None, 0.0, f"{type(error).__name__}: {error}"[:200])
