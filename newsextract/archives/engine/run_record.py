"""`run.json`: how the articles of a folder are made. A folder holds what one command made, in however many attempts."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from newsextract.archives.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from newsextract.archives.engine.output_layout import OutputFolder

_STARTED = "started"


class FolderError(ValueError):
    """The output folder cannot take this run; the message says why, and what would do."""


@dataclass(frozen=True)
class RunRecord:
    """What a folder says of the run that made it; `None` for a folder that is new."""

    told: Mapping[str, Any] | None = None

    @property
    def started(self) -> datetime:
        """When the run was first started: ages such as `--since 7d` count from then on, in every attempt."""
        return datetime.fromisoformat(self.told[_STARTED]) if self.told else datetime.now(UTC)


def read_record(folder: OutputFolder) -> RunRecord:
    """Return what the folder says.

    Raises:
        FolderError: it is not a folder, or holds something else.
    """
    try:
        return RunRecord(json.loads(folder.run.read_text("utf-8")))
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        raise FolderError(f"-o {folder.path}: {folder.run.name} cannot be read: {error}") from error
    if folder.path.exists() and any(folder.path.iterdir()):
        raise FolderError(f"-o {folder.path}: the folder holds something else; name a new one, or one of such a run")
    return RunRecord()


def keep_record(folder: OutputFolder, record: RunRecord, made: Mapping[str, Any], started: datetime) -> None:
    """Write how the articles are made, or compare it with what the folder says.

    Raises:
        FolderError: its articles were made in another way; the message names the first difference.
    """
    plain = json.loads(json.dumps(made))
    if record.told is None:
        folder.path.mkdir(parents=True, exist_ok=True)
        write_whole(folder.run, json.dumps({_STARTED: started.isoformat(), **plain}, indent=2) + "\n")
        return
    for name in sorted({*plain, *record.told} - {_STARTED}):
        before, now = record.told.get(name), plain.get(name)
        if before != now:
            raise FolderError(
                f"-o {folder.path}: its articles were made with {name} {json.dumps(before)}, now it is "
                f"{json.dumps(now)}; give the same command to go on, or another folder"
            )


@contextmanager
def alone_in(folder: OutputFolder) -> Iterator[None]:
    """Keep a second run out of the folder, where the system can do that.

    Raises:
        FolderError: there is one.
    """
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        yield
        return
    with folder.run.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FolderError(f"-o {folder.path}: another run is writing there; wait for its end") from error
        yield
