"""The response of a demo site to one URL."""

from __future__ import annotations

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
