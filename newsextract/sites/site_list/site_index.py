"""The sites of a run, by host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.page.urls.clean_urls import site_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.sites.site_list.site import Site


class SiteIndex:
    """Finds the site of a URL: the one with the longest host, if one is a subdomain of another."""

    def __init__(self, sites: Iterable[Site]) -> None:
        self._by_host = {host: site for site in sites for host in site.hosts}

    def find(self, url: str) -> Site | None:
        """Return the site of a URL; `None` if it belongs to none.

        >>> from newsextract.sites.site_list.site import Site
        >>> index = SiteIndex([Site("https://a.example/"), Site("https://sport.a.example/")])
        >>> [found.name for path in ("www.a.example/1", "live.sport.a.example/2") if (found := index.find(f"http://{path}"))]
        ['a.example', 'sport.a.example']
        """
        host = site_of(url)
        while host:
            if site := self._by_host.get(host):
                return site
            host = host.partition(".")[2]
        return None
