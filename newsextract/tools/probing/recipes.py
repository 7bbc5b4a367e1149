"""Names what helps with the obstacles of a site, and the recipe that says how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.tools.probing.samples import Sample

LARGE_SHARE = 0.3
"""Share of paid articles from which a subscription is named."""

_ASKING = ("http 401", "http 402")
"""Why a page could not be fetched that asks for an account or for money."""

_RENDER, _OWN = ("docs/how-to/render.md", "docs/how-to/subscriptions.md")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What helps, in a sentence, and the document with the recipe."""

    told: str
    document: str


def for_scripts(samples: Sequence[Sample], *, is_home_empty: bool) -> Iterator[Recipe]:
    """Yield what shows pages that need scripts; the home page counts only if no other page was fetched."""
    needy = sum(sample.needs_script for sample in samples)
    if needy:
        yield Recipe(
            f"{needy} of {len(samples)} pages are empty without JavaScript: `render: auto` reads them", _RENDER
        )
    elif is_home_empty and not samples:
        yield Recipe("the home page links nothing without JavaScript: `render: auto` takes its links, too", _RENDER)


def for_access(samples: Sequence[Sample], *, is_home_wall: bool, paid: float | None) -> Iterator[Recipe]:
    """Yield what passes walls; `paid` is the share of the articles that are not free."""
    if is_home_wall or any(sample.is_wall for sample in samples):
        yield Recipe("`cookies` of a browser in which you have answered the request for consent pass the wall", _OWN)
    asking = sum(sample.trouble in _ASKING for sample in samples)
    if asking or (paid or 0) >= LARGE_SHARE:
        what = f"{asking} of {len(samples)} pages ask" if asking else f"{paid:.0%} of the articles ask"
        yield Recipe(f"{what} for a subscription: use your own with `login`, `cookies` or `headers`", _OWN)
