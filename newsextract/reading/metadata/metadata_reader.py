"""Read a page's metadata: each field from the best source that has a usable value for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsextract.reading.metadata.authors.byline_agreement import settled
from newsextract.reading.metadata.authors.person_names import check_authors
from newsextract.reading.metadata.authors.plain_bylines import signatures_near
from newsextract.reading.metadata.dates.date_checks import check_date, date_conflicts
from newsextract.reading.metadata.dates.local_time import in_local_time
from newsextract.reading.metadata.dates.page_dates import days_of_other_moments
from newsextract.reading.metadata.field_rules import FIELD_RULES, PRECEDENCE, STRUCTURED
from newsextract.reading.metadata.findings import Findings, Metadata, Refused
from newsextract.reading.metadata.label_checks import fill_section
from newsextract.reading.metadata.page_clues import Clues
from newsextract.reading.metadata.source_list import SOURCES
from newsextract.reading.metadata.text_folding import fold
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from newsextract.article import Author
    from newsextract.page.page import Page
    from newsextract.reading.metadata.findings import Raw

_SAYS_ALL = ("headline", "datePublished", "authors")
"""If JSON-LD has these fields, microdata is not searched: sites fill both from the same data, and the search costs as
much as all the rest."""

_RAW_KEPT = frozenset(name for name in FIELD_RULES if hasattr(Metadata, f"{name}Raw"))
"""Fields whose text is kept beside the value read from it."""

_SHOWN = ("time_element", "near_heading", "address_date")
_DAY_CHARS = len("2023-05-04")
_MAX_SHOWN = 2
"""Dates of one source compared with the declared one: further ones are those of teasers and comments."""

_MAX_QUOTED_CHARS = 60
"""Characters of a refused value quoted in a warning."""

_MAX_WARNINGS = 20
"""Warnings kept: a page with more repeats the same fault."""


def read_metadata(
    page: Page, precedence: Mapping[str, tuple[str, ...]] = PRECEDENCE, shared_affixes: frozenset[str] = frozenset()
) -> Metadata:
    """Return the metadata of a page's article, each field with its source.

    `precedence` has the sources of each field; `shared_affixes` is what the site's titles share (`TitleMemory.shared`).
    """
    clues = Clues(page, shared_affixes)
    ask = _Asked(clues)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    warnings: list[Notice] = []
    for field, names in precedence.items():
        for name, raw, value in _values(field, names, ask, clues):
            if isinstance(value, Refused):
                warnings += [_refusal(field, name, raw, value.reason)] if value.reason else []
                continue
            values[field], sources[field] = list(value) if isinstance(value, tuple) else value, name
            if field in _RAW_KEPT:
                values[f"{field}Raw"] = fold(str(raw))
            break
    fill_section(values, sources, precedence)
    if sources.get("datePublished") in STRUCTURED:
        values["datePublished"] = in_local_time(values["datePublished"], _shown_dates(values, ask, clues))
    if sources.get("authors") in STRUCTURED:
        values["authors"] = _signing(values["authors"], ask, is_sure=sources["authors"] == "json_ld")
    warnings += date_conflicts(values, sources, ask("meta_tags").candidates.get("datePublished", ()), clues)
    findings = ask("json_ld")
    og_types = map(fold, clues.meta.get("og:type", ()))
    return Metadata(
        **values,
        languageConfidence=_confidence("inLanguage", sources, ask),
        schemaTypes=findings.types,
        ogType=next(filter(None, og_types), None),
        sources=sources,
        warnings=tuple(dict.fromkeys((*ask.notices, *warnings)))[:_MAX_WARNINGS],
    )


class _Asked:
    """The findings of the sources, each read on first use."""

    def __init__(self, clues: Clues) -> None:
        self.clues = clues
        self.findings: dict[str, Findings] = {}

    def __call__(self, name: str) -> Findings:
        if name not in self.findings:
            self.findings[name] = Findings() if self._is_needless(name) else SOURCES[name](self.clues)
        return self.findings[name]

    def _is_needless(self, name: str) -> bool:
        return name == "microdata" and all(field in self("json_ld").candidates for field in _SAYS_ALL)

    @property
    def notices(self) -> Iterator[Notice]:
        """The warnings of the sources that were read."""
        found = ((name, notice) for name, found in self.findings.items() for notice in found.warnings)
        return (Notice(NoticeCode.OF_SOURCE, source=name, notice=notice) for name, notice in found)


def _confidence(field: str, sources: Mapping[str, str], ask: _Asked) -> float | None:
    return ask(sources[field]).confidence if field in sources else None


def _values(field: str, names: tuple[str, ...], ask: _Asked, clues: Clues) -> Iterator[tuple[str, Raw, object]]:
    """Yield (source, candidate, value or refusal) for every candidate for a field."""
    rule = FIELD_RULES[field]
    found = ((name, raw, rule.check(raw, clues)) for name in names for raw in ask(name).candidates.get(field, ()))
    return rule.weigh(found) if rule.weigh else found


def _signing(declared: list[Author], ask: _Asked, *, is_sure: bool) -> list[Author]:
    """Return the authors that the bylines near the headline name, if these are believed, else the declared ones."""
    found = [check_authors(signature, ask.clues) for signature in signatures_near(ask.clues)]
    signatures = [() if isinstance(each, Refused) else each for each in found]
    return settled(declared, signatures, is_sure=is_sure) or declared


def _shown_dates(values: Mapping[str, Any], ask: _Asked, clues: Clues) -> Iterator[str]:
    """Yield the days and times of publication that the page shows its readers, and the day in its URL.

    A day in the text tells nothing if it may be that of another moment, such as the last change.
    """
    others = _days_of_others(values, clues)
    for name in _SHOWN:
        for raw in ask(name).candidates.get("datePublished", ())[:_MAX_SHOWN]:
            if isinstance(date := check_date(raw, clues), str) and (name == "address_date" or date not in others):
                yield date


def _days_of_others(values: Mapping[str, Any], clues: Clues) -> set[str]:
    changed = str(values.get("dateModified") or "")[:_DAY_CHARS]
    others = days_of_other_moments(clues, values["datePublished"]) | {changed}
    return others - {values["datePublished"][:_DAY_CHARS]}


def _refusal(field: str, source: str, raw: Raw, reason: Notice) -> Notice:
    texts = [raw] if isinstance(raw, str) else [str(getattr(each, "name", each)) for each in raw[:3]]
    quoted = ", ".join(texts)[:_MAX_QUOTED_CHARS]
    return Notice(NoticeCode.REFUSED, field=field, source=source, value=quoted, reason=reason)
