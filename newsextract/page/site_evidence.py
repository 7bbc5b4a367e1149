"""What the other pages of a site say of the blocks of a page, before any of them is chosen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SiteEvidence:
    """What a site's memory says of the blocks of one page, in the order of `Outline.blocks`."""

    repeated: NDArray[np.bool_]
    """The blocks that several other pages have too, at the same place."""
    odds: NDArray[np.float64]
    """The log-odds to add to those of each block, for the place it stands at; 0 where nothing is known."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Where nearly all other pages have their `date` and their `author`."""

    def __bool__(self) -> bool:
        return bool(self.repeated.any() or self.odds.any())
