"""Judges readers of metadata: ours, and the reference tools that are installed."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from newsextract.evaluation.contest import JudgedPage, Limits, Run, attempt, judge_pages, timed
from newsextract.evaluation.measures import harmonic_mean, overlap, share
from newsextract.evaluation.results import MeasureSet
from newsextract.page.page import Page, PageError
from newsextract.page.parsing import parse
from newsextract.page.text import INVISIBLE, words
from newsextract.reading.metadata.dates import read_date
from newsextract.reading.metadata.precedence import read_metadata

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from newsextract.evaluation.corpora import GoldPage
    from newsextract.reading.metadata.clues import Metadata


# Each reader gets a page already parsed by its own parser, so that times can be compared. trafilatura's dates are days
# by default, so its minutes are not measured. Of readability's two titles, the one without the site's name is used.

OURS = "newsextract"
"""The name of our reader."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A reader's answer for a page; names are normalised for comparison."""

    headline: str | None = None
    date: str | None = None
    """ISO 8601."""
    persons: frozenset[str] = frozenset()
    organizations: frozenset[str] = frozenset()
    metadata: Metadata | None = None
    """All metadata, if the reader is ours."""


Reading: TypeAlias = Callable[[], Statement]
"""Reads the page that it was prepared for; this is what is timed."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A contestant: which fields it gives, what it needs, and how it reads a page."""

    fields: frozenset[str]
    prepare: Callable[[Page], Reading]
    requires: str = "newsextract"


def ours(page: Page) -> Reading:
    """Return our reading of a page."""
    _ = page.tree  # parsed on first use, then cached
    return lambda: statement_of(read_metadata(page))


def statement_of(metadata: Metadata) -> Statement:
    """Return the compared fields of our metadata."""
    organizations = names_in(author.name for author in metadata.authors or () if author.type == "Organization")
    persons = names_in(author.name for author in metadata.authors or () if author.type != "Organization")
    return Statement(metadata.headline, metadata.datePublished, persons, organizations, metadata)


def trafilatura(page: Page) -> Reading:
    """Return trafilatura's reading of a page."""
    from trafilatura import extract_metadata  # noqa: PLC0415 - an extra
    from trafilatura.utils import load_html  # noqa: PLC0415 - an extra

    tree = load_html(page.decoded.text)

    def read() -> Statement:
        if tree is None:  # trafilatura's way to say that a page has no HTML
            return Statement()
        document = extract_metadata(tree, default_url=page.url)
        return Statement(document.title, document.date, names_in([document.author or ""]))

    return read


def readability(page: Page) -> Reading:
    """Return readability's title of a page."""
    from readability.htmls import build_doc, shorten_title  # noqa: PLC0415 - an extra

    tree, _ = build_doc(page.decoded.text)
    return lambda: Statement(shorten_title(tree) or None)


READERS: Mapping[str, Reader] = {
    OURS: Reader(frozenset(("headline", "date", "minute", "authors")), ours),
    "trafilatura": Reader(frozenset(("headline", "date", "authors")), trafilatura, "trafilatura"),
    "readability": Reader(frozenset(("headline",)), readability, "readability"),
}
"""The readers by name, in the order of the tables."""


def reader_names() -> list[str]:
    """Return the readers whose packages are installed."""
    return [name for name, reader in READERS.items() if find_spec(reader.requires)]


# Score metadata against annotations: headline, date, authors.
#
# headline    exact: the same words in the same order, whatever their case and punctuation; F1 of the bags of words.
# date        the calendar day as it is written, and where the gold states a time, the minute: as instants where both
#             have an offset, else as written.
# authors     F1 of the sets of names, 2 |P ∩ G| / (|P| + |G|); over pages the mean, and the ratio of the sums (micro).
#
# A page counts for a measure where it has gold for it; what is missing in an answer scores 0. Organisations that
# sign are marked in our metadata and are no persons: where persons are among the answer only they count, and
# organisations that the gold names too; where there are none, organisations stand for them.
#
# A signature may name several: it is taken apart at `;`, `|`, `,`, `&` and at "and", "und", "et", "y". Degrees and
# generations (two to five capitals with or without dots, PhD, Jr, Sr) are no names, whether they stand alone or follow
# one; in a signature that is all capitals nothing tells them from names, so there they go only alone between commas.
# What comes first in a signature is a name, and what introduces it ("By", "Von") is none of it. Names are equal when
# their words are, whatever their case.

_INVISIBLE = dict.fromkeys(map(ord, INVISIBLE))
_DAY_CHARS = len("2023-05-04")


def headline_words(headline: str) -> list[str]:
    """Return the words of a headline, without soft hyphens and zero-width marks.

    >>> headline_words("Rain: “It’s o\u00adver”")
    ['rain', 'it', 's', 'over']
    """
    return words(headline.casefold().translate(_INVISIBLE))


def headline_scores(found: str | None, gold: str) -> dict[str, float]:
    """Return `headline_exact` and `headline_f1`.

    >>> headline_scores("RAIN in Spain", "Rain in Spain!")
    {'headline_exact': 1.0, 'headline_f1': 1.0}
    """
    ours, theirs = headline_words(found or ""), headline_words(gold)
    common = overlap(Counter(ours), Counter(theirs))
    f1 = harmonic_mean(share(common, len(ours)), share(common, len(theirs)))
    return {"headline_exact": float(ours == theirs), "headline_f1": f1}


def date_scores(found: str | None, gold: str) -> dict[str, float]:
    """Return `date_day`, and `date_minute` if the gold states a time; the dates are ISO 8601.

    >>> date_scores("2023-05-04", "2023-05-04"), date_scores("2023-05-04", "2023-05-04T10:00:00")
    ({'date_day': 1.0}, {'date_day': 1.0, 'date_minute': 0.0})
    """
    scores = {"date_day": float(found is not None and found[:_DAY_CHARS] == gold[:_DAY_CHARS])}
    if has_time(gold):
        scores["date_minute"] = float(found is not None and has_time(found) and is_same_minute(found, gold))
    return scores


def has_time(iso: str) -> bool:
    """Tell whether a date states more than its day."""
    return len(iso) > _DAY_CHARS


def is_same_minute(one: str, other: str) -> bool:
    """Tell whether two dates with times are one moment, to the minute.

    >>> is_same_minute("2023-05-04T10:00:00+02:00", "2023-05-04T08:00:30+00:00")
    True
    >>> is_same_minute("2023-05-04T10:00:00", "2023-05-04T08:00:00+00:00")
    False
    """
    moments = [datetime.fromisoformat(iso).replace(second=0, microsecond=0) for iso in (one, other)]
    if any(moment.tzinfo is None for moment in moments):
        moments = [moment.replace(tzinfo=None) for moment in moments]
    return moments[0] == moments[1]


def counted_names(persons: Collection[str], organizations: Collection[str], gold: Collection[str]) -> frozenset[str]:
    """Return the names of an answer that are compared with the gold, by the rule in the module's docstring.

    >>> sorted(counted_names({"ann lee"}, {"the courier", "afp"}, {"ann lee", "afp"}))
    ['afp', 'ann lee']
    """
    return frozenset(persons) | (frozenset(organizations) & frozenset(gold)) if persons else frozenset(organizations)


def author_scores(found: Collection[str], gold: Collection[str]) -> dict[str, float]:
    """Return `author_f1`, `author_exact`, and the counts for F1 over many pages.

    >>> author_scores({"ann lee"}, {"ann lee", "bo chen"})["author_f1"]
    0.6666666666666666
    """
    ours, theirs = frozenset(found), frozenset(gold)
    right = len(ours & theirs)
    return {
        "author_f1": 2 * right / (len(ours) + len(theirs)),
        "author_exact": float(ours == theirs),
        "author_right": float(right),
        "author_named": float(len(ours) + len(theirs)),
    }


_SEPARATOR = re.compile(r"\s*[;|,&]\s*(?:(?:and|und|et|y)\s+)?|\s+(?:and|und|et|y)\s+", re.IGNORECASE)
_INTRODUCTION = re.compile(r"^\s*(?:by|von|par|por)[\s:]+", re.IGNORECASE)
_CREDENTIAL = re.compile(r"(?:(?:[A-Z]\.?){2,5}|Ph\.?D\.?|[JS]r\.?)[®™]?$")


def names_in(signatures: Iterable[str]) -> frozenset[str]:
    """Return the distinct names in some signatures, normalised for comparison.

    >>> sorted(names_in(["By Ann Lee, PhD and BO Chen; Cy Dee MD"]))
    ['ann lee', 'bo chen', 'cy dee']
    >>> sorted(names_in(["BBC"])), sorted(names_in(["Lee, M.D.", "RALPH RUSSO, BO CHEN, MD"]))
    (['bbc'], ['bo chen', 'lee', 'ralph russo'])
    """
    return frozenset(key for signature in signatures for name in _split(signature) if (key := name_key(name)))


def name_key(name: str) -> str:
    """Return the key that equal names share.

    >>> name_key("Ann O'Hara-Lee")
    'ann o hara lee'
    """
    return " ".join(words(name.casefold()))


def _split(signature: str) -> list[str]:
    parts = [part for part in _SEPARATOR.split(_INTRODUCTION.sub("", signature)) if part.strip()]
    # Agencies sign with capitals too; the first part is always a name.
    named = parts[:1] + [part for part in parts[1:] if not _is_credentials(part, is_shouted=signature.isupper())]
    return [_bare(part) for part in named]


def _is_credentials(part: str, *, is_shouted: bool) -> bool:
    """Tell whether a part of a signature consists only of degrees.

    >>> _is_credentials("M.D. FACLM", is_shouted=False), _is_credentials("BO CHEN", is_shouted=True)
    (True, False)
    """
    tokens = part.split()
    return not (is_shouted and len(tokens) > 1) and all(map(_CREDENTIAL.fullmatch, tokens))


def _bare(name: str) -> str:
    """Return a name without the degrees that follow it.

    >>> _bare("Shelby Loos DVM M.D."), _bare("RALPH D. RUSSO")
    ('Shelby Loos', 'RALPH D. RUSSO')
    """
    tokens = name.split()
    while len(tokens) > 1 and not name.isupper() and _CREDENTIAL.fullmatch(tokens[-1]):
        tokens.pop()
    return " ".join(tokens)


# Run all readers of metadata on a page: answers, times and scores, and where ours differ from the gold.

_SAMPLE = "<title>A story</title><h1>A story</h1>" + "<p>It was told in May, and written down on May 4, 2023.</p>" * 20
"""Read once by every reader first, so that loading on first use does not count as a page's time."""


_SOURCES = {"headline": "headline", "date": "datePublished", "authors": "authors"}
"""The field of our metadata that corresponds to a field of the gold."""

_Row: TypeAlias = dict[str, Any]
_COLUMNS = ("corpus", "id", "url", "field", "gold", "ours", "source")
"""Of a field of a page where our answer differs from the gold; `others` are the other readers' answers by name."""


@dataclass(frozen=True, slots=True)
class GoldFields:
    """The compared fields of a page's gold; one that is absent or cannot be read is `None` or empty."""

    headline: str | None
    date: str | None
    """ISO 8601."""
    authors: frozenset[str]

    @classmethod
    def of(cls, gold: GoldPage) -> GoldFields:
        """Return the fields of a page's gold."""
        is_day_first = not (gold.language or "en").lower().startswith("en")
        date = read_date(gold.date, is_day_first=is_day_first) if gold.date else None
        return cls(gold.headline, date, names_in(gold.authors))

    def __bool__(self) -> bool:
        return bool(self.headline or self.date or self.authors)

    def scores(self, statement: Statement, given: frozenset[str]) -> dict[str, float]:
        """Return every measure that the gold allows for the fields that a reader gives."""
        scores: dict[str, float] = {}
        if self.headline and "headline" in given:
            scores |= headline_scores(statement.headline, self.headline)
        if self.date and "date" in given:
            dates = date_scores(statement.date, self.date)
            scores |= {name: score for name, score in dates.items() if name == "date_day" or "minute" in given}
        if self.authors and "authors" in given:
            scores |= author_scores(
                counted_names(statement.persons, statement.organizations, self.authors), self.authors
            )
        return scores

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
            return "; ".join(sorted(counted_names(statement.persons, statement.organizations, self.authors)))
        return (statement.headline if field == "headline" else statement.date) or ""


def differences_as_tsv(pages: Iterable[MetadataResult]) -> str:
    """Return a line per difference with tab-separated fields; white space in a field becomes a blank."""
    differences = [difference for page in pages for difference in page.differences]
    readers = list(dict.fromkeys(name for difference in differences for name in difference["others"]))
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow((*_COLUMNS, *readers))
    for row in differences:
        own = (row[name] for name in _COLUMNS)
        others = (row["others"].get(name) for name in readers)
        writer.writerow(" ".join(str(value or "").split()) for value in (*own, *others))
    return out.getvalue()


@dataclass
class MetadataResult(JudgedPage):
    """The result for one page of a corpus."""

    differences: list[_Row] = field(default_factory=list)
    """The fields where our answer differs from the gold."""


class MetadataContest:
    """The readers of a run, in one process."""

    def __init__(self, readers: Sequence[str], seconds: float) -> None:
        self.readers = {name: READERS[name] for name in readers}
        self.seconds = seconds
        for reader in self.readers.values():
            with suppress(Exception):  # the first page will raise the same error, and it is counted then
                reader.prepare(Page(_SAMPLE, "https://example.com/story"))()

    def judge(self, number: int, gold: GoldPage) -> MetadataResult:
        """Return the scores of every reader on a page."""
        result = MetadataResult.of(number, gold)
        fields = GoldFields.of(gold)
        try:
            page = Page(gold.html, gold.url)
            text = page.decoded.text
        except PageError as error:
            result.scores = {name: {"ms": 0.0, "error": str(error)} for name in self.readers}
            return result
        result.is_fair = bool(fields)
        result.parse_ms = timed(lambda: parse(text))[1]
        statements = {name: self._answer(name, page, result) for name in self.readers}
        for name, statement in statements.items():
            result.scores[name] |= fields.scores(statement, READERS[name].fields)
        ours = statements.get(OURS)
        if ours and ours.metadata:
            result.differences += _differences(statements, fields, result)
        return result

    def _answer(self, name: str, page: Page, result: MetadataResult) -> Statement:
        """Return a reader's answer for a page, empty if it fails, and note its time or failure."""
        found = attempt(self.seconds, lambda: timed(self.readers[name].prepare(page)))
        result.scores[name] = {"ms": found.ms, "error": found.error}
        return found.answer or Statement()


def _differences(
    statements: Mapping[str, Statement], gold: GoldFields, page: MetadataResult
) -> Iterator[dict[str, Any]]:
    ours = statements[OURS]
    for name, told in gold.wrong_fields(page.scores[OURS]):
        givers = [reader for reader in statements if reader != OURS and name in READERS[reader].fields]
        yield {
            "corpus": page.corpus,
            "id": page.id,
            "url": page.url,
            "field": name,
            "gold": told,
            "ours": gold.answer(name, ours),
            "source": ours.metadata.sources.get(_SOURCES[name], "") if ours.metadata else "",
            "others": {reader: gold.answer(name, statements[reader]) for reader in givers},
        }


# Run the readers of metadata, and return the results as one plain value for all reports.

METADATA = MeasureSet(
    (
        "headline_exact", "headline_f1", "date_day", "date_minute", "author_f1", "author_exact",
        "author_right", "author_named",
    ),
    {"author_micro_f1": lambda means: 2 * means["author_right"] / means["author_named"]},
    frozenset(("author_right", "author_named")),
)  # fmt: skip
"""The measures of metadata."""


def run_metadata(
    paths: Sequence[Path],
    readers: Sequence[str],
    *,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    on_page: Callable[[MetadataResult], None] = lambda _: None,
) -> Run[MetadataResult]:
    """Judge the metadata of every page of the corpora; raises what `read_corpus` raises."""
    create = partial(MetadataContest, list(readers), limits.seconds)
    return judge_pages(paths, create, MetadataResult, readers, limits, on_page)
