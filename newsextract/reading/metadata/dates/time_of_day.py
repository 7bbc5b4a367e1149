"""Parse the time of day after a date, with its zone, into ISO 8601."""

from __future__ import annotations

import re

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
_MAX_GAP = 16
"""The most characters between a date and its time."""

_ZONE_HOURS = {
    name: hours
    for hours, names in (
        (-8, "PST"),
        (-7, "PDT MST"),
        (-6, "MDT CST"),
        (-5, "CDT EST"),
        (-4, "EDT"),
        (0, "Z UTC GMT"),
        (1, "BST CET MEZ"),
        (2, "CEST EET MESZ"),
        (3, "EEST MSK"),
        (7, "WIB"),
        (9, "JST KST"),
    )
    for name in names.split()
}
"""Hours ahead of UTC by the zone abbreviations that newsrooms use."""

_OFFSET = re.compile(r"(?P<sign>[+-])(?P<hours>\d{1,2}?)(?::?(?P<minutes>\d\d))?$")
_MAX_OFFSET_HOURS = 14


def time_after(text: str, position: int) -> tuple[str, int]:
    """Return the time after a date in ISO 8601 (`T…`, or an empty string), and the offset where it ends.

    >>> time_after("May 4, 2023 at 10:30 p.m. EST", 11)
    ('T22:30:00-05:00', 29)
    """
    gap = _GAP.match(text, position)
    start = gap.end() if gap and gap.end() - position <= _MAX_GAP else position
    match = _CLOCK.match(text, start)
    if not match or not (match["minute"] or match["half"]):
        return "", position
    hour = int(match["hour"])
    if match["pm"] or match["half"]:
        is_late = match["pm"] or match["half"].lower()[0] in "pμم"
        hour = hour % 12 + (12 if is_late else 0)
    offset = offset_of(match["zone"] or "")
    stop = match.end() if offset or not match["zone"] else match.start("zone")
    return f"T{hour:02}:{match['minute'] or '00'}:{match['second'] or '00'}{offset}", stop


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
