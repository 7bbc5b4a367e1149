"""Links new and changed articles with their copies: an effect of storing them.

Across sites, runs and crawlers, also within one site. Articles stay as they are; a link once made stays too, whatever
becomes of the texts. Stories are sets of linked articles, which grow and flow into each other, and never lose one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from sqlalchemy import bindparam, select

from newsextract.storage.copies.copy_index import day_of, print_of, write_prints
from newsextract.storage.copies.likeness import likeness
from newsextract.storage.copies.stories import Member, Stories
from newsextract.storage.copies.text_prints import TextPrints
from newsextract.storage.database.batches import chunks, hold
from newsextract.storage.schema.crawl_tables import articles

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.storage.copies.copy_index import Print, Sharers
    from newsextract.storage.copies.likeness import Likeness
    from newsextract.storage.copies.text_prints import TextPrint
    from newsextract.storage.revisions.change import Change

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
    """The hash of its text; its id, if a version that knew no hashes has stored it."""


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
    batch = [print_of(change.row, own[change.row["id"]].keys) for change in changes]
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
        row["number"]: Candidate(
            Member(row["id"], day_of(dict(row)), row["date_first_seen"]), row["text_hash"] or row["id"]
        )
        for some in chunks(sorted(numbers))
        for row in connection.execute(_CANDIDATES, {"numbers": some}).mappings()
    }
