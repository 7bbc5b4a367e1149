"""What both engines report of a run, whatever runs it: how far each file is, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

Work: TypeAlias = Callable[[Any, Callable[[Any], None]], Any]
"""A function of a module: it gets a task and a function to tell how far it is; what it returns can be pickled."""

MOST_ATTEMPTS = 4
"""Workers that may die on a task, one after the other, before it fails."""


class EngineError(RuntimeError):
    """The engine cannot be started or reached; the message says why."""


@dataclass(frozen=True, slots=True)
class Progressed:
    """A worker told how far it is with a task."""

    number: int
    """The number of the task."""
    told: Any


@dataclass(frozen=True, slots=True)
class Finished:
    """A task returned a value."""

    number: int
    value: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """A task raised an error, or its workers died again and again; the message says which."""

    number: int
    message: str


Event: TypeAlias = Progressed | Finished | Failed


class Tasks(Protocol):
    """Numbered tasks, which may be made as they are asked for."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> Any: ...


class Engine(Protocol):
    """Runs tasks in several processes."""

    def run(self, work: Work, tasks: Tasks) -> Iterator[Event]:
        """Run each task once, with what is told meanwhile; closing the iterator stops all workers."""
        ...

    def close(self) -> None:
        """End what the engine has started."""
        ...
