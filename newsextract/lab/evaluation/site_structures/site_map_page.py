"""The sites as one self-contained HTML page: the map of each, and its pages with the template greyed out."""

from __future__ import annotations

from html import escape
from importlib import resources
from string import Template
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.reports.embedding import script_safe, web_address

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from newsextract.lab.evaluation.site_structures.site_structures import SiteStructure

_STYLES = ("theme.css", "site_map.css")


def site_page(sites: Sequence[SiteStructure]) -> str:
    """Return the page."""
    content = [
        {**site, "pages": [{**page, "url": web_address(page["url"])} for page in site["pages"]]} for site in sites
    ]
    page = Template(_part("site_map.html")).substitute(
        styles="\n".join(map(_part, _STYLES)),
        script=_part("site_map.js"),
        headline=escape(_headline(sites)),
        sites=script_safe(content),
    )
    # A lone surrogate of a broken page cannot be written; NUL is not allowed in HTML.
    return page.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")


def write_site_page(sites: Sequence[SiteStructure], path: Path) -> None:
    """Write the page to a file."""
    path.write_text(site_page(sites), encoding="utf-8")


def _headline(sites: Sequence[SiteStructure]) -> str:
    pages, groups = sum(len(site["pages"]) for site in sites), sum(len(site["groups"]) for site in sites)
    known = [site["measures"]["exactitude"] for site in sites if site["measures"]]
    exact = f"; the article is found on {sum(known) / len(known):.0%} of a site's pages" if known else ""
    return f"{pages:,} pages of {len(sites):,} sites fall into {groups:,} structures{exact}"


def _part(name: str) -> str:
    return (resources.files("newsextract.lab.evaluation.reports") / "report" / name).read_text(encoding="utf-8")
