"""The files at fixed places of a host: its tdmrep.json, and the sitemaps that its robots.txt names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.crawl.spiders.fetch_failures import is_absence, message_of, reason_of_failure
from newsextract.page.urls import clean_url, unique_urls
from newsextract.sites.robots import read_tdmrep, tdm_values
from newsextract.sites.site_files import SiteFileError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy import Request
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from twisted.python.failure import Failure

    from newsextract.crawl.spiders.request_making import RequestMaker
    from newsextract.crawl.spiders.source_reading import SourceReading
    from newsextract.sites.frontier import Frontier
    from newsextract.sites.robots import TdmRule

CUSTOMARY_SITEMAP = "/sitemap.xml"
"""The path of the sitemap if robots.txt names none."""


def sitemap_urls(robots: RobotParser | None, url: str, given: Sequence[str] = ()) -> list[str]:
    """Return the sitemaps given for the site, else those in the host's robots.txt, else the usual path."""
    if given:
        return list(given)
    named = list(getattr(getattr(robots, "rp", None), "sitemaps", ()))
    return unique_urls(clean_url(sitemap, url) for sitemap in named or [CUSTOMARY_SITEMAP])


@dataclass
class Reservations:
    """The rules of each host's tdmrep.json, by host and port; pages that arrive before the file get no rules."""

    _rules: dict[str, list[TdmRule]] = field(default_factory=dict)

    def claim(self, url: str) -> bool:
        """Mark the tdmrep.json of a URL's host as requested, and return whether it was not before."""
        host = urlsplit(url).netloc
        is_new = host not in self._rules
        self._rules.setdefault(host, [])
        return is_new

    def read(self, host: str, body: bytes, url: str) -> None:
        """Read the rules of a host; raises `SiteFileError` if the file is invalid."""
        self._rules[host] = read_tdmrep(body, url)

    def values(self, url: str) -> dict[str, str]:
        """Return the reservations that apply to a URL."""
        return tdm_values(self._rules.get(urlsplit(url).netloc, ()), url)


@dataclass(frozen=True)
class HostFiles:
    """Requests the files of each host, and reads its tdmrep.json."""

    make: RequestMaker
    sources: SourceReading
    reservations: Reservations

    async def requests(self, url: str, robots: RobotParser | None, frontier: Frontier) -> list[Request]:
        """Return the requests for the files of a page's host that were not requested yet."""
        is_wanted = self.reservations.claim(url)
        tdmrep = [self.make.tdmrep(url)] if is_wanted else []
        given = frontier.definition.sitemaps if frontier.definition else ()
        return [*tdmrep, *await self.sources.requests("sitemaps", sitemap_urls(robots, url, given), frontier)]

    def read_tdmrep(self, response: Response, host: str) -> None:
        """Read the rules in a host's tdmrep.json."""
        try:
            self.reservations.read(host, response.body, response.url)
        except SiteFileError as error:
            self.sources.note_unread(response.url, error.reason, error)

    def go_on_without(self, failure: Failure, request: Request) -> None:
        """Count a tdmrep.json that could not be fetched; most hosts have none, which is not reported."""
        if not is_absence(failure):
            self.sources.note_unread(request.url, reason_of_failure(failure, request), message_of(failure))
