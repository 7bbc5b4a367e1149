"""The folded words of articles for search: the fields they come from, and the content of each database's index."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, MetaData, String, Table, Text
from sqlalchemy import text as sql
from sqlalchemy.dialects.mysql import MEDIUMTEXT
from sqlalchemy.dialects.postgresql import TSVECTOR

from newsextract.page.word_folding import words
from newsextract.sites.site import primary
from newsextract.storage.schema import articles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection


# The fields in which articles are searched, and their values in a row of `articles`; for rules and for databases.

DEFAULT_FIELDS = ("headline", "description", "body")
"""The fields searched for a word without a field."""
WORD_FIELDS = (*DEFAULT_FIELDS, "author", "section", "keyword", "publisher")
VALUE_FIELDS = ("site", "language")
"""Fields compared as a whole: `site:lemonde.fr` is the site with its subdomains, `language:fr` any French."""

NEEDED_COLUMNS = (
    "headline", "description", "article_body", "authors", "section", "keywords", "publisher", "in_language", "site",
)  # fmt: skip
"""The columns of `articles` that are read."""


def texts_of(row: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the texts of each field of words, one for each author and keyword; empty lists where there are none."""
    return {
        "headline": _given(row.get("headline")),
        "description": _given(row.get("description")),
        "body": _given(row.get("article_body")),
        "author": _given(*(author.get("name") for author in row.get("authors") or ())),
        "section": _given(row.get("section")),
        "keyword": _given(*(row.get("keywords") or ())),
        "publisher": _given(row.get("publisher")),
    }


def _given(*texts: str | None) -> list[str]:
    return [text for text in texts if text]


def values_of(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the fields that are compared as a whole, with each value.

    >>> list(values_of({"in_language": "fr-CA", "site": "a.example"}))
    [('language', 'fr'), ('site', 'a.example'), ('site', 'example')]
    """
    language = primary(row.get("in_language"))
    if language:
        yield "language", language
    site = str(row.get("site") or "")
    while site:
        yield "site", site
        site = site.partition(".")[2]


# The content of each database's full-text index: the folded words of an article, in the table `article_words`.
#
# On SQLite it has a column for each field, and triggers keep the FTS5 table `articles_fts` in step. PostgreSQL gets a
# `tsvector` with the positions, MariaDB the words as a text; there a word of one field has the field's name before it.
# Neither has stop words, nor a shortest word.

WordsOf: TypeAlias = "Callable[[str], Sequence[str]]"
"""Returns the folded words of a text, as `words` does."""
RowOf: TypeAlias = "Callable[[Mapping[str, Any], WordsOf], dict[str, Any]]"

_NAME = "article_words"

article_words = Table(
    _NAME,
    MetaData(),
    Column("article_id", String(32), ForeignKey(articles.c.id, ondelete="CASCADE"), primary_key=True),
    Column(
        "words",
        Text().with_variant(TSVECTOR(), "postgresql").with_variant(MEDIUMTEXT(), "mysql", "mariadb"),
        nullable=False,
    ),
    Index("ix_article_words", "words", postgresql_using="gin", mysql_prefix="FULLTEXT"),
    mysql_charset="utf8mb4",
    mysql_collate="utf8mb4_bin",
    mysql_engine="InnoDB",
)
"""On PostgreSQL and MariaDB."""

field_words = Table(
    _NAME,
    MetaData(),
    Column("number", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, comment="the article's"),
    *(Column(name, Text) for name in (*WORD_FIELDS, *VALUE_FIELDS)),
)
"""On SQLite, with the columns of `articles_fts`."""

CUT = "cut"
"""A word that marks articles in which PostgreSQL cannot find all phrases."""
OVERFULL = "overfull"
"""A word that marks articles of which PostgreSQL does not have all words."""
BETWEEN = "\ue000"
"""A word that no query contains, put between texts so that no phrase spans them. Each article has it as site."""

_MOST_CHARS = 80
"""Characters of a word that count: MariaDB leaves out words of more than 84."""
_LEAST_CHARS = 3
"""Characters of the shortest word in MariaDB's index, by the default of servers."""
_BETWEEN_ON_MARIADB = "_" * _LEAST_CHARS
_MOST_POSITIONS = 255
_LAST_POSITION = 16_383
_VECTOR_BYTES = 900_000
"""PostgreSQL refuses vectors from 1 MiB on."""
_ASCII_WORD = re.compile(r"[a-z0-9]*", re.ASCII)


class _Spellings(dict[int, str]):
    """How characters are written in a word: as their numbers if MariaDB may take them for no letters."""

    def __missing__(self, code: int) -> str:
        # MariaDB knows the letters of an old Unicode version, and none beyond the first 65,536 characters.
        is_letter = code < 0x10000 and unicodedata.ucd_3_2_0.category(chr(code))[0] in "LN"
        self[code] = chr(code) if is_letter else f"_{code:x}_"
        return self[code]


_SPELLINGS = _Spellings()


def stem(word: str, field: str = "") -> str:
    """Return the prefix of index entries for words with this prefix, in any field or in one.

    >>> stem("un"), stem("pont", "headline"), stem(chr(0x20000))
    ('un', '_headline_pont', '_20000_')
    """
    spelled = word if _ASCII_WORD.fullmatch(word) else word.translate(_SPELLINGS)
    return (f"_{field}_{spelled}" if field else spelled)[: _MOST_CHARS - 1]


def entry(word: str, field: str = "") -> str:
    """Return a word's entry in the index of PostgreSQL and MariaDB, which is never a stop word or too short.

    >>> entry("un"), entry("the"), entry("pont", "headline")
    ('un_', 'the_', '_headline_pont_')
    """
    return f"{stem(word, field)}_".ljust(_LEAST_CHARS, "_")


def is_whole(word: str, field: str = "") -> bool:
    """Return whether the index has the whole word."""
    return len(stem(word, field)) < _MOST_CHARS - 1


def _entries(row: Mapping[str, Any], words_of: WordsOf) -> Iterator[list[str]]:
    """Yield the entries of each text of an article; the body last, as only some thousand positions are kept."""
    yield [entry(value, field) for field, value in values_of(row)]
    plain = []
    for field, texts in texts_of(row).items():
        for text in texts:
            found = words_of(text)
            if field != "body":
                yield [entry(word, field) for word in found]
            if field in DEFAULT_FIELDS:
                plain.append([entry(word) for word in found])
    yield from plain


def _servers_row(text_of: Callable[[Mapping[str, Any], WordsOf], str]) -> RowOf:
    return lambda row, words_of: {"article_id": row["id"], "words": text_of(row, words_of)}


def position_vector(row: Mapping[str, Any], words_of: WordsOf = words) -> str:
    """Return the words of an article and their positions as PostgreSQL writes them.

    >>> position_vector({"headline": "Été", "description": None, "article_body": "Un été."})
    "'_headline_ete_':2 'ete_':4,7 'un_':6"
    """
    found: dict[str, list[int]] = {}
    position = room = 0
    marks = set()
    for entries in _entries(row, words_of):
        for word in entries:
            position += 1
            # Four bytes for each word, and two for each position, aligned.
            room += 4 if word in found else len(word.encode()) + 12
            if room > _VECTOR_BYTES:
                return _vector(found, {CUT, OVERFULL})
            positions = found.setdefault(word, [])
            if position <= _LAST_POSITION and len(positions) < _MOST_POSITIONS:
                positions.append(position)
            else:
                marks.add(CUT)
        position += 1  # so that no phrase reaches from one text into the next
    return _vector(found, marks)


def _vector(found: dict[str, list[int]], marks: set[str]) -> str:
    found |= {entry("", mark): [] for mark in sorted(marks)}
    return " ".join(f"'{word}'" + (":" if at else "") + ",".join(map(str, at)) for word, at in found.items())


def word_text(row: Mapping[str, Any], words_of: WordsOf = words) -> str:
    """Return the words of an article in a form that MariaDB indexes completely.

    >>> word_text({"headline": "Été", "description": None, "article_body": "Un été."})
    '_headline_ete_ ___ ete_ ___ un_ ete_'
    """
    return f" {_BETWEEN_ON_MARIADB} ".join(filter(None, map(" ".join, _entries(row, words_of))))


def _words_by_field(row: Mapping[str, Any], words_of: WordsOf) -> dict[str, Any]:
    """Return the row of SQLite's table for one of `articles`."""
    fields = {field: _joined(map(words_of, texts)) for field, texts in texts_of(row).items()}
    values = {field: [each for name, each in values_of(row) if name == field] for field in VALUE_FIELDS}
    values["site"].append(BETWEEN)
    return {"number": row["number"]} | fields | {field: " ".join(each) for field, each in values.items()}


def _joined(texts: Iterator[Sequence[str]]) -> str:
    return f" {BETWEEN} ".join(map(" ".join, texts))


_FIELDS = (*WORD_FIELDS, *VALUE_FIELDS)
_COLUMNS = ", ".join(_FIELDS)
_NEW, _OLD = (", ".join(f"{row}.{name}" for name in _FIELDS) for row in ("new", "old"))
_ADD = f"INSERT INTO articles_fts(rowid, {_COLUMNS}) VALUES (new.number, {_NEW});"  # noqa: S608 - of our own names
_TAKE = f"INSERT INTO articles_fts(articles_fts, rowid, {_COLUMNS}) VALUES ('delete', old.number, {_OLD});"  # noqa: S608
_OPTIONS = """content='article_words', content_rowid='number', tokenize="ascii tokenchars '.:-_'" """
"""The words are folded, with spaces between them; only hosts have anything else in ASCII than letters and digits."""
_DELETE = "DELETE FROM article_words WHERE number = old.number;"
_RENUMBER = "UPDATE article_words SET number = new.number WHERE number = old.number;"
_TRIGGERS = (
    f"CREATE TRIGGER article_words_delete AFTER DELETE ON articles BEGIN {_DELETE} END",
    f"CREATE TRIGGER article_words_update AFTER UPDATE OF number ON articles BEGIN {_RENUMBER} END",
)
_FTS5 = (
    f"CREATE VIRTUAL TABLE articles_fts USING fts5({_COLUMNS}, {_OPTIONS})",
    f"CREATE TRIGGER articles_fts_insert AFTER INSERT ON article_words BEGIN {_ADD} END",
    f"CREATE TRIGGER articles_fts_delete AFTER DELETE ON article_words BEGIN {_TAKE} END",
    f"CREATE TRIGGER articles_fts_update AFTER UPDATE ON article_words BEGIN {_TAKE} {_ADD} END",
)


def create_word_index(connection: Connection) -> None:
    """Make the table of words and its index; on SQLite also FTS5 with triggers, unless it is compiled without."""
    WORD_TABLES[connection.dialect.name].table.create(connection, checkfirst=True)
    if connection.dialect.name == "sqlite":
        has_fts5 = connection.execute(sql("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'")).first()
        for statement in (*_TRIGGERS, *(_FTS5 if has_fts5 else ())):
            connection.exec_driver_sql(statement)


@dataclass(frozen=True)
class WordTable:
    """Where a database keeps the words of its articles."""

    table: Table
    row_of: RowOf
    """Makes its row of one of `articles`."""


WORD_TABLES = {
    "sqlite": WordTable(field_words, _words_by_field),
    "postgresql": WordTable(article_words, _servers_row(position_vector)),
    "mysql": WordTable(article_words, _servers_row(word_text)),
}
"""By the name of the dialect."""


# The folded words of texts, made where the pages are read, until the articles are stored.

_MOST = 256
"""Texts kept: more than the pipelines work on at once. Of articles that were dropped, nobody asks for the words."""

_BETWEEN = "\n"
"""In no word: some have a space, where Unicode writes several words as one letter."""


class KnownWords:
    """Keeps the words of the latest texts; threads may share it."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._joined: dict[str, str] = {}
        self._lock = Lock()

    def put(self, text: str, joined: str) -> None:
        """Keep the words of a text, as `join_words` returns them, in place of the oldest."""
        with self._lock:
            self._joined[text] = joined
            if len(self._joined) > self._most:
                del self._joined[next(iter(self._joined))]

    def of(self, text: str) -> Sequence[str]:
        """Return the words of a text, as `words` does; those that were kept are forgotten."""
        with self._lock:
            joined = self._joined.pop(text, None)
        if joined is None:
            return words(text)
        return joined.split(_BETWEEN) if joined else []


def join_words(text: str) -> str:
    """Return the words of a text in one string, which takes less time than a list on its way between processes."""
    return _BETWEEN.join(words(text))
