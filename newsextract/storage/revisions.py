"""The versions of articles that have changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import insert, select, update

from newsextract.reading.feed_entry import EXTRACTOR
from newsextract.reading.notices import HYDRATION
from newsextract.storage.differences import compare
from newsextract.storage.rows import chunks
from newsextract.storage.schema import articles, revisions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.article import Article
    from newsextract.storage.differences import Differences


# The result of storing an article, with the row before it, for other writers in the same transaction.


class Stored(Enum):
    """The result of storing an article."""

    NEW = auto()
    CHANGED = auto()
    UNCHANGED = auto()
    SAME_TEXT = auto()
    """Not stored: another article of its site has this text."""
    UNFINISHED = auto()
    """Not stored: an unfinished visit of the same page has stored it already."""


@dataclass(frozen=True)
class Change:
    """An article that is new in the database, or has changed."""

    article: Article
    row: Mapping[str, Any]
    """Its row now."""
    before: Mapping[str, Any] | None
    """Its row before; `None` for a new article."""
    matches: list[dict[str, Any]] = field(default_factory=list)
    """Its new matches, once they are stored, each with `rule`, `passages` and `dateMatched`."""

    @cached_property
    def differences(self) -> Differences | None:
        """The differences of the texts; `None` for a new article and for a cosmetic change.

        A body from the data for scripts cannot be compared with one that is shown: the page's words have only one.
        """
        if self.before is None:
            return None
        was, now = ((row["sources"] or {}).get("articleBody") == HYDRATION for row in (self.before, self.row))
        same_body = {"article_body": self.row["article_body"]} if was != now else {}
        return compare({**self.before, **same_body}, self.row)

    @property
    def is_correction(self) -> bool:
        """Whether the page's text replaces a feed's that stood in for it: we know better, the site changed nothing."""
        return self.before is not None and self.before["extractor"] == EXTRACTOR != self.row["extractor"]

    @property
    def is_rereading(self) -> bool:
        """Whether the page says what it said before, and only our reading of it differs."""
        return self.before is not None and self.differences is None and not self.is_correction

    @property
    def is_new(self) -> bool:
        """Whether the article is new in the database."""
        return self.before is None


Effect: TypeAlias = "Callable[[Connection, Sequence[Change]], None]"
"""Does something else in the transaction of a change, so that both are committed or neither.

It may be repeated with the same changes, as the transaction may; changes come in the order of the articles' ids.
"""


# The versions of an article: each text that differed from the one before, with the differences.
#
# An article that never changed has no rows here. With its first change its old text is written as revision 0 and the
# new one as revision 1, so the last revision is today's text, except for what was only read differently since. A page's
# text that replaces its feed's is not a revision: it corrects the last one.

_TEXTS = ("headline", "description", "article_body")
_COPIED = ("content_hash", *_TEXTS, "date_modified")


def note_revisions(connection: Connection, changes: Sequence[Change]) -> int:
    """Write revisions of the changed articles, and return how many: for an effect of storing them."""
    noted = 0
    changed = [change for change in changes if not change.is_new]
    newest = _newest(connection, [change.row["id"] for change in changed])
    for change in changed:
        last = newest.get(change.row["id"])
        if change.is_correction:
            _correct(connection, last, change)
        elif last is None or not _is_same(last, change.row):
            noted += _note(connection, last, change)
    return noted


def revisions_of(connection: Connection, article_id: str) -> list[Mapping[str, Any]]:
    """Return all versions of an article as rows of `revisions`, the first one first; none of an unknown article."""
    query = select(revisions).where(revisions.c.article_id == article_id).order_by(revisions.c.number)
    if found := connection.execute(query).mappings().all():
        return list(map(dict, found))
    article = connection.execute(select(articles).where(articles.c.id == article_id)).mappings().first()
    return [] if article is None else [_version(dict(article), 0, article["date_first_seen"])]


def _note(connection: Connection, last: Mapping[str, Any] | None, change: Change) -> bool:
    """Write the revision, and the first one if it is missing; return whether there is a revision."""
    if change.before is None or change.differences is None:
        return False
    number = 0 if last is None else last["number"]
    if last is None:
        connection.execute(insert(revisions), _version(change.before, 0, change.before["date_first_seen"]))
    row = _version(change.row, number + 1, change.row["date_downloaded"])
    connection.execute(insert(revisions), row | {"changes": change.differences.as_json()})
    return True


def _correct(connection: Connection, last: Mapping[str, Any] | None, change: Change) -> None:
    """Give the last revision, if there are any, the text that it should have had."""
    if last is None:
        return
    is_it = revisions.c.article_id == last["article_id"]
    before = connection.execute(select(revisions).where(is_it, revisions.c.number == last["number"] - 1)).mappings()
    found = compare(dict(before.one()), change.row) if last["number"] else None
    corrected = {name: change.row[name] for name in _COPIED} | {"changes": found.as_json() if found else None}
    connection.execute(update(revisions).where(is_it, revisions.c.number == last["number"]).values(corrected))


def _version(row: Mapping[str, Any], number: int, seen: str) -> dict[str, Any]:
    copied = {name: row[name] for name in _COPIED}
    return {"article_id": row["id"], "number": number, "date_seen": seen, "changes": None} | copied


def _is_same(last: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    # Another run may have just found the same change.
    return all(last[name] == row[name] for name in _TEXTS)


def _newest(connection: Connection, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for some in chunks(ids):
        query = select(revisions).where(revisions.c.article_id.in_(some)).order_by(revisions.c.number)
        found |= {row["article_id"]: dict(row) for row in connection.execute(query).mappings()}
    return found
