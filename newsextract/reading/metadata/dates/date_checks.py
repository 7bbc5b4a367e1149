"""Whether a candidate for a date is one, in the language and the order of the page."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.reading.metadata.dates.iso_dates import read_date, refusal
from newsextract.reading.metadata.refusals import Refused
from newsextract.reading.metadata.text_folding import fold
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues

_MONTH_FIRST = frozenset(("en", "en-us", "en-ph", "fil"))
"""Americans write the month first; every other language that we meet does not."""
_DAY_FIRST_DOMAINS = (".uk", ".au", ".ie", ".nz", ".in", ".za", ".ng", ".ke", ".pk", ".sg", ".my", ".hk", ".eu")
"""Where English pages seldom say that theirs is not American."""
_COUNTRY = re.compile(r"\.(?!us$|io$|ai$|co$|tv$|me$|ly$)[a-z]{2}$")
_LAST_LATIN = 0x24F


def check_date(raw: Raw, clues: Clues) -> str | Refused:
    """Return the date in ISO 8601."""
    text = fold(raw) if isinstance(raw, str) else ""
    date = read_date(text, clues.language, is_day_first=is_day_first(clues))
    if date is None:
        return Refused(Notice(NoticeCode.NO_DATE) if text else None)
    reason = refusal(date)
    return Refused(reason) if reason else date


def is_day_first(clues: Clues) -> bool:
    """Tell whether 4/5/2023 is the fourth of May on this page."""
    tag = next(iter(clues.meta.get("html:lang", ())), "").strip().lower().replace("_", "-")
    if tag and tag not in _MONTH_FIRST:
        return True
    try:
        host = urlsplit(clues.page.url or "").hostname or ""
    except ValueError:
        host = ""
    if tag or clues.language:
        return host.endswith(_DAY_FIRST_DOMAINS) or (clues.language or "en") != "en"
    # Nobody says: the country in the domain does, or a title in letters that no American uses.
    return (_COUNTRY.search(host) is not None) or any(ord(char) > _LAST_LATIN for char in clues.title)


def date_conflicts(
    values: Mapping[str, str], sources: Mapping[str, str], stated: Sequence[Raw], clues: Clues
) -> Iterator[Notice]:
    """Yield a warning where the meta tags state another day of publication than what was taken."""
    taken = values.get("datePublished")
    if taken is None or sources["datePublished"] == "meta_tags":
        return
    for raw in stated[:1]:
        other = check_date(raw, clues)
        if isinstance(other, str) and other[:10] != taken[:10] and not _is_same_moment(other, taken):
            yield Notice(NoticeCode.OTHER_DATE, stated=other, source=sources["datePublished"], taken=taken)


def _is_same_moment(one: str, other: str) -> bool:
    moments = [datetime.fromisoformat(date) for date in (one, other)]
    return all(moment.tzinfo for moment in moments) and moments[0] == moments[1]
