"""The script of a text, and the languages written in each script."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

_TABLE = """
    Cyrillic    \u0400-\u052f                       ru uk be bg sr mk mn kk ky tg tt ba uz az cv os ce ab sah bs sh
    Greek       \u0370-\u03ff\u1f00-\u1fff              el
    Arabic      \u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc  ar fa ur ps ug sd ku ckb ks az pa dv arz ary
    Hebrew      \u0590-\u05ff                       he yi
    Japanese    \u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f         ja
    Chinese     \u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff         zh yue wuu ja
    Korean      \u1100-\u11ff\u3130-\u318f\uac00-\ud7af         ko
    Thai        \u0e00-\u0e7f                       th
    Lao         \u0e80-\u0eff                       lo
    Devanagari  \u0900-\u097f                       hi mr ne sa bho mai kok gom sd ks
    Bengali     \u0980-\u09ff                       bn as
    Gurmukhi    \u0a00-\u0a7f                       pa
    Gujarati    \u0a80-\u0aff                       gu
    Odia        \u0b00-\u0b7f                       or
    Tamil       \u0b80-\u0bff                       ta
    Telugu      \u0c00-\u0c7f                       te
    Kannada     \u0c80-\u0cff                       kn
    Malayalam   \u0d00-\u0d7f                       ml
    Sinhala     \u0d80-\u0dff                       si
    Tibetan     \u0f00-\u0fff                       bo dz
    Burmese     \u1000-\u109f                       my
    Georgian    \u10a0-\u10ff                       ka
    Ethiopic    \u1200-\u137f                       am ti
    Khmer       \u1780-\u17ff                       km
    Armenian    \u0530-\u058f                       hy
"""
_ROWS = [line.split() for line in _TABLE.strip().splitlines()]
_LETTERS = {name: re.compile(f"[{letters}]") for name, letters, *_ in _ROWS}
LANGUAGES = {name: tuple(languages) for name, _, *languages in _ROWS}
"""The languages of each script except Latin, the most read first."""

_LATIN_TOO = frozenset("sr mn kk uz az bs sh ku tt ky tg ks dv ce ab sah pa sd kok gom dz".split())
_NEVER_LATIN = frozenset(name for names in LANGUAGES.values() for name in names) - _LATIN_TOO

_MAY_BE_OTHER = re.compile("[\u0370-\u1dff\u1f00-\u1fff\u2de0-\ud7ff\uf900-\ufdff\ufe70-\uffdf]")
_LETTER = re.compile(r"[^\W\d_]")

_MIN_SHARE = 0.5
"""The share of its letters that makes a script that of the text."""
_MIN_LATIN_SHARE = 0.9
"""Latin needs more: pages in every script have names, brands and legal notes in it."""
_MIN_KANA_SHARE = 0.1
"""Japanese uses Chinese characters too; Chinese has no kana."""
_MIN_LETTERS = 60
"""A shorter text may be a name or a label."""


@lru_cache(maxsize=4)  # reading a text's language asks twice
def script_of(text: str) -> str | None:
    """Return the script of a text, or `None` if it mixes several or is too short to tell.

    >>> script_of("Всё смешалось в доме Облонских. " * 3), script_of("All happy families are alike. " * 3)
    ('Cyrillic', 'Latin')
    >>> script_of("吾輩は猫である。名前はまだ無い。" * 5), script_of("Да") is None
    ('Japanese', True)
    """
    if len(text) > 2 * _MIN_LETTERS and beyond_ascii(text) < (1 - _MIN_LATIN_SHARE) / 2:
        return "Latin"
    met = Counter(text)
    distinct = "".join(met)
    letters = _count(_LETTER, distinct, met)
    if letters < _MIN_LETTERS:
        return None
    others = _count(_MAY_BE_OTHER, distinct, met)
    if others <= (1 - _MIN_LATIN_SHARE) * letters:
        return "Latin"
    if others < _MIN_SHARE * letters:
        return None
    counts = {name: _count(pattern, distinct, met) for name, pattern in _LETTERS.items()}
    if counts["Japanese"] >= _MIN_KANA_SHARE * (counts["Chinese"] + counts["Japanese"]):
        counts["Japanese"] += counts["Chinese"]
    # max keeps the first of equals, and Japanese stands before Chinese.
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= _MIN_SHARE * letters else None


def _count(pattern: re.Pattern[str], distinct: str, met: Counter[str]) -> int:
    """Return the number of characters that match, from the distinct ones and the count of each."""
    return sum(map(met.__getitem__, pattern.findall(distinct)))


def beyond_ascii(text: str) -> float:
    """Return the share of a text that is not ASCII.

    >>> beyond_ascii("café")
    0.25
    """
    return 1 - len(text.encode("ascii", "ignore")) / len(text) if text else 0.0


def can_be_written(language: str, script: str) -> bool:
    """Tell whether a language is written in a script.

    >>> can_be_written("en", "Cyrillic"), can_be_written("sr", "Latin"), can_be_written("ja", "Chinese")
    (False, True, True)
    """
    return language not in _NEVER_LATIN if script == "Latin" else language in LANGUAGES.get(script, (language,))
