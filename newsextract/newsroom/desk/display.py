"""Formats values for the pages: times, numbers, the direction of a language, and an article's HTML, sanitised again."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

import nh3
from babel import Locale, UnknownLocaleError

from newsextract.page.language_tables import is_known, is_right_to_left
from newsextract.page.rendering.renderer import ATTRIBUTES, TAGS
from newsextract.sites.site_list.language_names import primary

_ATTRIBUTES = {tag: names for tag, names in ATTRIBUTES.items() if tag != "code"}
"""Without the class of `code`, which could be one of the desk's own."""
_PICTURE = re.compile(r"<img\b", re.IGNORECASE)


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


@lru_cache(maxsize=512)
def direction(language: str | None) -> str:
    """Return the direction of a language's script as HTML's `dir`; `auto` if the language is unknown.

    >>> direction("ar-EG"), direction("zh-Hant"), direction(None), direction("xx")
    ('rtl', 'ltr', 'auto', 'auto')
    """
    code = primary(language)
    if code is None or not is_known(code):
        return "auto"
    return "rtl" if is_right_to_left(code) else "ltr"


@lru_cache(maxsize=512)
def language_name(tag: str | None) -> str:
    """Return the English name of a language; a tag that names none is returned unchanged.

    >>> language_name("fr"), language_name("pt-BR"), language_name("xx"), language_name(None)
    ('French', 'Portuguese (Brazil)', 'xx', '')
    """
    if not tag:
        return ""
    try:
        return str(Locale.parse(tag, sep="-").get_display_name("en") or tag)
    except (UnknownLocaleError, ValueError):
        return str(Locale("en").languages.get(primary(tag) or "", tag))


FILTERS = {
    "time": time_shown,
    "grouped": grouped,
    "percent": percent,
    "direction": direction,
    "language": language_name,
}
"""The filters by their names in the templates."""


def shown(html: str | None, *, with_pictures: bool) -> str:
    """Return the markup with links that send no referrer, and with pictures only if they are wanted.

    >>> shown('<p onclick="x()">A <script>b</script><img src="https://a.example/c.png"></p>', with_pictures=False)
    '<p>A </p>'
    >>> shown('<ol start="3"><li>B</li></ol><code class="chip">x</code>', with_pictures=False)
    '<ol start="3"><li>B</li></ol><code>x</code>'
    """
    return nh3.clean(
        html or "",
        tags=set(TAGS) if with_pictures else set(TAGS) - {"img"},
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"img": {"loading": "lazy", "referrerpolicy": "no-referrer"}},
    )


def pictures(html: str | None) -> int:
    """Return the number of pictures in the markup."""
    return len(_PICTURE.findall(html or ""))
