"""Search and selection in the desk: what a reader chooses, and the newest rows of it: articles, matches, pages.

Each list shows and counts at most `WINDOW` rows, the newest. The counts of a facet leave out the facet's own choice, so
that further values can be added to it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Self, TypeAlias
from urllib.parse import urlencode

from sqlalchemy import ColumnElement, Select, func, select

from newsextract.storage.schema import NEWEST, articles, ledger, matches
from newsextract.storage.search.article_search import is_exact, matching_rows
from newsextract.storage.search.matching import Matcher
from newsextract.storage.search.queries import QueryError, parse_query

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection
    from starlette.datastructures import QueryParams


WINDOW = 3000
"""How many of the newest rows are listed and counted; a narrower selection reaches older ones."""
PAGE_ROWS = 30
MOST_VALUES = 200
"""Values of a facet that are shown."""

Row: TypeAlias = "Mapping[Any, Any]"


@dataclass(frozen=True)
class Choice:
    """A selection of a list, as it is in the URL: values of facets, a search, days, an order, a page."""

    path: str
    facets: Mapping[str, tuple[str, ...]]
    q: str = ""
    first: str = ""
    """The first day in UTC, as 2026-03-01; empty for no limit."""
    last: str = ""
    order: str = ""
    page: int = 1

    @classmethod
    def of(cls, path: str, facets: Sequence[str], given: QueryParams) -> Self:
        """Return the choice in a query string; `day` stands for both `from` and `to`."""
        page = given.get("page", "")
        return cls(
            path=path,
            facets={name: tuple(dict.fromkeys(given.getlist(name))) for name in facets},
            q=given.get("q", "").strip() if path == "/" else "",
            first=(given.get("from") or given.get("day") or "").strip(),
            last=(given.get("to") or given.get("day") or "").strip(),
            order="seen" if given.get("order") == "seen" else "",
            page=max(1, int(page)) if page.isdecimal() and len(page) < 7 else 1,
        )

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The arguments of the URL that are set, without the page."""
        chosen = [(name, value) for name, values in self.facets.items() for value in values]
        others = {"q": self.q, "from": self.first, "to": self.last, "order": self.order}
        return [*chosen, *((name, value) for name, value in others.items() if value)]

    def link(self, path: str = "", **changes: Any) -> str:
        """Return the URL of this choice with some changes, on its first page."""
        changed = replace(self, **({"page": 1} | changes))
        pairs = [*changed.pairs, *([("page", str(changed.page))] if changed.page > 1 else [])]
        return f"{path or self.path}?{urlencode(pairs)}" if pairs else path or self.path

    def toggled(self, facet: str, value: str) -> str:
        """Return the URL of this choice with a value more, or without it if it is chosen."""
        if facet == "day":
            is_chosen = self.first == self.last == value
            return self.link(first="" if is_chosen else value, last="" if is_chosen else value)
        chosen = self.facets[facet]
        values = tuple(each for each in chosen if each != value) if value in chosen else (*chosen, value)
        return self.link(facets={**self.facets, facet: values})

    def without(self, facet: str) -> Self:
        """Return the choice with any value of a facet."""
        return replace(self, facets={**self.facets, facet: ()})

    @property
    def is_narrowed(self) -> bool:
        """Whether it leaves something out."""
        return bool(self.q or self.first or self.last or any(self.facets.values()))

    def bounds(self) -> tuple[str, str]:
        """Return the first moment that is selected and the first that no longer is: times in UTC sort as text.

        Raises:
            ValueError: a day is not one; the message is for the reader.
        """
        first = day_of(self.first).isoformat() if self.first else ""
        last = min(day_of(self.last), date.max - timedelta(1)) if self.last else None  # the last day of all has no next
        return first, (last + timedelta(1)).isoformat() if last else ""


def day_of(written: str) -> date:
    """Return a day that a reader wrote; raises `ValueError`, whose message is for the reader."""
    try:
        return date.fromisoformat(written)
    except ValueError as error:
        message = f"“{written[:40]}” is not a day: write year, month and day, as in 2026-03-01."
        raise ValueError(message) from error


@dataclass(frozen=True)
class Value:
    """One value of a facet."""

    name: str
    """Empty for rows without one."""
    count: int
    link: str
    """URL with the value added to the choice, or taken from it."""
    is_chosen: bool


@dataclass(frozen=True)
class Listing:
    """One page of the newest rows of a selection."""

    choice: Choice
    rows: Sequence[Row]
    """Of this page."""
    facets: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    total: int = 0
    """Rows of the selection, at most `WINDOW`."""
    is_cut: bool = False
    """Whether there are older rows that are not listed."""
    mistake: str = ""
    """What is wrong with the search or the days."""
    at: int | None = None
    """The character of the search that the mistake is about."""

    @property
    def page(self) -> int:
        """The number of the page, from 1."""
        return self.choice.page

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return max(1, -(-self.total // PAGE_ROWS))


@dataclass(frozen=True)
class Source:
    """Where a list takes its rows from."""

    statement: Select[Any]
    """Selects `id`, and for each facet a column of its name."""
    moment: ColumnElement[Any]
    columns: Mapping[str, ColumnElement[Any]]
    """The column of each facet in the database, which conditions compare."""


def listing(connection: Connection, choice: Choice, source: Source) -> Listing:
    """Return a page of a selection, with the counts of its facets."""
    try:
        found = selected(connection, choice, source)
    except QueryError as error:
        return Listing(choice, [], mistake=str(error), at=error.position)
    except ValueError as error:
        return Listing(choice, [], mistake=str(error))
    shown = found[:WINDOW]
    start = (choice.page - 1) * PAGE_ROWS
    counts = {name: _counts(connection, choice, source, shown, name) for name in choice.facets}
    counts["day"] = Counter(row["moment"][:10] for row in shown)
    facets = {name: _values(choice, name, counted) for name, counted in counts.items()}
    return Listing(choice, shown[start : start + PAGE_ROWS], facets, len(shown), is_cut=len(found) > WINDOW)


def _counts(connection: Connection, choice: Choice, source: Source, shown: Sequence[Row], name: str) -> Counter[str]:
    rows = selected(connection, choice.without(name), source)[:WINDOW] if choice.facets[name] else shown
    if name == "watch":
        ids = [row["id"] for row in rows]
        counted = select(matches.c.rule, func.count()).where(matches.c.article_id.in_(ids)).group_by(matches.c.rule)
        return Counter(dict(connection.execute(counted).all()))
    return Counter(row[name] or "" for row in rows)


def _values(choice: Choice, facet: str, counts: Counter[str]) -> list[Value]:
    chosen = choice.facets.get(facet, (choice.first,) if choice.first == choice.last and choice.first else ())
    counts.update(dict.fromkeys(chosen, 0))
    if not any(counts):
        return []
    by_name = sorted(counts.items(), reverse=facet == "day")
    ordered = by_name if facet == "day" else sorted(by_name, key=lambda pair: -pair[1])
    return [Value(name, count, choice.toggled(facet, name), name in chosen) for name, count in ordered[:MOST_VALUES]]


def selected(connection: Connection, choice: Choice, source: Source) -> Sequence[Row]:
    """Return the newest rows of a selection, at most one more than `WINDOW`, each with its `moment`.

    Raises:
        QueryError: the search is not a valid query.
        ValueError: a day is not one.
    """
    first, after = choice.bounds()
    statement = source.statement.add_columns(source.moment.label("moment"))
    statement = statement.order_by(source.moment.desc(), source.statement.selected_columns[0])
    if first:
        statement = statement.where(source.moment >= first)
    if after:
        statement = statement.where(source.moment < after)
    for name, values in choice.facets.items():
        if values:
            statement = statement.where(_among(source, name, values))
    if choice.q:
        query = parse_query(choice.q)
        matcher = None if is_exact(query) else Matcher(query)
        return matching_rows(connection, statement, query, WINDOW + 1, matcher)
    return connection.execute(statement.limit(WINDOW + 1)).mappings().all()


def _among(source: Source, name: str, values: Sequence[str]) -> ColumnElement[bool]:
    if name == "watch":
        return articles.c.id.in_(select(matches.c.article_id).where(matches.c.rule.in_(values)))
    column = source.columns[name]
    condition = column.in_([value for value in values if value])
    return condition | column.is_(None) | (column == "") if "" in values else condition


_ARTICLE_COLUMNS: dict[str, ColumnElement[Any]] = {
    "site": articles.c.site,
    "language": articles.c.in_language,
    "section": articles.c.section,
    "kind": articles.c.page_kind,
}
_MATCH_COLUMNS: dict[str, ColumnElement[Any]] = {"rule": matches.c.rule, "site": articles.c.site}
_PAGE_COLUMNS: dict[str, ColumnElement[Any]] = {
    "site": ledger.c.site,
    "state": ledger.c.state,
    "reason": ledger.c.reason,
    "found": ledger.c.found_in,
}


def _labelled(columns: Mapping[str, ColumnElement[Any]]) -> list[ColumnElement[Any]]:
    return [column.label(name) for name, column in columns.items()]


ARTICLE_FACETS = (*_ARTICLE_COLUMNS, "watch")
MATCH_FACETS = tuple(_MATCH_COLUMNS)
PAGE_FACETS = tuple(_PAGE_COLUMNS)

MATCHES = Source(
    select(matches.c.article_id, matches.c.date_matched, *_labelled(_MATCH_COLUMNS)).join(
        articles, articles.c.id == matches.c.article_id
    ),
    matches.c.date_matched,
    _MATCH_COLUMNS,
)
"""The matches of watch rules, by the time of the match."""

PAGES = Source(
    select(ledger.c.id, ledger.c.url, ledger.c.status, ledger.c.article_id, *_labelled(_PAGE_COLUMNS)).where(
        ledger.c.role == "candidate", ledger.c.date_visited.is_not(None)
    ),
    ledger.c.date_visited,
    _PAGE_COLUMNS,
)
"""The pages that were visited, by the time of the last visit."""


def article_source(choice: Choice) -> Source:
    """Return where the articles of a choice come from; an article without a date counts by when it was first seen."""
    moment = articles.c.date_first_seen if choice.order == "seen" else NEWEST
    return Source(select(articles.c.id, *_labelled(_ARTICLE_COLUMNS)), moment, _ARTICLE_COLUMNS)
