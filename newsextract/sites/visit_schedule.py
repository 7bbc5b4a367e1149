"""When to visit again: an article by its age, a listing by how often it changes, a failure by its reason.

Times have a time zone. Nothing here knows a database, or how often runs begin: the next run visits what is due.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from enum import Enum
from typing import TYPE_CHECKING

from newsextract.reading.notices import PageState

if TYPE_CHECKING:
    from collections.abc import Mapping


_DAY = timedelta(days=1)
_HALF_HOURS = tuple(timedelta(minutes=30) * 2**times for times in range(6))


class RetryPolicy(Enum):
    """How long to retry after a visit that gave no article.

    The values are the waits after the first failure in a row, the second, and so on; then the URL is given up.
    """

    TRANSIENT = (timedelta(0), *_HALF_HOURS, _DAY, _DAY, _DAY)
    """A problem of the server: the next run retries, later runs retry less often, for four days."""
    PERMANENT = (_DAY, 3 * _DAY)
    """A problem of the page: it is gone, or not a page. Sites do lose pages for a day when they move."""
    REFUSED = (_DAY, 2 * _DAY, 4 * _DAY, 8 * _DAY)
    """Access is denied. A firewall that took us for an attack forgets within days."""
    EMPTY = (_DAY,)
    """An article that was announced before it was written."""
    NEVER = ()
    """It is not an article, and will not become one."""

    @classmethod
    def of_state(cls, state: str) -> RetryPolicy:
        """Return the retry with pages in a state, if nothing more is known about them."""
        return _BY_STATE.get(state, cls.TRANSIENT)

    @classmethod
    def of_status(cls, status: int) -> RetryPolicy:
        """Return the retry with the HTTP status of a failed response.

        >>> [RetryPolicy.of_status(status).name for status in (404, 403, 429, 500)]
        ['PERMANENT', 'REFUSED', 'TRANSIENT', 'TRANSIENT']
        """
        if status in _DENYING:
            return cls.REFUSED
        return cls.PERMANENT if 400 <= status < 500 and status not in _BUSY else cls.TRANSIENT


_BUSY = frozenset((408, 425, 429))
_DENYING = frozenset((401, 402, 403, 407, 451))

_ENDS = (PageState.OTHER, PageState.LISTING, PageState.DUPLICATE, PageState.PART, PageState.DROPPED)
_BY_STATE: Mapping[str, RetryPolicy] = {
    **dict.fromkeys(_ENDS, RetryPolicy.NEVER),
    PageState.EMPTY: RetryPolicy.EMPTY,
    PageState.BLOCKED: RetryPolicy.REFUSED,
}


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How the interval between the visits of a listing adapts."""

    start: int
    """In seconds."""
    longest: int
    """In seconds."""
    faster: float
    """The factor after a visit that found something new."""
    slower: float
    """The factor after one that did not."""


MIN_ARTICLE_WAIT = timedelta(minutes=30)
"""Runs begin about this often; requesting one page more often is impolite."""

ARTICLE_LIFE = timedelta(days=14)
"""Corrections come in the first days; after two weeks only the sitemap's `lastmod` shows them, if anything does."""

FIRST_HOURS, MAX_FIRST_WAIT = timedelta(hours=3), timedelta(hours=1)
"""While a story is breaking it is visited every hour, even if it did not change: this costs two visits."""

_MAX_DOUBLINGS = 3
"""So an unchanged article is visited again at most at five times its age: at three hours, fifteen hours, three days."""

UNDATED_WAIT = timedelta(days=1)
"""An undated page of an archive is old, as a rule: thousands of them must not be visited twice on the first day."""

_FRESH_ORIGINS = frozenset({"feed", "news_sitemap", "home"})
"""Sources that list only new articles, dated or not."""

_LIVELY_SOURCES = frozenset({"feed", "news_sitemap"})

MIN_LISTING_SECONDS = 300
"""For crawls that run more often than every half hour; no listing is worth more requests."""

_LIVELY = Rhythm(start=600, longest=6 * 3600, faster=1 / 2, slower=3 / 2)
"""Front pages and feeds: two quiet visits still leave them due at each half hour; at night they are not forgotten."""

_QUIET = Rhythm(start=3600, longest=7 * 86400, faster=2 / 3, slower=2)
"""Sections and other sitemaps: there are hundreds. The factors balance where five visits of eight find something, so
that what gets an article an hour is visited about hourly; with those of the front page it would be every 22 minutes.
One that has died may wake up, and is found so within a week."""

_CRIES_WOLF_DOUBLINGS = 16
"""Four years: more doublings change nothing but the size of the numbers."""


def next_article_visit(
    now: datetime,
    published: datetime | None,
    first_seen: datetime,
    *,
    found_in: str | None,
    unchanged: int,
    changed: bool,
) -> datetime | None:
    """Return when to visit an article again: after about half its age, or never (None) beyond `ARTICLE_LIFE`.

    `found_in` is what `origin` returns; `unchanged` counts the visits in a row that found the article as it was, each
    of which doubles the wait; `changed` tells that this one, not the first, found it changed, which halves it.

    >>> noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    >>> def wait(hours: float, unchanged: int = 0, changed: bool = False) -> str:
    ...     visit = noon + timedelta(hours=hours)
    ...     again = next_article_visit(visit, noon, noon, found_in="feed", unchanged=unchanged, changed=changed)
    ...     return str(again - visit if again else None)
    >>> [wait(0.5), wait(3), wait(24), wait(200), wait(300)]
    ['0:30:00', '1:30:00', '12:00:00', '4 days, 4:00:00', 'None']
    >>> [wait(4, changed=True), wait(4, unchanged=1), wait(4, unchanged=9)]
    ['1:00:00', '4:00:00', '16:00:00']
    """
    born = _born(now, published, first_seen)
    wait = (now - born) / 2
    wait = wait / 2 if changed else wait * 2 ** min(unchanged, _MAX_DOUBLINGS)
    if now - born < FIRST_HOURS:
        wait = min(wait, MAX_FIRST_WAIT)
    is_maybe_old = published is None and found_in not in _FRESH_ORIGINS
    again = now + max(wait, UNDATED_WAIT if is_maybe_old else MIN_ARTICLE_WAIT)
    return again if again - born <= ARTICLE_LIFE else None


def _born(now: datetime, published: datetime | None, first_seen: datetime) -> datetime:
    """Return the time from which an article's age counts; a date in the future or without a time is not used."""
    seen = min(first_seen, now)
    if published is None or published > now:
        return seen
    is_day_only = published.astimezone(UTC).time() == time()
    return seen if is_day_only and timedelta(0) <= seen - published < _DAY else published


def origin(found_in: str | None, depth: int) -> str | None:
    """Return the source of a URL, with links on the home page distinguished from those on deeper pages.

    >>> origin("links", 1), origin("links", 2), origin("feed", 1)
    ('home', 'links', 'feed')
    """
    return "home" if found_in == "links" and depth <= 1 else found_in


def next_listing_interval(previous: int | None, *, changed: bool, found_in: str | None, depth: int) -> int:
    """Return the seconds until the next visit of a listing or source; `previous` is the last answer, at first `None`.

    The home page (depth 0, not a sitemap), feeds and news sitemaps count as lively; `found_in` names the kind.

    >>> def minutes(depth: int) -> list[int]:
    ...     seconds, rhythm = None, []
    ...     for changed in (True, False, False, True, True):
    ...         seconds = next_listing_interval(seconds, changed=changed, found_in="links", depth=depth)
    ...         rhythm.append(seconds // 60)
    ...     return rhythm
    >>> minutes(depth=0), minutes(depth=1)
    ([10, 15, 22, 11, 5], [60, 120, 240, 160, 106])
    >>> next_listing_interval(None, changed=False, found_in="feed", depth=1)
    600
    >>> next_listing_interval(6 * 86400, changed=False, found_in="sitemap", depth=1) == 7 * 86400
    True
    """
    rhythm = _rhythm(found_in, depth)
    if previous is None:
        return rhythm.start
    seconds = int(previous * (rhythm.faster if changed else rhythm.slower))
    return max(MIN_LISTING_SECONDS, min(seconds, rhythm.longest))


def longest_listing_interval(found_in: str | None, depth: int) -> int:
    """Return the longest time in seconds until a listing or source is visited again."""
    return _rhythm(found_in, depth).longest


def _rhythm(found_in: str | None, depth: int) -> Rhythm:
    is_lively = found_in in _LIVELY_SOURCES or (depth == 0 and found_in != "sitemap")
    return _LIVELY if is_lively else _QUIET


def next_failed_visit(now: datetime, failures: int, retry: RetryPolicy) -> datetime | None:
    """Return when to retry a URL that gave no article; `None` to give it up.

    `failures` counts those in a row, this one included, from 1.

    >>> noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    >>> [str(next_failed_visit(noon, times, RetryPolicy.TRANSIENT) or "never")[5:16] for times in (1, 2, 3, 10, 11)]
    ['03-01 12:00', '03-01 12:30', '03-01 13:00', '03-02 12:00', '']
    >>> [next_failed_visit(noon, times, RetryPolicy.PERMANENT) is None for times in (1, 2, 3)]
    [False, False, True]
    """
    times, waits = max(failures, 1), retry.value
    return now + waits[times - 1] if times <= len(waits) else None


def is_due_by_source(listed: datetime | None, visited: datetime, unchanged: int, now: datetime) -> bool:
    """Return whether a source's date that is newer than our last visit is a reason to visit now.

    Some generators date everything "today", every day: each visit in a row that found nothing doubles the wait.

    >>> noon, hour = datetime(2026, 3, 1, 12, tzinfo=UTC), timedelta(hours=1)
    >>> [is_due_by_source(noon + hour, noon, unchanged, noon + 2 * hour) for unchanged in (0, 2, 3)]
    [True, True, False]
    """
    wait = MIN_ARTICLE_WAIT * 2 ** min(unchanged, _CRIES_WOLF_DOUBLINGS)
    return listed is not None and listed > visited and now - visited >= wait
