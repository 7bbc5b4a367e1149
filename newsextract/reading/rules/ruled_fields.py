"""Headline, authors and date by the rules of a site; each value passes the same checks as any other source's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from newsextract.article import Author
from newsextract.reading.metadata.field_rules import FIELD_RULES
from newsextract.reading.metadata.findings import Refused
from newsextract.reading.metadata.page_clues import Clues
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.rules.expressions import MAX_ELEMENTS, texts
from newsextract.reading.rules.ruled_body import RULE

if TYPE_CHECKING:
    from newsextract.page.page import Page
    from newsextract.reading.metadata import Metadata
    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.rules.site_rules import SiteRules

_FIELDS = {"headline": "headline", "authors": "authors", "date": "datePublished"}
"""The article's field of each rule."""

MOST_VALUES = 20
"""Authors, or texts tried for another field: what finds more has found a list of articles."""


def with_ruled_fields(page: Page, metadata: Metadata, rules: SiteRules) -> Metadata:
    """Return the metadata with what the rules find; a rule without a usable value changes nothing and warns.

    With `when_unsure` only the fields are looked for that the page does not state. Old expressions find promotional
    headlines, dates without a time, and all names of a page of several articles.
    """
    wanted = {rule: field for rule, field in _FIELDS.items() if getattr(rules, rule)}
    if rules.when_unsure:
        wanted = {rule: field for rule, field in wanted.items() if _is_unsure(field, metadata)}
    if not wanted or len(page.outline.elements) > MAX_ELEMENTS:
        return metadata
    clues, changes, warnings = Clues(page, frozenset()), dict[str, Any](), []
    for rule, field in wanted.items():
        value = _value(field, getattr(rules, rule), page, clues)
        if value is None:
            warnings.append(Notice(NoticeCode.RULE_MISSED, rule=rule))
        else:
            changes |= value
    sources = {**metadata.sources, **{field: RULE for field in wanted.values() if field in changes}}
    return replace(metadata, **changes, sources=sources, warnings=(*metadata.warnings, *warnings))


def _is_unsure(field: str, metadata: Metadata) -> bool:
    """Tell whether a field has no value, or only the title of the window, which is no headline."""
    return not getattr(metadata, field) or metadata.sources.get(field) == "title"


def _value(field: str, expressions: tuple[str, ...], page: Page, clues: Clues) -> dict[str, Any] | None:
    for expression in expressions:
        found = texts(expression, page.tree)[:MOST_VALUES]
        raws: list[Raw] = [tuple(map(Author, found))] if field == "authors" and found else list(found)
        for raw in raws:
            value = FIELD_RULES[field].check(raw, clues)
            if value and not isinstance(value, Refused):
                if isinstance(value, tuple):
                    return {field: list(value)}
                return {field: value, "datePublishedRaw": str(raw)} if field == "datePublished" else {field: value}
    return None
