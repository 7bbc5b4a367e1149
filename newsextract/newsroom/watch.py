"""Watch rules: named boolean queries that an article is matched against as it is stored.

In: `watch.yml`, and articles as rows. Out: the rules that match each article, with the passages that show it, in the
table of matches. An index leads from an article's words to the few rules that could match; only those are checked.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field
from sqlalchemy import delete, select, tuple_

from newsextract.sites.site import primary
from newsextract.sites.sites_yaml import Languages, Name  # noqa: TC001 - a table's types are looked up
from newsextract.storage.database import writing
from newsextract.storage.rows import chunks, fit, stamp, write_rows
from newsextract.storage.schema import articles, matches
from newsextract.storage.search.matching import Document, holds, spots, stems_of
from newsextract.storage.search.queries import (
    PREFIX,
    And,
    Not,
    Or,
    Query,
    QueryError,
    Term,
    host_of,
    parse_query,
    terms,
)
from newsextract.storage.word_index import NEEDED_COLUMNS
from newsextract.yaml_files import STRICT, YamlFile

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection, Engine

    from newsextract.storage.revisions import Change
    from newsextract.storage.search.matching import Spot
    from newsextract.yaml_files import Path


MAX_PASSAGES = 5
MOST_SPOTS = 8
"""Hits looked at to find that many passages; further ones show little that is new."""
_AROUND_CHARS = 80
"""Characters shown before and after a hit."""
_MARK_CHARS = 200
"""Excerpts longer than this are not extended by further hits."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of one field of an article."""

    field: str
    """`headline`, `description`, `body`, `author`, `section`, `keyword` or `publisher`."""
    start: int
    """Where it starts in the field's text, in characters; several authors or keywords are joined by `; `."""
    text: str
    marks: tuple[tuple[int, int], ...]
    """Start and end of each hit, in characters of this text."""

    @property
    def words(self) -> tuple[str, ...]:
        """The hits, as the article writes them."""
        return tuple(self.text[start:end] for start, end in self.marks)


def passages_of(found: Iterable[Sequence[Spot]], document: Document) -> tuple[Passage, ...]:
    """Return passages for the hits, some for each part of a query, in the order of the article."""
    chosen = sorted(set(islice(_by_turns(found), MOST_SPOTS)))
    return tuple(_passage(*each, document) for each in islice(_groups(chosen, document), MAX_PASSAGES))


def _by_turns(found: Iterable[Sequence[Spot]]) -> Iterator[Spot]:
    """Yield the first hit of each part, then the second of each, and so on."""
    parts = list(found)
    if len(parts) == 1:
        yield from parts[0]
        return
    for turn in zip_longest(*parts):
        yield from (spot for spot in turn if spot is not None)


def _groups(chosen: Iterable[Spot], document: Document) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Yield groups of hits that are close enough for one excerpt, with their field, as characters of its text."""
    field, group = "", list[tuple[int, int]]()
    for spot in chosen:
        found_in, start, end = document.located(spot)
        if group and (found_in != field or end - group[0][0] > _MARK_CHARS):
            yield field, group
            group = []
        if group and start < group[-1][1]:  # inside the previous hit
            group[-1] = group[-1][0], max(end, group[-1][1])
        else:
            group.append((start, end))
        field = found_in
    if group:
        yield field, group


def _passage(field: str, group: Sequence[tuple[int, int]], document: Document) -> Passage:
    key = (field, *group)
    known = document.excerpts.get(key)
    if known is None:  # rules share words, and so their passages
        known = document.excerpts[key] = _excerpt(field, group, document.texts[field])
    return known


def _excerpt(field: str, group: Sequence[tuple[int, int]], whole: str) -> Passage:
    first, last = group[0][0], group[-1][1]
    start, end = max(0, first - _AROUND_CHARS), last + _AROUND_CHARS
    if start:
        start = max(whole.find(" ", start, first) + 1, start)
    if end < len(whole):
        space = whole.rfind(" ", last, end)
        end = space if space >= 0 else end
    marks = tuple([(begin - start, stop - start) for begin, stop in group])
    return Passage(field, start, whole[start:end], marks)


def triggers_of(query: Query, uses: Mapping[str, int]) -> frozenset[str]:
    """Return keys of which at least one occurs whenever a query matches, rare ones; none for one that needs no word.

    `uses` is the number of rules with each key, which tells common from rare ones.
    """
    if isinstance(query, Term):
        return frozenset((min(sorted(query.keys), key=lambda key: _commonness(key, uses)),))
    if isinstance(query, Not):
        return frozenset()
    found = [triggers_of(operand, uses) for operand in query.operands]
    if isinstance(query, Or):
        return frozenset().union(*found) if all(found) else frozenset()
    return min(filter(None, found), key=lambda keys: sum(_commonness(key, uses) for key in keys), default=frozenset())


def _commonness(key: str, uses: Mapping[str, int]) -> float:
    """Return an estimate of how common a key is, to compare it with others.

    Short words are common, and so are those that many rules name; a prefix is as common as a shorter word.
    """
    field, word = key.rpartition(":")[::2]
    length = len(word) - 3 if word.endswith(PREFIX) else len(word)
    rarity = max(1, min(length, 12)) + (_FIELD_RARITY.get(field, 4) if field else 0)
    return (1 + uses.get(key, 0)) / rarity**2


_FIELD_RARITY = {":language": -4, ":site": 0}
"""How many letters a field counts for; a language covers half of all articles."""


@dataclass(frozen=True)
class Rule:
    """A named query, for the articles of some languages and sites, or of all."""

    name: str
    query: Query
    languages: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()

    @cached_property
    def condition(self) -> Query:
        """The whole condition: query, language and site."""
        values = (("language", self.languages), ("site", self.sites))
        choices = [Or(tuple(Term((value,), field) for value in among)) for field, among in values if among]
        return And((self.query, *choices)) if choices else self.query

    @cached_property
    def revision(self) -> str:
        """A hash of the rule's meaning, not its spelling: if it differs, the rule of this name has changed."""
        return hashlib.blake2b(str(self.condition).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that matches an article, and the passages that show it."""

    rule: Rule
    passages: tuple[Passage, ...]
    """At most five; empty if the rule is only about site and language."""


class RuleIndex:
    """Rules compiled to be matched against many articles; immutable, so threads may share it."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        uses = Counter(key for rule in self.rules for term in set(terms(rule.condition)) for key in term.keys)
        self._stems = stems_of(uses)
        self.triggers: defaultdict[str, list[int]] = defaultdict(list)
        """The numbers of the rules to check when a key occurs."""
        for number, rule in enumerate(self.rules):
            for trigger in triggers_of(rule.condition, uses):
                self.triggers[trigger].append(number)

    def match(self, row: Mapping[str, Any]) -> list[Match]:
        """Return the rules that match an article, given as a row of the table, in the order of the file."""
        document = Document(row)
        document.add_prefixes(self._stems)
        numbers = {number for trigger in document.keys & self.triggers.keys() for number in self.triggers[trigger]}
        looked_at = (self.rules[number] for number in sorted(numbers))
        return [
            Match(rule, passages_of(spots(rule.condition, document), document))
            for rule in looked_at
            if holds(rule.condition, document)
        ]


# The table has the matches of the stored text: a match that no longer holds after a change is deleted, one that still
# holds keeps the date on which it was first found. Matches of rules no longer in the file are kept.

ROWS_AT_ONCE = 200
"""Articles matched again per transaction."""

_NEEDED = ("id", "url", "date_published", *NEEDED_COLUMNS)
_KEPT = ("article_id", "rule", "date_matched")


Found: TypeAlias = "tuple[Mapping[str, Any], list[Match]]"
"""An article's row, and the rules that match it."""


def match_changes(connection: Connection, index: RuleIndex, changes: Sequence[Change]) -> None:
    """Match stored articles, and give each change those of its matches that are new: an effect of storing them."""
    new = store_matches(connection, index, [(change.row, index.match(change.row)) for change in changes])
    for change in changes:
        change.matches[:] = new[change.row["id"]]


def store_matches(
    connection: Connection, index: RuleIndex, found: Sequence[Found]
) -> defaultdict[str, list[dict[str, Any]]]:
    """Update the table with the matches of some articles; return those that are new, by the articles' ids."""
    known = _known(connection, [row["id"] for row, _ in found])
    now = stamp(datetime.now(UTC))
    rows = [_row(row["id"], match, now) for row, fits in found for match in fits]
    there = {(row["article_id"], row["rule"]) for row in rows}
    ours = {rule.name for rule in index.rules}
    gone = [(key, rule) for key, rules in known.items() for rule in rules if rule in ours and (key, rule) not in there]
    for some in chunks(sorted(gone)):
        connection.execute(delete(matches).where(tuple_(matches.c.article_id, matches.c.rule).in_(some)))
    write_rows(connection, matches, rows, _KEPT)
    new = defaultdict(list)
    for row in rows:
        if row["rule"] not in known[row["article_id"]]:
            told = {"rule": row["rule"], "passages": row["passages"], "dateMatched": now}
            new[row["article_id"]].append(told)
    return new


def _known(connection: Connection, ids: Sequence[str]) -> defaultdict[str, set[str]]:
    known: defaultdict[str, set[str]] = defaultdict(set)
    for some in chunks(ids):
        for key, rule in connection.execute(
            select(matches.c.article_id, matches.c.rule).where(matches.c.article_id.in_(some))
        ):
            known[key].add(rule)
    return known


def _row(key: str, match: Match, now: str) -> dict[str, Any]:
    row = {
        "article_id": key,
        "rule": match.rule.name,
        "revision": match.rule.revision,
        "date_matched": now,
        "passages": [asdict(passage) for passage in match.passages],
    }
    return fit(matches, row)[0]


def match_again(engine: Engine, index: RuleIndex, since: datetime | None = None) -> Iterator[list[Found]]:
    """Match the stored articles first seen since a time, and update the table; yield a batch at a time.

    Rows that a transaction reads stay locked until their matches are stored, whatever a crawl writes meanwhile.
    """
    wanted = select(*(articles.c[name] for name in _NEEDED)).order_by(articles.c.id).limit(ROWS_AT_ONCE)
    if since is not None:
        wanted = wanted.where(articles.c.date_first_seen >= stamp(since))
    last = ""
    while True:
        with writing(engine) as connection:
            rows = connection.execute(wanted.where(articles.c.id > last).with_for_update()).mappings()
            found: list[Found] = [(row, index.match(row)) for row in map(dict, rows)]
            store_matches(connection, index, found)
        if not found:
            return
        yield found
        last = found[-1][0]["id"]


MAX_WATCH_FILE_BYTES = 20 * 1024 * 1024
"""Size limit: fifty thousand rules of a few lines each."""


def _query(value: Any) -> str:
    # A rule may look for 2026, which YAML reads as a number.
    text = str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    if not text.strip():
        raise ValueError("is not a query; write words, such as pont OR bridge*")
    return text


def _hosts(value: Any) -> list[str]:
    written = value if isinstance(value, list) else [value]
    hosts = [host_of(each) if isinstance(each, str) else None for each in written]
    if not written or None in hosts:
        raise ValueError("is not a list of sites; write their hosts, such as [lemonde.fr, bbc.co.uk]")
    return list(dict.fromkeys(host for host in hosts if host))


def _primaries(tags: list[str]) -> list[str]:
    return list(dict.fromkeys(primary(tag) or tag for tag in tags))


class _Table(BaseModel):
    model_config = STRICT


class WatchTable(_Table):
    """A rule."""

    name: Name = Field(description="name: and a name of your choice")
    query: Annotated[str, BeforeValidator(_query)] = Field(description="query: and words, such as pont OR bridge*")
    languages: Annotated[Languages, AfterValidator(_primaries)] = []
    sites: Annotated[list[str], BeforeValidator(_hosts)] = []


class WatchFileTable(_Table):
    """The file: shared definitions, and the rules, which are checked one by one."""

    definitions: dict[str, Annotated[str, BeforeValidator(_query)]] = {}
    watches: list[Any] = Field(description="watches: and list the rules below it")


class WatchFileError(ValueError):
    """The rules file is invalid; the message says where and what would be right, one error per line."""


def read_rules(path: pathlib.Path) -> list[Rule]:
    """Return the rules of a file.

    Raises:
        WatchFileError: the file cannot be read or something in it is wrong; up to ten errors, a line each.
    """
    file = YamlFile(path, WatchFileError, MAX_WATCH_FILE_BYTES)
    rules = _rules(file)
    file.raise_errors()
    return rules


def _rules(file: YamlFile) -> list[Rule]:
    table = file.checked(WatchFileTable, file.value, ())
    if table is None:
        return []
    if not table.watches:
        file.note(("watches",), "is empty; write each rule below it, - name: and query:")
    definitions: dict[str, Query] = {}
    for name, written in table.definitions.items():
        query = _parsed(file, written, ("definitions", name), definitions)
        if query is not None:
            definitions[name] = query
    found = [_rule(file, index, entry, definitions) for index, entry in enumerate(table.watches)]
    _reject_duplicates(file, found)
    return [rule for rule in found if rule is not None]


def _rule(file: YamlFile, index: int, entry: Any, definitions: dict[str, Query]) -> Rule | None:
    path: Path = ("watches", index)
    table = file.checked(WatchTable, entry, path)
    query = _parsed(file, table.query, (*path, "query"), definitions) if table else None
    if table is None or query is None:
        return None
    return Rule(table.name, query, tuple(table.languages), tuple(table.sites))


def _parsed(file: YamlFile, written: str, path: Path, definitions: dict[str, Query]) -> Query | None:
    try:
        return parse_query(written, definitions)
    except QueryError as error:
        file.note(path, str(error), error.position)
        return None


def _reject_duplicates(file: YamlFile, rules: list[Rule | None]) -> None:
    names: dict[str, int] = {}
    for index, rule in enumerate(rules):
        first = index if rule is None else names.setdefault(rule.name.casefold(), index)
        if first != index:
            line = file.line(("watches", first))
            file.note(("watches", index, "name"), f"the rule in line {line} has the same name; choose another")
