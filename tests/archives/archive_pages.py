"""Small archives for tests: pages with a story each, in WARC files."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_SUBJECTS = (
    "harbour", "library", "orchestra", "railway", "hospital", "school", "theatre", "market", "bridge", "museum",
)  # fmt: skip


def text_of(number: int) -> list[str]:
    """Return the paragraphs of a story, of which no two have a sentence in common."""
    subject = _SUBJECTS[number % len(_SUBJECTS)]
    return [
        f"The {subject} of district {number} will open again in week {number + part}, said its director number "
        f"{number * 7 + part}, after {number * 13 + part * 5} days of repairs that cost {number * 31 + part * 17}. "
        f"Visitor {number * 3 + part} of the {subject} waited for {number + part * 11} hours at door {part}, "
        f"while councillor {number * 5 + part} counted {number * 19 + part * 23} complaints about the {subject}."
        for part in range(4)
    ]


def story_page(number: int, *more: str) -> bytes:
    """Return the page of a story."""
    body = "".join(f"<p>{paragraph}</p>" for paragraph in (*text_of(number), *more))
    title = f"The {_SUBJECTS[number % len(_SUBJECTS)]} of district {number} opens again"
    return (
        f'<!doctype html><html lang="en"><head><title>{title}</title><meta property="og:type" content="article"></head>'
        f"<body><article><h1>{title}</h1>{body}</article></body></html>"
    ).encode()


@dataclass(frozen=True)
class Capture:
    """A page as it was archived."""

    number: int
    html: bytes
    date: str = "2026-05-20T10:00:00Z"
    host: str = "paper.example"
    headers: str = ""
    """Further headers of the response, each with its end of line."""

    @property
    def url(self) -> str:
        """Its address."""
        return f"https://{self.host}/2026/05/20/story-{self.number}-opens-again"

    @property
    def record_id(self) -> str:
        """Its record's id, the same each time."""
        return f"<urn:uuid:{uuid5(NAMESPACE_URL, self.url)}>"

    def record(self) -> bytes:
        """Return the record of the response."""
        answer = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n{self.headers}\r\n"
        block = answer.encode() + self.html
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: {self.record_id}\r\nWARC-Target-URI: {self.url}\r\n"
            f"WARC-Date: {self.date}\r\nContent-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n"
        )
        return head.encode() + block + b"\r\n\r\n"


def capture(number: int, *more: str, date: str = "2026-05-20T10:00:00Z") -> Capture:
    """Return the capture of a story."""
    return Capture(number, story_page(number, *more), date)


def write_archive(path: Path, captures: Iterable[Capture], rest: bytes = b"") -> Path:
    """Write an archive, a gzip member for each record, and what follows them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(gzip.compress(each.record()) for each in captures) + rest)
    return path
