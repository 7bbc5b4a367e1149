"""Checks of the labels of an article: description, publisher, section, keywords, breadcrumbs."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from newsextract.article import Breadcrumb
from newsextract.reading.metadata.findings import Refused
from newsextract.reading.metadata.page_urls import absolute, is_home
from newsextract.reading.metadata.text_folding import fold
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues

_MAX_DESCRIPTION_CHARS = 5_000
"""Longer descriptions are bodies."""
_MAX_PUBLISHER_CHARS = 300
_MAX_SECTION_CHARS = 60
"""Longer sections are titles written for search engines."""
_MAX_KEYWORD_CHARS = 100
"""Longer keywords are sentences."""
_MAX_LIST_CHARS = 10_000
"""Characters of keywords read from one text."""
_MAX_KEYWORDS = 50
"""More keywords are spam."""
_MAX_READ = 5_000
"""Keywords looked at to find `_MAX_KEYWORDS` distinct ones: some lists repeat a few endlessly."""

_ADDRESS = re.compile(r"https?:|//|@\w|\S+@\S+\.\w+$", re.IGNORECASE)
_SEPARATOR = re.compile(r"[,;|，、；،]|\s(?=#)")
_LIST_MARKS = " \t\"'[]#“”„«»"
_MACHINE_LABEL = re.compile(r"_|\w+=|\w*:\w|[\d.]+$|[^\W_]+(?:_[^\W_]+){2,}$")
"""Template switches, record numbers, URLs: keywords meant for machines."""
_NAMESPACE = re.compile(r"(?:category|tag|topic|section|keyword|channel|subject|type)s?:\s+", re.IGNORECASE)
_NO_SECTION = re.compile(
    r"(?:articles?|posts?|blog ?posts?|stor(?:y|ies)|pages?|home|homepage|root|default|main|index|none|null|other"
    r"|back to .*|startseite|accueil|inicio|início|strona główna|главная|首页|ホーム|홈|undefined"
    r"|uncategori[sz]ed|unkategorisiert|allgemein|non class[ée]|sin categor[íi]a|senza categoria"
    r"|без рубрики|без категории|未分类|未分類|[\W\d]+)$",
    re.IGNORECASE,
)
"""Names for "no section" in publishing systems, and names of the home page."""


def check_description(raw: Raw, clues: Clues) -> str | Refused:
    """Return the folded text, or a refusal if it only repeats a title of the page."""
    text = fold(raw) if isinstance(raw, str) else ""
    if len(text) > _MAX_DESCRIPTION_CHARS:
        return Refused(Notice(NoticeCode.TOO_LONG, most=_MAX_DESCRIPTION_CHARS))
    return Refused() if not text or text in clues.titles else text


def check_publisher(raw: Raw, _clues: Clues) -> str | Refused:
    """Return the folded name, or a refusal if it is too long or a URL."""
    text = fold(raw) if isinstance(raw, str) else ""
    if len(text) > _MAX_PUBLISHER_CHARS:
        return Refused(Notice(NoticeCode.TOO_LONG, most=_MAX_PUBLISHER_CHARS))
    if _ADDRESS.match(text):
        return Refused(Notice(NoticeCode.ADDRESS_AS_NAME))
    return text or Refused()


def check_section(raw: Raw, clues: Clues) -> str | Refused:
    """Return the section, the first one if the text names several."""
    text = fold(raw) if isinstance(raw, str) else ""
    if len(text) > _MAX_SECTION_CHARS:
        return Refused(Notice(NoticeCode.TOO_LONG, most=_MAX_SECTION_CHARS))
    if text in clues.titles or _ADDRESS.match(text):
        return Refused()
    first = _SEPARATOR.split(_NAMESPACE.sub("", text))[0].strip(_LIST_MARKS)
    return Refused() if not first or _NO_SECTION.match(first) else first


def check_keywords(raw: Raw, clues: Clues) -> tuple[str, ...] | Refused:
    """Return the distinct keywords, without those meant for machines."""
    texts = [text for text in raw if isinstance(text, str)] if not isinstance(raw, str) else [raw]
    found: dict[str, str] = {}
    for keyword in islice(_keywords(texts), _MAX_READ):
        if 0 < len(keyword) <= _MAX_KEYWORD_CHARS and keyword not in clues.titles:
            found.setdefault(keyword.casefold(), keyword)
        if len(found) == _MAX_KEYWORDS:
            break
    return tuple(found.values()) or Refused()


def _keywords(texts: list[str]) -> Iterator[str]:
    """Yield the keywords: a single text, or one with several commas, is a list; any other is one keyword.

    >>> list(_keywords(["#rain #Spain"])), list(_keywords(["Washington, D.C.", "Category: Rain", "_hero", "a_b_c"]))
    (['rain', 'Spain'], ['Washington, D.C.', 'Rain'])
    """
    for text in texts:
        folded = fold(text[:_MAX_LIST_CHARS])
        is_list = len(texts) == 1 or folded.count(",") > 1
        for part in _SEPARATOR.split(folded) if is_list else (folded,):
            keyword = _NAMESPACE.sub("", part.strip(_LIST_MARKS))
            if not _MACHINE_LABEL.match(keyword):
                yield keyword


def check_breadcrumbs(raw: Raw, clues: Clues) -> tuple[Breadcrumb, ...] | Refused:
    """Return the distinct steps that lead to the page, without the page itself."""
    steps: dict[tuple[str | None, str | None], Breadcrumb] = {}
    for step in raw:
        if isinstance(step, Breadcrumb):
            name = fold(step.name or "") or None
            url = absolute(step.url or "", clues.page.base_url)
            if name or url:
                steps[name, url] = Breadcrumb(name, url)
    trail = list(steps.values())
    if trail and _is_here(trail[-1], clues):
        trail.pop()
    return tuple(trail) if any(step.name and not _is_home(step) for step in trail) else Refused()


def _is_here(step: Breadcrumb, clues: Clues) -> bool:
    if step.url and clues.is_own_address(step.url):
        return True
    # A step of one or two words is a section whose name the headline mentions.
    return bool(step.name) and len(str(step.name).split()) > 2 and clues.is_headline(str(step.name))


def _is_home(step: Breadcrumb) -> bool:
    return step.url is not None and is_home(step.url)


def fill_section(values: dict[str, Any], sources: dict[str, str], wanted: Container[str]) -> None:
    """Edit the values: if no source names the section, take the last named breadcrumb."""
    if "section" in wanted and "section" not in values and (trail := values.get("breadcrumbs")):
        names = [step.name for step in trail if step.name and not _is_home(step)]
        name = names[-1] if names else ""
        if name and len(name) <= _MAX_SECTION_CHARS and not _NO_SECTION.match(name):
            values["section"], sources["section"] = name, sources["breadcrumbs"]
