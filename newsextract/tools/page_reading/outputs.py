"""Where articles are written: one stream, or a folder with a file for each."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.tools.page_reading.page_forms import Form
    from newsextract.tools.page_reading.page_sources import Source

_MOST_NAMESAKES = 100_000


class Output(Protocol):
    """Takes the articles in order."""

    def write(self, source: Source, written: str) -> None:
        """Write one article; raises `OSError` if that fails."""
        ...

    def close(self) -> None:
        """End what was begun."""
        ...


@dataclass
class OneStream:
    """Writes all articles one after another; `are_several` tells whether a form wraps them."""

    stream: IO[str]
    form: Form
    are_several: bool
    is_begun: bool = False

    def write(self, source: Source, written: str) -> None:
        """Write one article, at once."""
        if not self.are_several:
            self.stream.write(f"{self.form.opening_of_one()}{written}\n")
        else:
            before = self.form.between if self.is_begun else self.form.opening()
            self.stream.write(f"{before}{self.form.title(source.name)}{written}{self.form.ending}")
        self.is_begun = True
        self.stream.flush()

    def close(self) -> None:
        """Write what follows the last article; a form of several is complete even without any."""
        if self.are_several:
            self.stream.write(
                f"\n{self.form.closing}" if self.is_begun else f"{self.form.opening()}{self.form.closing}"
            )
        self.stream.flush()


@dataclass
class FileEach:
    """Writes each article to a file of its own, named after its page.

    Pages of one name get numbers. A file that was there before is replaced only if `is_replacing`, and never one of the
    pages that are read.
    """

    folder: Path
    form: Form
    pages: Iterable[Source] = ()
    is_replacing: bool = False
    _taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._pages = {os.path.realpath(source.name) for source in self.pages if not source.is_url}

    def write(self, source: Source, written: str) -> None:
        """Write the file, whole or not at all."""
        path = self._path(source)
        if os.path.realpath(path) in self._pages:
            raise FileExistsError(f"{path} is a page that is read; -o names another folder")
        if path.exists() and not self.is_replacing:
            raise FileExistsError(f"{path} is there already; --overwrite replaces it")
        path.parent.mkdir(parents=True, exist_ok=True)
        import tempfile  # noqa: PLC0415 - one stream needs none

        number, unfinished = tempfile.mkstemp(prefix=f".{path.stem[:40]}-", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(number, "w", encoding="utf-8", newline="\n") as file:
                file.write(f"{self.form.opening_of_one()}{written}\n")
            Path(unfinished).chmod(0o666 & ~_umask())
            Path(unfinished).replace(path)
        except OSError:
            Path(unfinished).unlink(missing_ok=True)
            raise

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _path(self, source: Source) -> Path:
        """Return a path that no other page of this run has, on file systems that ignore case too."""
        for number in range(1, _MOST_NAMESAKES):
            place = f"{source.place}{f'-{number}' if number > 1 else ''}{self.form.suffix}"
            if place.casefold() not in self._taken:
                self._taken.add(place.casefold())
                return self.folder / place
        raise FileExistsError(f"{_MOST_NAMESAKES:,} pages are called {source.place}")


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
