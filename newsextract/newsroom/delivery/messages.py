"""The format of a message, version 1; described in `docs/reference/messages.md`, as a JSON Schema in `envelope-1.json`.

Within a version, fields are only added, so readers must ignore unknown ones. `Announcer` adds the messages for stored
articles to the outbox; it is an effect for `put_articles`.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

from newsextract.storage.ledger.ledger import address_id
from newsextract.storage.outbox import Message, add
from newsextract.storage.rows import cleaned, stamp, text_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.storage.revisions import Change


VERSION = 1

ARTICLE, REVISION, MATCH = "article", "revision", "match"
KINDS = (ARTICLE, REVISION, MATCH)
"""The kinds of messages: a new article, a new version of one, and an article that a watch rule found."""

MOST_CHARS = 1 << 20
"""The longest message: RabbitMQ and a MariaDB statement take 16 MiB, and a character has up to 4 bytes."""
_LONG_PARTS = tuple(
    "articleMarkdown articleBodyHtml comments liveBlogUpdates images embeds videos audios breadcrumbs keywords "
    "paywalledParts".split()
)
"""The parts to drop from a message that is too long, in this order; the body is cut last."""

Matches: TypeAlias = "Callable[[Connection, Sequence[Change]], Mapping[str, Sequence[Mapping[str, Any]]]]"
"""Returns, by article id, the new matches, each with `rule`, `passages` and `dateMatched`."""


def article_message(change: Change) -> Message:
    """Return the message of a new article."""
    return stored_message(change.row, asdict(change.article))


def stored_message(row: Mapping[str, Any], article: dict[str, Any]) -> Message:
    """Return the message of a new article, given its row and its plain values: the same id whenever it is made."""
    # The page too: a row may have been another page's before that one got a row of its own.
    return _message(ARTICLE, row, article, address_id(str(row["url"])), {})


def revision_message(change: Change, revision: Mapping[str, Any]) -> Message:
    """Return the message of an article's new version; `revision` has the changes as JSON values."""
    # An article may return to an earlier text: the time makes that another message.
    key = f"{change.row['content_hash']} {change.row['date_downloaded']}"
    return _message(REVISION, change.row, asdict(change.article), key, {REVISION: revision})


def match_message(change: Change, match: Mapping[str, Any]) -> Message:
    """Return the message of a match; `match` has `rule` (its name), `passages` and `dateMatched`."""
    # An article may lose a match and get it back: the time makes that another message.
    key = f"{change.row['content_hash']} {match['rule']} {match['dateMatched']}"
    return _message(MATCH, change.row, asdict(change.article), key, {MATCH: match})


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the messages."""
    text = files("newsextract.newsroom.delivery").joinpath(f"envelope-{VERSION}.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _message(kind: str, row: Mapping[str, Any], article: dict[str, Any], key: str, more: Mapping[str, Any]) -> Message:
    article_id = str(row["id"])
    message_id = text_hash(f"{kind}\n{article_id}\n{key}")
    envelope = {
        "version": VERSION,
        "id": message_id,
        "kind": kind,
        "time": stamp(datetime.now(UTC)),
        "site": row["site"],
        "articleId": article_id,
        "article": article,
        **more,
    }
    return Message(message_id, kind, article_id, _fitting(cleaned(envelope)))


def _fitting(envelope: dict[str, Any]) -> str:
    """Return an envelope as JSON of at most `MOST_CHARS`; parts that make it too long are dropped or cut."""
    text = _json(envelope)
    article = envelope["article"]
    for name in _LONG_PARTS:
        if len(text) <= MOST_CHARS:
            return text
        if article[name] is not None:
            article[name] = None
            _warn(article, f"{name} was left out of the message")
            text = _json(envelope)
    if len(text) > MOST_CHARS:
        _warn(article, "articleBody was cut for the message")
        body, article["articleBody"] = article["articleBody"] or "", None
        article["articleBody"] = _beginning(body, MOST_CHARS - len(_json(envelope))) or None
        text = _json(envelope)
    return text if len(text) <= MOST_CHARS else _json(_without_long_news(envelope))


def _beginning(text: str, room: int) -> str:
    """Return roughly as much of a text as fits into `room` characters of JSON."""
    while text and (length := len(_json(text))) > room:
        text = text[: len(text) * max(room, 0) // length]
    return text


def _without_long_news(envelope: dict[str, Any]) -> dict[str, Any]:
    """Return an envelope without the long values, such as differences, of its revision or match."""
    part = envelope.get(envelope["kind"], {})
    short = {name: value if len(_json({name: value})) < MOST_CHARS // 100 else None for name, value in part.items()}
    return envelope | {envelope["kind"]: short} if part else envelope


def _warn(article: dict[str, Any], warning: str) -> None:
    if article["extraction"] is not None:
        article["extraction"]["warnings"] = [*article["extraction"]["warnings"], warning]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def no_matches(_connection: Connection, _changes: Sequence[Change]) -> dict[str, list[Mapping[str, Any]]]:
    """Return an empty dict: there are no matches."""
    return {}


class Announcer:
    """Adds messages about new and changed articles to the outbox; runs after the effects whose results it reads."""

    def __init__(self, matches: Matches = no_matches) -> None:
        self.matches = matches

    def __call__(self, connection: Connection, changes: Sequence[Change]) -> None:
        """Add the messages of these changes, each article's before those of its matches."""
        matches = self.matches(connection, changes)
        found = (message for change in changes for message in _messages(change, matches.get(change.row["id"], ())))
        add(connection, list(found))


def _messages(change: Change, matches: Sequence[Mapping[str, Any]]) -> Iterator[Message]:
    """Yield the message of a new article or a revision (none if only the looks changed), then those of its matches."""
    if change.before is None:
        yield article_message(change)
    elif change.differences is not None:
        previous = {
            "contentHash": change.before["content_hash"],
            "headline": change.before["headline"],
            "dateModified": change.before["date_modified"],
            "dateDownloaded": change.before["date_downloaded"],
        }
        told = {"contentHash": change.row["content_hash"], "previous": previous}
        yield revision_message(change, told | {"changes": change.differences.as_json()})
    for match in matches:
        yield match_message(change, match)
