"""Read a page's metadata: the sources of each field in order, the check of their values, and the merged result."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from newsextract.article import Author
from newsextract.page.page import FeedHints
from newsextract.reading.metadata.authors import (
    check_authors,
    prefer_persons,
    read_bylines,
    read_signed,
    settled,
    signatures_near,
)
from newsextract.reading.metadata.clues import Clues, Findings, Metadata, Refused
from newsextract.reading.metadata.comparing import fold
from newsextract.reading.metadata.dates import (
    MODIFIED,
    check_date,
    date_conflicts,
    in_local_time,
    read_address,
    read_datelines,
    read_htmldate,
    read_time_elements,
)
from newsextract.reading.metadata.declared import read_json_ld, read_meta_tags, read_microdata
from newsextract.reading.metadata.labels import (
    check_breadcrumbs,
    check_canonical,
    check_description,
    check_headline,
    check_keywords,
    check_publisher,
    check_section,
    fill_section,
    read_heading,
    read_trail,
    read_window_title,
)
from newsextract.reading.metadata.language import check_language, read_running_text
from newsextract.reading.metadata.live_blog import check_updates, read_visible_entries
from newsextract.reading.metadata.media import check_audios, check_image, check_images, check_videos
from newsextract.reading.metadata.rights import (
    check_free,
    check_rights,
    check_selectors,
    join_rights,
    read_headers,
    read_robots_meta,
    read_site_files,
    weigh_access,
)
from newsextract.reading.metadata.written_dates import find_dates
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.page.page import Page
    from newsextract.reading.metadata.clues import Check, Raw, Source, Weigher


# The sources that look where readers look, near the headline, and all sources by name.

_MAX_CHARS = 150
"""The longest line in which every date counts; in a longer one, only dates at the beginning do."""
_DATELINE_CHARS = 50
_MAX_LABEL_CHARS = 30
_MAX_PLACE_CHARS = 2
"""Characters before the date in a dateline; a sentence that mentions a date has more."""

_OF_MEMBERS = re.compile(
    r"joined|join date|registered|member since|founded|last seen|registriert|mitglied seit|dabei seit|beigetreten"
    r"|anmeldung|inscri|membre depuis|registrad|miembro desde|membro d[ae]|iscritto|lid sinds|medlem s[ei]d"
    r"|zarejestr|dołączył|регистрац|зарегистр|зареєстр|реєстрац|csatlakozott|registrov|kayıt|katılım|bergabung|tham gia"
    r"|登録日|参加日|注册|註冊|가입|انضم|عضو|הצטרף",
    re.IGNORECASE,
)
"""Words before the date since when somebody is a member of a forum."""


def read_near_heading(clues: Clues) -> Findings:
    """Return the dates and authors near the headline: datelines first, nearest first, then dates inside sentences.

    A date labelled "updated" or the like is `dateModified`.
    """
    lines = dict(clues.near_heading)
    published: list[tuple[bool, str]] = []
    modified: list[str] = []
    for distance, text in lines.items():
        for raw, label in _dates_in(text, clues.date_language):
            line_before = lines.get(distance - 1, "") if len(text) <= len(raw) + 1 else ""
            if MODIFIED.search(label) or MODIFIED.search(line_before[-_MAX_LABEL_CHARS:]):
                modified.append(raw)
            elif not _OF_MEMBERS.search(label):
                # Part of a sentence rather than of a dateline?
                is_mentioned = len(label) > _MAX_PLACE_CHARS and text.rstrip()[-1:] in ".!?。"
                published.append((is_mentioned and len(text) > _MAX_LABEL_CHARS, raw))
    dates = [raw for _, raw in sorted(published, key=itemgetter(0))]
    return Findings(
        {
            "datePublished": dates,
            "dateModified": modified,
            "authors": [signature.authors for signature in signatures_near(clues)],
        }
    )


def _dates_in(text: str, language: str | None) -> Iterator[tuple[str, str]]:
    """Yield the dates in a line as written, each with the text before it."""
    end = 0
    text = normalize("NFC", text)  # the offsets of dates are those in this form
    # In a paragraph, only a date at the beginning counts; the time may follow it.
    head = text if len(text) <= _MAX_CHARS else text[: _DATELINE_CHARS + _MAX_LABEL_CHARS]
    for found in find_dates(head, language):
        if len(text) <= _MAX_CHARS or found.start < _DATELINE_CHARS:
            yield found.raw, head[end : found.start]
        end = found.stop


def read_hints(clues: Clues) -> Findings:
    """Return the headline and the date from the feed or news sitemap that listed the page; more with a feed's text."""
    hints = clues.page.hints
    stated: dict[str, Raw | None] = {"headline": hints.title, "datePublished": hints.date}
    if isinstance(hints, FeedHints):
        stated |= {
            "dateModified": hints.modified,
            "authors": tuple(map(Author, hints.authors)),
            "description": hints.summary,
            "inLanguage": hints.language,
            "keywords": hints.keywords,
        }
    return Findings({field: [value] for field, value in stated.items() if value})


def read_change(clues: Clues) -> Findings:
    """Return the dates of the last change as dates of publication: pages that are kept up to date state no other."""
    stated = (source(clues).candidates.get("dateModified", ()) for source in (read_near_heading, read_time_elements))
    declared = (source(clues).candidates.get("dateModified", ()) for source in (read_json_ld, read_meta_tags))
    return Findings({"datePublished": [raw for found in (*stated, *declared) for raw in found]})


SOURCES: Mapping[str, Source] = {
    "json_ld": read_json_ld,
    "meta_tags": read_meta_tags,
    "microdata": read_microdata,
    "heading": read_heading,
    "feed": read_hints,
    "time_element": read_time_elements,
    "byline": read_bylines,
    "near_heading": read_near_heading,
    "signed_line": read_signed,
    "dateline": read_datelines,
    "address_date": read_address,
    "last_change": read_change,
    "htmldate": read_htmldate,
    "title": read_window_title,
    "trail": read_trail,
    "detection": read_running_text,
    "live_entries": read_visible_entries,
    "robots_meta": read_robots_meta,
    "headers": read_headers,
    "site_files": read_site_files,
}


# How each field of an article is read: its sources in order, and the check of their values.


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How one field is read."""

    check: Check
    """Checks the candidates of all sources."""
    sources: tuple[str, ...]
    """Read in this order until one has a usable value; a setting may name others."""
    weigh: Weigher | None = None
    """Combines or reorders the values of all sources, for fields that do not simply take the first."""


STRUCTURED = ("json_ld", "meta_tags", "microdata")
"""The sources that declare values for machines."""

_DATE_SOURCES = (
    *(*STRUCTURED, "feed", "time_element"),
    *("address_date", "near_heading", "dateline", "last_change", "htmldate"),
)

FIELD_RULES: Mapping[str, FieldRule] = {
    "headline": FieldRule(check_headline, ("heading", *STRUCTURED, "feed", "title")),
    "description": FieldRule(check_description, STRUCTURED),
    "datePublished": FieldRule(check_date, _DATE_SOURCES),
    "dateModified": FieldRule(check_date, (*STRUCTURED, "time_element", "near_heading")),
    "authors": FieldRule(
        check_authors,
        (*STRUCTURED, "byline", "near_heading", "signed_line"),
        prefer_persons,
    ),
    "publisher": FieldRule(check_publisher, STRUCTURED),
    "inLanguage": FieldRule(check_language, (*STRUCTURED, "detection")),
    "section": FieldRule(check_section, STRUCTURED),
    "keywords": FieldRule(check_keywords, STRUCTURED),
    "breadcrumbs": FieldRule(check_breadcrumbs, (*STRUCTURED, "trail")),
    "mainImage": FieldRule(check_image, STRUCTURED),
    "images": FieldRule(check_images, STRUCTURED),
    "videos": FieldRule(check_videos, STRUCTURED),
    "audios": FieldRule(check_audios, STRUCTURED),
    "canonicalUrl": FieldRule(check_canonical, ("meta_tags", "json_ld")),
    "isAccessibleForFree": FieldRule(check_free, STRUCTURED, weigh_access),
    "paywalledParts": FieldRule(check_selectors, ("json_ld", "microdata")),
    "usageRights": FieldRule(check_rights, ("robots_meta", "headers", "json_ld", "site_files"), join_rights),
    "liveBlogUpdates": FieldRule(check_updates, ("json_ld", "live_entries")),
}

PRECEDENCE: Mapping[str, tuple[str, ...]] = {field: rule.sources for field, rule in FIELD_RULES.items()}
"""The sources of each field, in order."""


class BadPrecedence(ValueError):  # noqa: N818 - the name says that it is an error
    """An unknown field or source; the message lists the known ones."""


def with_overrides(overrides: Mapping[str, Sequence[str]]) -> Mapping[str, tuple[str, ...]]:
    """Return `PRECEDENCE` with other sources for some fields; a field with an empty list is not read.

    Raises:
        BadPrecedence: an unknown field or source, or a value that is not a list of names.
    """
    for field, names in overrides.items():
        if field not in PRECEDENCE:
            raise BadPrecedence(f"there is no field {field!r}; the fields are {', '.join(PRECEDENCE)}")
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise BadPrecedence(f"{field}: {names!r} is not a list of sources")
        if unknown := [name for name in names if name not in SOURCES]:
            raise BadPrecedence(f"{field}: no source is called {unknown[0]!r}; there are {', '.join(SOURCES)}")
    return {**PRECEDENCE, **{field: tuple(names) for field, names in overrides.items()}}


# Read a page's metadata: each field from the best source that has a usable value for it.

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


def read_metadata(page: Page, precedence: Mapping[str, tuple[str, ...]] = PRECEDENCE) -> Metadata:
    """Return the metadata of a page's article, each field with its source; `precedence` has the sources of each."""
    clues = Clues(page)
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
        values["authors"] = settled(values["authors"], clues, is_sure=sources["authors"] == "json_ld")
    warnings += date_conflicts(values, sources, ask("meta_tags").candidates.get("datePublished", ()), clues)
    og_types = map(fold, clues.meta.get("og:type", ()))
    return Metadata(
        **values,
        languageConfidence=ask(sources["inLanguage"]).confidence if "inLanguage" in sources else None,
        schemaTypes=ask("json_ld").types,
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


def _values(field: str, names: tuple[str, ...], ask: _Asked, clues: Clues) -> Iterator[tuple[str, Raw, object]]:
    """Yield (source, candidate, value or refusal) for every candidate for a field."""
    rule = FIELD_RULES[field]
    found = ((name, raw, rule.check(raw, clues)) for name in names for raw in ask(name).candidates.get(field, ()))
    return rule.weigh(found) if rule.weigh else found


def _shown_dates(values: Mapping[str, Any], ask: _Asked, clues: Clues) -> Iterator[str]:
    """Yield the days and times of publication that the page shows its readers, and the day in its URL.

    A day in the text tells nothing if it may be that of the last change.
    """
    stated = values["datePublished"]
    changed = str(values.get("dateModified") or "")[:_DAY_CHARS]
    for name in _SHOWN:
        for raw in ask(name).candidates.get("datePublished", ())[:_MAX_SHOWN]:
            if isinstance(date := check_date(raw, clues), str) and (
                name == "address_date" or date == stated[:_DAY_CHARS] or date != changed
            ):
                yield date


def _refusal(field: str, source: str, raw: Raw, reason: Notice) -> Notice:
    texts = [raw] if isinstance(raw, str) else [str(getattr(each, "name", each)) for each in raw[:3]]
    quoted = ", ".join(texts)[:_MAX_QUOTED_CHARS]
    return Notice(NoticeCode.REFUSED, field=field, source=source, value=quoted, reason=reason)
