"""A run: read each file that is not done, then mark the copies, then describe the whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from newsextract.archives.copies.copy_flags import FileFlags, RunFlags
from newsextract.archives.copies.print_table import RunPrints
from newsextract.archives.engine.copy_marking import Marked, MarkTask, mark_copies
from newsextract.archives.engine.file_reading import READ_PAGES, SIZE_NOTE, local_bytes, read_file
from newsextract.archives.engine.file_task import FileReport, FileTask
from newsextract.archives.engine.run_counts import RunCounts, count_run
from newsextract.archives.engine.run_progress import RunProgress
from newsextract.archives.engine.run_record import FolderError
from newsextract.archives.engine.worker_events import Failed, Progressed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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
        """Return the files that are not done.

        Raises:
            FolderError: one of them has another size than when it was read.
        """
        done = self.folder.done()
        for location in self.locations:
            if location.name in done:
                _require_same(location, done[location.name])
        return [location for location in self.locations if location.name not in done]

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
                ended = FileReport(name, trouble=event.message) if isinstance(event, Failed) else event.value
                _note(ended, progress, event.number, shown, report)
            shown.show(progress)

    def _mark(self, engine: Engine, shown: Display, report: RunReport) -> None:
        shown.say("looking for copies")
        flags = RunFlags(RunPrints(self.folder.path), self.folder.path)
        tasks = _MarkTasks(str(self.folder.path), flags, drops=self.drops_copies)
        for event in engine.run(mark_copies, tasks):
            if isinstance(event, Failed):
                report.troubles[tasks[event.number].flags.name] = f"its copies are not marked: {event.message}"
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


def _note(ended: FileReport, progress: RunProgress, number: int, shown: Display, report: RunReport) -> None:
    pages = sum(ended.ends[end] for end in READ_PAGES)
    progress.finish(number, ended, pages)
    if ended.trouble:
        report.troubles[ended.name] = ended.trouble
        shown.say(f"{ended.name}: not read: {ended.trouble}")
        return
    report.read += 1
    rate = f", {pages / ended.seconds:.1f} pages a second" if ended.seconds else ""
    shown.say(f"{ended.name}: {ended.ends.total():,} records, {ended.ends['article']:,} articles{rate}")


def _require_same(location: Location, records: Path) -> None:
    before = (pq.read_metadata(records).metadata or {}).get(SIZE_NOTE.encode(), b"").decode()
    now = local_bytes(location)
    if before and now and before != now:
        raise FolderError(
            f"{location.url}: had {int(before):,} bytes when it was read, now {int(now):,}; to read it again, delete "
            f"{records}"
        )
