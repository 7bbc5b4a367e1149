"""How wide and how plain tables are printed: as the terminal, `COLUMNS` and `NO_COLOR` say."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from typing import Any, TextIO


def console_for(stream: TextIO, width: int | None, *, kind: type[Console] = Console, **options: Any) -> Console:
    """Return a console as wide as `COLUMNS` or else the terminal says; without either, `width` columns.

    A `width` of `None` leaves it to rich. With `NO_COLOR` there are no colours, and no bold or dim text either:
    see https://no-color.org, which leaves the latter open, and who sets it wants plain text.
    """
    is_said = os.environ.get("COLUMNS", "").isdigit() or stream.isatty()
    if os.environ.get("NO_COLOR"):
        options["color_system"] = None
    return kind(file=stream, width=None if is_said else width, **options)
