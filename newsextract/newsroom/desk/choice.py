"""What a reader of the front page has chosen: a search, facets, days, an order, a page; and its URLs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlencode

from newsextract.newsroom.desk.day_range import DayRange, days_of

if TYPE_CHECKING:
    from collections.abc import Iterator

FACETS = {"site": "Site", "language": "Language", "section": "Section", "watch": "Watch", "day": "Day"}
"""The facets, with their names on the page."""

ORDERS = {"published": "published", "seen": "seen"}
"""The dates to sort by, newest first. Articles without one are sorted by when they were first seen."""

PAGE_ARTICLES = 30

COLUMNS = {"site": "site", "language": "in_language", "section": "section"}
"""The columns of the facets that have one."""


def page_of(arguments: Any) -> int:
    """Return the number of the page of a list; 1 for an invalid one."""
    page = arguments.get("page") or ""
    return max(1, int(page)) if page.isdecimal() and len(page) < 7 else 1


@dataclass(frozen=True)
class Choice:
    """The arguments of the front page. For a facet, `None` means any value, an empty string articles without one."""

    q: str = ""
    """The search, in the language of watch rules."""
    site: str | None = None
    language: str | None = None
    section: str | None = None
    watch: str | None = None
    days: DayRange = field(default_factory=DayRange)
    """Of the date by which it is sorted."""
    order: str = "published"
    page: int = 1

    @classmethod
    def of(cls, arguments: Any) -> Self:
        """Return the choice in a query string; invalid arguments are ignored.

        >>> Choice.of({"q": " opera ", "site": "a.example", "page": "x"}).link(language="fr")
        '/?q=opera&site=a.example&language=fr'
        """
        order = arguments.get("order")
        return cls(
            q=(arguments.get("q") or "").strip(),
            days=days_of(arguments),
            order=order if order in ORDERS else "published",
            page=page_of(arguments),
            **{facet: arguments.get(facet) for facet in (*COLUMNS, "watch")},
        )

    def link(self, **changes: Any) -> str:
        """Return the URL of this choice with some changes, at its first page; the change `day` sets both ends."""
        if "day" in changes:
            day = changes.pop("day") or ""
            changes["days"] = DayRange(day, day)
        return replace(self, **({"page": 1} | changes)).address("/")

    def address(self, path: str) -> str:
        """Return the URL with this path and the arguments that are set."""
        return f"{path}?{urlencode(self.arguments)}" if self.arguments else path

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the URL that are set."""
        return dict(self)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Yield the arguments of the URL that are set."""
        for name in ("q", *COLUMNS, "watch", "order", "page"):
            value = getattr(self, name)
            if value is not None and value != getattr(Choice, name):
                yield name, value
        yield from self.days.arguments.items()

    def file_name(self, suffix: str) -> str:
        """Return a name for a file of what is chosen.

        >>> Choice(q="../pont neuf", site="a.example").file_name("csv")
        'articles-pont-neuf-a.example.csv'
        """
        said = "-".join(str(value) for name, value in self if name != "page")
        safe = re.sub(r"[^a-z0-9.]+", "-", said.lower()).strip("-.")[:80]
        return f"articles{'-' if safe else ''}{safe}.{suffix}"

    @property
    def day(self) -> str | None:
        """The day, if the range is of one day."""
        return self.days.first if self.days and self.days.first == self.days.last else None

    @property
    def chips(self) -> list[Chip]:
        """What narrows the choice down, except for the search."""
        chosen = {name: getattr(self, name) for name in FACETS}
        made = [
            Chip(FACETS[name], name, value, self.link(**{name: None}))
            for name, value in chosen.items()
            if value is not None
        ]
        first, last = self.days.first, self.days.last
        if first and first != last:
            made.append(Chip("From", "day", first, self.link(days=DayRange("", last))))
        if last and first != last:
            made.append(Chip("To", "day", last, self.link(days=DayRange(first, ""))))
        return made


@dataclass(frozen=True)
class Chip:
    """One thing that narrows a choice down."""

    name: str
    key: str
    value: str
    link: str
    """URL of the choice without it."""
