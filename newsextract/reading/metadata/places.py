"""The author and the dates where readers look for them: near the headline, and at the usual places of the site."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING
from unicodedata import normalize

from newsextract.article import Author
from newsextract.reading.metadata.authors import is_full_name, signatures_near
from newsextract.reading.metadata.bylines import split_byline
from newsextract.reading.metadata.clues import Findings
from newsextract.reading.metadata.dates import MODIFIED
from newsextract.reading.metadata.written_dates import find_dates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.page.blocks import Outline
    from newsextract.reading.metadata.clues import Clues


# The author and the dates in the lines around the headline.

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
        for raw, label in _dates(text, clues.date_language):
            line_before = lines.get(distance - 1, "") if len(text) <= len(raw) + 1 else ""
            if MODIFIED.search(label) or MODIFIED.search(line_before[-_MAX_LABEL_CHARS:]):
                modified.append(raw)
            elif not _OF_MEMBERS.search(label):
                published.append((_is_mentioned(text, label), raw))
    dates = [raw for _, raw in sorted(published, key=itemgetter(0))]
    return Findings({"datePublished": dates, "dateModified": modified, "authors": signatures_near(clues)})


def _is_mentioned(text: str, before: str) -> bool:
    """Return whether a date is part of a sentence rather than of a dateline."""
    return len(before) > _MAX_PLACE_CHARS and text.rstrip()[-1:] in ".!?。" and len(text) > _MAX_LABEL_CHARS


def _dates(text: str, language: str | None) -> Iterator[tuple[str, str]]:
    """Yield the dates in a line as written, each with the text before it."""
    end = 0
    text = normalize("NFC", text)  # the offsets of dates are those in this form
    # In a paragraph, only a date at the beginning counts; the time may follow it.
    head = text if len(text) <= _MAX_CHARS else text[: _DATELINE_CHARS + _MAX_LABEL_CHARS]
    for found in find_dates(head, language):
        if len(text) <= _MAX_CHARS or found.start < _DATELINE_CHARS:
            yield found.raw, head[end : found.start]
        end = found.stop


# Read the date and the author at the places where other pages of the site have them, by the site memory.

_STEPS = 4
"""Steps kept of a place: enough to find it on the page."""
_MAX_PATH_CHARS = 120
_MAX_LINE_CHARS = 150
"""A longer line is neither a date nor a byline."""
_MAX_FOUND = 3
_DIGITS = re.compile(r"\d+")


def read_site_places(clues: Clues) -> Findings:
    """Return the dates and authors at the usual places of the site, or an empty `Findings` if none is known."""
    evidence = clues.page.evidence
    if evidence is None or not evidence.places:
        return Findings()
    dates = [
        found.raw
        for text in texts_at(clues.page.outline, evidence.places.get("date", ""))
        for found in find_dates(text, clues.date_language)
    ]
    lines = texts_at(clues.page.outline, evidence.places.get("author", ""))
    authors = [(Author(text),) for text in lines if any(map(is_full_name, split_byline(text)))]
    return Findings({"datePublished": dates[:_MAX_FOUND], "authors": authors[:_MAX_FOUND]})


def texts_at(outline: Outline, place: str) -> Iterator[str]:
    """Yield the short texts of the blocks at a place, in page order."""
    if not place:
        return
    own = place.rpartition(" > ")[2]
    tag = own.partition(".")[0]
    table = outline.table
    for number, owner in enumerate(table.owners.tolist()):
        text = table.texts[number]
        if outline.tags[owner] == tag and len(text) <= _MAX_LINE_CHARS and path_of(outline, owner) == place:
            yield text


def path_of(outline: Outline, element: int) -> str:
    """Return the last steps of the path to an element, with classes."""
    steps: list[str] = []
    while element >= 0 and len(steps) < _STEPS:
        steps.append(place_name(outline.tags[element], outline.elements[element].get("class")))
        element = int(outline.arrays.parents[element])
    return " > ".join(reversed(steps))[-_MAX_PATH_CHARS:]


def place_name(tag: str, classes: str | None) -> str:
    """Return an element as a step of a place: its tag and its classes, sorted and without digits.

    >>> place_name("div", "story post-1234 a")
    'div.a.post-.story'
    """
    return ".".join([tag, *sorted(set(_DIGITS.sub("", classes).split()))]) if classes else tag
