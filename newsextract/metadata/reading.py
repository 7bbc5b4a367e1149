"""Metadata of a page: each field from the best source that has a usable value for it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from newsextract.metadata import (
    address_date,
    byline,
    dateline,
    heading,
    json_ld,
    meta_tags,
    microdata,
    time_element,
    title,
    trail,
)
from newsextract.metadata.checks import CHECKS, Refused
from newsextract.metadata.clues import Clues
from newsextract.metadata.fields import Metadata
from newsextract.metadata.findings import Findings
from newsextract.metadata.texts import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from newsextract.metadata.findings import Raw, Source
    from newsextract.page import Page

SOURCES: Mapping[str, Source] = {
    "json_ld": json_ld.read,
    "meta_tags": meta_tags.read,
    "microdata": microdata.read,
    "heading": heading.read,
    "time_element": time_element.read,
    "byline": byline.read,
    "dateline": dateline.read,
    "address_date": address_date.read,
    "title": title.read,
    "trail": trail.read,
}

NEEDLESS_AFTER: Mapping[str, str] = {"microdata": "json_ld"}
"""Sources not searched where another describes the article: sites fill both from the same fields,
and the search costs as much as all the rest."""

_STRUCTURED = ("json_ld", "meta_tags", "microdata")

PRECEDENCE: Mapping[str, tuple[str, ...]] = {
    "headline": ("heading", *_STRUCTURED, "title"),
    "description": _STRUCTURED,
    "datePublished": (*_STRUCTURED, "time_element", "address_date", "dateline"),
    "dateModified": (*_STRUCTURED, "time_element"),
    "authors": (*_STRUCTURED, "byline"),
    "publisher": _STRUCTURED,
    "inLanguage": _STRUCTURED,
    "keywords": _STRUCTURED,
    "breadcrumbs": (*_STRUCTURED, "trail"),
    "mainImage": _STRUCTURED,
    "images": _STRUCTURED,
    "canonicalUrl": ("meta_tags", "json_ld"),
    "isAccessibleForFree": _STRUCTURED,
}
"""The sources asked for each field, in this order, until one has a usable value."""

_RAW_KEPT = frozenset(("datePublished", "dateModified"))
"""Fields whose text is kept beside the value that was read from it."""

_MAX_QUOTED_CHARS = 60
"""Length of a refused value as a warning quotes it."""

_MAX_WARNINGS = 20
"""Warnings kept: a page with more is broken in one way many times over."""


def read_metadata(page: Page, precedence: Mapping[str, tuple[str, ...]] = PRECEDENCE) -> Metadata:
    """Return what a page says about its article, each field with its source."""
    clues = Clues(page)
    ask = _reader(clues)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    warnings: list[str] = []
    for field, names in precedence.items():
        for name, raw, value in _values(field, names, ask, clues):
            if isinstance(value, Refused):
                warnings += [_warning(field, name, raw, value.reason)] if value.reason else []
                continue
            values[field], sources[field] = value, name
            if field in _RAW_KEPT:
                values[f"{field}Raw"] = fold(str(raw))
            break
    findings = ask("json_ld")
    og_types = map(fold, clues.meta.get("og:type", ()))
    return Metadata(
        **values,
        schemaTypes=findings.types,
        ogType=next(filter(None, og_types), None),
        sources=sources,
        warnings=tuple(dict.fromkeys((*_notices(findings), *warnings)))[:_MAX_WARNINGS],
    )


def _reader(clues: Clues) -> Callable[[str], Findings]:
    """Return the way to ask a source, which reads the page when it is first asked and no sooner."""

    @cache
    def ask(name: str) -> Findings:
        made_needless_by = NEEDLESS_AFTER.get(name)
        if made_needless_by and "headline" in ask(made_needless_by).candidates:
            return Findings()
        return SOURCES[name](clues)

    return ask


def _notices(findings: Findings) -> Iterator[str]:
    yield from (f"json_ld: {warning}" for warning in findings.warnings)


def _values(
    field: str, names: tuple[str, ...], ask: Callable[[str], Findings], clues: Clues
) -> Iterator[tuple[str, Raw, object]]:
    """Yield every candidate for a field with its source and what the judge makes of it."""
    check = CHECKS[field]
    for name in names:
        for raw in ask(name).candidates.get(field, ()):
            yield name, raw, check(raw, clues)


def _warning(field: str, source: str, raw: Raw, reason: str) -> str:
    texts = [raw] if isinstance(raw, str) else [str(getattr(each, "name", each)) for each in raw[:3]]
    return f"{field}: {source} says {', '.join(texts)[:_MAX_QUOTED_CHARS]!r}, {reason}"
