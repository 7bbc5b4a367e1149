"""Where pages come from: files, folders of them, URLs, and standard input."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SUFFIXES = (".html", ".htm", ".xhtml", ".shtml")
"""The files of a folder that are pages; a file named by itself may be called anything."""

STANDARD_INPUT = "-"
_MAX_NAME_CHARS = 100
_MAX_NAME_BYTES = 200
"""File systems take 255, and a number and a suffix follow."""
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_URL = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """One page: a file, a URL, or standard input."""

    name: str
    """As it was given; in a folder, with the folder before it."""
    url: str | None = None
    """The page's own URL."""
    place: str = ""
    """The path of its file in a folder of output, without its suffix."""

    @property
    def is_url(self) -> bool:
        """Whether the page is to be fetched."""
        return is_url(self.name)


def is_url(name: str) -> bool:
    """Tell whether a name is a URL rather than a file.

    >>> is_url("HTTPS://example.com/"), is_url("https.html")
    (True, False)
    """
    return _URL.match(name) is not None


def sources_of(names: Iterable[str], url: str | None = None) -> Iterator[Source]:
    """Yield the pages that names stand for, those of folders in alphabetical order.

    Raises:
        OSError: a folder cannot be read, or has no pages.
    """
    for name in names:
        if name == STANDARD_INPUT:
            yield Source(name, url, "stdin")
        elif is_url(name):
            yield Source(name, name, _file_name(_URL.sub("", name)))
        elif os.path.isdir(name):  # noqa: PTH112 - `Path` raises an error for a name that is too long
            yield from _pages_in(Path(name))
        else:
            yield Source(name, url, _file_name(_stem(Path(name).name)))


def _pages_in(folder: Path) -> Iterator[Source]:
    found = 0

    def stop(error: OSError) -> None:
        raise error

    for above, folders, files in os.walk(folder, onerror=stop):
        folders.sort()
        for file in sorted(files):
            path = Path(above) / file
            # A pipe or a device would never end; a link to nowhere is an error of its page.
            if file.lower().endswith(SUFFIXES) and (path.is_file() or not path.exists()):
                found += 1
                yield Source(str(path), None, str(path.relative_to(folder).with_name(_file_name(_stem(file)))))
    if not found:
        raise OSError(f"{folder}: no file in this folder ends in {', '.join(SUFFIXES)}")


def _stem(file: str) -> str:
    """Return the name of a file without the suffix of a page.

    >>> _stem("a.b.HTML"), _stem("page.php"), _stem(".html")
    ('a.b', 'page.php', '.html')
    """
    suffix = next((suffix for suffix in SUFFIXES if file.lower().endswith(suffix)), "")
    return file[: -len(suffix)] if suffix and len(file) > len(suffix) else file


def _file_name(written: str) -> str:
    """Return a name that any file system takes.

    >>> _file_name("example.com/2026/05/a-story/?id=5"), _file_name("../.."), _file_name("...")
    ('example.com-2026-05-a-story-id-5', 'page', 'page')
    """
    name = _NOT_IN_NAMES.sub("-", written)[:_MAX_NAME_CHARS]
    return name.encode()[:_MAX_NAME_BYTES].decode(errors="ignore").strip(".-") or "page"
