"""The format of a message, version 1; described in `docs/reference/messages.md`, as a JSON Schema in `envelope-1.json`.

Within a version, fields are only added, so readers must ignore unknown ones. `announce` adds the messages for stored
articles to the outbox; it is an effect for `put_articles`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from newsextract.storage.articles import values_of
from newsextract.storage.ledger import address_id
from newsextract.storage.outbox import Message, add
from newsextract.storage.rows import chunks, cleaned, stamp, text_hash
from newsextract.storage.schema import articles, matches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.storage.removals import Removal
    from newsextract.storage.revisions import Change


VERSION = 1

ARTICLE, REVISION, MATCH, HEADLINE = "article", "revision", "match", "headline"
REMOVED, RESTORED = "removed", "restored"
SITE = "site"
"""A site that has problems, or none any more: for alerts alone, as it has no article."""
KINDS = (ARTICLE, REVISION, MATCH, HEADLINE, REMOVED, RESTORED)
"""The kinds of messages: a new article, a new version of one, an article that a watch rule found, one with another
headline than before, one that its site has removed, and one that is back."""

MOST_CHARS = 1 << 20
"""The longest message: RabbitMQ and a MariaDB statement take 16 MiB, and a character has up to 4 bytes."""
_LONG_PARTS = tuple(
    "articleMarkdown articleBodyHtml comments liveBlogUpdates images embeds videos audios breadcrumbs keywords "
    "paywalledParts".split()
)
"""The parts to drop from a message that is too long, in this order; the body is cut last."""


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


def headline_message(change: Change, headline: Mapping[str, Any]) -> Message:
    """Return the message of an article's new headline; `headline` has it and the one before."""
    key = f"{change.row['content_hash']} {change.row['date_downloaded']}"
    told = {name: headline[name] for name in ("before", "after")}
    return _message(HEADLINE, change.row, asdict(change.article), key, {HEADLINE: told})


def removal_message(row: Mapping[str, Any], removal: Removal, rules: Sequence[str]) -> Message:
    """Return the message of an article that was removed or is back, with the watch rules that it matched."""
    kind = RESTORED if removal.date_restored else REMOVED
    told = {
        "reason": removal.reason,
        "dateMissed": removal.date_missed,
        "dateRemoved": removal.date_removed,
        "dateRestored": removal.date_restored,
        "rules": list(rules),
    }
    return _message(kind, row, values_of(row), removal.date_missed, {"removal": told})


def site_message(site: str, run_id: str, problems: Sequence[str]) -> Message:
    """Return the message of a site whose problems are others than in the run before; none if it has recovered."""
    key = text_hash(f"{SITE}\n{site}\n{run_id}")
    told = {"version": VERSION, "id": key, "kind": SITE, "time": stamp(datetime.now(UTC)), "site": site}
    return Message(key, SITE, key, _json(cleaned(told | {"problems": list(problems)})))


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
    article, news = envelope["article"], envelope.get(REVISION) or envelope.get(MATCH) or {}
    for part, name in [*((article, name) for name in _LONG_PARTS), *((news, name) for name in news)]:
        if len(text := _json(envelope)) <= MOST_CHARS:
            return text
        if part[name] is not None and len(_json(part[name])) > MOST_CHARS // 100:
            part[name] = None
            _warn(article, f"{name} was left out of the message")
    if len(text := _json(envelope)) > MOST_CHARS:
        _warn(article, "articleBody was cut for the message")
        body, article["articleBody"] = article["articleBody"] or "", ""
        room = MOST_CHARS - len(_json(envelope))
        while len(_json(body)) > room + 2:
            body = body[: len(body) * max(room, 0) // len(_json(body))]
        article["articleBody"] = body or None
        text = _json(envelope)
    return text


def _warn(article: dict[str, Any], warning: str) -> None:
    if article["extraction"] is not None:
        article["extraction"]["warnings"] = [*article["extraction"]["warnings"], warning]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def announce(connection: Connection, changes: Sequence[Change]) -> None:
    """Add messages about new and changed articles to the outbox: an effect, after those whose results it reads."""
    add(connection, [message for change in changes for message in _messages(change)])


def _messages(change: Change) -> Iterator[Message]:
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
        changes = change.differences.as_json()
        yield revision_message(change, told | {"changes": changes})
        if changes["headline"]:
            yield headline_message(change, changes["headline"])
    for match in change.matches:
        yield match_message(change, match)


def announce_removals(connection: Connection, removals: Sequence[Removal]) -> None:
    """Add messages about articles that were removed or are back to the outbox."""
    found: dict[str, Mapping[str, Any]] = {}
    rules: defaultdict[str, list[str]] = defaultdict(list)
    for some in chunks(sorted({removal.article_id for removal in removals})):
        stored = connection.execute(select(articles).where(articles.c.id.in_(some))).mappings()
        found |= {row["id"]: dict(row) for row in stored}
        watched = select(matches.c.article_id, matches.c.rule).where(matches.c.article_id.in_(some))
        for key, rule in connection.execute(watched.order_by(matches.c.rule)):
            rules[key].append(rule)
    known = [removal for removal in removals if removal.article_id in found]
    add(connection, [removal_message(found[each.article_id], each, rules[each.article_id]) for each in known])
