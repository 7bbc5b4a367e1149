"""A run: read each file that is not done, then mark the copies, then describe the whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from newsextract.archives.copies.copy_flags import FileFlags, RunFlags
from newsextract.archives.copies.print_table import RunPrints
from newsextract.archives.engine.copy_marking import Marked, MarkTask, mark_copies
from newsextract.archives.engine.file_reading import SIZE_NOTE, URL_NOTE, local_bytes, read_file
from newsextract.archives.engine.file_task import FileReport, FileTask
from newsextract.archives.engine.run_counts import RunCounts, count_run
from newsextract.archives.engine.run_progress import RunProgress
from newsextract.archives.engine.run_record import FolderError
from newsextract.archives.engine.worker_events import Failed, Finished, Progressed
from newsextract.archives.locations import full_url, with_longer_name
from newsextract.archives.resumed_file import is_remote
from newsextract.archives.tables.record_end import READ_PAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.archives.engine.output_layout import OutputFolder
    from newsextract.archives.engine.progress_display import Display
    from newsextract.archives.engine.reading_plan import ReadingPlan
    from newsextract.archives.engine.worker_events import Engine
    from newsextract.archives.locations import Location


@dataclass
class RunReport:
    """What a run came to."""

    already_done: int = 0
    read: int = 0
    troubles: dict[str, str] = field(default_factory=dict)
    """Why files were not read, by their names."""
    counts: RunCounts = field(default_factory=RunCounts)
    exact: int = 0
    near: int = 0
    dropped: int = 0
    has_marks: bool = False
    """Whether the copies are marked: not before all files are read."""


@dataclass(frozen=True)
class ArchiveRun:
    """Reads files into a folder by a plan; what the folder has already is not read again."""

    folder: OutputFolder
    locations: Sequence[Location]
    plan: ReadingPlan
    drops_copies: bool = False

    def go(self, engine: Engine, shown: Display) -> RunReport:
        """Do all that is left to be done."""
        self.folder.remove_leftovers()
        waiting = self._waiting()
        report = RunReport(already_done=len(self.locations) - len(waiting))
        if report.already_done:
            shown.say(f"{report.already_done:,} of {len(self.locations):,} files were read before")
        self._read(waiting, engine, shown, report)
        if not report.troubles:
            self._mark(engine, shown, report)
        report.counts = count_run(self.folder)
        return report

    def _waiting(self) -> list[Location]:
        """Return the files that are not done, by whichever name they were read.

        Raises:
            FolderError: one of them has another size than when it was read.
        """
        done = self.folder.done()
        names = {url: name for name, path in done.items() if (url := _noted(path, URL_NOTE))}
        waiting = []
        for location in self.locations:
            # The name depends on what else is read: files that are called alike have longer ones.
            name = names.get(full_url(location.url), location.name)
            if name not in done:
                waiting.append(location)
            elif _is_another(location, done[name]):
                waiting.append(with_longer_name(location))
            else:
                _require_same(location, done[name])
        return waiting

    def _read(self, waiting: Sequence[Location], engine: Engine, shown: Display, report: RunReport) -> None:
        if not waiting:
            return
        tasks = [FileTask(location, str(self.folder.path), self.plan) for location in waiting]
        progress = RunProgress([int(local_bytes(location) or 0) or None for location in waiting])
        for event in engine.run(read_file, tasks):
            if isinstance(event, Progressed):
                progress.tell(event.number, event.told)
            else:
                name = waiting[event.number].name
                _note(_ended(name, event), progress, event.number, shown, report)
            shown.show(progress)

    def _mark(self, engine: Engine, shown: Display, report: RunReport) -> None:
        shown.say("looking for copies")
        flags = RunFlags(RunPrints(self.folder.path), self.folder.path)
        tasks = _MarkTasks(str(self.folder.path), flags, drops=self.drops_copies)
        for event in engine.run(mark_copies, tasks):
            if isinstance(event, Failed):
                name = tasks[event.number].flags.name
                report.troubles[name] = f"its copies are not marked: {event.message}"
                shown.say(f"{name}: {report.troubles[name]}")
            elif not isinstance(event, Progressed):
                marked: Marked = event.value
                report.dropped += marked.dropped
        report.exact, report.near, report.has_marks = flags.exact, flags.near, not report.troubles


class _MarkTasks:
    """The tasks of marking, each made when it is asked for."""

    def __init__(self, folder: str, flags: Sequence[FileFlags], *, drops: bool) -> None:
        self._folder, self._flags, self._drops = folder, flags, drops

    def __len__(self) -> int:
        return len(self._flags)

    def __getitem__(self, number: int) -> MarkTask:
        return MarkTask(self._folder, self._flags[number], self._drops)


def _ended(name: str, event: Finished | Failed) -> FileReport:
    if isinstance(event, Failed):
        return FileReport(name, trouble=f"not read: {event.message}")
    report: FileReport = event.value
    return report


def _note(ended: FileReport, progress: RunProgress, number: int, shown: Display, report: RunReport) -> None:
    pages = sum(ended.ends[end] for end in READ_PAGES)
    progress.finish(number, ended, pages)
    if ended.trouble:
        report.troubles[ended.name] = ended.trouble
        shown.say(f"{ended.name}: {ended.trouble}")
        return
    report.read += 1
    rate = f", {pages / ended.seconds:.1f} pages a second" if ended.seconds else ""
    shown.say(f"{ended.name}: {ended.ends.total():,} records, {ended.ends['article']:,} articles{rate}")


def _is_another(location: Location, records: Path) -> bool:
    """Return whether a table is of another file that is called alike: one that is still where it was read."""
    before = _noted(records, URL_NOTE)
    if not before or is_remote(before) or is_remote(location.url):
        return False  # a copy of the same file, as mirrors have them
    return before != full_url(location.url) and Path(before).is_file()


def _require_same(location: Location, records: Path) -> None:
    before = _noted(records, SIZE_NOTE)
    now = local_bytes(location)
    if before and now and before != now:
        raise FolderError(
            f"{location.url}: had {int(before):,} bytes when it was read, now {int(now):,}; to read it again, delete "
            f"{records}"
        )


def _noted(records: Path, name: str) -> str:
    """Return what the metadata of a table of records says; an empty text if nothing."""
    noted: bytes = (pq.read_metadata(records).metadata or {}).get(name.encode(), b"")
    return noted.decode()
