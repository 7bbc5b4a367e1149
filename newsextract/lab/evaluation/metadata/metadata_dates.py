"""What the places of a page say about a date that is not the gold's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.measures.metadata_scores import day_of, has_time, is_same_minute

if TYPE_CHECKING:
    from newsextract.lab.evaluation.metadata.metadata_cases import Difference
    from newsextract.lab.evaluation.metadata.metadata_evidence import Evidence, Place

_ZONES = (timedelta(hours=-12), timedelta(hours=14))
"""The zones furthest from UTC."""


def is_same_date(one: str, other: str) -> bool:
    """Tell whether two dates agree as far as both go.

    >>> is_same_date("2023-05-04T10:00:00", "2023-05-04"), is_same_date("2023-05-04T10:00:00", "2023-05-04T11:00:00")
    (True, False)
    """
    return is_same_minute(one, other) if has_time(one) and has_time(other) else day_of(one) == day_of(other)


def is_modification(page: Evidence, case: Difference) -> bool:
    """Tell whether places state the gold, and all of them say when the page was changed."""
    stating = [place for place in page.dates if is_same_date(place.text, case.gold)]
    return bool(stating) and all(place.is_modification for place in stating)


def is_other_zone(page: Evidence, case: Difference) -> bool:
    """Tell whether our moment is the gold's, seen from another time zone."""
    if not has_time(case.ours):
        return False
    moment = datetime.fromisoformat(case.ours)
    if moment.tzinfo is None:
        return False
    if has_time(case.gold):
        return is_same_minute(case.ours, case.gold)
    if moment.astimezone(UTC).date().isoformat() == case.gold:
        return True
    if any(is_instant(place, case.ours) and day_of(place.text) == case.gold for place in page.dates):
        return True
    reach = {(moment + zone).date().isoformat() for zone in _ZONES}
    is_utc = not moment.utcoffset()
    return is_utc and case.gold in reach and bool({"text", "url"} & set(page.places_of_day(case.gold)))


def is_instant(place: Place, iso: str) -> bool:
    """Tell whether a place states the same instant, offset and all."""
    is_zoned = has_time(place.text) and datetime.fromisoformat(place.text).tzinfo is not None
    return is_zoned and is_same_minute(place.text, iso)


def is_page_agreed(page: Evidence, case: Difference) -> bool:
    """Tell whether JSON-LD and meta tags both state our date, and neither the gold's."""
    published = [place for place in page.dates if not place.is_modification]
    ours = {place.source for place in published if case.ours and is_same_date(place.text, case.ours)}
    gold = {place.source for place in published if is_same_date(place.text, case.gold)}
    both = {"json_ld", "meta"}
    return both <= ours and not both & gold
