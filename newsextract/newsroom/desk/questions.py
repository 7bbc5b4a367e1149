"""What a program may ask of a database: each question is a method, and its docstring says what it answers.

The desk answers them as JSON, and the MCP server as tools. Every answer is bounded: lists come in pages, texts in
pieces. What websites wrote is below `from_page`, apart from what was found out about it here.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import AfterValidator, Field
from sqlalchemy import or_, select

from newsextract.newsroom.desk.articles import revisions_of, story
from newsextract.newsroom.desk.search import day_of
from newsextract.newsroom.health.report import examine, examine_all, statement_of
from newsextract.newsroom.watch import Rule, RuleIndex
from newsextract.storage.articles import values_of
from newsextract.storage.database import in_time, reading
from newsextract.storage.ledger import address_id
from newsextract.storage.removals import last_removals
from newsextract.storage.schema import NEWEST, articles, ledger, matches, story_articles
from newsextract.storage.search.article_search import AT_ONCE, matching_rows
from newsextract.storage.search.matching import Matcher, snippet
from newsextract.storage.search.queries import parse_query
from newsextract.storage.word_index import NEEDED_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import ValidationError
    from sqlalchemy import Connection, Engine

ROWS = 20
"""Rows of a page of an answer."""
MOST_PAGES = 50
PIECE_CHARS = 20_000
"""Of a text: about as much as a long article has."""
MOST_TRIED = 2000
"""Newest articles that a rule is tried on."""
_MOST_SAID = 400
"""Characters of an excerpt."""
_TEXTS = ("articleBodyHtml", "articleMarkdown")  # the same words as the body
_OURS = ("url", "canonicalUrl", "wordCount", "metadata", "extraction")
"""Fields that no page wrote as text."""

ASKED = ("search", "article", "story", "revisions", "try_rule", "watched", "health")
"""The names of the questions."""

Answer: TypeAlias = dict[str, Any]
Page: TypeAlias = Annotated[int, Field(ge=1, le=MOST_PAGES, description="the page of the answer")]
Which: TypeAlias = Annotated[str, Field(min_length=1, max_length=4096, description="the article's URL, or its id")]
Words: TypeAlias = Annotated[
    str,
    Field(
        min_length=1, max_length=2000,
        description='all words must be there, whatever their accents and case; also "a phrase", begin*, a OR b, '
        "a NOT b, a NEAR/5 b, headline:a, author:a, site:example.com, lang:fr",
    ),
]  # fmt: skip
Day: TypeAlias = Annotated[
    str,
    AfterValidator(lambda day: day and day_of(day).isoformat()),
    Field(description="YYYY-MM-DD in UTC; empty: any"),
]


class UnknownError(LookupError):
    """There is nothing of that name; the message says what was looked for."""


def told_wrong(error: ValidationError) -> str:
    """Return which arguments are wrong, and how."""
    told = {"extra_forbidden": "there is no such argument"}
    return "; ".join(
        f"{'.'.join(map(str, each['loc']))}: {told.get(each['type']) or each['msg'].removeprefix('Value error, ')}"
        for each in error.errors()
    )


class Questions:
    """The questions, about one database; each opens a connection that can only read."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def search(self, query: Words, since: Day = "", until: Day = "", page: Page = 1) -> Answer:
        """Find stored articles by their words, the newest first, with the text around the first hit."""
        parsed = parse_query(query)
        matcher = Matcher(parsed)
        wanted = select(*_columns()).order_by(NEWEST.desc(), articles.c.id)
        if since:
            wanted = wanted.where(since <= NEWEST)
        if until:
            wanted = wanted.where(until + "T24" > NEWEST)
        with reading(self.engine) as connection:
            rows = matching_rows(connection, wanted, parsed, page * ROWS + 1, matcher)
        found = [
            _listed(row, excerpt="".join(part.text for part in snippet(matcher.read(row), matcher)))
            for row in rows[(page - 1) * ROWS :]
        ]
        return _paged(found, page)

    def article(self, which: Which, start: Annotated[int, Field(ge=0)] = 0) -> Answer:
        """Return an article: its text from a character on, the source of each field, warnings, story and matches.

        Of long lists, such as the posts of a thread, it has the first ones.
        """
        with reading(self.engine) as connection:
            key = _key(connection, which)
            row = connection.execute(select(articles).where(articles.c.id == key)).mappings().one()
            member = select(story_articles.c.story_id).where(story_articles.c.article_id == key)
            matched = select(matches.c.rule).where(matches.c.article_id == key).order_by(matches.c.rule)
            found = {
                "id": key,
                "dateFirstSeen": row["date_first_seen"],
                "story": connection.execute(member).scalar(),
                "matches": list(connection.execute(matched).scalars()),
                "removal": _removal(last_removals(connection, [key]).get(key)),
            }
        values = values_of(dict(row))
        body = values.pop("articleBody") or ""
        end = start + PIECE_CHARS
        said = {name: _beginning(values.pop(name)) for name in list(values) if name not in _OURS}
        text = {"articleBody": body[start:end], "chars": len(body), "next": end if end < len(body) else None}
        return {**found, **values, "from_page": {k: v for k, v in said.items() if v and k not in _TEXTS} | text}

    def story(self, which: Which) -> Answer:
        """Return a story: the copies of an article on all sites, the first one first, with what each adds."""
        with reading(self.engine) as connection:
            member = story_articles.c.article_id == _key(connection, which)
            story_id = connection.execute(select(story_articles.c.story_id).where(member)).scalar()
            found = story(connection, story_id) if story_id else None
        if found is None:
            raise UnknownError("this article has no copies")
        copies = [
            _listed(copy.row, excerpt=" ".join(
                piece.text for line in copy.paragraphs for piece in line if piece.kind == "mark"
            )[:PIECE_CHARS // 10])
            | {"dateFirstSeen": copy.row["date_first_seen"], "revisions": len(copy.revisions)}
            for copy in found.copies
        ]  # fmt: skip
        return {"id": found.id, "total": found.total, "copies": copies}

    def revisions(self, which: Which) -> Answer:
        """Return how an article's headline, lead and text changed after it was first seen, the last change first."""
        with reading(self.engine) as connection:
            rows = revisions_of(connection, [_key(connection, which)])
        return {"revisions": [{"date": row["date_seen"], "from_page": _changed(row["changes"])} for row in rows[:ROWS]],
                "total": len(rows)}  # fmt: skip

    def try_rule(
        self,
        query: Words,
        languages: Annotated[list[str], Field(max_length=50)] = [],  # noqa: B006 - nothing changes it
        sites: Annotated[list[str], Field(max_length=500)] = [],  # noqa: B006
    ) -> Answer:
        """Return what a watch rule would have found among the newest stored articles, with the passages."""
        index = RuleIndex([Rule("tried", parse_query(query), tuple(languages), tuple(sites))])
        newest = select(*_columns()).order_by(NEWEST.desc(), articles.c.id).limit(MOST_TRIED)
        found, tried, total = list[Answer](), 0, 0
        with reading(self.engine) as connection:
            rows = connection.execution_options(yield_per=AT_ONCE).execute(newest).mappings()
            for row in in_time(connection, rows):
                tried += 1
                if matched := index.match(dict(row)):
                    total += 1
                    if total <= ROWS:
                        said = " … ".join(passage.text for passage in matched[0].passages)
                        found.append(_listed(row, excerpt=said[:_MOST_SAID]))
        return {"articles": found, "total": total, "tried": tried}

    def watched(self, rule: Annotated[str, Field(max_length=100)] = "", page: Page = 1) -> Answer:
        """Return the articles that matched a rule of the watch, or any, the last match first."""
        wanted = select(*_columns(), matches.c.rule, matches.c.date_matched, matches.c.passages).join(
            matches, matches.c.article_id == articles.c.id
        )
        if rule:
            wanted = wanted.where(matches.c.rule == rule)
        ordered = wanted.order_by(matches.c.date_matched.desc(), articles.c.id, matches.c.rule)
        with reading(self.engine) as connection:
            rows = connection.execute(ordered.limit(ROWS + 1).offset((page - 1) * ROWS)).mappings().all()
        found = [
            _listed(row, excerpt=" … ".join(passage["text"] for passage in row["passages"])[:_MOST_SAID])
            | {"rule": row["rule"], "dateMatched": row["date_matched"]}
            for row in rows
        ]
        return _paged(found, page)

    def health(self, site: Annotated[str, Field(max_length=255)] = "") -> Answer:
        """Return the state of a site with its last runs, or those of all sites, the ones with problems first."""
        with reading(self.engine) as connection:
            if site:
                one = examine(connection, site)
                if one is None:
                    raise UnknownError(f"no run has seen the site {site!r}")
                return statement_of(one)
            found = [statement_of(each) for each in examine_all(connection, datetime.now(UTC))]
        return {"sites": [{k: v for k, v in each.items() if k != "runs"} for each in found[: ROWS * 5]],
                "total": len(found)}  # fmt: skip


def _columns() -> list[Any]:
    names = ("id", "url", "site", "headline", "date_published", "in_language", *NEEDED_COLUMNS)
    return [articles.c[name] for name in dict.fromkeys(names)]


def _listed(row: Mapping[Any, Any], excerpt: str) -> Answer:
    """Return an article of a list."""
    said = {"headline": row["headline"], "datePublished": row.get("date_published"), "excerpt": excerpt}
    return {"id": row["id"], "url": row["url"], "site": row["site"], "inLanguage": row["in_language"],
            "from_page": said}  # fmt: skip


def _paged(found: Sequence[Answer], page: int) -> Answer:
    """Return a page, of which one row more than it holds was looked for."""
    return {
        "articles": found[:ROWS],
        "page": page,
        "next": page + 1 if len(found) > ROWS and page < MOST_PAGES else None,
    }


def _removal(row: Mapping[str, Any] | None) -> Answer | None:
    """Return when visits missed an article, removed it for good, and found it again."""
    return None if row is None else {name: value for name, value in row.items() if name != "article_id"}


def _changed(changes: Mapping[str, Any]) -> Answer:
    """Return both versions of what a revision changed, without the words in which they differ."""
    bodies = [(f"body {at}", change) for at, change in enumerate(changes["body"][:ROWS], 1)]
    parts = [("headline", changes["headline"]), ("lead", changes["lead"]), *bodies]
    return {
        name: {side: change[side][: PIECE_CHARS // 10] for side in ("before", "after")}
        for name, change in parts
        if change
    }


def _beginning(value: Any) -> Any:
    """Return a field's value; of a list, the first that together are no longer than a piece of a text."""
    if not isinstance(value, list):
        return value
    ends = accumulate(len(json.dumps(each, ensure_ascii=False)) for each in value)
    return [each for each, end in zip(value, ends, strict=True) if end <= PIECE_CHARS]


def _key(connection: Connection, which: str) -> str:
    """Return the id of a stored article; raises `UnknownError`."""
    page = address_id(which) if "://" in which else which
    by_page = select(ledger.c.article_id).where(ledger.c.id == page)
    known = select(articles.c.id).where(or_(articles.c.id == page, articles.c.id.in_(by_page))).limit(1)
    key: str | None = connection.execute(known).scalar()
    if key is None:
        raise UnknownError(f"no article is stored of {which[:200]!r}: take the url or id of a search's answer")
    return key
