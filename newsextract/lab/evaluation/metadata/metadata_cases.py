"""Where our metadata and the gold part: each case with its evidence, and a verdict by stated rules.

The rules of a field are tried in their order and the first that holds is the verdict; where none holds the mistake is
ours. Some rules show that the annotation is wrong or no better than our answer; such pages can be left out of a count.

Headline: the words of the gold stand nowhere on the page (wrong annotation); the gold is `og:title` where no `h1` is;
the gold contains our answer, that is a kicker or the site's name is added; our answer contains the gold.

Date: the gold's day stands nowhere on the page (wrong annotation); only what says when the page was changed states the
gold (wrong annotation); our moment is the gold's in another time zone, that is the same instant, or the gold's day in
UTC, or our zone is UTC and the page's text or address has the gold's day within a zone's reach (neither is wrong);
JSON-LD and meta tags both say what we say, and neither says what the gold says (wrong annotation).

Authors: a name of the gold stands nowhere on the page (wrong annotation); JSON-LD and meta tags name whom we name and
none of the gold's, who may well sign where people read it; the gold has but some of those that we and the page's
JSON-LD or meta tags name (wrong annotation).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from newsextract.lab.evaluation.measures.metadata_scores import day_of, headline_words
from newsextract.lab.evaluation.metadata.metadata_dates import is_modification, is_other_zone, is_page_agreed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from newsextract.lab.evaluation.metadata.metadata_evidence import Evidence

    Test: TypeAlias = Callable[[Evidence, "Difference"], bool]

OURS_WRONG = "ours"
"""The verdict where no rule excuses us."""


class Case(TypedDict):
    """A page on which our answer is not the gold."""

    corpus: str
    id: str
    url: str | None
    field: str
    gold: str
    ours: str
    source: str
    """Where our answer was read."""
    evidence: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Difference:
    """The gold and our answer, as the measures compare them: names are joined by `;`."""

    gold: str
    ours: str

    @property
    def gold_names(self) -> frozenset[str]:
        """The names in the gold."""
        return frozenset(filter(None, self.gold.split("; ")))

    @property
    def our_names(self) -> frozenset[str]:
        """The names in our answer."""
        return frozenset(filter(None, self.ours.split("; ")))


@dataclass(frozen=True, slots=True)
class Rule:
    """A reason for which an answer differs from the gold, and how it is recognised."""

    verdict: str
    holds: Test
    is_excuse: bool = False
    """Whether the page shows that the gold is wrong, or as right as we are."""


def _is_not_there(page: Evidence, case: Difference) -> bool:
    return not page.has_words(" ".join(headline_words(case.gold)))


def _is_og_title(page: Evidence, case: Difference) -> bool:
    gold = headline_words(case.gold)
    titles = map(headline_words, page.clues.meta.get("og:title", ()))
    return bool(page.clues.headings) and gold in titles and gold not in map(headline_words, page.clues.headings)


def _has_more(_page: Evidence, case: Difference) -> bool:
    return is_part(case.ours, case.gold)


def _has_less(_page: Evidence, case: Difference) -> bool:
    return is_part(case.gold, case.ours)


def is_part(part: str, whole: str) -> bool:
    """Tell whether a text is in another, word by word.

    >>> is_part("Rain in Spain", "Weather: Rain, in Spain"), is_part("Spa", "Spain"), is_part("", "Spain")
    (True, False, False)
    """
    inner, outer = (" ".join(headline_words(text)) for text in (part, whole))
    return bool(inner) and f" {inner} " in f" {outer} "


def _is_day_absent(page: Evidence, case: Difference) -> bool:
    return not page.places_of_day(day_of(case.gold))


def _is_name_absent(page: Evidence, case: Difference) -> bool:
    return not all(map(page.has_words, case.gold_names))


def _names_others(page: Evidence, case: Difference) -> bool:
    stated = page.structured_authors
    return bool(case.our_names) and case.our_names <= stated and not stated & case.gold_names


def _lacks_some(page: Evidence, case: Difference) -> bool:
    more = case.our_names - case.gold_names
    return case.gold_names < case.our_names and more <= page.structured_authors


RULES: Mapping[str, tuple[Rule, ...]] = {
    "headline": (
        Rule("gold is not on the page at all", _is_not_there, is_excuse=True),
        Rule("gold is og:title, h1 differs", _is_og_title),
        Rule("gold contains ours", _has_more),
        Rule("ours contains gold", _has_less),
    ),
    "date": (
        Rule("gold day is nowhere on the page", _is_day_absent, is_excuse=True),
        Rule("gold is what the page says was modified", is_modification, is_excuse=True),
        Rule("same instant, other time zone", is_other_zone, is_excuse=True),
        Rule("the page's own JSON-LD and meta agree on ours", is_page_agreed, is_excuse=True),
    ),
    "authors": (
        Rule("gold name is not on the page", _is_name_absent, is_excuse=True),
        Rule("the page's structured data names others", _names_others),
        Rule("gold leaves out co-authors", _lacks_some, is_excuse=True),
    ),
}
"""The rules of each field, in their order."""


def verdict_of(field: str, page: Evidence, case: Difference) -> str:
    """Return the verdict of the first rule that holds."""
    return next((rule.verdict for rule in RULES.get(field, ()) if rule.holds(page, case)), OURS_WRONG)


def evidence_of(field: str, page: Evidence, case: Difference) -> str:
    """Return in a line where the page says what the gold says; for authors, whom its structured data names."""
    if field == "authors":
        return "structured data: " + ("; ".join(sorted(page.structured_authors)) or "nobody")
    if field == "headline":
        return "gold in: " + (", ".join(page.places_of_headline(case.gold)) or "no heading")
    return "gold in: " + (", ".join(page.places_of_day(day_of(case.gold))) or "nowhere") if field == "date" else ""


def is_excuse(field: str, verdict: str) -> bool:
    """Tell whether a verdict is that the gold is wrong, or as right as ours."""
    return any(rule.is_excuse for rule in RULES.get(field, ()) if rule.verdict == verdict)
