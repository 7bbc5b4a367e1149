"""What a check says of a candidate that it does not take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from newsextract.reading.metadata.findings import Raw
from newsextract.reading.metadata.page_clues import Clues

if TYPE_CHECKING:
    from newsextract.reading.notices import Notice


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a candidate is not taken; `None` when it does not deserve a warning."""

    reason: Notice | None = None


Check: TypeAlias = Callable[[Raw, Clues], object]
"""A function from a candidate to the value that it stands for, or to its refusal."""

Weigher: TypeAlias = Callable[[Iterable[tuple[str, Raw, object]]], Iterator[tuple[str, Raw, object]]]
"""A function from all that the sources say about a field, each judged, to what is to be made of it."""
