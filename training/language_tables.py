"""Write the tables of languages that the package needs, from the Unicode CLDR as Babel has it: 33 MB become 0.1.

`python -m training.language_tables` writes `newsextract/page/languages.json`. It needs Babel.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from babel import Locale, UnknownLocaleError
from babel.dates import get_day_names, get_month_names

from newsextract.page import languages as language_tables

_FORMS = (("wide", "format"), ("wide", "stand-alone"), ("abbreviated", "format"))
_REGIONS = ("ar_SY", "ar_MA", "de_AT", "sr_Latn")
"""Locales in which a language's months have other names."""


def tables() -> dict[str, Any]:
    """Return all tables as JSON values, each list of names once."""
    locales = {code: locale for code in (*_codes(), *_REGIONS) if (locale := _locale(code))}
    months = {code: _months(locale) for code, locale in locales.items()}
    distinct = sorted(set(months.values()))
    numbers = {names: number for number, names in enumerate(distinct)}
    names = Locale("en").languages
    bare = {code: locale for code, locale in locales.items() if "_" not in code}
    return {
        "source": "Unicode CLDR, by way of Babel; see LICENSE.unicode",
        "languages": {code: names[code] for code in sorted(set(names) & set(_codes()))},
        "right_to_left": " ".join(code for code, each in bare.items() if each.character_order == "right-to-left"),
        "month_names": [list(names) for names in distinct],
        "months": {code.lower(): numbers[names] for code, names in months.items()},
        "weekdays": {code: list(_weekdays(locale)) for code, locale in bare.items() if code in _DECLARED},
    }


_DECLARED = frozenset("en es fr de pt it nl pl ru tr sv da el uk ar id".split())
"""The languages whose weekdays are read."""


def _codes() -> list[str]:
    return ["".join(letters) for length in (2, 3) for letters in product(ascii_lowercase, repeat=length)]


def _locale(code: str) -> Locale | None:
    try:
        return Locale.parse(code)
    except (UnknownLocaleError, ValueError):
        return None


def _months(locale: Locale) -> tuple[str, ...]:
    """Return the names of the twelve months, form by form."""
    forms = [get_month_names(width, context, locale) for width, context in _FORMS]  # type: ignore[arg-type]
    return tuple(names[number] for names in forms for number in range(1, 13))


def _weekdays(locale: Locale) -> tuple[str, ...]:
    names = (get_day_names(width, "format", locale).values() for width in ("wide", "abbreviated"))
    return tuple(dict.fromkeys(name for some in names for name in some))


if __name__ == "__main__":
    path = Path(language_tables.__file__).with_name(language_tables.NAME)
    path.write_text(json.dumps(tables(), ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
