"""Who judges the candidates for each field, whichever source they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.reading.metadata.article_language import check_language
from newsextract.reading.metadata.authors.author_checks import check_authors
from newsextract.reading.metadata.canonical_url import check_canonical
from newsextract.reading.metadata.dates.date_checks import check_date
from newsextract.reading.metadata.label_checks import (
    check_breadcrumbs,
    check_description,
    check_keywords,
    check_publisher,
    check_section,
)
from newsextract.reading.metadata.live_blog import check_updates
from newsextract.reading.metadata.picture_checks import check_image, check_images
from newsextract.reading.metadata.rights.access import check_free, check_selectors
from newsextract.reading.metadata.rights.usage_rights import check_rights
from newsextract.reading.metadata.titles.headline_checks import check_headline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.reading.metadata.refusals import Check

CHECKS: Mapping[str, Check] = {
    "headline": check_headline,
    "description": check_description,
    "datePublished": check_date,
    "dateModified": check_date,
    "authors": check_authors,
    "publisher": check_publisher,
    "inLanguage": check_language,
    "section": check_section,
    "keywords": check_keywords,
    "breadcrumbs": check_breadcrumbs,
    "mainImage": check_image,
    "images": check_images,
    "canonicalUrl": check_canonical,
    "isAccessibleForFree": check_free,
    "paywalledParts": check_selectors,
    "usageRights": check_rights,
    "liveBlogUpdates": check_updates,
}
