"""What a demo site answers to one address."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True)
class Resource:
    """A body with its type, its age and the status it is sent with."""

    body: bytes
    content_type: str
    modified: datetime
    status: int = 200

    @property
    def etag(self) -> str:
        """The fingerprint that a client may send back."""
        return f'"{sha256(self.body).hexdigest()[:20]}"'
