"""Sanitises the HTML of an article again before it is shown: others may have written to the database."""

from __future__ import annotations

import re

import nh3

from newsextract.page.rendering.renderer import TAGS

_ATTRIBUTES = {"a": {"href"}, "img": {"src", "alt"}}
_PICTURE = re.compile(r"<img\b", re.IGNORECASE)


def shown(html: str | None, *, with_pictures: bool) -> str:
    """Return the markup with links that send no referrer, and with pictures only if they are wanted.

    >>> shown('<p onclick="x()">A <script>b</script><img src="https://a.example/c.png"></p>', with_pictures=False)
    '<p>A </p>'
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
