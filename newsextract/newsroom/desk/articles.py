"""Articles as the pages show them: in a list, alone with revisions and copies, and as rows for downloads."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sqlalchemy import func, select

from newsextract.page.text import UNSEGMENTED
from newsextract.storage.differences import sentences_of, tokens_of
from newsextract.storage.front_pages import front_places_of
from newsextract.storage.likeness import additions, sentences
from newsextract.storage.removals import last_removals
from newsextract.storage.schema import articles, matches, revisions, stories, story_articles
from newsextract.storage.search.matching import Matcher, snippet
from newsextract.storage.search.queries import parse_query
from newsextract.storage.word_index import NEEDED_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from newsextract.newsroom.desk.search import Row

MOST_REVISIONS = 100
MOST_COPIES = 12
"""Copies of a story that are shown, those seen first."""
MOST_STORIES = 100
_RECENT_ARTICLES = 5000
"""Articles of stories, the last seen ones, among which the stories of the list are looked for."""
_LEAD_CHARS = 260
_KEPT_SHARE = 0.4
"""Both versions are shown whole if less of the shorter one was kept: marks in all of a text are confetti."""
_JOINED = re.compile(rf"[{UNSEGMENTED}]")
"""The first character of words that are written without a space before them."""
_CARD_COLUMNS = ("id", "url", "site", "headline", "description", "date_published", "in_language", "section",
                 "word_count", "date_first_seen")  # fmt: skip
_COPY_COLUMNS = ("id", "url", "site", "headline", "article_body", "in_language", "word_count", "date_first_seen",
                 "date_published_utc")  # fmt: skip


@dataclass(frozen=True)
class Piece:
    """A run of a text that stayed (`=`), was removed (`-`), was added (`+`), or is a hit (`mark`)."""

    kind: str
    text: str


def cards(connection: Connection, ids: Sequence[str], query: str = "") -> list[dict[str, Any]]:
    """Return what the list shows of the articles with these ids, in this order; `copies` are the story's others."""
    if not ids:
        return []
    matcher = Matcher(parse_query(query)) if query else None
    body = articles.c.article_body if matcher else func.substr(articles.c.article_body, 1, _LEAD_CHARS + 1)
    names = dict.fromkeys((*_CARD_COLUMNS, *(NEEDED_COLUMNS if matcher else ())))
    columns = [articles.c[name] for name in names if name != "article_body"]
    wanted = select(*columns, body.label("article_body")).where(articles.c.id.in_(ids))
    rows = {row["id"]: row for row in connection.execute(wanted).mappings()}
    watches: defaultdict[str, list[str]] = defaultdict(list)
    watched = select(matches.c.article_id, matches.c.rule).where(matches.c.article_id.in_(ids)).order_by(matches.c.rule)
    for key, rule in connection.execute(watched):
        watches[key].append(rule)
    counted = select(revisions.c.article_id, func.count()).where(revisions.c.article_id.in_(ids), _CHANGED)
    changed: dict[str, int] = dict(connection.execute(counted.group_by(revisions.c.article_id)).all())
    sizes = {key: (story_id, count) for key, story_id, count in connection.execute(_story_sizes(ids))}
    gone = last_removals(connection, ids)
    made = []
    for row in (rows[key] for key in ids if key in rows):
        key = row["id"]
        story_id, count = sizes.get(key, ("", 1))
        made.append({
            "row": row, "lead": _lead(row, matcher), "watches": watches[key], "revisions": changed.get(key, 0),
            "story": story_id, "copies": count - 1, "removed": gone.get(key),
        })  # fmt: skip
    return made


_CHANGED = revisions.c.number > 0
"""The text before the first change is kept as number 0."""


def _story_sizes(ids: Sequence[str]) -> Any:
    mine, other = story_articles.alias(), story_articles.alias()
    joined = select(mine.c.article_id, mine.c.story_id, func.count()).join(other, other.c.story_id == mine.c.story_id)
    return joined.where(mine.c.article_id.in_(ids)).group_by(mine.c.article_id, mine.c.story_id)


def _lead(row: Row, matcher: Matcher | None) -> list[Piece]:
    """Return the article's description or beginning, or the text around the words that were searched."""
    if matcher:
        parts = snippet(matcher.read(dict(row)), matcher)
        return [Piece("mark" if part.is_found else "=", part.text) for part in parts]
    lead = " ".join((row["description"] or row["article_body"] or "").split())
    shown = lead if len(lead) <= _LEAD_CHARS else f"{lead[:_LEAD_CHARS].rsplit(' ', 1)[0]} …"
    return [Piece("=", shown)] if shown else []


def passage_pieces(passage: Mapping[str, Any]) -> list[Piece]:
    """Return the passage of a match, as it is in the database, with the hits marked.

    >>> passage_pieces({"field": "body", "start": 0, "text": "a new bridge", "marks": [[2, 5]]})
    [Piece(kind='=', text='a '), Piece(kind='mark', text='new'), Piece(kind='=', text=' bridge')]
    """
    text, at = passage["text"], 0
    pieces = [Piece("=", "… ")] if passage["start"] else []
    for start, stop in passage["marks"]:
        pieces += [Piece("=", text[at:start]), Piece("mark", text[start:stop])]
        at = stop
    return [*pieces, Piece("=", text[at:])]


def revisions_of(connection: Connection, ids: Sequence[str]) -> Sequence[Row]:
    """Return the revisions of some articles, newest first."""
    columns = revisions.c.article_id, revisions.c.number, revisions.c.date_seen, revisions.c.changes
    wanted = select(*columns).where(revisions.c.article_id.in_(ids), _CHANGED)
    newest = wanted.order_by(revisions.c.date_seen.desc(), revisions.c.number.desc()).limit(MOST_REVISIONS)
    return connection.execute(newest).mappings().all()


def text_changes(changes: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any], list[Piece]]]:
    """Return the changes of a revision's texts: a label, the change, and its words, unless both versions are shown."""
    parts = [("Headline", changes["headline"]), ("Lead", changes["lead"])]
    parts += [("Text", change) for change in changes["body"]]
    return [(label, change, _word_pieces(change)) for label, change in parts if change]


def _word_pieces(change: Mapping[str, Any]) -> list[Piece]:
    """Return a change word by word; empty if both versions are to be shown."""
    before, after = change["before"], change["after"]
    if not (before and after):
        return [Piece("-" if before else "+", before or after)]
    if _is_rewritten(change):
        return []
    pieces: list[Piece] = []
    for kind, text in change["words"]:
        if pieces and not _JOINED.match(text):
            pieces.append(Piece("=", " "))
        pieces.append(Piece(kind, text))
    return pieces


def _is_rewritten(change: Mapping[str, Any]) -> bool:
    kept = sum(len(text) for kind, text in change["words"] if kind == "=")
    return kept < _KEPT_SHARE * min(len(change["before"]), len(change["after"]))


Pair: TypeAlias = "tuple[list[list[Piece]], list[list[Piece]]]"
"""The paragraphs of two versions that stand beside each other."""


def beside(connection: Connection, article_id: str, number: int) -> list[Pair]:
    """Return the whole versions before and after a revision, with what it changed marked; empty if there is none."""
    wanted = select(revisions).where(revisions.c.article_id == article_id, revisions.c.number.in_((number - 1, number)))
    versions = connection.execute(wanted.order_by(revisions.c.number)).mappings().all()
    if len(versions) < 2 or not versions[1]["changes"]:
        return []
    before, after = versions
    changes = after["changes"]
    pairs: list[Pair] = []
    for column, stated in (("headline", changes["headline"]), ("description", changes["lead"])):
        pairs.append((_version(before[column], [stated], "before"), _version(after[column], [stated], "after")))
    old = _version(before["article_body"], changes["body"], "before")
    new = _version(after["article_body"], changes["body"], "after")
    was, now = (["".join(piece.text for piece in line) for line in lines] for lines in (old, new))
    for kind, start, stop, new_start, new_stop in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if kind == "equal":
            pairs += (([old[start + step]], [new[new_start + step]]) for step in range(stop - start))
        else:
            pairs.append((old[start:stop], new[new_start:new_stop]))
    return [pair for pair in pairs if any(pair)]


def _version(text: str | None, changes: Sequence[Mapping[str, Any] | None], side: str) -> list[list[Piece]]:
    """Return the paragraphs of a version, with its words of these changes marked as removed or as added."""
    kind = "-" if side == "before" else "+"
    stated = [each for change in changes if change for each in _tokens_of_change(change, side, kind)]
    lines: list[list[Piece]] = []
    line_before, at = "", 0
    for sentence in sentences_of(text):
        size = len(sentence.tokens)
        is_stated = tuple(said for said, _ in stated[at : at + size]) == sentence.said
        marked = [is_marked for _, is_marked in stated[at : at + size]] if is_stated else [False] * size
        at += size * is_stated
        if not lines or sentence.line != line_before:
            lines.append([])
        line_before = sentence.line
        starts = [0, *(token.start for token in sentence.tokens[1:]), len(sentence.text)]
        for is_marked, group in groupby(range(size), marked.__getitem__):
            indices = list(group)
            told = sentence.text[starts[indices[0]] : starts[indices[-1] + 1]]
            lines[-1] += [Piece(kind if is_marked else "=", told.rstrip()), Piece("=", " ")]
    return lines


def _tokens_of_change(change: Mapping[str, Any], side: str, kind: str) -> list[tuple[str, bool]]:
    """Return the words of a change on one side as they are compared, each with whether it is marked."""
    said = [token.said for token in tokens_of(change[side])]
    runs = [] if _is_rewritten(change) else [run for run in change["words"] if run[0] in ("=", kind)]
    marked = [each == kind for each, text in runs for _ in tokens_of(text)]
    return list(zip(said, marked if len(marked) == len(said) else [True] * len(said), strict=True))


@dataclass(frozen=True)
class Copy:
    """One article of a story."""

    row: Row
    paragraphs: list[list[Piece]]
    """Its sentences, with those as `mark` that the first article does not have."""
    revisions: list[Row]

    @property
    def added(self) -> int:
        """The number of sentences that the first article does not have."""
        return sum(piece.kind == "mark" for paragraph in self.paragraphs for piece in paragraph)


class Event(NamedTuple):
    """Something that happened to an article of a story."""

    date: str
    """ISO 8601, UTC."""
    row: Row
    what: str
    is_claim: bool = False
    """Whether the site says so, and nobody saw it."""


@dataclass(frozen=True)
class Story:
    """An article and its copies on other sites, those seen first."""

    id: str
    copies: list[Copy]
    total: int
    removed: Mapping[str, Mapping[str, Any]]
    """The last removals of its articles, by their ids."""
    fronts: Mapping[str, Sequence[Row]]
    """The stays of its articles on front pages."""

    @property
    def time_line(self) -> list[Event]:
        """Who had it first, and who changed or removed what, oldest first."""
        events = []
        for row, history in ((copy.row, copy.revisions) for copy in self.copies):
            events.append(Event(row["date_first_seen"], row, "seen for the first time"))
            if row["date_published_utc"]:
                events.append(Event(row["date_published_utc"], row, "published, as the site says", is_claim=True))
            for revision in history:
                parts = dict.fromkeys(label.lower() for label, *_ in text_changes(revision["changes"]))
                events.append(Event(revision["date_seen"], row, f"changed: {', '.join(parts) or 'numbers'}"))
            stays = ((stay["date_first"], stay["best_place"]) for stay in self.fronts[row["id"]])
            events += [Event(date, row, f"on the front page, at best in place {place}") for date, place in stays]
            gone = self.removed.get(row["id"], {})
            for date, what in (("date_removed", "removed"), ("date_restored", "back again")):
                if gone.get(date):
                    events.append(Event(gone[date], row, f"{what}: {gone['reason']}" if what == "removed" else what))
        return sorted(events, key=lambda event: event.date)


def story(connection: Connection, story_id: str) -> Story | None:
    """Return a story by its id or by that of one merged into it; `None` if it has fewer than two articles."""
    merged = connection.execute(select(stories.c.merged_into).where(stories.c.id == story_id)).scalar()
    story_id = merged or story_id
    is_in = story_articles.c.story_id == story_id
    columns = [articles.c[name] for name in _COPY_COLUMNS]
    members = select(*columns, story_articles.c.similarity).join(
        story_articles, story_articles.c.article_id == articles.c.id
    )
    order = articles.c.date_first_seen, func.coalesce(articles.c.date_published_utc, "~"), articles.c.id
    rows = connection.execute(members.where(is_in).order_by(*order).limit(MOST_COPIES)).mappings().all()
    if len(rows) < 2:
        return None
    total = connection.execute(select(func.count()).where(is_in)).scalar_one()
    history = revisions_of(connection, [row["id"] for row in rows])
    removed = last_removals(connection, [row["id"] for row in rows])
    fronts = {row["id"]: front_places_of(connection, row["id"]) for row in rows}
    return Story(story_id, [_copy(row, rows[0], history) for row in rows], total, removed, fronts)


def _copy(row: Row, first: Row, history: Sequence[Row]) -> Copy:
    new = set(additions(first["article_body"], row["article_body"]) if row is not first else ())
    lines = (sentences(line) for line in (row["article_body"] or "").splitlines())
    paragraphs = [[Piece("mark" if said in new else "=", said) for said in line] for line in lines if line]
    return Copy(row, paragraphs, [revision for revision in history if revision["article_id"] == row["id"]])


def newest_stories(connection: Connection) -> Sequence[Row]:
    """Return the stories to which an article was added last."""
    seen = articles.c.date_first_seen
    members = select(story_articles.c.story_id, seen).join(articles, articles.c.id == story_articles.c.article_id)
    recent = members.order_by(seen.desc(), articles.c.id).limit(_RECENT_ARTICLES).subquery()
    ids = select(recent.c.story_id).distinct().subquery()
    first = articles.alias()
    last_seen = func.max(seen).label("last_seen")
    wanted = (
        select(
            story_articles.c.story_id.label("id"),
            func.count().label("copies"),
            func.count(articles.c.site.distinct()).label("sites"),
            func.min(seen).label("first_seen"),
            last_seen,
            func.min(first.c.headline).label("headline"),
            func.min(first.c.in_language).label("in_language"),
        )
        .join(ids, ids.c.story_id == story_articles.c.story_id)
        .join(articles, articles.c.id == story_articles.c.article_id)
        .join(first, first.c.id == story_articles.c.story_id, isouter=True)
        .group_by(story_articles.c.story_id)
        .having(func.count() > 1)
        .order_by(last_seen.desc(), story_articles.c.story_id)
        .limit(MOST_STORIES)
    )
    return connection.execute(wanted).mappings().all()


def article_page(connection: Connection, article_id: str, number: int = 0) -> dict[str, Any] | None:
    """Return what the page of an article shows; `None` if there is no such article.

    `number` is of the revision of which both versions stand beside each other.
    """
    rows = article_rows(connection, [article_id])
    if not rows:
        return None
    matched = select(matches.c.rule, matches.c.passages).where(matches.c.article_id == article_id)
    member = select(story_articles.c.story_id).where(story_articles.c.article_id == article_id)
    story_id = connection.execute(member).scalar()
    return {
        "row": rows[0],
        "revisions": revisions_of(connection, [article_id]),
        "beside": {number: beside(connection, article_id, number)} if number else {},
        "story": story(connection, story_id) if story_id else None,
        "matches": connection.execute(matched.order_by(matches.c.rule)).mappings().all(),
        "removed": last_removals(connection, [article_id]).get(article_id),
        "fronts": front_places_of(connection, article_id),
    }


def article_rows(connection: Connection, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return whole articles in this order; those that are gone meanwhile are left out."""
    found = connection.execute(select(articles).where(articles.c.id.in_(ids))).mappings()
    rows = {row["id"]: dict(row) for row in found}
    return [rows[key] for key in ids if key in rows]


def match_cards(connection: Connection, listed: Sequence[Row]) -> list[Row]:
    """Return the matches of a list with their passages, and the columns of their articles."""
    columns = [articles.c[name] for name in ("id", "url", "site", "headline", "date_published", "in_language")]
    wanted = select(matches.c.rule, matches.c.date_matched, matches.c.passages, *columns).join(
        articles, articles.c.id == matches.c.article_id
    )
    found = connection.execute(wanted.where(matches.c.article_id.in_([row["article_id"] for row in listed])))
    by_key = {(row["id"], row["rule"]): row for row in found.mappings()}
    return [by_key[key] for row in listed if (key := (row["article_id"], row["rule"])) in by_key]
