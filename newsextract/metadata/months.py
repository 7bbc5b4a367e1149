"""The names of the months in the languages of the world, after the Unicode CLDR."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from babel import Locale, UnknownLocaleError
from babel.dates import get_month_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

WIDESPREAD = ("en", "es", "fr", "de", "pt", "it", "nl", "pl", "ru", "tr", "sv", "da", "el", "uk", "ar", "id")
"""Tried together where a page does not say its language."""

_REGIONS = {"ar": ("ar_SY", "ar_MA"), "de": ("de_AT",)}
"""Where a language's months have other names elsewhere."""

_FORMS = (("wide", "format"), ("wide", "stand-alone"), ("abbreviated", "format"))
_PREFIX_CHARS = 3
"""Shortest beginning of a name that stands for it: `Sept`, `févr`."""


@lru_cache(maxsize=64)
def month_names(language: str | None) -> Mapping[str, int]:
    """Return the number of each month by its case-folded names, abbreviations and unmistakable beginnings.

    English names are understood in every language: templates stay untranslated. Where no language is given, or none
    that CLDR knows, those of `WIDESPREAD` are, but for names that mean different months.

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


@lru_cache(maxsize=64)
def month_pattern(language: str | None) -> str:
    """Return the pattern of any of these names, longest first."""
    names = sorted(month_names(language), key=len, reverse=True)
    return "|".join(map(re.escape, names))


def key_of(name: str) -> str:
    """Return a month's name as `month_names` knows it.

    >>> key_of("MÄRZ"), key_of("de març")
    ('märz', 'març')
    """
    return " ".join(name.replace("İ", "i").casefold().removeprefix("de ").removeprefix("d’").split()).strip(". ")


def _names_of(language: str) -> dict[str, int]:
    if not language:
        return {}
    try:
        locale = Locale.parse(language, sep="-" if "-" in language else "_")
    except (UnknownLocaleError, ValueError):
        return {}
    full = {
        key_of(name): number
        for width, context in _FORMS
        for number, name in get_month_names(width, context, locale).items()  # type: ignore[arg-type]
    }
    named = {name: number for name, number in full.items() if not name.isdecimal()}
    return dict(_unaccented(_beginnings(named))) | named


def _beginnings(names: Mapping[str, int]) -> dict[str, int]:
    """Return the beginnings of the names that only one month has."""
    meanings: dict[str, set[int]] = defaultdict(set)
    for name, number in names.items():
        if name.isalpha():
            for length in range(_PREFIX_CHARS, len(name) + 1):
                meanings[name[:length]].add(number)
    return {name: next(iter(numbers)) for name, numbers in meanings.items() if len(numbers) == 1}


def _unaccented(names: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    for name, number in names.items():
        yield name, number
        bare = "".join(_base_letters(name))
        if bare != name:
            yield bare, number


def _base_letters(text: str) -> Iterable[str]:
    return (char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
