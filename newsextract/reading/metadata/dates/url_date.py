"""The date in the page's own address: `/2023/05/04/`, as many publishing systems write it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.reading.metadata.findings import Findings

if TYPE_CHECKING:
    from newsextract.reading.metadata.page_clues import Clues

_YEAR_FIRST = re.compile(r"[/_-]((?:19|20)\d\d)([/_-]?)([01]\d|[a-z]{3,9})[/_-]?([0-3]\d)(?=[/_.-]|$)", re.IGNORECASE)
_DAY_FIRST = re.compile(r"[/_-]([0-3]\d)([._-])([01]\d)\2((?:19|20)\d\d)(?=[/_.-]|$)")


def read(clues: Clues) -> Findings:
    """Return the date that the address states, when it states the day."""
    dates = [date for url in clues.addresses[:1] if (date := date_in(url))]
    return Findings({"datePublished": dates} if dates else {})


def date_in(url: str) -> str | None:
    """Return the date in the path of an address.

    >>> date_in("https://example.com/news/2023/05/04/rain.html"), date_in("https://example.com/2023/may/04/rain")
    ('2023-05-04', '04 may 2023')
    >>> date_in("https://example.com/2023-05/04/c_1.htm"), date_in("https://example.com/meldungen/04-05-2023")
    ('2023-05-04', '2023-05-04')
    """
    path = urlsplit(url).path
    if match := _YEAR_FIRST.search(path):
        year, _, month, day = match.groups()
        return f"{year}-{month}-{day}" if month.isdecimal() else f"{day} {month} {year}"
    if match := _DAY_FIRST.search(path):
        day, _, month, year = match.groups()
        return f"{year}-{month}-{day}"
    return None
