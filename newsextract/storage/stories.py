"""Stories: groups of articles that are copies of one another, found as articles are stored.

Across sites, runs and crawlers, also within one site. Articles stay as they are; a link once made stays too, whatever
becomes of the texts. Stories are sets of linked articles, which grow and flow into each other, and never lose one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import bindparam, delete, insert, select, update

from newsextract.storage.database_thread import alone, each
from newsextract.storage.likeness import TextPrints, likeness
from newsextract.storage.rows import chunks, hold, insert_missing, stamp
from newsextract.storage.schema import articles, fingerprint_keys, locks, stories, story_articles

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.storage.likeness import Likeness, TextPrint
    from newsextract.storage.revisions import Change


WINDOW_DAYS = 14
"""Between the dates of two copies, and between a story's first article and any other: horoscopes and forecasts, which
are alike from day to day, do not make one story of a year."""
_MOST_SHARERS = 100
"""Articles of a time that have a key: later ones do not get it. Those of a story meet by its other articles, and what
else a hundred have is a phrase, such as a notice of copyright."""
_MOST_CANDIDATES = 60
_MOST_OF_A_STORY = 8
_MOST_JUDGED = 20
"""Texts that are compared with one, and none more of a story that it is a copy of."""
_EPOCH = date(1970, 1, 1).toordinal()
_AHEAD_DAYS = 2
"""How much later than its first visit an article may be dated, by a wrong clock or time zone."""

_LOCK = "stories"
_SHARERS = (
    select(fingerprint_keys.c.key, fingerprint_keys.c.article_number, fingerprint_keys.c.day)
    .where(fingerprint_keys.c.key.in_(bindparam("keys", expanding=True)))
    .where(fingerprint_keys.c.day.between(bindparam("first"), bindparam("last")))
)
_FORGET = delete(fingerprint_keys).where(fingerprint_keys.c.article_number.in_(bindparam("numbers", expanding=True)))
_KNOWN = articles.c.number, articles.c.id, articles.c.text_hash, articles.c.date_published, articles.c.date_first_seen
_CANDIDATES = select(*_KNOWN).where(articles.c.number.in_(bindparam("numbers", expanding=True)))
_BODIES = select(articles.c.id, articles.c.article_body).where(articles.c.id.in_(bindparam("ids", expanding=True)))
_STORIES = (
    select(story_articles.c.article_id, stories.c.id, stories.c.date_first_seen, stories.c.day)
    .join(stories, story_articles.c.story_id == stories.c.id)
    .where(story_articles.c.article_id.in_(bindparam("ids", expanding=True)))
)


@dataclass(frozen=True, slots=True)
class Member:
    """A stored article that is in a story or may join one."""

    article_id: str
    number: int
    text: str
    """The hash of its text."""
    day: int
    """Days from 1970 to its publication, or to when it was first seen."""
    date_first_seen: str

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Make it of an article's row."""
        return cls(row["id"], row["number"], row["text_hash"], day_of(row), row["date_first_seen"])


def day_of(row: Mapping[str, Any]) -> int:
    """Return the day of an article, counted from 1970.

    >>> day_of({"date_published": "1970-01-03T23:00:00-04:00", "date_first_seen": "2026-03-01T00:00:00+00:00"})
    3
    """
    seen = _day(row["date_first_seen"])
    published = _day(row["date_published"])
    if published is None or (seen is not None and published > seen + _AHEAD_DAYS):
        return seen or 0
    return published


def _day(text: str | None) -> int | None:
    try:
        time = datetime.fromisoformat(text or "")
        return (time.astimezone(UTC) if time.tzinfo else time).toordinal() - _EPOCH
    except (ValueError, OverflowError):
        return None


def link_stories(connection: Connection, changes: Sequence[Change], *, prints: TextPrints | None = None) -> int:
    """Link articles with their copies, and return how many joined a story: for an effect of storing them.

    `prints` has those of recent texts, and gets others that are needed. Of two crawlers one waits for the other's
    transaction here, so that copies which both bring at once find each other.
    """
    prints = TextPrints() if prints is None else prints
    # The slow part, if they are not known, before the lock makes others wait.
    own = {change.row["id"]: prints.made_for(change.row["text_hash"], change.row["article_body"]) for change in changes}
    batch = [Member.of(change.row) for change in changes]
    hold(connection, _LOCK)
    found = _write_keys(connection, batch, own)
    candidates = {
        row["number"]: Member.of(dict(row))
        for some in chunks(sorted({number for each in found.values() for number in each}))
        for row in connection.execute(_CANDIDATES, {"numbers": some}).mappings()
    }
    known = Stories(connection, [*batch, *candidates.values()] if candidates else [])
    linked = 0
    for one in batch:
        others = [candidates[number] for number in found[one.number] if number in candidates]
        chosen = _chosen(one, others, known)
        copies = _copies(own[one.article_id].shingles, chosen, _prints_of(connection, chosen, prints))
        linked += sum(known.link(one, other, how) for other, how in copies)
    known.write()
    return linked


def _write_keys(
    connection: Connection, batch: Sequence[Member], prints: Mapping[str, TextPrint]
) -> dict[int, list[int]]:
    """Replace the stored keys of articles; return who shares keys with each, by numbers, those with the most first."""
    for some in chunks([one.number for one in batch]):
        connection.execute(_FORGET, {"numbers": some})
    sharers: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    days = [one.day for one in batch]
    for some in chunks(sorted({key for one in batch for key in prints[one.article_id].keys})):
        asked = {"keys": some, "first": min(days) - WINDOW_DAYS, "last": max(days) + WINDOW_DAYS}
        for key, number, day in connection.execute(_SHARERS, asked):
            sharers[key].append((number, day))
    crowded = {key for key, each in sharers.items() if len(each) >= _MOST_SHARERS}
    rows = [
        {"key": key, "article_number": one.number, "day": one.day}
        for one in batch
        for key in prints[one.article_id].keys
        if key not in crowded
    ]
    if rows:
        connection.execute(insert(fingerprint_keys), rows)
    for row in rows:
        sharers[row["key"]].append((row["article_number"], row["day"]))
    found = {}
    for one in batch:
        shared = Counter(
            number
            for key in prints[one.article_id].keys
            for number, day in sharers.get(key, ())
            if abs(day - one.day) <= WINDOW_DAYS and number != one.number
        )
        found[one.number] = sorted(shared, key=lambda number: (-shared[number], number))[:_MOST_CANDIDATES]
    return found


def _chosen(one: Member, others: Sequence[Member], known: Stories) -> list[tuple[str, Member]]:
    """Return the articles to compare with, each with its story: from each story, those that share the most keys.

    An article in no story is one of its own. What is in the story of `one` is left out.
    """
    own = known.by_article.get(one.article_id)
    chosen: list[tuple[str, Member]] = []
    of_story: Counter[str] = Counter()
    for other in others:
        story = known.by_article.get(other.article_id)
        name = story.id if story else other.article_id
        if (own is None or name != own.id) and of_story[name] < _MOST_OF_A_STORY:
            of_story[name] += 1
            chosen.append((name, other))
    return chosen[:_MOST_JUDGED]


def _copies(
    shingles: frozenset[int], chosen: Sequence[tuple[str, Member]], prints: Mapping[str, TextPrint]
) -> list[tuple[Member, Likeness]]:
    """Return the first article of each story that is a copy of the text, the closest copy first."""
    found: dict[str, tuple[Member, Likeness]] = {}
    for story, other in chosen:
        if story not in found and (how := likeness(shingles, prints[other.text].shingles)).is_copy:
            found[story] = other, how
    return sorted(found.values(), key=lambda pair: (-pair[1].similarity, pair[0].article_id))


def _prints_of(
    connection: Connection, chosen: Sequence[tuple[str, Member]], prints: TextPrints
) -> dict[str, TextPrint]:
    known = {other.text: found for _, other in chosen if (found := prints.get(other.text)) is not None}
    missing = {other.article_id: other.text for _, other in chosen if other.text not in known}
    for article_id, body in connection.execute(_BODIES, {"ids": sorted(missing)}) if missing else ():
        known[missing[article_id]] = prints.made_for(missing[article_id], body)
    return known


@dataclass(frozen=True, slots=True)
class Story:
    """A row of the table of stories."""

    id: str
    date_first_seen: str
    day: int
    """The day of its first article."""


class Stories:
    """The stories of some articles, as they are in the database, and as links change them in a transaction."""

    def __init__(self, connection: Connection, members: Collection[Member]) -> None:
        self.connection = connection
        self.by_article = {
            row[0]: Story(row[1], row[2], row[3])
            for some in chunks(sorted({member.article_id for member in members}))
            for row in connection.execute(_STORIES, {"ids": some})
        }
        self._begun: list[dict[str, Any]] = []
        self._joined: list[dict[str, Any]] = []

    def link(self, one: Member, other: Member, found: Likeness) -> int:
        """Put two copies into one story, if their dates allow it; return how many of the two newly joined a story.

        What has changed is written with `write`.
        """
        first, second = self.by_article.get(one.article_id), self.by_article.get(other.article_id)
        if first is not None and second is not None:
            if first.id != second.id:
                self._merge(first, second)
            return 0
        story = first or second
        if story is None:
            older, newer = sorted((one, other), key=lambda each: (each.date_first_seen, each.day, each.article_id))
            story = Story(older.article_id, older.date_first_seen, older.day)
            self._begun.append({"id": story.id, "date_first_seen": story.date_first_seen, "day": story.day})
            self._join(story, older, 1.0, 1.0)
            self._join(story, newer, found.similarity, found.containment)
            return 2
        new = one if first is None else other
        if abs(new.day - story.day) > WINDOW_DAYS:
            return 0
        self._join(story, new, found.similarity, found.containment)
        return 1

    def write(self) -> None:
        """Write the new stories and members, in few statements."""
        for table, rows in ((stories, self._begun), (story_articles, self._joined)):
            if rows:
                self.connection.execute(insert(table), rows)
                rows.clear()

    def _join(self, story: Story, new: Member, similarity: float, containment: float) -> None:
        row = {"article_id": new.article_id, "story_id": story.id}
        self._joined.append(row | {"similarity": similarity, "containment": containment})
        self.by_article[new.article_id] = story

    def _merge(self, one: Story, other: Story) -> None:
        if abs(one.day - other.day) > WINDOW_DAYS:
            return
        self.write()
        older, newer = sorted((one, other), key=lambda story: (story.date_first_seen, story.id))
        for table, column in ((story_articles, "story_id"), (stories, "merged_into")):
            moved = update(table).where(table.c[column] == newer.id).values({column: older.id})
            self.connection.execute(moved)
        self.connection.execute(update(stories).where(stories.c.id == newer.id).values(merged_into=older.id))
        self.by_article.update({key: older for key, story in self.by_article.items() if story.id == newer.id})


# Deletes the fingerprint keys of articles that were first seen so long ago that copies of them no longer come.
#
# The row of a lock says how far that has come: each call goes on there, a few articles at a time, so that neither a
# transaction grows long nor an article is looked at twice.

KEPT = timedelta(days=60)
"""An article is visited for two weeks, and its copies are dated within two weeks of it; the rest is for late ones."""

BATCH = 200
"""Articles in one transaction: some ten thousand keys."""

_LOCK_OLD_KEYS = "old keys"
_SEEN, _NUMBER = articles.c.date_first_seen, articles.c.number


@alone
@each
def forget_old_keys(connection: Connection, now: datetime) -> bool:
    """Delete the keys of the next articles first seen more than `KEPT` ago; return whether there are more of them.

    Another run that is at it at the moment is left alone.
    """
    before = stamp(now - KEPT)
    if connection.execute(select(locks.c.name).where(locks.c.name == _LOCK_OLD_KEYS)).first() is None:
        insert_missing(connection, locks, [{"name": _LOCK_OLD_KEYS}])
    own = select(locks.c.done_until).where(locks.c.name == _LOCK_OLD_KEYS).with_for_update(skip_locked=True)
    row = connection.execute(own).one_or_none()
    if row is None:
        return False
    since = row.done_until or ""
    query = select(_SEEN).where(since < _SEEN, before > _SEEN).order_by(_SEEN).limit(1)
    # All that were seen at one moment go together, because the next call begins behind it.
    last = connection.execute(query.offset(BATCH - 1)).scalar()
    until = last or connection.execute(query.order_by(None).order_by(_SEEN.desc())).scalar()
    if until is None:
        return False
    numbers = select(_NUMBER).where(since < _SEEN, until >= _SEEN, _NUMBER.is_not(None))
    for some in chunks(connection.execute(numbers).scalars().all()):
        connection.execute(delete(fingerprint_keys).where(fingerprint_keys.c.article_number.in_(some)))
    connection.execute(update(locks).where(locks.c.name == _LOCK_OLD_KEYS).values(done_until=until))
    return last is not None
