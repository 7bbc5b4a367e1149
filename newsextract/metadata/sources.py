"""Everybody who finds metadata on a page, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.metadata import detection, hinted, live_entries, meta_tags, near_heading, site_places, trail
from newsextract.metadata.authors import byline
from newsextract.metadata.dates import address_date, dateline, last_resort, time_element
from newsextract.metadata.rights import headers, robots_meta, tdmrep
from newsextract.metadata.schema import json_ld, microdata
from newsextract.metadata.titles import heading, title

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.metadata.findings import Source

SOURCES: Mapping[str, Source] = {
    "json_ld": json_ld.read,
    "meta_tags": meta_tags.read,
    "microdata": microdata.read,
    "heading": heading.read,
    "feed": hinted.read,
    "time_element": time_element.read,
    "byline": byline.read,
    "site_places": site_places.read,
    "near_heading": near_heading.read,
    "dateline": dateline.read,
    "address_date": address_date.read,
    "htmldate": last_resort.read,
    "title": title.read,
    "trail": trail.read,
    "detection": detection.read,
    "live_entries": live_entries.read,
    "robots_meta": robots_meta.read,
    "headers": headers.read,
    "tdmrep": tdmrep.read,
}
