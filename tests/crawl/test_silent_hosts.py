"""Hosts that do not answer, as the sites that visit them find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scrapy import Request
from scrapy.exceptions import CannotResolveHostError, DownloadTimeoutError
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from newsextract.crawl.middlewares.left_hosts import HostIsSilent
from newsextract.crawl.middlewares.silent_hosts import MOST_FAILURES, SilentHosts
from newsextract.crawl.visit import VISIT, Visit
from newsextract.storage.ledger.ledger import Finding, Role

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector


@pytest.fixture
def hosts() -> SilentHosts:
    stats: StatsCollector | None = get_crawler().stats
    assert stats is not None
    return SilentHosts(stats)


def request(site: str, role: Role = Role.ARTICLE) -> Request:
    """Return a request of a site, to a host that may be another's."""
    url = "https://a.example/story.html"
    return Request(url, meta={VISIT: Visit(Finding(url, site, role))})


def test_a_site_cannot_silence_the_host_of_another(hosts: SilentHosts) -> None:
    for _ in range(MOST_FAILURES):
        hosts.process_exception(request("b.example", Role.SOURCE), DownloadTimeoutError())
    hosts.process_exception(request("b.example", Role.SOURCE), CannotResolveHostError())
    hosts.process_request(request("a.example"))
    with pytest.raises(HostIsSilent, match=r"https://a\.example does not answer"):
        hosts.process_request(request("b.example"))


def test_only_failures_in_a_row_count(hosts: SilentHosts) -> None:
    for _ in range(2):
        for _ in range(MOST_FAILURES - 1):
            hosts.process_exception(request("a.example"), DownloadTimeoutError())
        # The answer to another site says nothing of how this one is answered.
        hosts.process_response(request("b.example"), Response("https://a.example/"))
        hosts.process_request(request("a.example"))
        hosts.process_response(request("a.example"), Response("https://a.example/"))
    for _ in range(MOST_FAILURES):
        hosts.process_exception(request("a.example"), DownloadTimeoutError())
    with pytest.raises(HostIsSilent):
        hosts.process_request(request("a.example"))
