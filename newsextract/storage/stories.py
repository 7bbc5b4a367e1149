"""Stories: groups of articles that are copies of one another, found as articles are stored."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import bindparam, delete, insert, select, update

from newsextract.storage.database_thread import alone, each
from newsextract.storage.likeness import TextPrints, likeness
from newsextract.storage.rows import chunks, hold, insert_missing, insert_plain, stamp
from newsextract.storage.schema import articles, fingerprint_keys, locks, stories, story_articles

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.storage.likeness import Likeness, TextPrint
    from newsextract.storage.revisions import Change


_MOST_SHARERS = 100
"""Articles of a time that have a key: later ones do not get it. Those of a story meet by its other articles, and what
else a hundred have is a phrase, such as a notice of copyright."""
_MOST_CANDIDATES = 60
_SHARERS = (
    select(fingerprint_keys.c.key, fingerprint_keys.c.article_number, fingerprint_keys.c.day)
    .where(fingerprint_keys.c.key.in_(bindparam("keys", expanding=True)))
    .where(fingerprint_keys.c.day.between(bindparam("first"), bindparam("last")))
)
_FORGET = delete(fingerprint_keys).where(fingerprint_keys.c.article_number.in_(bindparam("numbers", expanding=True)))
_EPOCH = date(1970, 1, 1).toordinal()
_AHEAD_DAYS = 2
"""How much later than its first visit an article may be dated, by a wrong clock or time zone."""


@dataclass(frozen=True, slots=True)
class Print:
    """The keys and the day of a stored article."""

    article_id: str
    number: int
    day: int
    """Days from 1970 to its publication, or to when it was first seen."""
    date_first_seen: str
    keys: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sharers:
    """Which articles have which keys, of those dated about when the articles of a batch are."""

    by_key: Mapping[int, Sequence[tuple[int, int]]]
    """The number and the day of each article that has a key."""

    def of(self, one: Print, window_days: int) -> list[tuple[int, int]]:
        """Return the articles of the same time that share keys with `one`, those with the most first.

        Each by its number, with how many keys it shares.
        """
        shared = Counter(
            number
            for key in one.keys
            for number, day in self.by_key.get(key, ())
            if abs(day - one.day) <= window_days and number != one.number
        )
        return sorted(shared.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_CANDIDATES]


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


def write_prints(connection: Connection, prints: Sequence[Print], window_days: int) -> Sharers:
    """Replace the stored keys of articles, and return who else has them."""
    for some in chunks([one.number for one in prints]):
        connection.execute(_FORGET, {"numbers": some})
    found = _read_sharers(connection, prints, window_days)
    crowded = {key for key, sharers in found.items() if len(sharers) >= _MOST_SHARERS}
    rows = [(key, one.number, one.day) for one in prints for key in one.keys if key not in crowded]
    insert_plain(
        connection,
        fingerprint_keys,
        [{"key": key, "article_number": number, "day": day} for key, number, day in rows],
    )
    for key, number, day in rows:
        found[key].append((number, day))
    return Sharers(found)


def _read_sharers(
    connection: Connection, prints: Sequence[Print], window_days: int
) -> defaultdict[int, list[tuple[int, int]]]:
    keys = sorted({key for one in prints for key in one.keys})
    found: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    days = [one.day for one in prints]
    for some in chunks(keys):
        known = {"keys": some, "first": min(days) - window_days, "last": max(days) + window_days}
        for key, number, day in connection.execute(_SHARERS, known):
            found[key].append((number, day))
    return found


# The stories of some articles, as they are in the database, and as links change them in a transaction.
#
# A story's time begins with its first article: what is dated long before or after that does not join, so that
# horoscopes and forecasts that are alike from day to day do not make one story of a year.

_STORIES = (
    select(story_articles.c.article_id, stories.c.id, stories.c.date_first_seen, stories.c.day)
    .join(stories, story_articles.c.story_id == stories.c.id)
    .where(story_articles.c.article_id.in_(bindparam("ids", expanding=True)))
)
_BEGIN, _JOIN = insert(stories), insert(story_articles)


@dataclass(frozen=True, slots=True)
class Member:
    """An article that is in a story or may join one."""

    article_id: str
    day: int
    """Days since 1970."""
    date_first_seen: str


@dataclass(frozen=True, slots=True)
class StoryRow:
    """A row of the story table."""

    id: str
    date_first_seen: str
    day: int
    """The day of its first article."""


@dataclass(frozen=True, slots=True)
class Stories:
    """The stories of some articles; only these may be asked for and linked."""

    connection: Connection
    by_article: dict[str, StoryRow]
    window_days: int
    """The most days between a story's first article and any other."""
    _begun: list[dict[str, Any]] = field(default_factory=list)
    _joined: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def read(cls, connection: Connection, article_ids: Collection[str], window_days: int) -> Self:
        """Read the stories of articles, in few statements."""
        found = {
            row[0]: StoryRow(row[1], row[2], row[3])
            for some in chunks(sorted(article_ids))
            for row in connection.execute(_STORIES, {"ids": some})
        }
        return cls(connection, found, window_days)

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
            older, newer = sorted((one, other), key=_age)
            self._begin(older, newer, found)
            return 2
        new = one if first is None else other
        if abs(new.day - story.day) > self.window_days:
            return 0
        self._join(story, new, found.similarity, found.containment)
        return 1

    def write(self) -> None:
        """Write the new stories and members, in few statements."""
        for statement, rows in ((_BEGIN, self._begun), (_JOIN, self._joined)):
            if rows:
                self.connection.execute(statement, rows)
                rows.clear()

    def _begin(self, first: Member, second: Member, found: Likeness) -> None:
        story = StoryRow(first.article_id, first.date_first_seen, first.day)
        row = {"id": story.id, "date_first_seen": story.date_first_seen, "day": story.day, "merged_into": None}
        self._begun.append(row)
        self._join(story, first, 1.0, 1.0)
        self._join(story, second, found.similarity, found.containment)

    def _join(self, story: StoryRow, new: Member, similarity: float, containment: float) -> None:
        row = {"article_id": new.article_id, "story_id": story.id}
        self._joined.append(row | {"similarity": similarity, "containment": containment})
        self.by_article[new.article_id] = story

    def _merge(self, one: StoryRow, other: StoryRow) -> None:
        if abs(one.day - other.day) > self.window_days:
            return
        self.write()
        older, newer = sorted((one, other), key=lambda story: (story.date_first_seen, story.id))
        for table, column in ((story_articles, "story_id"), (stories, "merged_into")):
            moved = update(table).where(table.c[column] == newer.id).values({column: older.id})
            self.connection.execute(moved)
        self.connection.execute(update(stories).where(stories.c.id == newer.id).values(merged_into=older.id))
        self.by_article.update({key: older for key, story in self.by_article.items() if story.id == newer.id})


def _age(member: Member) -> tuple[str, int, str]:
    return member.date_first_seen, member.day, member.article_id


# Links new and changed articles with their copies: an effect of storing them.
#
# Across sites, runs and crawlers, also within one site. Articles stay as they are; a link once made stays too, whatever
# becomes of the texts. Stories are sets of linked articles, which grow and flow into each other, and never lose one.

WINDOW_DAYS = 14
"""Between the dates of two copies, and between a story's first article and any other."""

_LOCK = "stories"
_MOST_OF_A_STORY = 8
_MOST_JUDGED = 20
"""Texts that are compared with one, and none more of a story that it is a copy of."""

_KNOWN = articles.c.number, articles.c.id, articles.c.text_hash, articles.c.date_published, articles.c.date_first_seen
_CANDIDATES = select(*_KNOWN).where(articles.c.number.in_(bindparam("numbers", expanding=True)))
_IS_ASKED = articles.c.id.in_(bindparam("ids", expanding=True))
_BODIES = select(articles.c.id, articles.c.article_body).where(_IS_ASKED)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stored article that may be a copy."""

    member: Member
    text: str
    """The hash of its text."""


def link_stories(
    connection: Connection,
    changes: Sequence[Change],
    *,
    window_days: int = WINDOW_DAYS,
    prints: TextPrints | None = None,
) -> int:
    """Link articles with their copies, and return how many joined a story: for an effect of storing them.

    `prints` has those of recent texts, and gets others that are needed. Of two crawlers one waits for the other's
    transaction here, so that copies which both bring at once find each other.
    """
    prints = TextPrints() if prints is None else prints
    # The slow part, if they are not known, before the lock makes others wait.
    own = {change.row["id"]: prints.made_for(change.row["text_hash"], change.row["article_body"]) for change in changes}
    batch = [
        Print(row["id"], row["number"], day_of(row), row["date_first_seen"], own[row["id"]].keys)
        for row in (change.row for change in changes)
    ]
    hold(connection, _LOCK)
    sharers = write_prints(connection, batch, window_days)
    linking = _Linking.of(connection, batch, sharers, window_days, prints)
    linked = sum(linking.link(one, own[one.article_id].shingles) for one in batch if linking.found[one.number])
    linking.stories.write()
    return linked


@dataclass(frozen=True, slots=True)
class _Linking:
    """What is known of a batch of articles and of those that they share keys with."""

    connection: Connection
    found: Mapping[int, Sequence[tuple[int, int]]]
    """Which articles each article of the batch shares how many keys with, by their numbers."""
    candidates: Mapping[int, Candidate]
    """By their numbers."""
    stories: Stories
    prints: TextPrints

    @classmethod
    def of(
        cls, connection: Connection, batch: Sequence[Print], sharers: Sharers, window_days: int, prints: TextPrints
    ) -> Self:
        found = {one.number: sharers.of(one, window_days) for one in batch}
        candidates = _read_candidates(connection, {number for each in found.values() for number, _ in each})
        ids = {candidate.member.article_id for candidate in candidates.values()}
        stories = Stories.read(connection, ids | {one.article_id for one in batch} if ids else (), window_days)
        return cls(connection, found, candidates, stories, prints)

    def link(self, one: Print, shingles: frozenset[int]) -> int:
        """Link an article with its copies, and return how many articles joined a story."""
        member = Member(one.article_id, one.day, one.date_first_seen)
        copies = self._copies(shingles, self._chosen(one))
        return sum(self.stories.link(member, other, how) for other, how in copies)

    def _chosen(self, one: Print) -> list[tuple[str, Candidate]]:
        """Return the articles to compare with, each with its story: from each story, those that share the most keys.

        An article in no story is one of its own. What is in the story of `one` is left out.
        """
        own = self.stories.by_article.get(one.article_id)
        known = [
            (shared, self.candidates[number]) for number, shared in self.found[one.number] if number in self.candidates
        ]
        chosen: list[tuple[str, Candidate]] = []
        of_story: Counter[str] = Counter()
        for _, candidate in sorted(known, key=lambda pair: (-pair[0], pair[1].member.article_id)):
            story = self.stories.by_article.get(candidate.member.article_id)
            name = story.id if story else candidate.member.article_id
            if (own is None or name != own.id) and of_story[name] < _MOST_OF_A_STORY:
                of_story[name] += 1
                chosen.append((name, candidate))
        return chosen[:_MOST_JUDGED]

    def _copies(
        self, shingles: frozenset[int], chosen: Sequence[tuple[str, Candidate]]
    ) -> list[tuple[Member, Likeness]]:
        """Return the first article of each story that is a copy of the text, the closest copy first."""
        prints = self._prints_of([candidate for _, candidate in chosen])
        found: dict[str, tuple[Member, Likeness]] = {}
        for story, candidate in chosen:
            if story not in found:
                how = likeness(shingles, prints[candidate.text].shingles)
                if how.is_copy:
                    found[story] = candidate.member, how
        return sorted(found.values(), key=lambda pair: (-pair[1].similarity, pair[0].article_id))

    def _prints_of(self, candidates: Sequence[Candidate]) -> dict[str, TextPrint]:
        known = {each.text: found for each in candidates if (found := self.prints.get(each.text)) is not None}
        missing = {each.member.article_id: each.text for each in candidates if each.text not in known}
        for article_id, body in self.connection.execute(_BODIES, {"ids": sorted(missing)}) if missing else ():
            known[missing[article_id]] = self.prints.made_for(missing[article_id], body)
        return known


def _read_candidates(connection: Connection, numbers: Collection[int]) -> dict[int, Candidate]:
    return {
        row["number"]: Candidate(Member(row["id"], day_of(dict(row)), row["date_first_seen"]), row["text_hash"])
        for some in chunks(sorted(numbers))
        for row in connection.execute(_CANDIDATES, {"numbers": some}).mappings()
    }


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
