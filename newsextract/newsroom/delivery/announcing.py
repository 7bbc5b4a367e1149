"""Adds the messages for stored articles to the outbox: an effect for `put_articles`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from newsextract.newsroom.delivery.envelope import article_message, match_message, revision_message
from newsextract.storage.outbox.message_store import add

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.storage.outbox.message_store import Message
    from newsextract.storage.revisions.change import Change

Revisions: TypeAlias = "Callable[[Connection, Sequence[Change]], Mapping[str, Mapping[str, Any]]]"
"""Returns, by article id, the plain values to announce for each change that is a revision."""
Matches: TypeAlias = "Callable[[Connection, Sequence[Change]], Mapping[str, Sequence[Mapping[str, Any]]]]"
"""Returns, by article id, the new matches, each with `rule`, `passages` and `dateMatched`."""


def told_revisions(_connection: Connection, changes: Sequence[Change]) -> dict[str, dict[str, Any]]:
    """Return the changes that are revisions; cosmetic changes are not."""
    found = {}
    for change in changes:
        if change.before is not None and change.differences is not None:
            found[str(change.row["id"])] = {
                "contentHash": change.row["content_hash"],
                "previous": {
                    "contentHash": change.before["content_hash"],
                    "headline": change.before["headline"],
                    "dateModified": change.before["date_modified"],
                    "dateDownloaded": change.before["date_downloaded"],
                },
                "changes": change.differences.as_json(),
            }
    return found


def no_matches(_connection: Connection, _changes: Sequence[Change]) -> dict[str, list[Mapping[str, Any]]]:
    """Return an empty dict: there are no matches."""
    return {}


class Announcer:
    """Adds messages about new and changed articles to the outbox; runs after the effects whose results it reads."""

    def __init__(self, revisions: Revisions = told_revisions, matches: Matches = no_matches) -> None:
        self.revisions = revisions
        self.matches = matches

    def __call__(self, connection: Connection, changes: Sequence[Change]) -> None:
        """Add the messages, each article before its matches."""
        revisions = self.revisions(connection, changes)
        matches = self.matches(connection, changes)
        add(connection, [message for change in changes for message in _messages(change, revisions, matches)])


def _messages(
    change: Change, revisions: Mapping[str, Mapping[str, Any]], matches: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[Message]:
    article_id = str(change.row["id"])
    if change.before is None:
        yield article_message(change)
    elif article_id in revisions:
        yield revision_message(change, revisions[article_id])
    for match in matches.get(article_id, ()):
        yield match_message(change, match)
