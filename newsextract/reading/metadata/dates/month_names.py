"""The names of the months in all languages of the Unicode CLDR."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from newsextract.page.language_tables import month_forms, weekday_names
from newsextract.page.text_forms import unmarked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WIDESPREAD = ("en", "es", "fr", "de", "pt", "it", "nl", "pl", "ru", "tr", "sv", "da", "el", "uk", "ar", "id")
"""Languages tried together if a page does not declare its own."""

_REGIONS = {"ar": ("ar_sy", "ar_ma"), "de": ("de_at",), "sr": ("sr_latn",)}
"""Locales in which a language's months have other names."""

_DOTLESS = str.maketrans("İıI", "iii")
_ALSO = {
    "es": {"set": 9},
    "vi": {
        f"tháng {name}": number
        for number, names in enumerate(
            ("một", "hai", "ba", "tư", "năm", "sáu", "bảy", "tám", "chín", "mười", "mười một", "mười hai"), start=1
        )
        for name in (names, f"0{number}"[-2:])
    },
}
"""Names that newsrooms write and CLDR lacks."""

_ACUTE = "\u0301"
_PREFIX_CHARS = 3
"""The shortest abbreviation of a name: `Sept`, `févr`."""


@lru_cache(maxsize=64)
def month_names(language: str | None) -> Mapping[str, int]:
    """Return the number of each month by its case-folded names, abbreviations and unambiguous prefixes.

    English names are included for every language, as many templates stay untranslated. Without a language known to
    CLDR, the names of `WIDESPREAD` are used, except those that mean different months.

    >>> month_names("de")["märz"], month_names("pl")["listopada"], month_names("hr")["listopada"]
    (3, 11, 10)
    """
    own: dict[str, int] = {}
    for each in (*_REGIONS.get(language or "", ()), language or ""):
        own |= _names_of(each)
    own |= _ALSO.get(language or "", {})
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


@lru_cache(maxsize=64)
def longest_first(language: str | None) -> tuple[str, ...]:
    """Return these names, the longest first."""
    return tuple(sorted(month_names(language), key=len, reverse=True))


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
    full = {key_of(name): place % 12 + 1 for place, name in enumerate(forms)}
    named = {name: number for name, number in full.items() if not name.isdecimal()}
    return dict(_unaccented(_beginnings(named))) | named


def _beginnings(names: Mapping[str, int]) -> dict[str, int]:
    """Return the prefixes of the names that only one month has."""
    meanings: dict[str, set[int]] = defaultdict(set)
    for name, number in names.items():
        if name.isalpha():
            for length in range(_PREFIX_CHARS, len(name) + 1):
                meanings[name[:length]].add(number)
    return {name: next(iter(numbers)) for name, numbers in meanings.items() if len(numbers) == 1}


def _unaccented(names: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield the names also as capitals are often written: without acute accents, and without any accent."""
    for name, number in names.items():
        parts = unicodedata.normalize("NFD", name)
        yield unicodedata.normalize("NFC", parts.replace(_ACUTE, "")), number
        yield unmarked(parts), number
        yield name, number
