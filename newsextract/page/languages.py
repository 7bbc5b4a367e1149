"""What the Unicode CLDR knows of languages, as far as it is needed: codes, directions, names of months and weekdays.

The tables are made by `training.language_tables`, so that nobody has to install all of CLDR.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


NAME = "languages.json"
"""The file of the tables, beside this one."""


def is_code(code: str) -> bool:
    """Return whether a code of two or three letters is that of a language that CLDR can name."""
    return code in _tables()["languages"]


def language_name(code: str) -> str:
    """Return the English name of a language by its code; an unknown code unchanged.

    >>> language_name("fr"), language_name("xx")
    ('French', 'xx')
    """
    name: str = _tables()["languages"].get(code, code)
    return name


def is_known(code: str) -> bool:
    """Return whether CLDR has data of a language, by its code or a former one."""
    return code in _tables()["months"]


def is_right_to_left(code: str) -> bool:
    """Return whether the usual script of a language runs from right to left."""
    return code in _tables()["right_to_left"].split()


def month_forms(code: str) -> Sequence[str]:
    """Return the names of the months in three forms, January to December each; empty for an unknown language.

    >>> month_forms("de")[2], month_forms("de_at")[0], month_forms("xx")
    ('März', 'Jänner', ())
    """
    tables = _tables()
    number = tables["months"].get(code)
    names: Sequence[str] = () if number is None else tables["month_names"][number]
    return names


def weekday_names(code: str) -> Sequence[str]:
    """Return the names and abbreviations of the weekdays; raises `KeyError` for one of the lesser languages."""
    names: Sequence[str] = _tables()["weekdays"][code]
    return names


@cache
def _tables() -> dict[str, Any]:
    # Not by its path: an egg is a ZIP archive.
    tables: dict[str, Any] = json.loads(files("newsextract.page").joinpath(NAME).read_text("utf-8"))
    return tables
