"""What a full-text index is made of: on SQLite triggers keep it, elsewhere the table `article_words` holds the words.

PostgreSQL gets a `tsvector` with the positions, made here rather than by its parser, which takes words apart otherwise.
MariaDB gets the words as a text. Its index leaves out words of less than three characters; they are made longer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, ForeignKey, Index, MetaData, String, Table, Text
from sqlalchemy.dialects.mysql import MEDIUMTEXT
from sqlalchemy.dialects.postgresql import TSVECTOR

from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.search_words import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

metadata = MetaData()

article_words = Table(
    "article_words",
    metadata,
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
"""Not in every database: see `HAS_WORDS`."""

_FIELDS = ("headline", "description", "article_body")

_MOST_CHARS = 80
"""Characters of a word that count: MariaDB leaves out words of more than 84."""
_LEAST_CHARS = 3
"""Of a word that MariaDB's index takes up, as servers are set up by default."""
_RARE = re.compile("[\U00010000-\U0010ffff]")
_BETWEEN_FIELDS = "_" * _LEAST_CHARS
_MOST_POSITIONS = 255
_LAST_POSITION = 16_383
_VECTOR_BYTES = 900_000
"""PostgreSQL refuses vectors from 1 MiB on; what is beyond the first hundred thousand words of a page is not found."""


def position_vector(row: Mapping[str, Any]) -> str:
    """Return the words of an article and their positions as PostgreSQL writes them.

    >>> position_vector({"headline": "Été", "description": None, "article_body": "Un été."})
    "'ete':1,4 'un':3"
    """
    found: dict[str, list[int]] = {}
    position = room = 0
    for name in _FIELDS:
        for token in tokens(row[name] or ""):
            position += 1
            word = cut(token)
            # Four bytes for each entry, and two for a position, which are aligned.
            room += 4 if word in found else len(word.encode()) + 12
            if room > _VECTOR_BYTES:
                return _vector(found)
            positions = found.setdefault(word, [])
            if position <= _LAST_POSITION and len(positions) < _MOST_POSITIONS:
                positions.append(position)
        position += bool(row[name])  # so that no phrase reaches from one field into the next
    return _vector(found)


def _vector(found: Mapping[str, list[int]]) -> str:
    return " ".join(f"'{word}'" + (":" if at else "") + ",".join(map(str, at)) for word, at in found.items())


def padded_words(row: Mapping[str, Any]) -> str:
    """Return the words of an article as MariaDB takes all of them up.

    >>> padded_words({"headline": "Été", "description": None, "article_body": "Un été."})
    'ete ___ un_ ete'
    """
    fields = (" ".join(map(padded, tokens(row[name] or ""))) for name in _FIELDS)
    return f" {_BETWEEN_FIELDS} ".join(filter(None, fields))


def padded(token: str) -> str:
    """Return a word in the length that MariaDB's index wants.

    >>> padded("un"), padded("unit")
    ('un_', 'unit')
    """
    return beginning(token).ljust(_LEAST_CHARS, "_")


def beginning(token: str) -> str:
    """Return as much of a word as MariaDB's index has, rare characters by their numbers: it takes them for no letters.

    >>> beginning("unit"), beginning(chr(0x20000))
    ('unit', '_20000_')
    """
    return _RARE.sub(lambda match: f"_{ord(match[0]):x}_", token)[:_MOST_CHARS]


def cut(token: str) -> str:
    """Return as much of a word as PostgreSQL's index has."""
    return token[:_MOST_CHARS]


HAS_WORDS: dict[str, Callable[[Mapping[str, Any]], str]] = {"postgresql": position_vector, "mysql": padded_words}
"""The databases that have the table `article_words`, and what stands there of a row of `articles`."""
