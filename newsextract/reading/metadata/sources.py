"""The sources of metadata by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.article import Author
from newsextract.page.page import FeedHints
from newsextract.reading.metadata.authors import read_bylines, read_signed
from newsextract.reading.metadata.clues import Findings
from newsextract.reading.metadata.dates import read_address, read_datelines, read_htmldate, read_time_elements
from newsextract.reading.metadata.declared import read_json_ld, read_meta_tags, read_microdata
from newsextract.reading.metadata.labels import read_heading, read_trail, read_window_title
from newsextract.reading.metadata.language import read_running_text
from newsextract.reading.metadata.places import read_near_heading, read_site_places
from newsextract.reading.metadata.rights import read_headers, read_robots_meta, read_site_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.reading.metadata.clues import Clues, Raw, Source


def read_hints(clues: Clues) -> Findings:
    """Return the headline and the date from the feed or news sitemap that listed the page; more with a feed's text."""
    hints = clues.page.hints
    stated: dict[str, Raw | None] = {"headline": hints.title, "datePublished": hints.date}
    if isinstance(hints, FeedHints):
        stated |= {
            "dateModified": hints.modified,
            "authors": tuple(map(Author, hints.authors)),
            "description": hints.summary,
            "inLanguage": hints.language,
            "keywords": hints.keywords,
        }
    return Findings({field: [value] for field, value in stated.items() if value})


def read_change(clues: Clues) -> Findings:
    """Return the dates of the last change as dates of publication: pages that are kept up to date state no other."""
    stated = (source(clues).candidates.get("dateModified", ()) for source in (read_near_heading, read_time_elements))
    declared = (source(clues).candidates.get("dateModified", ()) for source in (read_json_ld, read_meta_tags))
    return Findings({"datePublished": [raw for found in (*stated, *declared) for raw in found]})


SOURCES: Mapping[str, Source] = {
    "json_ld": read_json_ld,
    "meta_tags": read_meta_tags,
    "microdata": read_microdata,
    "heading": read_heading,
    "feed": read_hints,
    "time_element": read_time_elements,
    "byline": read_bylines,
    "site_places": read_site_places,
    "near_heading": read_near_heading,
    "signed_line": read_signed,
    "dateline": read_datelines,
    "address_date": read_address,
    "last_change": read_change,
    "htmldate": read_htmldate,
    "title": read_window_title,
    "trail": read_trail,
    "detection": read_running_text,
    "robots_meta": read_robots_meta,
    "headers": read_headers,
    "tdmrep": read_site_file,
}
