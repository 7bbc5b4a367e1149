"""The results of an evaluation as plain JSON: the command makes them, every report reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired, TypeAlias, TypedDict

GroupKind: TypeAlias = Literal["corpus", "language", "site"]
"""What pages are grouped by."""

Segment: TypeAlias = tuple[str, str]
"""A kind (`kept`, `lost` or `noise`) and a text with its white space; a list of two in JSON."""

PageScore: TypeAlias = Mapping[str, float | str | None]
"""One extractor on one page: `ms`, `error` (`None` or a sentence), and each measure that could be computed."""


class Interval(TypedDict):
    """A mean and its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


class Group(TypedDict):
    """One extractor over a group of pages; a measure that could not be computed is absent."""

    pages: int
    errors: int
    too_slow: int
    empty: int
    ms: float
    x_parse: float
    measures: dict[str, Interval]
    known: NotRequired[dict[str, int]]
    """How many of the pages have each measure."""


class Summary(TypedDict):
    """One extractor over all pages, and over those of each corpus, language and site."""

    all: Group
    corpus: dict[str, Group]
    language: dict[str, Group]
    site: dict[str, Group]


class BadRecord(TypedDict):
    """A record that could not be read, by file and line."""

    place: str
    reason: str


class CorpusCount(TypedDict):
    """How many pages of a corpus were judged, left out or broken."""

    name: str
    pages: int
    scored: int
    left_out: int
    bad_records: list[BadRecord]


class PageRow(TypedDict):
    """One page with the scores of each extractor."""

    corpus: str
    id: str
    site: str | None
    language: str | None
    url: str | None
    scores: dict[str, PageScore]


class Disagreement(TypedDict):
    """A page on which an extractor and the gold differ much, with the text in page order."""

    corpus: str
    id: str
    url: str | None
    site: str | None
    language: str | None
    token_f1: float
    segments: list[Segment]


class Results(TypedDict):
    """All results of an evaluation."""

    version: str
    created: str
    command: str
    corpora: list[CorpusCount]
    extractors: list[str]
    measures: list[str]
    parse_ms: float
    summary: dict[str, Summary]
    pages: list[PageRow]
    worst: dict[str, list[Disagreement]]
