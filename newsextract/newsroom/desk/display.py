"""How the pages write values: times, numbers, languages, the fields of an article, and its HTML, sanitised again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import nh3
from markupsafe import Markup

from newsextract.page.languages import is_known, is_right_to_left, language_name
from newsextract.page.rendering.renderer import ATTRIBUTES, TAGS
from newsextract.sites.languages import primary
from newsextract.storage.schema import snake_case

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ATTRIBUTES = {tag: names for tag, names in ATTRIBUTES.items() if tag != "code"}
"""Without the class of `code`, which could be one of the desk's own."""
_PICTURE = re.compile(r"<img\b", re.IGNORECASE)
_MOST_CHARS = 400


def time_shown(text: str | None) -> str:
    """Return a time for people, in its own time zone.

    >>> time_shown("2026-11-07T07:30:00-04:00"), time_shown("2026-11-22T00:11:56+00:00")
    ('2026-11-07 07:30 -04:00', '2026-11-22 00:11 UTC')
    >>> time_shown("2026-11-07"), time_shown("soon"), time_shown(None)
    ('2026-11-07', 'soon', '')
    """
    if not text or len(text) <= len("2026-11-07"):
        return text or ""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text
    offset = time.isoformat()[-6:] if time.tzinfo else ""
    return f"{time:%Y-%m-%d %H:%M} {'UTC' if offset == '+00:00' else offset}".strip()


def grouped(number: float | None) -> str:
    """Return a number with its thousands separated.

    >>> grouped(20000), grouped(None)
    ('20\u202f000', '')
    """
    return "" if number is None else f"{number:,}".replace(",", "\u202f")


def percent(share: float | None) -> str:
    r"""Return a share in percent, never rounded up to 100.

    >>> percent(0.996), percent(1.0), percent(None)
    ('99\xa0%', '100\xa0%', '')
    """
    return "" if share is None else f"{int(share * 100 + 1e-9)}\u00a0%"


def direction(language: str | None) -> str:
    """Return the direction of a language's script as HTML's `dir`; `auto` if the language is unknown.

    >>> direction("ar-EG"), direction("zh-Hant"), direction(None), direction("xx")
    ('rtl', 'ltr', 'auto', 'auto')
    """
    code = primary(language)
    if code is None or not is_known(code):
        return "auto"
    return "rtl" if is_right_to_left(code) else "ltr"


def language_shown(tag: str | None) -> str:
    """Return the English name of a language; a tag that names none is returned unchanged.

    >>> language_shown("fr"), language_shown("pt-BR"), language_shown("xx"), language_shown(None)
    ('French', 'Portuguese (BR)', 'xx', '')
    """
    code, _, rest = (tag or "").replace("_", "-").partition("-")
    name = language_name(code.lower())
    return f"{name} ({rest})" if rest else name if code else ""


def is_web(url: str | None) -> bool:
    """Return whether a URL may become a link."""
    return (url or "").startswith(("http://", "https://"))


def sanitised(html: str | None, *, with_pictures: bool) -> Markup:
    """Return the markup with links that send no referrer, and with pictures only if they are wanted.

    >>> print(sanitised('<p onclick="x()">A <script>b</script><img src="/c.png"></p>', with_pictures=False))
    <p>A </p>
    """
    cleaned = nh3.clean(
        html or "",
        tags=set(TAGS) if with_pictures else set(TAGS) - {"img"},
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"img": {"loading": "lazy", "referrerpolicy": "no-referrer"}},
    )
    return Markup(cleaned)  # noqa: S704 - sanitised just now


def pictures(html: str | None) -> int:
    """Return the number of pictures in the markup."""
    return len(_PICTURE.findall(html or ""))


@dataclass(frozen=True)
class Fact:
    """Something that is known about an article."""

    name: str
    value: str
    source: str = ""
    """Where on the page it was found; empty if it is not from the page."""


def facts(row: Mapping[str, Any]) -> dict[str, list[Fact]]:
    """Return the fields of an article's row in groups, each with its source; what is not known is left out."""
    sources = {snake_case(name): str(source) for name, source in (row["sources"] or {}).items()}
    found = {
        title: [
            Fact(name, value if len(value) <= _MOST_CHARS else f"{value[:_MOST_CHARS]} …", sources.get(column, ""))
            for column, (name, write) in group.items()
            if (value := write(row, column))
        ]
        for title, group in _GROUPS.items()
    }
    return {title: group for title, group in found.items() if group}


def _text(row: Mapping[str, Any], column: str) -> str:
    return "" if row[column] is None else str(row[column])


def _time(row: Mapping[str, Any], column: str) -> str:
    return time_shown(row[column])


def names_in(value: Any) -> list[str]:
    """Return the names of the parts of a list, or the parts where they are texts.

    >>> names_in([{"name": "A. B.", "url": None}, {"name": None}]), names_in(["x"]), names_in(None)
    (['A. B.'], ['x'], [])
    """
    parts = (part.get("name") if isinstance(part, dict) else part for part in value or ())
    return [str(part) for part in parts if part]


def _names(row: Mapping[str, Any], column: str) -> str:
    return (" › " if column == "breadcrumbs" else ", ").join(names_in(row[column]))


def _count(row: Mapping[str, Any], column: str) -> str:
    value = row[column]
    return grouped(len(value) or None if isinstance(value, list) else value)


def _free(row: Mapping[str, Any], column: str) -> str:
    if row[column] is None:
        return ""
    return "yes" if row[column] else "in part" if row["paywalled_parts"] else "no"


def _rights(row: Mapping[str, Any], column: str) -> str:
    """Return what is stated on use by machines.

    >>> _rights({"usage_rights": {"tdmReservation": True, "tdmPolicy": None, "robots": ["noai"]}}, "usage_rights")
    'tdmReservation: True; robots: noai'
    """
    stated = (
        (name, ", ".join(value) if isinstance(value, list) else value) for name, value in (row[column] or {}).items()
    )
    return "; ".join(f"{name}: {value}" for name, value in stated if value not in (None, ""))


def _other_url(row: Mapping[str, Any], column: str) -> str:
    return "" if row[column] == row["url"] else row[column] or ""


def _sure(confidence: str, write: Callable[[str], str] = str) -> Callable[[Mapping[str, Any], str], str]:
    """Return what writes a value with the confidence in it, which another column has."""

    def written(row: Mapping[str, Any], column: str) -> str:
        sure = row[confidence]
        return write(row[column] or "") + (f", {percent(sure)} sure" if row[column] and sure is not None else "")

    return written


_GROUPS: dict[str, dict[str, tuple[str, Callable[[Mapping[str, Any], str], str]]]] = {
    "Fields": {
        "url": ("URL", _text),
        "canonical_url": ("Canonical URL", _other_url),
        "date_published": ("Published", _time),
        "date_modified": ("Modified", _time),
        "authors": ("Authors", _names),
        "publisher": ("Publisher", _text),
        "in_language": ("Language", _sure("language_confidence", language_shown)),
        "section": ("Section", _text),
        "breadcrumbs": ("Breadcrumbs", _names),
        "keywords": ("Keywords", _names),
        "word_count": ("Words", _count),
        "images": ("Pictures", _count),
        "videos": ("Videos", _count),
        "audios": ("Recordings", _count),
        "embeds": ("Embedded posts", _count),
        "comments": ("Comments", _count),
        "live_blog_updates": ("Entries", _count),
        "is_accessible_for_free": ("Free to read", _free),
        "usage_rights": ("Use by machines", _rights),
    },
    "How it was read": {
        "page_kind": ("Kind of page", _sure("probability")),
        "reasons": ("Reasons", _names),
        "extractor": ("Extractor", _sure("confidence")),
        "date_first_seen": ("First seen", _time),
        "date_downloaded": ("Last read", _time),
    },
}
"""The fields in the order of the page: the column of each, its name, and how its value is written."""

FILTERS: dict[str, Callable[..., Any]] = {
    "time": time_shown,
    "grouped": grouped,
    "percent": percent,
    "direction": direction,
    "language": language_shown,
    "names": names_in,
}
"""By their names in the templates."""
