"""The page of watch matches: which article matched which rule, when, and the passages that show it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlencode

from newsextract.newsroom.desk.article_selection import WINDOW, has_watches
from newsextract.newsroom.desk.choice import PAGE_ARTICLES, page_of
from newsextract.newsroom.desk.day_range import DayRange, days_of
from newsextract.newsroom.desk.desk_database import Tables, list_of, rows
from newsextract.newsroom.desk.facets import MOST, Facet, Value
from newsextract.newsroom.desk.text_differences import Piece

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

_IN_RANGE = "date_matched >= :first and date_matched < :after"
# The index of rules and dates answers both without reading the passages.
_PLACES = f"""
    select rowid from matches where {_IN_RANGE} {{conditions}} order by date_matched desc, rowid desc limit :window
"""  # noqa: S608 - of constants
_RULES = f"select rule, count(*) from matches where {_IN_RANGE} group by rule order by rule"  # noqa: S608 - likewise
_MATCHES = """
    select m.rowid as place, m.rule, m.date_matched, m.passages, a.id, a.url, a.site, a.headline, a.date_published,
        a.in_language
    from matches m join articles a on a.id = m.article_id where m.rowid in (select value from json_each(?))
"""
_OF_ARTICLE = "select rule, date_matched, passages from matches where article_id = ? order by rule"

_FIELDS = {"body": "text", "description": "lead"}
"""The fields of passages whose names are not for readers."""

_SENTENCE_ENDS = frozenset(".!?。！？”»")


@dataclass(frozen=True)
class Passage:
    """A piece of an article that shows why a rule matches."""

    field: str
    """The part of the article that it is in, as readers call it."""
    pieces: list[Piece]
    """Its text, with the hits as `mark`."""


@dataclass(frozen=True)
class Match:
    """A rule that an article has matched; `row` has the columns asked for."""

    row: dict[str, Any]
    passages: list[Passage]


@dataclass(frozen=True)
class MatchChoice:
    """The arguments of the page."""

    rule: str | None = None
    days: DayRange = field(default_factory=DayRange)
    """Of the date of the match, in UTC."""
    page: int = 1

    @classmethod
    def of(cls, arguments: Any) -> Self:
        """Return the choice in a query string.

        >>> MatchChoice.of({"rule": "a & b", "from": "2026-03-01"}).link(page=2)
        '/matches?rule=a+%26+b&from=2026-03-01&page=2'
        """
        return cls(arguments.get("rule") or None, days_of(arguments), page_of(arguments))

    def link(self, **changes: Any) -> str:
        """Return the URL of this choice with some changes, at its first page."""
        arguments = replace(self, **({"page": 1} | changes)).arguments
        return f"/matches?{urlencode(arguments)}" if arguments else "/matches"

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the URL that are set."""
        stated = {"rule": self.rule, **self.days.arguments, "page": self.page if self.page > 1 else None}
        return {name: value for name, value in stated.items() if value is not None}


@dataclass(frozen=True)
class MatchPage:
    """What the page of matches shows."""

    choice: MatchChoice
    matches: list[Match]
    rules: Facet
    """The rules that matched in these days, whichever is chosen."""
    total: int
    """Matches of the choice, up to the number that is listed."""
    is_cut: bool
    """Whether there are older ones that are not listed."""
    bad_days: str
    """What is wrong with the range of days."""

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return max(1, -(-self.total // PAGE_ARTICLES))


def match_page(connection: sqlite3.Connection, choice: MatchChoice) -> MatchPage:
    """Return the data of the page of matches, newest first."""
    tables = Tables.of(connection)
    bad_days = choice.days.mistake
    if bad_days or not has_watches(tables) or "articles" not in tables:
        return MatchPage(choice, [], Facet("rule", "Rule", []), 0, is_cut=False, bad_days=bad_days)
    first, after = choice.days.bounds()
    values = {"first": first, "after": after, "rule": choice.rule, "window": WINDOW + 1}
    statement = _PLACES.format(conditions="" if choice.rule is None else "and rule = :rule")
    places = [place for (place,) in connection.execute(statement, values)]
    start = (choice.page - 1) * PAGE_ARTICLES
    listed = places[:WINDOW]
    return MatchPage(
        choice=choice,
        matches=_matches(connection, listed[start : start + PAGE_ARTICLES]),
        rules=_rules(connection, choice, values),
        total=len(listed),
        is_cut=len(places) > WINDOW,
        bad_days="",
    )


def matches_of(connection: sqlite3.Connection, tables: Tables, article_id: str) -> list[Match]:
    """Return the rules that an article matches."""
    if not has_watches(tables):
        return []
    return [_match(row) for row in rows(connection, _OF_ARTICLE, [article_id])]


def _matches(connection: sqlite3.Connection, places: Sequence[int]) -> list[Match]:
    found = {row["place"]: row for row in rows(connection, _MATCHES, [json.dumps(places)])}
    return [_match(found[place]) for place in places if place in found]


def _rules(connection: sqlite3.Connection, choice: MatchChoice, values: dict[str, Any]) -> Facet:
    counts = dict(connection.execute(_RULES, values).fetchall())
    if choice.rule is not None:
        counts.setdefault(choice.rule, 0)
    made = [
        Value(rule, count, choice.link(rule=None if rule == choice.rule else rule), rule == choice.rule)
        for rule, count in list(counts.items())[:MOST]
    ]
    return Facet("rule", "Rule", made, max(0, len(counts) - MOST))


def _match(row: dict[str, Any]) -> Match:
    found = [
        Passage(_FIELDS.get(part["field"], part["field"]), _cut(_marked(part["text"], part["marks"]), part))
        for part in list_of(row["passages"])
    ]
    return Match(row, found)


def _cut(pieces: list[Piece], part: dict[str, Any]) -> list[Piece]:
    """Return a passage with a sign where the text goes on."""
    before = [Piece("same", "… ")] if part.get("start") else []
    is_end = part["text"].rstrip()[-1:] in _SENTENCE_ENDS or part["field"] != "body"
    return [*before, *pieces, *([] if is_end else [Piece("same", " …")])]


def _marked(text: str, marks: list[Any]) -> list[Piece]:
    """Return a text with its marks, each given as a start and an end.

    >>> [(piece.kind, piece.text) for piece in _marked("a new bridge", [[2, 5]])]
    [('same', 'a '), ('mark', 'new'), ('same', ' bridge')]
    """
    pieces, at = [], 0
    for start, stop in sorted((start, stop) for start, stop in marks):
        if start >= at:
            pieces += [Piece("same", text[at:start]), Piece("mark", text[start:stop])]
            at = stop
    return [piece for piece in (*pieces, Piece("same", text[at:])) if piece.text]
