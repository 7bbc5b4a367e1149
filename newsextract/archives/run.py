"""A run: its folder, what of it is done, and the files that are left, read on this machine or on Ray.

run.json                                how the articles are made: the same for every file of the folder
articles/month=2026-05/NAME.parquet     the articles of one WARC file that were archived in that month
records/NAME.parquet                    what became of every record of that file; written last: it is done
summary.json                            the counts; README.md and croissant.json describe the data set
"""

from __future__ import annotations

import json
import logging
import os
import socket
import time
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pyarrow.parquet as pq

from newsextract.archives.dataset_card import describe_dataset
from newsextract.archives.reading import (
    END_NOTE,
    RESERVED_NOTE,
    SIZE_NOTE,
    FileReport,
    local_bytes,
    page_pool,
    read_file,
)
from newsextract.archives.tables import READ_PAGES, RecordEnd
from newsextract.archives.whole_files import write_whole
from newsextract.processes.limits import use_one_thread
from newsextract.terminal import say, why

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from pathlib import Path

    from newsextract.archives.locations import Location
    from newsextract.archives.reading import PageAnswer, ReadingPlan
    from newsextract.archives.warc import WarcRecord

    Reports = Generator[tuple[Location, FileReport], None, None]

LINE_SECONDS = 30.0
"""Between two lines about a run."""

RAY_ATTEMPTS = 4
"""Workers that may die on a file, one after the other, before it fails."""

_CONNECT_SECONDS = 10.0
"""Ray itself knocks at an address where nobody is for more than ten minutes."""

_STORE_BYTES = 128 * 1024 * 1024
"""Of Ray's object store on this machine: only counts go through it. Ray would take a third of the memory."""


class FolderError(ValueError):
    """The output folder cannot take this run; the message says why, and what would do."""


class RayError(RuntimeError):
    """Ray cannot be started or reached; the message says why."""


@dataclass
class RunReport:
    """What a run came to: the counts are those of the tables, however often it was interrupted."""

    errors: dict[str, str] = field(default_factory=dict)
    """Why files were not read, by their names."""
    files: int = 0
    articles: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    """Articles whose use is reserved, by reason."""

    @property
    def has_failed_throughout(self) -> bool:
        """Whether there are pages, and reading failed at every one: that is hardly the pages' fault."""
        pages = sum(self.ends[end] for end in READ_PAGES)
        return pages > 0 and pages == self.ends[RecordEnd.ERROR] + self.ends[RecordEnd.KILLED]

    def summary(self) -> dict[str, Any]:
        """Return the counts by name."""
        return {
            "files": self.files,
            "files_not_read": dict(sorted(self.errors.items())),
            "records": self.ends.total(),
            "ends": {end.value: self.ends[end] for end in RecordEnd},
            "articles": self.articles,
            **({"left_out": dict(self.left_out.most_common())} if self.left_out else {}),
        }


class RunFolder:
    """The folder of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._record = path / "run.json"

    def started(self) -> datetime:
        """Return when the run was first started: ages such as `--since 7d` count from then on, in every attempt.

        Raises:
            FolderError: it is not a folder, or holds something else.
        """
        return datetime.fromisoformat(found["started"]) if (found := self._recorded()) else datetime.now(UTC)

    @contextmanager
    def open(self, made: Mapping[str, Any], started: datetime) -> Iterator[None]:
        """Note how the articles are made, and keep a second run out where the system can do that.

        Raises:
            FolderError: its articles were made in another way, or another run writes there.
        """
        plain = json.loads(json.dumps(made))
        before = self._recorded()
        if before is None:
            self.path.mkdir(parents=True, exist_ok=True)
            write_whole(self._record, json.dumps({"started": started.isoformat(), **plain}, indent=2) + "\n")
            before = plain
        for name in sorted({*plain, *before} - {"started"}):
            if before.get(name) != plain.get(name):
                was, now = (_said(name, each) for each in (before, plain))
                raise FolderError(
                    f"-o {self.path}: its articles were made {was}, and would now be {now}; give the same command to "
                    "go on, or another folder"
                )
        with self._record.open("r+b") as file:  # NFS locks only what can be written
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError as error:
                    raise FolderError(f"-o {self.path}: another run is writing there; wait for its end") from error
            self._remove_leftovers()
            yield

    def is_done(self, location: Location) -> bool:
        """Return whether a file was read, in the size that it has."""
        records = self._records_of(location.name)
        if not records.is_file():
            return False
        noted: bytes = (pq.read_metadata(records).metadata or {}).get(SIZE_NOTE.encode(), b"")
        return noted.decode() == local_bytes(location)

    def report(self) -> RunReport:
        """Return the counts, from the metadata of the tables."""
        report = RunReport()
        for path in self._tables("records/*"):
            report.files += 1
            for name, value in (pq.read_metadata(path).metadata or {}).items():
                for note, counts in ((END_NOTE, report.ends), (RESERVED_NOTE, report.left_out)):
                    if name.startswith(note.encode()):
                        counts[name.decode().removeprefix(note)] += int(value)
        report.articles = sum(pq.read_metadata(path).num_rows for path in self._tables("articles/*/*"))
        return report

    def _recorded(self) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = json.loads(self._record.read_text("utf-8"))
        except FileNotFoundError:
            if self.path.exists() and any(self.path.iterdir()):
                raise FolderError(
                    f"-o {self.path}: the folder holds something else; name a new one, or one of such a run"
                ) from None
            return None
        except NotADirectoryError:
            raise FolderError(f"-o {self.path}: a file is in the way; name a new folder") from None
        except (OSError, ValueError) as error:
            raise FolderError(f"-o {self.path}: {self._record.name} cannot be read: {why(error)}") from error
        return found

    def _records_of(self, name: str) -> Path:
        return self.path / "records" / f"{name}.parquet"

    def _tables(self, pattern: str) -> list[Path]:
        return sorted(path for path in self.path.glob(f"{pattern}.parquet") if not path.name.startswith(("_", ".")))

    def _remove_leftovers(self) -> None:
        """Remove what a run that was killed had begun to write."""
        for path in (*self.path.glob("_*"), *self.path.glob("*/_*"), *self.path.glob("*/*/_*")):
            if path.is_file():
                path.unlink(missing_ok=True)
        # A file whose records never appeared may be left out now: nothing would replace its articles.
        for path in self._tables("articles/*/*"):
            if not self._records_of(path.stem).exists():
                path.unlink(missing_ok=True)


def _said(name: str, made: Mapping[str, Any]) -> str:
    """Return in words with which option something was made.

    >>> _said("languages", {"languages": "de"}), _said("languages", {}), _said("comments", {"comments": True})
    ('with --languages de', 'without --languages', 'with --comments')
    """
    option = {"newsextract": "newsextract", "rules": "rules of hosts"}.get(name, f"--{name.replace('_', '-')}")
    if name not in made:
        return f"without {option}"
    value = " ".join(made[name]) if isinstance(made[name], list) else made[name]
    return f"with {option}" if value is True else f"with {option} {value}"


def run(folder: RunFolder, locations: Sequence[Location], plan: ReadingPlan, read: Callable[..., Reports]) -> RunReport:
    """Read the files that are not done, describe the data set, and return the counts."""
    waiting = [location for location in locations if not folder.is_done(location)]
    if len(waiting) < len(locations):
        say(f"{len(locations) - len(waiting):,} of {len(locations):,} files were read before")
    errors = {}
    if waiting:
        progress = Progress(len(waiting))
        with closing(read(waiting, folder.path, plan, progress)) as reports:
            for location, ended in reports:
                if ended.error:
                    errors[location.url] = ended.error
                else:
                    progress.end(location, ended)
    report = folder.report()
    report.errors = errors
    told = report.summary() | ({"rights": plan.wanted.rights} if plan.wanted.rights else {})
    summary = json.dumps(told, indent=2) + "\n"
    described = folder.path / "summary.json"
    if waiting or not described.exists() or described.read_text("utf-8") != summary:
        describe_dataset(folder.path, told)
        write_whole(described, summary)
    return report


def read_here(
    processes: int, waiting: Sequence[Location], folder: Path, plan: ReadingPlan, progress: Progress
) -> Reports:
    """Yield the report of each file: one after another on this machine, each one's pages in several processes."""
    pool = page_pool(plan, processes)
    try:
        for location in waiting:
            yield location, read_file(location, str(folder), plan, pool, processes, progress.heed)
    finally:
        pool.stop()


def read_on_ray(
    jobs: int, address: str | None, waiting: Sequence[Location], folder: Path, plan: ReadingPlan, _: Progress
) -> Reports:
    """Yield the report of each file, each read in a task of Ray; closing the iterator ends all tasks.

    Without an address, Ray is started on this machine with `jobs` processors. On a cluster `jobs` bounds the files at
    once; 0 is as many as it has processors for.
    """
    say(f"starting on Ray {address or 'on this machine'} …")  # takes up to a minute
    ray = _started_ray(jobs, address)
    task = ray.remote(num_cpus=1, max_retries=RAY_ATTEMPTS - 1)(read_alone)
    left = list(waiting)[::-1]
    running: dict[Any, Location] = {}
    try:
        while left or running:
            while left and (not jobs or len(running) < jobs):
                location = left.pop()
                running[task.remote(location, str(folder), plan)] = location
            for reference in ray.wait(list(running))[0]:
                try:
                    report = ray.get(reference)
                except ray.exceptions.RayError as error:
                    report = FileReport(error=f"not read: {str(error).strip().splitlines()[-1]}")
                yield running.pop(reference), report
    finally:
        for reference in running:
            ray.cancel(reference, force=True)
        ray.shutdown()


def _started_ray(jobs: int, address: str | None) -> Any:
    use_one_thread()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to others unless asked for
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # as Ray will do by itself
    import ray  # noqa: PLC0415 - slow, and few need it

    logging.getLogger("ray").setLevel(logging.ERROR)
    wanted = {"address": address} if address else {"num_cpus": jobs, "object_store_memory": _STORE_BYTES}
    try:
        if address:
            _knock(address)
        ray.init(**wanted, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False)
    except Exception as error:  # Ray raises a bare one if its parts do not start in time, as on a busy machine
        here = "on this machine; --engine processes does without it"
        where = f"at {address}: --address is that of a running cluster" if address else here
        raise RayError(f"no Ray {where} ({error})") from error
    return ray


def read_alone(location: Location, folder: str, plan: ReadingPlan) -> FileReport:
    """Read a file with a process of its own for its pages: a task of Ray."""
    pool = page_pool(plan, 1)
    try:
        return read_file(location, folder, plan, pool, 1)
    finally:
        pool.stop()


def _knock(address: str) -> None:
    """Connect to the address of a cluster, if it is a host and port and not `auto`."""
    parts = urlsplit(address if "://" in address else f"//{address}")
    if parts.hostname and parts.port:
        socket.create_connection((parts.hostname, parts.port), timeout=_CONNECT_SECONDS).close()


class Progress:
    """Says now and then on standard error how far a run is."""

    def __init__(self, files: int) -> None:
        self._files = files
        self._done = self._records = self._pages = self._articles = 0
        self._started = time.monotonic()
        self._next = self._started + LINE_SECONDS

    def heed(self, _: WarcRecord, answer: PageAnswer) -> None:
        """Count a record."""
        self._records += 1
        self._pages += answer.end in READ_PAGES
        self._articles += answer.end == RecordEnd.ARTICLE
        if (now := time.monotonic()) >= self._next:
            self._next = now + LINE_SECONDS
            say(
                f"{self._done:,} of {self._files:,} files, {self._records:,} records, {self._pages:,} pages "
                f"({self._pages / (now - self._started):.1f}/s), {self._articles:,} articles"
            )

    def end(self, location: Location, report: FileReport) -> None:
        """Say how a file has ended."""
        self._done += 1
        pages = sum(report.ends[end] for end in READ_PAGES)
        rate = f", {pages / report.seconds:.1f} pages a second" if report.seconds else ""
        found = f"{report.ends.total():,} records, {report.ends['article']:,} articles{rate}"
        say(f"{location.file_name}: {found}")
