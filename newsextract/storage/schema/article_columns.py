"""Column types of the tables, and the columns of `articles`, derived from the fields of an `Article`.

Texts, numbers and truth values have types of their own, all else is JSON; a column's name is the field's in snake_case.
What else there is to say about a column, the field says in `Kept`. Times are ISO 8601 in UTC, to the second, and sort
as text; what a page states is kept. A change needs a migration.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from datetime import UTC
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from sqlalchemy import JSON, Boolean, Column, Float, Integer, MetaData, String, Text
from sqlalchemy.dialects.mysql import MEDIUMTEXT

from newsextract.article import Article, Kept, plain
from newsextract.sites.published.stated_dates import parse_date

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.types import TypeEngine

metadata = MetaData()

UNICODE: Any = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin", "mysql_engine": "InnoDB"}
"""Options of every table: full Unicode, and a collation that distinguishes accents and case."""

_IN_UTC = Kept(chars=40, comment="the same in UTC, which sorts")

_TYPES: dict[Any, type[TypeEngine[Any]]] = {str: Text, bool: Boolean, int: Integer, float: Float}


def long_text() -> Text:
    """Return the type of texts that may exceed 64 kB, which is where MySQL's TEXT ends."""
    return Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")


def hash_column(name: str, *arguments: Any, **options: Any) -> Column[str]:
    """Return a column of 32 hexadecimal digits."""
    return Column(name, String(32), *arguments, **options)


def time_column(name: str, **options: Any) -> Column[str]:
    """Return a column of a time as text."""
    return Column(name, String(40), **options)


@dataclass(frozen=True, slots=True)
class FieldColumn:
    """The column of an article's field."""

    path: tuple[str, ...]
    """The attribute names from the article to the value."""
    name: str
    kind: Any
    """The type of the value."""
    kept: Kept
    is_utc: bool = False
    """Whether it holds the field's time converted to UTC."""

    def column(self) -> Column[Any]:
        """Return a new column for it."""
        return Column(self.name, self._type(), nullable=not self.kept.is_required, comment=self.kept.comment)

    def value_of(self, article: Article) -> Any:
        """Return the article's value for it, as plain values."""
        value: Any = article
        for name in self.path:
            value = None if value is None else getattr(value, name)
        return utc_time(value) if self.is_utc else plain(value)

    def _type(self) -> TypeEngine[Any]:
        if self.kept.chars:
            return String(self.kept.chars)
        return long_text() if self.kept.is_long else _TYPES.get(self.kind, JSON)()


def columns_of(item: type, path: tuple[str, ...] = ()) -> Iterator[FieldColumn]:
    """Yield the columns of an article's class, or of one whose parts have columns of their own, in its order."""
    types = get_type_hints(item)
    for field in fields(item):
        kept: Kept | None = field.metadata.get("kept", Kept())
        kind, here = _without_none(types[field.name]), (*path, field.name)
        if kept is None:
            continue
        if kept.is_spread:
            yield from columns_of(kind, here)
            continue
        inner, kind = ((kept.part,), _without_none(get_type_hints(kind)[kept.part])) if kept.part else ((), kind)
        yield FieldColumn((*here, *inner), snake_case(field.name), kind, kept)
        if kept.is_sorted:
            yield FieldColumn(here, f"{snake_case(field.name)}_utc", kind, _IN_UTC, is_utc=True)


def utc_time(text: str | None) -> str | None:
    """Return a stated time in UTC, to the second; `None` if it is not a time.

    A time without an offset counts as UTC, and a date without a time as its first moment.

    >>> utc_time("2026-05-20T05:09:00+08:00"), utc_time("2026-05-20"), utc_time("soon")
    ('2026-05-19T21:09:00+00:00', '2026-05-20T00:00:00+00:00', None)
    """
    time = parse_date(text)
    return time.astimezone(UTC).isoformat(timespec="seconds") if time else None


def snake_case(name: str) -> str:
    """Return the column name of a schema.org name.

    >>> snake_case("datePublishedRaw")
    'date_published_raw'
    """
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


def _without_none(kind: Any) -> Any:
    """Return the type of a value that is not `None`."""
    parts = get_args(kind)
    return next(part for part in parts if part is not NoneType) if NoneType in parts else kind


ARTICLE_COLUMNS = tuple(columns_of(Article))
