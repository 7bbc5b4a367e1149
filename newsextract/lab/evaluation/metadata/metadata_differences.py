"""Where our metadata differs from the gold: a row per page and field, with the other readers' answers."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from newsextract.lab.evaluation.measures import metadata_scores as measures
from newsextract.lab.evaluation.measures.metadata_scores import names_in
from newsextract.reading.metadata.dates import read_date

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from newsextract.lab.evaluation.corpora.corpora import GoldPage
    from newsextract.lab.evaluation.metadata.metadata_readers import Statement

_SOURCES = {"headline": "headline", "date": "datePublished", "authors": "authors"}
"""The field of our metadata that corresponds to a field of the gold."""

_COLUMNS = ("corpus", "id", "url", "field", "gold", "ours", "source")


class Difference(TypedDict):
    """A field of a page where our answer differs from the gold."""

    corpus: str
    id: str
    url: str | None
    field: str
    gold: str
    ours: str
    source: str
    """The source of our answer; for a kind, its probability."""
    others: dict[str, str]
    """The answers of the other readers that give the field."""


@dataclass(frozen=True, slots=True)
class GoldFields:
    """The compared fields of a page's gold; one that is absent or cannot be read is `None` or empty."""

    headline: str | None
    date: str | None
    """ISO 8601."""
    authors: frozenset[str]
    kind: str | None

    @classmethod
    def of(cls, gold: GoldPage) -> GoldFields:
        """Return the fields of a page's gold."""
        is_day_first = not (gold.language or "en").lower().startswith("en")
        date = read_date(gold.date, is_day_first=is_day_first) if gold.date else None
        return cls(gold.headline, date, names_in(gold.authors), gold.page_type)

    def __bool__(self) -> bool:
        return bool(self.headline or self.date or self.authors or self.kind)

    def scores(self, statement: Statement, given: frozenset[str]) -> dict[str, float]:
        """Return every measure that the gold allows for the fields that a reader gives."""
        scores: dict[str, float] = {}
        if self.headline and "headline" in given:
            scores |= measures.headline_scores(statement.headline, self.headline)
        if self.date and "date" in given:
            dates = measures.date_scores(statement.date, self.date)
            scores |= {name: score for name, score in dates.items() if name == "date_day" or "minute" in given}
        if self.authors and "authors" in given:
            scores |= measures.author_scores(self.counted_names(statement), self.authors)
        return scores

    def counted_names(self, statement: Statement) -> frozenset[str]:
        """Return the names in an answer that are compared with this gold."""
        return measures.counted_names(statement.persons, statement.organizations, self.authors)

    def wrong_fields(self, scores: Mapping[str, float | str | None]) -> Iterator[tuple[str, str]]:
        """Yield the fields with scores below those of a right answer, and their gold."""
        if self.headline and not scores["headline_exact"]:
            yield "headline", self.headline
        if self.date and not (scores["date_day"] and scores.get("date_minute", 1.0)):
            yield "date", self.date
        if self.authors and not scores["author_exact"]:
            yield "authors", "; ".join(sorted(self.authors))

    def answer(self, field: str, statement: Statement) -> str:
        """Return a reader's answer for a field, empty if it gives none."""
        if field == "authors":
            return "; ".join(sorted(self.counted_names(statement)))
        return (statement.headline if field == "headline" else statement.date) or ""


def source_of(field: str, statement: Statement) -> str:
    """Return the name of the source of our answer for a field, empty if there is none."""
    return statement.metadata.sources.get(_SOURCES[field], "") if statement.metadata else ""


def differences_as_tsv(differences: Sequence[Difference]) -> str:
    """Return a line per difference with tab-separated fields; white space in a field becomes a blank."""
    readers = list(dict.fromkeys(name for difference in differences for name in difference["others"]))
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow((*_COLUMNS, *readers))
    for row in differences:
        own = (row[name] for name in _COLUMNS)  # type: ignore[literal-required]
        others = (row["others"].get(name) for name in readers)
        writer.writerow(" ".join(str(value or "").split()) for value in (*own, *others))
    return out.getvalue()
