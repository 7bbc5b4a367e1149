"""A task for a worker, with the future of its answer."""

from __future__ import annotations

import logging
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from newsextract.crawl.workers.worker_answers import Answer


@dataclass(eq=False)
class Job:
    """A task and the future of its answer."""

    task: str
    """The name of a function of `worker_tasks`, which only workers import."""
    arguments: tuple[Any, ...]
    seconds: float | None = None
    """Seconds allowed once a worker has started it; `None` for no limit."""
    answer: Future[Any] = field(default_factory=Future)
    is_bound: bool = False
    """Whether only this worker may do it."""
    attempts: int = 0

    def end(self, found: Answer | Exception) -> None:
        """Resolve the future with an answer or error; the first counts if two workers did the task."""
        if not isinstance(found, Exception):
            for line in found.log:
                logging.getLogger(line.logger).log(line.level, "%s", line.message)
        error = found if isinstance(found, Exception) else found.error
        with suppress(InvalidStateError):
            if error is not None:
                self.answer.set_exception(error)
            else:
                self.answer.set_result(found.value)  # type: ignore[union-attr]  # no exception, as that is an error
