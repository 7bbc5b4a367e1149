"""Dates as people write them: "Thursday, May 4, 2023", "4. Mai 2023 um 10:00 Uhr", "04/05/2023"."""

from __future__ import annotations

import re
from datetime import datetime

from dateutil import parser

_YEAR_AND_DAY = re.compile(r"(?=.*(?:19|20)\d\d)(?=.*\d\D+\d)", re.DOTALL)
_DAY_FIRST = re.compile(r"\d{1,2}\.\s?\d{1,2}\.\s?\d{4}")
_NAMED_MONTH = r"[^\W\d_]{3,10}"
_IN_TEXT = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{4}}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|\.|er)?[\s-](?:de\s)?{_NAMED_MONTH}[.,]?[\s-](?:de\s)?\d{{4}}\b"
    rf"|\b{_NAMED_MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}}\b"
)

_ZONE_HOURS = {
    name: hours
    for hours, names in (
        (-8, "PST"),
        (-7, "PDT MST"),
        (-6, "MDT CST"),
        (-5, "CDT EST"),
        (-4, "EDT"),
        (0, "Z UTC GMT"),
        (1, "BST CET"),
        (2, "CEST EET"),
        (3, "EEST MSK"),
        (9, "JST"),
    )
    for name in names.split()
}
"""Hours ahead of UTC of the abbreviations that newsrooms use."""

_MONTHS = """
    jan january janvier januar jänner enero ene gennaio gen janeiro januari janv
    feb february février fevrier februar febrero febbraio fevereiro februari fév févr
    mar march mars märz marzo março maart mär mrz
    apr april avril abril aprile abr avr
    may mai mayo maggio maio mei mag
    jun june juin juni junio giugno junho giu
    jul july juillet juli julio luglio julho juil lug
    aug august août aout agosto augustus ago
    sep september septembre septiembre settembre setembro sept set
    oct october octobre oktober octubre ottobre outubro okt ott out
    nov november novembre noviembre novembro
    dec december décembre decembre dezember diciembre dicembre dezembro dez dic déc
"""
"""The months, a line each, in the Western languages."""

_WEEKDAYS = """
    lundi montag lunes lunedì mardi dienstag martes martedì mercredi mittwoch miércoles mercoledì
    jeudi donnerstag jueves giovedì vendredi freitag viernes venerdì samedi samstag sábado sabato
    dimanche sonntag domingo domenica
"""
_FILLERS = "um uhr à le la el les de del du den der am kl ore alle at on of and h st nd rd th er , . ; - / ' |"


class _Words(parser.parserinfo):
    """The words that dates are written with; weekdays are passed over, they say nothing new."""

    JUMP = [" ", *_FILLERS.split(), *_WEEKDAYS.split()]  # noqa: RUF012 - declared by the parent
    # The stub wants two or three names a month; any number works.
    MONTHS = [tuple(line.split()) for line in _MONTHS.strip().splitlines()]  # type: ignore[misc]  # noqa: RUF012


_PARSERS = {is_day_first: parser.parser(_Words(dayfirst=is_day_first)) for is_day_first in (False, True)}

_PROBES = (datetime(2000, 1, 1, 0, 0, 0), datetime(2001, 2, 2, 1, 1, 1))  # noqa: DTZ001
"""Two defaults that differ in everything: what depends on them, the text has left open."""


def read_written(text: str, *, is_day_first: bool = False) -> str | None:
    """Return a date in ISO 8601, `None` when the text is none or leaves the day open.

    >>> read_written("Thursday, May 4, 2023 10:00 AM EST"), read_written("4. März 2023")
    ('2023-05-04T10:00:00-05:00', '2023-03-04')
    >>> read_written("04/05/2023"), read_written("04/05/2023", is_day_first=True)
    ('2023-04-05', '2023-05-04')
    """
    if not _YEAR_AND_DAY.match(text):
        return None
    reader = _PARSERS[is_day_first or bool(_DAY_FIRST.match(text))]
    try:
        one, other = (reader.parse(text, default=probe, tzinfos=_zone) for probe in _PROBES)
    except (ValueError, OverflowError, TypeError, AttributeError):  # what its tokens raise on odd input
        return None
    if one.date() != other.date():
        return None
    return one.isoformat(timespec="seconds") if one.hour == other.hour else one.date().isoformat()


def find_written(text: str) -> str | None:
    """Return the first date in a text, as it is written.

    >>> find_written("Posted on May 4, 2023 by Ann"), find_written("Stand: 04.05.2023, 10 Uhr")
    ('May 4, 2023', '04.05.2023')
    """
    match = _IN_TEXT.search(text)
    return match[0] if match else None


def _zone(name: str | None, offset: int | None) -> int | None:
    """Return a zone's offset in seconds; an abbreviation that is not known is left out."""
    if offset is not None:
        return offset
    hours = _ZONE_HOURS.get((name or "").upper())
    return None if hours is None else hours * 3600
