"""Keeps crawler traps out of a run: those that a URL gives away, and those that show by how many URLs are alike.

Only pages found through links are judged: a site lists a page in a sitemap or feed on purpose. Sitemaps themselves
are limited in number.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from newsextract.page.urls import url_key
from newsextract.sites.addresses.trap_urls import trap_of

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

MAX_OF_SHAPE, VISITS_WITHOUT_ARTICLE = 300, 50
"""URLs of one shape that are admitted, and the visits without an article after which that limit applies."""

MAX_LINKS = 20_000
"""URLs taken from links per site and run: a hundred from each of the listings that are visited."""

MAX_SOURCES = 10_000
"""Sitemaps and feeds read per site and run: one a day for twenty-five years."""

MAX_SOURCES_WITHOUT_FIND = 100
"""Sitemaps in a row that list no page: indexes that lead to nothing but indexes."""

MAX_SHAPES, MAX_NOTED = 10_000, 100_000
"""Shapes and URLs kept per site, to limit memory; shapes met after those are not judged."""

_SESSION = re.compile(
    r";(?:jsession|session|s)id=[^/?#]*|(?<=[?&])(?:jsessionid|phpsessid|sessionid|session_id|sid|cfid|cftoken"
    r"|aspsessionid\w*|zenid|oscsid)=[^&#]*&?|/\(s\([a-z0-9]{20,}\)\)",
    re.IGNORECASE,
)


def shape_of(url: str) -> str:
    """Return what the URLs made by one script have in common: the path without its digits, and the query's names.

    >>> shape_of("https://example.com/events/2026-05-14/?view=day&id=7")
    '/events/0-0-0/?id&view'
    """
    parts = urlsplit(url)
    names = "&".join(sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}))
    return re.sub(r"\d+", "0", parts.path) + (f"?{names}" if names else "")


def without_session(url: str) -> str:
    """Return the URL without its session id.

    >>> without_session("https://example.com/a.html;jsessionid=B01BDC.2_cid390?sid=58428beaa145&b=1")
    'https://example.com/a.html?b=1'
    """
    return _SESSION.sub("", url).rstrip("?&")


@dataclass(slots=True)
class _Shape:
    admitted: int = 0
    visits: int = 0
    articles: int = 0


@dataclass
class TrapGuard:
    """Keeps a site's traps out of a run; `counts` has the number of skipped URLs by reason."""

    site: str = ""
    today: date = field(default_factory=lambda: datetime.now(UTC).date())
    report: Callable[[str], None] = lambda _reason: None
    """Called with the reason for every URL that is skipped."""

    counts: Counter[str] = field(default_factory=Counter)
    sources_without_find: int = 0
    """Sitemaps and feeds read since one last listed a page."""

    _admitted: int = 0
    _sources: int = 0
    _shapes: dict[str, _Shape] = field(default_factory=dict)
    _without_session: set[str] = field(default_factory=set)
    _noted: set[str] = field(default_factory=set)

    def admit(self, url: str) -> bool:
        """Return whether a URL found through a link may enter the frontier; call it once for each new URL."""
        if url_key(url) in self._noted:
            return False
        reason = trap_of(url, self.today) or self._session_trap(url) or self._shape_trap(url)
        if not reason and self._admitted >= MAX_LINKS:
            reason = "link limit"
        if reason:
            self.note(reason, url)
        self._admitted += reason is None
        return reason is None

    def admit_source(self, url: str) -> bool:
        """Return whether a sitemap or feed may be read; call it once for each new one."""
        if self._sources >= MAX_SOURCES:
            self.note("source limit", url)
            return False
        if self.sources_without_find >= MAX_SOURCES_WITHOUT_FIND:
            self.note("sitemaps without end", url)
            return False
        self._sources += 1
        return True

    def note(self, reason: str, url: str) -> None:
        """Count a skipped URL the first time it is met, and log the first one of each reason."""
        key = url_key(url)
        if key in self._noted:
            return
        if len(self._noted) < MAX_NOTED:
            self._noted.add(key)
        self.counts[reason] += 1
        self.report(reason)
        if self.counts[reason] == 1:
            logger.info("%s: leaves out addresses, the first of them %s: %s", self.site, url, reason)

    def settle(self, url: str, *, is_article: bool) -> None:
        """Record whether a visit gave an article, by which the shape of its URL is judged."""
        if shape := self._shapes.get(shape_of(url)):
            shape.visits += 1
            shape.articles += is_article

    def _session_trap(self, url: str) -> str | None:
        bare = without_session(url)
        if bare == url:
            return None
        # The first is visited: some sites have no URL without one.
        key = url_key(bare)
        is_known = key in self._without_session
        self._without_session.add(key)
        return "session id" if is_known else None

    def _shape_trap(self, url: str) -> str | None:
        key = shape_of(url)
        if key not in self._shapes and len(self._shapes) >= MAX_SHAPES:
            return None
        shape = self._shapes.setdefault(key, _Shape())
        is_barren = shape.visits >= VISITS_WITHOUT_ARTICLE and not shape.articles
        if is_barren and shape.admitted >= MAX_OF_SHAPE:
            return "too many alike"
        shape.admitted += 1
        return None
