"""The folded words of articles for search: the fields they come from, and the content of each database's index."""

from __future__ import annotations

import re
import unicodedata
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import Column, ForeignKey, Index, MetaData, String, Table, Text, inspect
from sqlalchemy import text as sql
from sqlalchemy.dialects.mysql import MEDIUMTEXT
from sqlalchemy.dialects.postgresql import TSVECTOR

from newsextract.page.word_folding import words
from newsextract.sites.site import primary
from newsextract.storage.rows import write_rows
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


# The content of each database's full-text index: the entries of an article's words, in the table `article_words`.
#
# A word of one field has the field's name before it. There are no stop words, nor a shortest word. SQLite and MariaDB
# get the entries as a text (SQLite's table is one of FTS5), PostgreSQL a `tsvector` with the positions.

EntriesOf: TypeAlias = "Callable[[str], str]"
"""Returns the entries of a text's words, as `text_entries` does."""

article_words = Table(
    "article_words",
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

_SQLITE = (
    """CREATE VIRTUAL TABLE article_words USING fts5(words, tokenize="ascii tokenchars '_'")""",
    """CREATE TRIGGER article_words_delete AFTER DELETE ON articles BEGIN
        DELETE FROM article_words WHERE rowid = old.number; END""",
    """CREATE TRIGGER article_words_update AFTER UPDATE OF number ON articles BEGIN
        UPDATE article_words SET rowid = new.number WHERE rowid = old.number; END""",
)
"""On SQLite, with the number of the article as `rowid`."""

CUT = "cut"
"""A word that marks articles in which PostgreSQL cannot find all phrases."""
OVERFULL = "overfull"
"""A word that marks articles of which PostgreSQL does not have all words."""
_MOST_CHARS = 80
"""Characters of a word that count: MariaDB leaves out words of more than 84."""
_LEAST_CHARS = 3
"""Characters of the shortest word in MariaDB's index, by the default of servers."""
BETWEEN = "_" * _LEAST_CHARS
"""An entry of no word, put before each text so that no phrase reaches from one into the next."""
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


def text_entries(text: str) -> str:
    """Return the entries of a text's words, joined by spaces."""
    return " ".join(map(entry, words(text)))


def _entries(row: Mapping[str, Any], entries_of: EntriesOf) -> Iterator[str]:
    """Yield the entries of each text of an article; the body last, as only some thousand positions are kept."""
    yield " ".join([entry(value, field) for field, value in values_of(row)])
    plain = []
    for field, texts in texts_of(row).items():
        for text in texts:
            if field != "body":
                yield " ".join([entry(word, field) for word in words(text)])
            if field in DEFAULT_FIELDS:
                plain.append(entries_of(text))
    yield from plain


def position_vector(row: Mapping[str, Any], entries_of: EntriesOf = text_entries) -> str:
    """Return the words of an article and their positions as PostgreSQL writes them.

    >>> position_vector({"headline": "Été", "description": None, "article_body": "Un été."})
    "'_headline_ete_':2 'ete_':4,7 'un_':6"
    """
    found: dict[str, list[int]] = {}
    position = room = 0
    marks = set()
    for entries in _entries(row, entries_of):
        for word in entries.split():
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


def word_text(row: Mapping[str, Any], entries_of: EntriesOf = text_entries) -> str:
    """Return the words of an article as SQLite and MariaDB index them.

    >>> word_text({"headline": "Été", "description": None, "article_body": "Un été."})
    '___ _headline_ete_ ___ ete_ ___ un_ ete_'
    """
    return " ".join(f"{BETWEEN} {entries}" for entries in _entries(row, entries_of) if entries)


def create_word_index(connection: Connection) -> None:
    """Make the table of words and its index."""
    if connection.dialect.name != "sqlite":
        article_words.create(connection, checkfirst=True)
    elif not inspect(connection).has_table(article_words.name):
        for statement in _SQLITE:
            connection.exec_driver_sql(statement)


_REPLACE = sql("INSERT OR REPLACE INTO article_words(rowid, words) VALUES (:number, :words)")


def write_words(connection: Connection, rows: Sequence[Mapping[str, Any]], entries_of: EntriesOf) -> None:
    """Write the words of articles, given as rows of the table, in place of those of their former versions."""
    of = position_vector if connection.dialect.name == "postgresql" else word_text
    found = [{"article_id": row["id"], "number": row["number"], "words": of(row, entries_of)} for row in rows]
    if found and connection.dialect.name == "sqlite":
        connection.execute(_REPLACE, found)
    else:
        given = [{name: row[name] for name in ("article_id", "words")} for row in found]
        write_rows(connection, article_words, given, kept=["article_id"])


# The entries of texts, made where the pages are read, until the articles are stored.

_MOST = 256
"""Texts kept: more than the pipelines work on at once. Of articles that were dropped, nobody asks for the words."""


class KnownEntries:
    """Keeps the entries of the latest texts; threads may share it."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._lock = Lock()

    def put(self, text: str, entries: str) -> None:
        """Keep the entries of a text, as `text_entries` returns them, in place of the oldest."""
        with self._lock:
            self._known[text] = entries
            if len(self._known) > _MOST:
                del self._known[next(iter(self._known))]

    def of(self, text: str) -> str:
        """Return the entries of a text, as `text_entries` does; those that were kept are forgotten."""
        with self._lock:
            entries = self._known.pop(text, None)
        return text_entries(text) if entries is None else entries
