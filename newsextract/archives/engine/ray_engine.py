"""The engine on Ray: a task per file, on this machine or on a cluster."""

from __future__ import annotations

import logging
import os
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from newsextract.archives.engine.worker_events import MOST_ATTEMPTS, EngineError, Failed, Finished, Progressed
from newsextract.processes.limits import VARIABLES, use_one_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.archives.engine.worker_events import Event, Tasks, Work

LOOK_SECONDS = 0.5

_CONNECT_SECONDS = 10.0
"""Ray itself knocks at an address where nobody is for more than ten minutes."""

_STORE_BYTES = 128 * 1024 * 1024
"""Of Ray's object store on this machine: only names and counts go through it. Ray would take a third of the memory."""

NO_RAY = "ray is not installed: pip install 'newsextract[archive]'"


class RayEngine:
    """Runs tasks on Ray: a new one on this machine with `jobs` processors, or the cluster at an address.

    On a cluster `jobs` bounds the tasks at once; 0 is as many as it has processors for.
    """

    def __init__(self, jobs: int, address: str | None = None) -> None:
        use_one_thread()
        # Nothing is told to others unless somebody asked for it.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        # A task that takes nothing from a GPU sees those that the machine has, as Ray will do by itself.
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        try:
            import ray  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise EngineError(NO_RAY) from error
        # `ray.init` leaves the level as it is, and warns in five lines that a Ray of this machine asks for a token.
        logging.getLogger("ray").setLevel(logging.ERROR)
        self._ray = ray
        self.jobs = jobs
        wanted = {"address": address} if address else {"num_cpus": jobs, "object_store_memory": _STORE_BYTES}
        try:
            if address:
                _knock(address)
            ray.init(
                **wanted, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False,
                runtime_env={"env_vars": VARIABLES},
            )  # fmt: skip
        except Exception as error:  # Ray raises a bare one if its parts do not start in time, as on a busy machine
            raise EngineError(f"no Ray {_where(address)} ({error})") from error

    def run(self, work: Work, tasks: Tasks) -> Iterator[Event]:
        """Run each task once; see `Engine`."""
        ray = self._ray
        board = ray.remote(num_cpus=0, max_restarts=-1)(Board).remote()
        run = ray.remote(num_cpus=1, max_retries=MOST_ATTEMPTS - 1)(run_task)
        waiting = list(range(len(tasks)))[::-1]
        running: dict[Any, int] = {}
        try:
            while waiting or running:
                while waiting and (not self.jobs or len(running) < self.jobs):
                    number = waiting.pop()
                    running[run.remote(work, number, tasks[number], board)] = number
                done, _ = ray.wait(list(running), timeout=LOOK_SECONDS)
                yield from self._told(board)
                for reference in done:
                    yield self._end(reference, running.pop(reference))
        finally:
            for reference in running:
                ray.cancel(reference, force=True)

    def _end(self, reference: Any, number: int) -> Event:
        errors = self._ray.exceptions
        try:
            return Finished(number, self._ray.get(reference))
        except errors.RayTaskError as error:
            return Failed(number, f"{type(error.cause).__name__}: {error.cause}")
        except errors.RayError as error:
            return Failed(number, f"its workers died: {type(error).__name__}")

    def _told(self, board: Any) -> list[Progressed]:
        try:
            taken: dict[int, Any] = self._ray.get(board.take.remote(), timeout=LOOK_SECONDS)
        except self._ray.exceptions.RayError:
            return []  # it is starting, or was killed and will be restarted: progress is for people
        return [Progressed(number, told) for number, told in taken.items()]

    def close(self) -> None:
        """Disconnect; a Ray of this machine ends."""
        self._ray.shutdown()


def _knock(address: str) -> None:
    """Connect to the address of a cluster, if it is a host and port and not `auto`.

    Raises:
        OSError: nobody answers there.
        ValueError: it is no address.
    """
    parts = urlsplit(address if "://" in address else f"//{address}")
    if parts.hostname and parts.port:
        socket.create_connection((parts.hostname, parts.port), timeout=_CONNECT_SECONDS).close()


def _where(address: str | None) -> str:
    if not address:
        return "on this machine; --engine processes does without it"
    token = "" if os.environ.get("RAY_AUTH_MODE") else ", one that asks for a token wants RAY_AUTH_MODE=token here too"
    return f"at {address}: --address is that of a running cluster{token}"


class Board:
    """What the workers have told last, until it is taken: an actor of Ray's."""

    def __init__(self) -> None:
        self._told: dict[int, Any] = {}

    def put(self, number: int, told: Any) -> None:
        """Keep what a worker tells of a task."""
        self._told[number] = told

    def take(self) -> dict[int, Any]:
        """Return what was told since the last time."""
        taken, self._told = self._told, {}
        return taken


def run_task(work: Work, number: int, task: Any, board: Any) -> Any:
    """Do a task in a worker of Ray's."""
    return work(task, lambda told: board.put.remote(number, told))
