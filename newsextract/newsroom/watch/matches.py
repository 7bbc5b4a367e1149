"""Matches in the database: written in the transaction that stores the article, or when stored ones are matched again.

The table has the matches of the stored text: a match that no longer holds after a change is deleted, one that still
holds keeps the date on which it was first found. Matches of rules no longer in the file are kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import delete, select, tuple_

from newsextract.storage.database import writing
from newsextract.storage.rows import chunks, fit, stamp, write_rows
from newsextract.storage.schema import articles, matches
from newsextract.storage.word_index import NEEDED_COLUMNS

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from newsextract.newsroom.watch.rules import Match, RuleIndex
    from newsextract.storage.revisions import Change


ROWS_AT_ONCE = 200
"""Articles matched again per transaction."""

_NEEDED = ("id", "url", "date_published", *NEEDED_COLUMNS)
_KEPT = ("article_id", "rule", "date_matched")


@dataclass(frozen=True, slots=True)
class NewMatch:
    """An article that a rule matches now and did not match before."""

    row: Mapping[str, Any]
    """The article's row."""
    match: Match
    date_matched: str


Found: TypeAlias = "tuple[Mapping[str, Any], list[Match]]"
"""An article's row, and the rules that match it."""

MatchEffect: TypeAlias = Callable[["Connection", Sequence[NewMatch]], None]
"""Called with new matches in the same transaction; like any effect, it may be repeated with the same ones."""


def matching(
    index: RuleIndex,
    then: Sequence[MatchEffect] = (),
    note: Callable[[Sequence[Change], Sequence[NewMatch]], None] | None = None,
) -> Callable[[Connection, Sequence[Change]], None]:
    """Return the effect that matches stored articles; `note` is called with new matches, again if it is repeated."""

    def effect(connection: Connection, changes: Sequence[Change]) -> None:
        found = [(change.row, index.match(change.row)) for change in changes]
        new = store_matches(connection, index, found)
        for each in then if new else ():
            each(connection, new)
        if note is not None:
            note(changes, new)

    return effect


def store_matches(
    connection: Connection, index: RuleIndex, found: Sequence[tuple[Mapping[str, Any], Sequence[Match]]]
) -> list[NewMatch]:
    """Update the table with the matches of some articles, and return those that are new."""
    known = _known(connection, [row["id"] for row, _ in found])
    now = stamp(datetime.now(UTC))
    rows = [_row(row["id"], match, now) for row, fits in found for match in fits]
    there = {(row["article_id"], row["rule"]) for row in rows}
    ours = {rule.name for rule in index.rules}
    gone = [(key, rule) for key, rules in known.items() for rule in rules if rule in ours and (key, rule) not in there]
    _remove(connection, sorted(gone))
    write_rows(connection, matches, rows, _KEPT)
    return [
        NewMatch(row, match, now) for row, fits in found for match in fits if match.rule.name not in known[row["id"]]
    ]


def _known(connection: Connection, ids: Sequence[str]) -> defaultdict[str, set[str]]:
    known: defaultdict[str, set[str]] = defaultdict(set)
    for some in chunks(ids):
        for key, rule in connection.execute(
            select(matches.c.article_id, matches.c.rule).where(matches.c.article_id.in_(some))
        ):
            known[key].add(rule)
    return known


def _remove(connection: Connection, keys: Sequence[tuple[str, str]]) -> None:
    for some in chunks(keys):
        connection.execute(delete(matches).where(tuple_(matches.c.article_id, matches.c.rule).in_(some)))


def _row(key: str, match: Match, now: str) -> dict[str, Any]:
    row = {
        "article_id": key,
        "rule": match.rule.name,
        "revision": match.rule.revision,
        "date_matched": now,
        "passages": [asdict(passage) for passage in match.passages],
    }
    return fit(matches, row)[0]


def match_again(engine: Engine, index: RuleIndex, since: datetime | None = None) -> Iterator[list[Found]]:
    """Match the stored articles first seen since a time, and update the table; yield a batch at a time.

    Rows that a transaction reads stay locked until their matches are stored, whatever a crawl writes meanwhile.
    """
    wanted = select(*(articles.c[name] for name in _NEEDED)).order_by(articles.c.id).limit(ROWS_AT_ONCE)
    if since is not None:
        wanted = wanted.where(articles.c.date_first_seen >= stamp(since))
    last = ""
    while True:
        with writing(engine) as connection:
            rows = connection.execute(wanted.where(articles.c.id > last).with_for_update()).mappings()
            found: list[Found] = [(row, index.match(row)) for row in map(dict, rows)]
            store_matches(connection, index, found)
        if not found:
            return
        yield found
        last = found[-1][0]["id"]
