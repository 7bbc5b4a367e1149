"""What is wanted of every page of a run; it goes to all workers, and into `run.json`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from newsextract.archives.engine.page_limits import PAGE_BYTES, PAGE_SECONDS
from newsextract.archives.filters import PageFilter, RecordFilter
from newsextract.reading.notices import ARTICLE_LIKE, DEFAULT_EXTRACTOR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.reading.rules import SiteRules


@dataclass(frozen=True)
class ReadingPlan:
    """How pages are chosen and read."""

    extractor: str = DEFAULT_EXTRACTOR
    options: Mapping[str, Any] = field(default_factory=dict)
    """The extractor's own options."""
    kinds: tuple[str, ...] = ARTICLE_LIKE
    """The kinds of pages that become articles."""
    comments: bool = False
    markdown: bool = False
    page_seconds: float = PAGE_SECONDS
    """A page that takes longer is killed."""
    page_bytes: int = PAGE_BYTES
    """A larger page counts as damaged."""
    records: RecordFilter = field(default_factory=RecordFilter)
    """What is left out before pages are read."""
    pages: PageFilter = field(default_factory=PageFilter)
    """What is left out afterwards."""
    rules: Mapping[str, SiteRules] = field(default_factory=dict)
    """The rules of sites by domain name; a domain includes its subdomains."""
