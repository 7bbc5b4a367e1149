"""Parse dates as people write them: "Thursday, May 4, 2023", "4. Mai 2023 um 10 Uhr", "2023年5月4日", and 4/5/2023."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from newsextract.page.languages import month_forms, weekday_names
from newsextract.page.urls import split_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from newsextract.reading.metadata.clues import Clues


# The names of the months in all languages of the Unicode CLDR.

WIDESPREAD = ("en", "es", "fr", "de", "pt", "it", "nl", "pl", "ru", "tr", "sv", "da", "el", "uk", "ar", "id")
"""Languages tried together if a page does not declare its own."""

_REGIONS = {"ar": ("ar_sy", "ar_ma"), "de": ("de_at",), "sr": ("sr_latn",)}
"""Locales in which a language's months have other names."""

_DOTLESS = str.maketrans("İıI", "iii")


@lru_cache(maxsize=64)
def month_names(language: str | None) -> Mapping[str, int]:
    """Return the number of each month by its case-folded names and abbreviations.

    English names are included for every language, as many templates stay untranslated. Without a language known to
    CLDR, the names of `WIDESPREAD` are used, except those that mean different months.

    >>> month_names("de")["märz"], month_names("pl")["listopada"], month_names("hr")["listopada"]
    (3, 11, 10)
    """
    own: dict[str, int] = {}
    for each in (*_REGIONS.get(language or "", ()), language or ""):
        own |= _names_of(each)
    if own:
        return _names_of("en") | own
    meanings: dict[str, set[int]] = defaultdict(set)
    for other in WIDESPREAD:
        for name, number in _names_of(other).items():
            meanings[name].add(number)
    return {name: next(iter(numbers)) for name, numbers in meanings.items() if len(numbers) == 1}


@lru_cache(maxsize=1)
def weekdays() -> frozenset[str]:
    """Return the weekdays' names and abbreviations in the languages of `WIDESPREAD`.

    >>> {"do", "thursday", "jeudi"} <= weekdays()
    True
    """
    return frozenset(key_of(name) for language in WIDESPREAD for name in weekday_names(language))


def key_of(name: str) -> str:
    """Return a month's name in the form of the keys of `month_names`.

    >>> key_of("MÄRZ"), key_of("de març")
    ('märz', 'març')
    """
    text = lower(unicodedata.normalize("NFC", name))
    return " ".join(text.removeprefix("de ").removeprefix("d’").split()).strip(". ")


def lower(text: str) -> str:
    """Return the text in lower case with the same length, so that offsets stay valid; every Turkish i becomes "i".

    >>> lower("4 KASIM, MAYIS")
    '4 kasim, mayis'
    """
    if text.isascii():
        return text.lower()
    dotted = text.translate(_DOTLESS)
    low = dotted.lower()
    # One call is enough unless a letter becomes two, or a sigma may take its final form.
    if len(low) == len(text) and "Σ" not in text:
        return low
    folded = (char.lower() for char in dotted)
    return "".join(low if len(low) == 1 else char for low, char in zip(folded, text, strict=True))


def _names_of(language: str) -> dict[str, int]:
    code = language.replace("-", "_").lower()
    forms = month_forms(code) or month_forms(code.partition("_")[0])
    named = {key_of(name): place % 12 + 1 for place, name in enumerate(forms)}
    return {name: number for name, number in named.items() if not name.isdecimal()}


# Dates of the Solar Hijri calendar, which the press of Iran writes: "۱۴ اردیبهشت ۱۴۰۲" is 4 May 2023.

_MONTHS = "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split()
_PERSIAN_YEAR = r"(?P<persian>1[34]\d\d)(?!\d)"
_PERSIAN_DAY = r"(?<!\d)(?P<day>0?[1-9]|[12]\d|3[01])(?!\d)"

PERSIAN_PATTERNS = (
    re.compile(rf"{_PERSIAN_DAY}\s*(?P<name>{'|'.join(_MONTHS)})(?:\s?ماه)?\s*{_PERSIAN_YEAR}"),
    re.compile(
        rf"(?<!\d){_PERSIAN_YEAR}(?P<sep>[/-])(?P<month>0?[1-9]|1[0-2])(?P=sep)(?P<day>0?[1-9]|[12]\d|3[01])(?!\d)"
    ),
)
"""Dates of this calendar, with digits in ASCII."""

_NEW_YEAR_622 = date(622, 3, 21)
"""The first day of the year 1."""
_LONG_MONTHS = 6
"""The months of 31 days; those after them have 30, the last one 29 or 30."""
_CYCLE_YEARS, _CYCLE_LEAPS = 33, 8
"""Eight years in 33 are leap years: the arithmetical calendar, which agrees with the astronomical one until 2046."""
_FIRST_LEAPS = 29
"""Puts the leap years of a cycle where the calendar has them, as in 1399 and 1403."""


def persian_day(match: re.Match[str]) -> date:
    """Return the day that a match of `PERSIAN_PATTERNS` names.

    >>> [persian_day(PERSIAN_PATTERNS[n].search(text)) for n, text in enumerate(("14 اردیبهشت 1402", "1399/12/30"))]
    [datetime.date(2023, 5, 4), datetime.date(2021, 3, 20)]
    """
    parts = match.groupdict()
    month = _MONTHS.index(parts["name"]) if parts.get("name") else int(parts["month"]) - 1
    year, day = int(parts["persian"]), int(parts["day"])
    days = 31 * min(month, _LONG_MONTHS) + 30 * max(month - _LONG_MONTHS, 0) + day - 1
    leaps = ((year - 1) * _CYCLE_LEAPS + _FIRST_LEAPS) // _CYCLE_YEARS
    return _NEW_YEAR_622 + timedelta(days=365 * (year - 1) + leaps + days)


# Parse the time of day after a date, with its zone, into ISO 8601.

_PM = "午後|下午|晚上|오후"
_AM = "午前|上午|凌晨|早上|오전"
_CLOCK = re.compile(
    rf"(?<![\d.])(?:(?P<pm>{_PM})|(?:{_AM}))?\s?(?P<hour>[01]?\d|2[0-3])"
    r"(?:\s?[:.hHʰ時时시]\s?(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?)?(?!\d)"
    r"\s?(?P<half>[ap]\.?\s?m\b\.?|[πμ]\.?\s?μ\b\.?|[صم](?!\w))?"
    r"(?:\s?\(?(?P<zone>(?:UTC|GMT)\s?[+-]\d{1,2}(?::?[0-5]\d)?|[+-](?:0\d|1[0-4]):?[0-5]\d|[A-Z]{1,5})(?!\w))?",
    re.IGNORECASE,
)
_AT = (
    *("o godz", "godz", "a las", "alle", "saat", "στις", "klo", "ore", "orele", "ora", "uhr", "kl", "um", "at", "om"),
    *("às", "à", "в", "у", "о", "o", "u", "ob", "v", "kell", "val", "plkst", "г", "р", "pukul", "lúc", "เวลา"),
)
_GAP = re.compile(
    rf"(?:\s?г\.|\s?р\.)?[\s,;:|·•–—@\-/.]*(?:\([^\W\d_]{{1,12}}\.?\)\s?)?"
    rf"(?:(?:{'|'.join(map(re.escape, sorted(_AT, key=len, reverse=True)))})\b\.?|T)?[\s,(]*",
    re.IGNORECASE,
)

_ZONE_HOURS = {
    name: hours
    for hours, names in (
        (-10, "HST"),
        (-9, "AKST"),
        (-8, "PST AKDT"),
        (-7, "PDT MST"),
        (-6, "MDT CST"),
        (-5, "CDT EST"),
        (-4, "EDT"),
        (-3, "BRT"),
        (0, "Z UTC GMT"),
        (1, "BST CET MEZ WAT"),
        (2, "CEST EET MESZ SAST CAT"),
        (3, "EEST MSK EAT"),
        (7, "WIB"),
        (8, "SGT HKT WITA AWST"),
        (9, "JST KST WIT"),
        (10, "AEST"),
        (11, "AEDT"),
        (12, "NZST"),
        (13, "NZDT"),
    )
    for name in names.split()
}
"""Hours ahead of UTC by the zone abbreviations that newsrooms use."""

_AMERICAN = {"ET": ("EST", "EDT"), "CT": ("CST", "CDT"), "MT": ("MST", "MDT"), "PT": ("PST", "PDT")}
"""Zones that leave open whether it is summer, each with its two seasons."""

_OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d{1,2}?)(?::?(?P<minutes>\d\d))?$")
_MAX_OFFSET_HOURS = 14


def time_after(text: str, position: int, day: date | None = None) -> tuple[str, int]:
    """Return the time after a date in ISO 8601 (`T…`, or an empty string), and the offset where it ends.

    >>> time_after("May 4, 2023 at 10:30 p.m. EST", 11), time_after("May 4, 2023 at 9:30 ET", 11, date(2023, 5, 4))
    (('T22:30:00-05:00', 29), ('T09:30:00-04:00', 22))
    """
    gap = _GAP.match(text, position)
    start = gap.end() if gap else position
    match = _CLOCK.match(text, start)
    if not match or not (match["minute"] or match["half"]):
        return "", position
    hour = int(match["hour"])
    if match["pm"] or match["half"]:
        is_late = match["pm"] or match["half"].lower()[0] in "pμم"
        hour = hour % 12 + (12 if is_late else 0)
    zone = match["zone"] or ""
    if zone in _AMERICAN and day is not None:  # in capitals: "10:30 et" is no zone in French
        zone = _AMERICAN[zone][_is_american_summer(day)]
    offset = offset_of(zone)
    stop = match.end() if offset or not match["zone"] else match.start("zone")
    return f"T{hour:02}:{match['minute'] or '00'}:{match['second'] or '00'}{offset}", stop


def _is_american_summer(day: date) -> bool:
    """Return whether clocks in the United States show summer time: from the second Sunday in March to November.

    >>> [_is_american_summer(date(2023, *day)) for day in ((3, 11), (3, 12), (11, 4), (11, 5))]
    [False, True, True, False]
    """
    first, last = (_sunday(day.year, 3, 8), _sunday(day.year, 11, 1))
    return first <= day < last


def _sunday(year: int, month: int, day: int) -> date:
    """Return the first Sunday from a day on."""
    start = date(year, month, day)
    return start + timedelta(days=6 - start.weekday())


def offset_of(zone: str) -> str:
    """Return a zone as an ISO 8601 offset, or an empty string for an unknown zone.

    >>> offset_of("UTC+0200"), offset_of("GMT+7"), offset_of("-04"), offset_of("est"), offset_of("Z"), offset_of("XYZ")
    ('+02:00', '+07:00', '-04:00', '-05:00', '+00:00', '')
    """
    zone = "".join(zone.upper().split())
    bare = zone.removeprefix("UTC").removeprefix("GMT") or zone
    if bare in _ZONE_HOURS:
        hours = _ZONE_HOURS[bare]
        return f"{'-' if hours < 0 else '+'}{abs(hours):02}:00"
    match = _OFFSET.match(bare)
    if not match or int(match["hours"]) > _MAX_OFFSET_HOURS:
        return ""
    return f"{match['sign']}{int(match['hours']):02}:{match['minutes'] or '00'}"


_DAY = r"(?<![\d:])(?P<day>0?[1-9]|[12]\d|3[01])(?!\d)(?:st\b|nd\b|rd\b|th\b|er\b|ος|η|ής|-?го|-?a\b|º|ª|°|\.)?"
_YEAR = r"(?P<year>(?:19|20|25)\d\d)(?!\d)"
_LINK = r"[\s,.\-/]*(?:of\s|del?\s|di\s|d['’]|do\s|năm\s|พ\.ศ\.\s?|ב)?\s*"
"""The separators between day, month and year."""

_NUMERIC = (
    (
        r"(?<![\d./-])(?P<year>(?:19|20)\d\d)(?P<sep>[-./])\s?(?P<month>0?[1-9]|1[0-2])(?P=sep)\s?"
        r"(?P<day>0?[1-9]|[12]\d|3[01])(?![\d/])"
    ),
    (
        r"(?P<year>(?:19|20)\d\d)\s?(?:[年년]|оны)\s?(?P<month>1[0-2]|0?[1-9])\s?(?:[月월]|(?:-?р\s)?сарын)\s?"
        r"(?P<day>[12]\d|3[01]|0?[1-9])\s?[日일号]?"
    ),
    (
        r"(?<![\d./:-])(?P<one>0?[1-9]|[12]\d|3[01])(?P<sep>[./-])\s?(?P<two>0?[1-9]|[12]\d|3[01])(?P=sep)\s?"
        r"(?P<year>(?:19|20|25)\d\d)(?!\d|:\d)"
    ),
    # The time may follow without a space, where only elements separate them.
    (
        r"(?<![\d./:-])(?P<one>0[1-9]|[12]\d|3[01])(?P<sep>[./])(?P<two>0[1-9]|[12]\d|3[01])(?P=sep)(?P<year>\d\d)"
        r"(?=[012]\d:[0-5]\d|(?![\d./]))"
    ),
)
_MAY_DATE = re.compile(r"\d{4}|\d[./-]\s?\d{1,2}[./-]\s?\d\d")
"""A year, or numbers as in a date, in the digits of any script: most lines have neither."""
_SOME_YEAR = re.compile(_YEAR.replace("?P<year>", "?:"))
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")

_BUDDHIST_ERA = 543
_THIS_CENTURY = 69
"""Two-digit years below this one are in the 2000s, as in POSIX."""


@dataclass(frozen=True, slots=True)
class Written:
    """A date in a text: in ISO 8601, as written, and its start and stop in the text."""

    iso: str
    raw: str
    start: int
    stop: int


def find_dates(text: str, language: str | None = None, *, is_day_first: bool = False) -> Iterator[Written]:
    """Yield the dates in a text that name a day, in order, each with the time after it.

    `is_day_first` decides how 4/5/2023 is read if both readings are dates. Offsets are those in the NFC form of the
    text, which nearly every text has.

    >>> [one.iso for one in find_dates("Posted May 4, 2023 10:00 AM EST, updated 5. März 2023", "de")]
    ['2023-05-04T10:00:00-05:00', '2023-03-05']
    """
    if not _MAY_DATE.search(text):
        return
    found = _find(text, language, is_day_first=is_day_first)
    first = next(found, None)
    if first is None and language == "en":  # the default of templates, whatever their texts are in
        found = _find(text, None, is_day_first=is_day_first)
        first = next(found, None)
    if first is not None:
        yield first
        yield from found


def _find(text: str, language: str | None, *, is_day_first: bool) -> Iterator[Written]:
    text = _with_ascii_digits(unicodedata.normalize("NFC", text))
    plain = lower(text)  # as long as the text
    patterns = _patterns(language, names_months=_SOME_YEAR.search(plain) is not None)
    position = 0
    while found := _first(plain, position, patterns):
        position = found.end()
        day = _day_of(found, language, is_day_first=is_day_first)
        if day is not None:
            clock = found.groupdict().get("clock")
            clock, position = (f"T{clock}", position) if clock else time_after(text, position, day)
            raw = text[found.start() : position].strip()
            yield Written(f"{day.isoformat()}{clock}", raw, found.start(), position)


@lru_cache(maxsize=64)
def _patterns(language: str | None, *, names_months: bool) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of dates in a language; names of months are only looked for in a text with a year."""
    numeric = tuple(map(re.compile, _NUMERIC)) + (PERSIAN_PATTERNS if language == "fa" else ())
    if not names_months:
        return numeric
    either = "|".join(map(re.escape, sorted(month_names(language), key=len, reverse=True)))
    month = rf"(?P<name>{either})(?:\s?/\s?(?:{either}))?(?![^\W\d_])\.?"
    written = (
        rf"{_DAY}{_LINK}{month}{_LINK}{_YEAR}",
        rf"(?<![^\W\d_]){month}\s*{_DAY}\s*,?\s*(?:of\s|at\s)?{_YEAR}",
        rf"(?<![^\W\d_]){month}\s+{_DAY}\s+(?P<clock>(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)\s+(?:[a-z]{{3,4}}\s+)?{_YEAR}",
        rf"{_YEAR}\.?\s*(?:m\.)?\s*{month}\s*{_DAY}",
        rf"{_YEAR}\.?\s*(?:gada|-yil)?\s*{_DAY}[\s-]*{month}",
    )
    return (*map(re.compile, written), *numeric)


def _first(text: str, position: int, patterns: tuple[re.Pattern[str], ...]) -> re.Match[str] | None:
    """Return the first match, the longest of those that begin at the same place."""
    matches = (match for pattern in patterns if (match := pattern.search(text, position)))
    return min(matches, key=lambda match: (match.start(), -match.end()), default=None)


def _day_of(match: re.Match[str], language: str | None, *, is_day_first: bool) -> date | None:
    """Return the day that the parts of a date name, or `None` if it does not exist."""
    parts = match.groupdict()
    if parts.get("persian"):
        return persian_day(match)
    year = int(parts["year"])
    if len(parts["year"]) == 2:
        year += 2000 if year < _THIS_CENTURY else 1900
    elif year >= 2500:
        year -= _BUDDHIST_ERA
    if parts.get("name"):
        month, day = month_names(language)[parts["name"]], int(parts["day"])
    elif parts.get("one"):
        day, month = int(parts["one"]), int(parts["two"])
        if day <= 12 and (month > 12 or not (is_day_first or parts["sep"] == ".")):
            day, month = month, day
    else:
        month, day = int(parts["month"]), int(parts["day"])
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _with_ascii_digits(text: str) -> str:
    """Return the text with the decimal digits of every script replaced by 0 to 9.

    >>> _with_ascii_digits("٤ مايو ٢٠٢٣")
    '4 مايو 2023'
    """
    if text.isascii():
        return text
    return _OTHER_DIGIT.sub(lambda match: str(unicodedata.decimal(match[0])), text)


# Whether 4/5/2023 means the fourth of May on a page: by the page's other dates, its languages, and its country.

AMBIGUOUS = re.compile(r"(?<![\d./-])(0?[1-9]|1[0-2])([/-])\s?(0?[1-9]|1[0-2])\2\s?(?:\d\d)?\d\d(?!\d)")
"""A date that can be read in both orders; between dots, the day comes first everywhere."""

_PLAIN = re.compile(r"(?<![\d./-])([0-3]?\d)([/-])\s?([0-3]?\d)\2\s?(?:(?:19|20)\d\d|\d\d)(?![\d/-])")
_MIN_SHARE = 0.8
"""The share of the telling dates that must agree: pages also quote dates of other countries."""
_MAX_CHARS = 300_000
"""Characters read: a page with more is an archive."""
_LAST_LATIN = 0x24F
_MAX_QUOTED = 1
"""Accented letters in an English title: one name or loan."""

_MONTH_FIRST = frozenset(("us", "ph", "ca"))
"""Countries that write the month first: the United States and the Philippines, Canada's English press mostly."""
_ANYWHERE = frozenset("io ai co tv me ly fm to cc ws am la so sh gg vc nu st bz pw ph ca us".split())
"""Two-letter domains that are sold all over the world, or whose country writes the month first."""


def is_day_first(clues: Clues) -> bool:
    """Return whether 4/5/2023 means the fourth of May on this page.

    Dates of the page that can be read in one order only tell it, if it has any; then its languages and its country.
    """
    told = order_in(clues.page.outline.table.texts)
    return _by_country(clues) if told is None else told


def order_in(texts: Iterable[str]) -> bool | None:
    """Return whether the dates in some texts begin with the day, or `None` if none tells.

    >>> order_in(["25/12/2023", "4/5/2023"]), order_in(["12/25/2023"]), order_in(["4/5/2023"])
    (True, False, None)
    """
    found = _PLAIN.finditer("\n\n".join(texts)[:_MAX_CHARS])
    days = [(int(match[1]), int(match[3])) for match in found]
    orders = [first > 12 for first, second in days if (first > 12) != (second > 12) and min(first, second) > 0]
    share = sum(orders) / len(orders) if orders else 1 / 2
    return share > 1 / 2 if max(share, 1 - share) >= _MIN_SHARE else None


def _by_country(clues: Clues) -> bool:
    tags = list(_language_tags(clues))
    if any(language not in ("en", "fil") for language, _ in tags[:1]) or clues.date_language not in ("en", "fil", None):
        return True
    host = split_url(clues.page.url or "").hostname or ""
    country = host.rpartition(".")[2]
    if len(country) == 2 and country not in _ANYWHERE:
        return True  # "en-US" is the default of publishing systems, whoever uses them
    regions = [region for _, region in tags if region]
    return regions[0] not in _MONTH_FIRST if regions else is_foreign(clues.title)


def _language_tags(clues: Clues) -> Iterator[tuple[str, str]]:
    """Yield the languages that the page declares, each with its region or an empty string."""
    for name in ("html:lang", "content-language", "og:locale"):
        for tag in clues.meta.get(name, ()):
            language, *subtags = tag.strip().lower().replace("_", "-").split("-")
            yield language, next((part for part in subtags if len(part) == 2), "")


def is_foreign(title: str) -> bool:
    """Return whether a title has letters that English does not use, which hardly any English title quotes.

    >>> is_foreign("Дощ в Іспанії"), is_foreign("Il a plu à Brême"), is_foreign("Rain at the café")
    (True, True, False)
    """
    return sum(char.isalpha() and not char.isascii() for char in title) > _MAX_QUOTED or any(
        ord(char) > _LAST_LATIN and char.isalpha() for char in title
    )
