"""Errors of requests that are not sent in this run because of their host; their URLs stay due."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest

if TYPE_CHECKING:
    from datetime import datetime


class LeftToNextRun(IgnoreRequest):
    """The request is not sent in this run; this does not count as a failure of its page."""

    until: datetime | None = None
    """The earliest time for another request, if the host named one."""


class HostIsSilent(LeftToNextRun):
    """The host does not answer."""


class HostIsBusy(LeftToNextRun):
    """The host has asked for longer pauses than one run allows."""

    def __init__(self, message: str, until: datetime | None = None) -> None:
        super().__init__(message)
        self.until = until


class RobotsUnknown(LeftToNextRun):
    """The robots.txt of the host could not be fetched; RFC 9309 forbids everything until it can."""

    def __init__(self, host: str, reason: str) -> None:
        super().__init__(f"the rules of {host} are not known: {reason}")
        self.reason = reason
