"""Everybody who finds metadata on a page, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.reading.metadata import (
    breadcrumb_trail,
    hinted_values,
    language_detection,
    meta_tags,
    near_heading,
    site_places,
    visible_live_entries,
)
from newsextract.reading.metadata.authors import visible_bylines
from newsextract.reading.metadata.dates import dateline, htmldate_guess, time_element, url_date
from newsextract.reading.metadata.rights import rights_headers, robots_meta, site_reservation
from newsextract.reading.metadata.schema import json_ld, microdata
from newsextract.reading.metadata.titles import heading, window_title

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.reading.metadata.findings import Source

SOURCES: Mapping[str, Source] = {
    "json_ld": json_ld.read,
    "meta_tags": meta_tags.read,
    "microdata": microdata.read,
    "heading": heading.read,
    "feed": hinted_values.read,
    "time_element": time_element.read,
    "byline": visible_bylines.read,
    "site_places": site_places.read,
    "near_heading": near_heading.read,
    "dateline": dateline.read,
    "address_date": url_date.read,
    "htmldate": htmldate_guess.read,
    "title": window_title.read,
    "trail": breadcrumb_trail.read,
    "detection": language_detection.read,
    "live_entries": visible_live_entries.read,
    "robots_meta": robots_meta.read,
    "headers": rights_headers.read,
    "tdmrep": site_reservation.read,
}
