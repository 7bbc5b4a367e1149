"""Who judges the candidates for each field, whichever source they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.metadata.authors.author_checks import check_authors
from newsextract.metadata.canonical import check_canonical
from newsextract.metadata.dates.date_checks import check_date
from newsextract.metadata.labels import (
    check_breadcrumbs,
    check_description,
    check_keywords,
    check_publisher,
    check_section,
)
from newsextract.metadata.language import check_language
from newsextract.metadata.live import check_updates
from newsextract.metadata.pictures import check_image, check_images
from newsextract.metadata.rights.access import check_free, check_selectors
from newsextract.metadata.rights.usage_rights import check_rights
from newsextract.metadata.titles.headline_checks import check_headline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.metadata.refusals import Check

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
