"""Which sections of a site are wanted, by paths as people write them in a list of sites."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from posixpath import splitext
from urllib.parse import unquote, urlsplit

MAX_PATTERN_CHARS = 200
"""A longer path is not a section's."""

_FILE_EXTENSIONS = frozenset({".xml", ".gz", ".rss", ".atom", ".txt", ".json"})
"""Endings of sitemaps, feeds and robots.txt, which concern the whole site, wherever they are."""


@dataclass(frozen=True, slots=True)
class Sections:
    """The wanted paths of a site: those below `only`, or all, without those below `excluded`.

    A path stands for itself and everything below it; `*` for any characters. Case is ignored.
    """

    only: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """Return whether a URL is in a wanted section; a file such as a sitemap always is.

        >>> wanted = Sections(only=("/international/", "/20*/eco"), excluded=("/international/video",))
        >>> [wanted.allows(f"https://a.example/{path}") for path in ("international", "international/a.html", "sport/")]
        [True, True, False]
        >>> paths = ("2026/05/eco/a", "2026/economy", "international/video/1")
        >>> [wanted.allows(f"https://a.example/{path}") for path in paths]
        [True, False, False]
        >>> wanted.allows("https://a.example/sitemaps/news.xml")
        True
        """
        path = path_of(url)
        if splitext(path.partition("?")[0])[1] in _FILE_EXTENSIONS:
            return True
        is_wanted = not self.only or any(_pattern(each).match(path) for each in self.only)
        return is_wanted and not any(_pattern(each).match(path) for each in self.excluded)


def path_of(url: str) -> str:
    """Return the path and query of a URL, decoded and in lower case; the home page's is `/`.

    >>> path_of("https://a.example/D%C3%A9bats?Page=2"), path_of("https://a.example")
    ('/débats?page=2', '/')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return "/"
    query = f"?{parts.query}" if parts.query else ""
    return unquote(f"{parts.path or '/'}{query}").casefold()


@lru_cache(maxsize=4096)
def _pattern(written: str) -> re.Pattern[str]:
    *first, last = (re.escape(part) for part in unquote(written).casefold().rstrip("/").split("*"))
    if not first:
        return re.compile(f"{last}(?:[/?]|$)", re.DOTALL)
    # Atomic groups except for the last, so that no URL makes several stars backtrack.
    middle = "".join(f"(?>.*?{part})" for part in first[1:])
    end = f".*{last}(?:[/?]|$)" if last else ""
    return re.compile(f"{first[0]}{middle}{end}", re.DOTALL)
