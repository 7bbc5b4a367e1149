"""How the pages write values: times, numbers, languages, the fields of an article, and its HTML, sanitised again."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import nh3
from markupsafe import Markup

from newsextract.page.languages import is_known, is_right_to_left, language_name
from newsextract.page.rendering.renderer import ATTRIBUTES, TAGS
from newsextract.sites.site import primary
from newsextract.storage.export import names_in
from newsextract.storage.schema import snake_case

if TYPE_CHECKING:
    from collections.abc import Mapping

_ATTRIBUTES = {tag: names for tag, names in ATTRIBUTES.items() if tag != "code"}
"""Without the class of `code`, which could be one of the desk's own."""


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


def shown(value: Any) -> str:
    """Return a value of an article's row for people; an empty text if there is none.

    >>> shown([{"name": "A. B."}, {"name": "C"}]), shown([{"url": "u"}]), shown({"robots": ["noai"]}), shown(False)
    ('A. B., C', '1', 'robots: noai', 'no')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return percent(value)
    if isinstance(value, int):
        return grouped(value)
    if isinstance(value, list):
        return ", ".join(names_in(value)) or grouped(len(value) or None)
    if isinstance(value, dict):
        return "; ".join(f"{name}: {shown(part)}" for name, part in value.items() if part not in (None, "", []))
    return time_shown(value)


def facts(row: Mapping[str, Any]) -> dict[str, list[tuple[str, str, str]]]:
    """Return the fields of an article's row in groups: name, value, and where on the page it was found, if it was.

    What is not known is left out.
    """
    sources = {snake_case(name): str(source) for name, source in (row["sources"] or {}).items()}
    values = {column: shown(row[column]) for names in _GROUPS.values() for column in names}
    values["in_language"] = language_shown(row["in_language"])
    return {
        title: [(name, values[column], sources.get(column, "")) for column, name in names.items() if values[column]]
        for title, names in _GROUPS.items()
    }


_GROUPS = {
    "Fields": {
        "url": "URL",
        "canonical_url": "Canonical URL",
        "date_published": "Published",
        "date_modified": "Modified",
        "authors": "Authors",
        "publisher": "Publisher",
        "in_language": "Language",
        "section": "Section",
        "breadcrumbs": "Breadcrumbs",
        "keywords": "Keywords",
        "word_count": "Words",
        "images": "Pictures",
        "videos": "Videos",
        "audios": "Recordings",
        "embeds": "Embedded posts",
        "comments": "Comments",
        "live_blog_updates": "Entries",
        "is_accessible_for_free": "Free to read",
        "usage_rights": "Use by machines",
    },
    "How it was read": {
        "page_kind": "Kind of page",
        "probability": "Probability of an article",
        "reasons": "Reasons",
        "extractor": "Extractor",
        "confidence": "Confidence of the extractor",
        "date_first_seen": "First seen",
        "date_downloaded": "Last read",
    },
}
"""The names of the columns that are shown, in the order of the page."""
