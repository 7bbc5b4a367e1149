"""The session of a site in one run: it begins with a login, and may end in mid-crawl."""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING

from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredLock

from newsextract.crawl.subscriptions.logging_in import LoggingIn
from newsextract.crawl.subscriptions.login_form import LoginBroken, LoginFailed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request
    from scrapy.http import Response

    from newsextract.crawl.subscriptions.subscription import Subscription

logger = logging.getLogger(__name__)

SESSION = "newsextract_session"
"""Key of a request's meta: the number of the session in which it was sent."""

PAUSES = (0.0, 0.0, 30.0)
"""Seconds since the last login before the first, second and third; a run makes no more of them at a site.

A session may end once by chance. Sessions that end often are a server's answer to a crawl.
"""

_SAME_TEXT = "pages have the same text"


AGAIN = (1.0, 15.0)
"""Seconds before a login that was broken off is tried again.

A server may close a connection in the moment in which the form is sent on it, and that is no reason to read a site
without its subscription. An account that is locked after some wrong passwords is not by these: no answer has come.
"""


class Session:
    """Whether the site knows us as a reader, by what has been seen of it."""

    def __init__(self, own: Subscription, download: Callable[[Request], Awaitable[Response]]) -> None:
        self.own = own
        self.number = 0
        """Counts the logins that worked."""
        self.tried = 0
        self.failure = ""
        """Why no login works any more; an empty text while one may."""
        self.is_suspect = False
        """Whether something other than a page's answer says that the session has ended."""
        self.ends: dict[int, str] = {}
        """The sessions that have ended, with what showed it."""
        self.refused = 0
        """Pages that showed the wall in spite of the subscription."""
        self.retried = 0
        """Pages that were asked for again in a newer session."""
        self.has_signed_articles = False
        """Whether articles show the sign of the login, so that one without it tells that the session has ended."""
        self.sign_is_unsteady = False
        """Whether some articles are without the sign in any session."""
        self._last = 0.0
        self._lock = DeferredLock()
        login = own.access.login
        self._logging_in = LoggingIn(own, login, download) if login else None

    @property
    def is_open(self) -> bool:
        """Whether a request goes out as a subscriber's."""
        return self.own.opens_by_itself or self.is_logged_in

    @property
    def is_logged_in(self) -> bool:
        """Whether a login has worked, and none has failed since."""
        return self.number > 0 and not self.failure

    @property
    def trouble(self) -> str:
        """What a person has to see to; an empty text if all is well."""
        if self.failure:
            return f"the login failed: {self.failure}; the site is read without it"
        if self.refused:
            what = "the login is no longer enough" if self._logging_in else "the cookies or headers may have expired"
            return f"{self.refused} pages refuse it or show the wall: {what}"
        return ""

    def counts(self) -> dict[str, int]:
        """Return the counts for the stats, by name."""
        return {
            "logins": self.number,
            "failed": int(bool(self.failure)),
            "ended": len(self.ends),
            "retried": self.retried,
            "refused": self.refused,
        }

    def note_wall(self, seen: int) -> None:
        """Note that a page of session `seen` has a text that many others have: the next page waits for a new login.

        This is told when a page has been read: of a session before the present one it says nothing new. It may be a
        notice and no wall, so it leads to one login in a run; then such pages count as refused.
        """
        if seen != self.number or self.is_suspect:
            return
        if self._logging_in is None or self.failure or _SAME_TEXT in self.ends.values():
            self.refused += 1
        else:
            self.ends.setdefault(seen, _SAME_TEXT)
            self.is_suspect = True

    async def ready(self) -> None:
        """Log in if this has not been tried, or if the session is suspected to have ended."""
        if self._logging_in is not None and (not self.tried or self.is_suspect):
            await self.renew(self.number)

    async def ended(self, seen: int, why: str) -> bool:
        """Note that an answer to session `seen` shows its end; return whether a newer session is open."""
        if seen not in self.ends:
            self.ends[seen] = why
            logger.warning("site %s: the session has ended: %s", self.own.site.name, why)
        return self._logging_in is not None and await self.renew(seen)

    async def renew(self, seen: int) -> bool:
        """Log in, unless it was done since session `seen`; return whether a newer session is open."""
        await maybe_deferred_to_future(self._lock.acquire())
        try:
            if self.number == seen and not self.failure:
                await self._log_in()
            self.is_suspect = False
            return self.number > seen and not self.failure
        finally:
            self._lock.release()

    async def _log_in(self) -> None:
        assert self._logging_in is not None  # noqa: S101 - who has no login is never renewed
        if self.tried >= len(PAUSES):
            self._fail(f"the session has ended after each of {self.tried} logins")
            return
        await _sleep(self._last + PAUSES[self.tried] - monotonic())
        self.tried += 1
        try:
            await self._run(self._logging_in)
        except LoginFailed as error:
            self._fail(str(error))
        else:
            self.number += 1
            logger.info("site %s: logged in", self.own.site.name)
        self._last = monotonic()

    async def _run(self, logging_in: LoggingIn) -> None:
        """Log in, again if that is broken off; raises `LoginFailed`."""
        for pause in AGAIN:
            try:
                return await logging_in.run()
            except LoginBroken as error:
                logger.info("site %s: the login was broken off, and is tried again: %s", self.own.site.name, error)
                await _sleep(pause)
        return await logging_in.run()

    def _fail(self, reason: str) -> None:
        # A server may put what it was sent into the address of a redirect.
        reason = self.own.hidden.without(reason.encode()).decode("utf-8", "replace")
        self.failure = reason
        self.own.forget_session()
        logger.warning("site %s: the login failed: %s; the site is read without it", self.own.site.name, reason)


async def _sleep(seconds: float) -> None:
    if seconds > 0:
        pause: Deferred[None] = Deferred()
        call_later(seconds, pause.callback, None)
        await maybe_deferred_to_future(pause)
