"""What the demo notes beside its database: its day, its ports, and how many of the two days are over.

The stories depend on the day, and the URLs on the day and the ports: both stay as they are while there is a database.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Record:
    """The demo as it is to be met again."""

    today: datetime
    """The midnight in UTC from which the second day's stories are dated."""
    ports: tuple[int, ...]
    days_over: int = 0

    @classmethod
    def read(cls, database: Path) -> Self | None:
        """Return what was noted beside a database, `None` if there is nothing that can be read."""
        try:
            noted = json.loads(_beside(database).read_text("utf-8"))
            return cls(datetime.fromisoformat(noted["today"]), tuple(noted["ports"]), noted["days_over"])
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def write(self, database: Path) -> None:
        """Note it beside a database."""
        database.parent.mkdir(parents=True, exist_ok=True)
        noted = asdict(self) | {"today": self.today.isoformat()}
        _beside(database).write_text(json.dumps(noted) + "\n", "utf-8")


def last_midnight() -> datetime:
    """Return the day of a new demo."""
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _beside(database: Path) -> Path:
    return database.with_suffix(".demo.json")
