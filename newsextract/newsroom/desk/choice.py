"""The filters that a reader has chosen on the front page, and the URLs of other choices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Iterator

FACETS = {"site": "Site", "language": "Language", "section": "Section", "watch": "Watch", "day": "Day"}
"""The facets, with their names on the page."""

ORDERS = {"published": "published", "seen": "seen"}
"""The dates to sort by, newest first. Articles without one are sorted by when they were first seen."""

PAGE_ARTICLES = 30


@dataclass(frozen=True)
class Choice:
    """The arguments of the front page. For a facet, `None` means any value, an empty string articles without one."""

    q: str = ""
    """The search words."""
    site: str | None = None
    language: str | None = None
    section: str | None = None
    watch: str | None = None
    day: str | None = None
    """As 2026-03-01."""
    order: str = "published"
    page: int = 1

    @classmethod
    def of(cls, arguments: Any) -> Self:
        """Return the choice in a query string; invalid arguments are ignored.

        >>> Choice.of({"q": " opera ", "site": "a.example", "page": "x"}).link(language="fr")
        '/?q=opera&site=a.example&language=fr'
        """
        order, page = arguments.get("order"), arguments.get("page") or ""
        return cls(
            q=(arguments.get("q") or "").strip(),
            order=order if order in ORDERS else "published",
            page=max(1, int(page)) if page.isdecimal() and len(page) < 7 else 1,
            **{facet: arguments.get(facet) for facet in FACETS},
        )

    def link(self, **changes: Any) -> str:
        """Return the URL of this choice with some changes, at its first page."""
        changed = replace(self, **({"page": 1} | changes))
        arguments = {name: value for name, value in changed if value is not None}
        return f"/?{urlencode(arguments)}" if arguments else "/"

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Yield the arguments that are set."""
        for name in ("q", *FACETS, "order", "page"):
            value = getattr(self, name)
            if value != getattr(Choice, name):
                yield name, value

    @property
    def facets(self) -> dict[str, str]:
        """The facets that are chosen."""
        return {name: value for name, value in self if name in FACETS}
