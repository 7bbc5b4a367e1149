"""The values that `sites.yml` accepts, with the messages for those that it does not."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator

from newsextract.sites.published.stated_dates import parse_since
from newsextract.sites.site_list.language_names import is_language
from newsextract.sites.site_list.sections import MAX_PATTERN_CHARS
from newsextract.sites.site_list.site import HAS_USER, SOURCES, has_user, read_address

MAX_NAME_CHARS = 100
"""Characters of a site's name, which appears in tables and stats."""

MIN_SCHEDULE, MAX_SCHEDULE = timedelta(minutes=15), timedelta(days=7)
"""More often is impolite, and less often than weekly misses what a site no longer lists."""

MAX_DELAY = 3600.0
"""Seconds; at one page an hour nothing gets read."""

MAX_CONCURRENCY = 16
"""Concurrent requests to one host; more would be an attack."""

RENDER_MODES = ("never", "auto", "always")
"""When pages are rendered in a browser."""

_AGE = re.compile(r"(\d{1,5})\s*([mhdw])", re.IGNORECASE)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_ANSWERS = {"yes": True, "on": True, "no": False, "off": False}


def _quoted(value: Any) -> str:
    """Return a value as an error message shows it, cut if it is long."""
    shown = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


def _refuse(value: Any, wanted: str) -> ValueError:
    return ValueError(f"{_quoted(value)} is {wanted}")


def _text(value: Any) -> str:
    # A site may be called 2026, which YAML reads as a number.
    text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    if not text or len(text) > MAX_NAME_CHARS or not text.isprintable():
        raise _refuse(value, f"not a name; write text of up to {MAX_NAME_CHARS} characters")
    return text


def _address(value: Any) -> str:
    if isinstance(value, str) and has_user(value):
        raise ValueError(HAS_USER)
    address = read_address(value) if isinstance(value, str) else None
    if address is None:
        raise _refuse(value, "not a URL; write https://example.com/ or example.com")
    return address


def _file_address(value: Any) -> str:
    if isinstance(value, str) and re.match(r"/(?!/)\S+$", value):
        return value  # of the site's own host
    return _address(value)


def _path(value: Any) -> str:
    if not isinstance(value, str) or not value.startswith(("/", "*")) or len(value) > MAX_PATTERN_CHARS:
        raise _refuse(value, "not a path of a section; write /international/ or /20*/sport")
    return value


def _source(value: Any) -> str:
    if value not in SOURCES:
        raise _refuse(value, f"not among {', '.join(SOURCES)}")
    return str(value)


def _language(value: Any) -> str:
    if value is False or value is True:
        raise _refuse(value, 'not a language; write its code in quotes, such as "no"')
    if not isinstance(value, str) or not is_language(value):
        raise _refuse(value, "not a language code; write one such as fr, en or pt-BR")
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _refuse(value, "not a whole number above 0" + (", as it is in quotes" if str(value).isdecimal() else ""))
    return value


def _concurrency(value: Any) -> int:
    if _count(value) > MAX_CONCURRENCY:
        raise _refuse(value, f"too many; at most {MAX_CONCURRENCY} requests at a time to one host")
    return int(value)


def _delay(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= MAX_DELAY:
        raise _refuse(value, f"not a number of seconds from 0 to {MAX_DELAY:.0f}; write 1.5")
    return float(value)


def _since(value: Any) -> str:
    if not isinstance(value, str):
        raise _refuse(value, "neither an age nor a date; write 2d, 36h or 2026-11-01")
    parse_since(value, datetime.now(UTC))
    return value


def _schedule(value: Any) -> timedelta:
    age = _AGE.fullmatch(value.strip()) if isinstance(value, str) else None
    if age is None:
        raise _refuse(value, "not an interval; write 30m, 2h or 1d")
    interval = timedelta(**{_UNITS[age[2].lower()]: int(age[1])})
    if not MIN_SCHEDULE <= interval <= MAX_SCHEDULE:
        raise _refuse(value, "out of bounds; a site is visited every 15m at most and every 7d at least")
    return interval


def _answer(value: Any) -> bool:
    answer = _ANSWERS.get(value.lower()) if isinstance(value, str) else value
    if not isinstance(answer, bool):
        raise _refuse(value, "neither true nor false")
    return answer


def _render(value: Any) -> str:
    if value not in RENDER_MODES:
        raise _refuse(value, f"not among {', '.join(RENDER_MODES)}")
    return str(value)


def _one_or_many(value: Any) -> list[Any]:
    if value == [] or isinstance(value, dict):
        raise _refuse(value, "neither one value nor a list of them")
    return value if isinstance(value, list) else [value]


def _extractor(value: Any) -> Any:
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        raise _refuse(value, "not an extractor; write its name, or {name: mss, options: {...}}")
    return {"name": value}


def _options(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _refuse(value, "not a table of options; write {min_chars: 20}")
    return value


def _expression(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _refuse(value, "not a rule; write a CSS selector or XPath, such as div.story or //div[@id='story']")
    return value.strip()


Addresses = Annotated[list[Annotated[str, BeforeValidator(_address)]], BeforeValidator(_one_or_many)]
FileAddresses = Annotated[list[Annotated[str, BeforeValidator(_file_address)]], BeforeValidator(_one_or_many)]
Paths = Annotated[list[Annotated[str, BeforeValidator(_path)]], BeforeValidator(_one_or_many)]
Sources = Annotated[list[Annotated[str, BeforeValidator(_source)]], BeforeValidator(_one_or_many)]
Tags = Annotated[list[Annotated[str, BeforeValidator(_language)]], BeforeValidator(_one_or_many)]
Expressions = Annotated[list[Annotated[str, BeforeValidator(_expression)]], BeforeValidator(_one_or_many)]
Count = Annotated[int, BeforeValidator(_count)]
Answer = Annotated[bool, BeforeValidator(_answer)]
Name = Annotated[str, BeforeValidator(_text)]
Since = Annotated[str, BeforeValidator(_since)]
Delay = Annotated[float, BeforeValidator(_delay)]
Concurrency = Annotated[int, BeforeValidator(_concurrency)]
Schedule = Annotated[timedelta, BeforeValidator(_schedule)]
Options = Annotated[dict[str, Any], BeforeValidator(_options)]
Render = Annotated[str, BeforeValidator(_render)]
ExtractorForm = BeforeValidator(_extractor)
"""A name, or a table with a name and options."""
