"""The sites as one self-contained HTML page: the map of each, and its pages with the template greyed out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.lab.evaluation.reports.embedding import script_safe, web_address
from newsextract.lab.evaluation.reports.page_template import filled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from newsextract.lab.evaluation.site_structures.site_structures import SiteStructure


def write_site_page(sites: Sequence[SiteStructure], path: Path) -> None:
    """Write the page to a file."""
    content = [
        {**site, "pages": [{**page, "url": web_address(page["url"])} for page in site["pages"]]} for site in sites
    ]
    path.write_text(filled("site_map.html", sites=sites, embedded=script_safe(content)), encoding="utf-8")
