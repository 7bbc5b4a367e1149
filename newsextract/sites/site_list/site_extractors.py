"""The extractors named in a list of sites, by the hosts of their sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.reading.extraction.contract import create_extractor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.reading.extraction.contract import Extractor
    from newsextract.sites.site_list.site import Site


def extractors_of(sites: Iterable[Site]) -> dict[str, Extractor]:
    """Return the extractors named in a list of sites, by the hosts of their sites.

    Raises:
        UnknownExtractor, BadExtractorOption: a name or option is wrong.
    """
    return {
        host: create_extractor(site.extractor.name, **site.extractor.options)
        for site in sites
        if site.extractor
        for host in site.hosts
    }
