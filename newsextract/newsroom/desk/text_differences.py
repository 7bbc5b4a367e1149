"""The words removed from a text and added to it, and the revisions of articles as dated differences.

Revisions are read from `article_id`, `date_seen` and `changes` of the table `revisions`, a JSON object: `headline` and
`lead` with `before` and `after`; `body`, a list of objects with `before` and `after`; `numbers`, likewise; `left_out`,
how many changes were left out. See `newsextract.storage.revisions.article_differences.Differences`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.desk.desk_database import rows, table_of
from newsextract.page.words import UNSEGMENTED, words

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from newsextract.newsroom.desk.desk_database import Tables

_PIECE = re.compile(rf"[{UNSEGMENTED}]|[^\W{UNSEGMENTED}]+|\s+|[^\w\s]")

MOST_PIECES = 3000
"""Words of either text; longer ones are shown whole, one after the other, as comparing takes quadratic time."""

_GRAM_WORDS = 3
_KNOWN_SHARE = 0.6
"""A sentence counts as contained in another text if this share of its three-word sequences is."""

MOST = 100
"""Revisions shown on a page, newest first."""

CHANGED = "coalesce(changes, 'null') <> 'null'"
"""SQL condition for a real revision: the first text of an article is kept too, and has changed nothing."""

_FIELDS = {"headline": "Headline", "lead": "Lead", "body": "Text", "numbers": "Numbers"}

_NEWEST = f"""
    select article_id, date_seen, changes from revisions
    where article_id in (select value from json_each(?)) and {CHANGED} order by date_seen desc limit ?
"""  # noqa: S608 - of constants


@dataclass(frozen=True)
class Piece:
    """A piece of text that stayed (`same`), was added (`ins`) or removed (`del`), or is a hit (`mark`)."""

    kind: str
    text: str


def difference(before: str, after: str) -> list[Piece]:
    """Return the pieces that lead from one text to the other.

    >>> [(piece.kind, piece.text) for piece in difference("Two dead in fire", "Three dead in fire")]
    [('del', 'Two'), ('ins', 'Three'), ('same', ' dead in fire')]
    """
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    if max(len(old), len(new)) > MOST_PIECES:
        return [piece for piece in (Piece("del", before), Piece("ins", after)) if piece.text]
    return list(_compared(old, new))


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[Piece]:
    for kind, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Piece("same", "".join(new[new_from:new_to]))
            continue
        if old_from < old_to:
            yield Piece("del", "".join(old[old_from:old_to]))
        if new_from < new_to:
            yield Piece("ins", "".join(new[new_from:new_to]))


class Known:
    """A text's three-word sequences, to find which sentences of another text are new."""

    def __init__(self, text: str) -> None:
        self._grams = {gram for line in text.splitlines() for gram in _grams(line)}

    def says(self, sentence: str) -> bool:
        """Return whether the text contains this sentence, up to a few words.

        >>> known = Known("The mayor opened the bridge on Monday.")
        >>> known.says("The mayor opened the bridge on Monday!"), known.says("It cost two million euros.")
        (True, False)
        """
        grams = _grams(sentence)
        return sum(gram in self._grams for gram in grams) >= _KNOWN_SHARE * len(grams)


def _grams(text: str) -> list[tuple[str, ...]]:
    found = [word.casefold() for word in words(text)]
    if len(found) <= _GRAM_WORDS:
        return [tuple(found)] if found else []
    return [tuple(found[at : at + _GRAM_WORDS]) for at in range(len(found) - _GRAM_WORDS + 1)]


@dataclass(frozen=True)
class Revision:
    """What changed at one time."""

    article_id: str
    date_seen: str
    changes: list[tuple[str, list[Piece]]] = field(default_factory=list)
    """For each changed passage: the name of the field, and how it changed."""
    left_out: int = 0
    """The number of changes left out because there were too many."""


def revisions(connection: sqlite3.Connection, tables: Tables, article_ids: Sequence[str]) -> list[Revision]:
    """Return the revisions of some articles, newest first."""
    if not tables.has("revisions", "article_id", "date_seen", "changes"):
        return []
    found = rows(connection, _NEWEST, [json.dumps(list(article_ids)), MOST])
    return [_revision(row, table_of(row["changes"])) for row in found]


def _revision(row: dict[str, Any], changes: dict[str, Any]) -> Revision:
    return Revision(row["article_id"], row["date_seen"], list(_changes(changes)), changes.get("left_out") or 0)


def _changes(changes: dict[str, Any]) -> Iterator[tuple[str, list[Piece]]]:
    for name, label in _FIELDS.items():
        stated = changes.get(name) or []
        for change in stated if isinstance(stated, list) else [stated]:
            # The words around a changed number.
            context = [Piece("same", f" · {change['context']}")] if change.get("context") else []
            yield label, [*difference(change["before"], change["after"]), *context]
