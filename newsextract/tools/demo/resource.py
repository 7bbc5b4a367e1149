"""The response of a demo site to one URL, and the pictures among them."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True)
class Resource:
    """A body with its content type, last modification and status code."""

    body: bytes
    content_type: str
    modified: datetime
    status: int = 200

    @property
    def etag(self) -> str:
        """The ETag, which a client may send back."""
        return f'"{sha256(self.body).hexdigest()[:20]}"'


WIDTH, HEIGHT = 320, 180


def png(number: int) -> bytes:
    """Return a small PNG whose colours depend on the number."""
    rows = b"".join(b"\x00" + bytes(_colour(number, row)) * WIDTH for row in range(HEIGHT))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, content) for name, content in chunks)


def _colour(number: int, row: int) -> tuple[int, int, int]:
    hue = number * 47 % 96
    if row > HEIGHT * 2 // 3:
        return 40 + hue // 2, 70, 110 - hue
    return 120 + hue, 150 + row // 2, 220 - hue


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
