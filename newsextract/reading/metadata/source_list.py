"""The sources of metadata by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.article import Author
from newsextract.page.hints import FeedHints
from newsextract.reading.metadata import (
    article_language,
    breadcrumb_trail,
    live_blog,
    meta_tags,
    near_heading,
    site_places,
    usage_rights,
)
from newsextract.reading.metadata.authors import plain_bylines, visible_bylines
from newsextract.reading.metadata.dates import htmldate_guess, page_dates
from newsextract.reading.metadata.findings import Findings
from newsextract.reading.metadata.schema import microdata, schema_fields
from newsextract.reading.metadata.titles import headline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.reading.metadata.findings import Raw, Source
    from newsextract.reading.metadata.page_clues import Clues


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


SOURCES: Mapping[str, Source] = {
    "json_ld": schema_fields.read_json_ld,
    "meta_tags": meta_tags.read,
    "microdata": microdata.read,
    "heading": headline.read_heading,
    "feed": read_hints,
    "time_element": page_dates.read_time_elements,
    "byline": visible_bylines.read,
    "site_places": site_places.read,
    "near_heading": near_heading.read,
    "signed_line": plain_bylines.read_signed,
    "dateline": page_dates.read_datelines,
    "address_date": page_dates.read_address,
    "last_change": page_dates.read_change,
    "htmldate": htmldate_guess.read,
    "title": headline.read_window_title,
    "trail": breadcrumb_trail.read,
    "detection": article_language.read_running_text,
    "live_entries": live_blog.read_visible_entries,
    "robots_meta": usage_rights.read_robots_meta,
    "headers": usage_rights.read_headers,
    "tdmrep": usage_rights.read_site_file,
}
