"""Keep what differs between pages of one site and structure, after a thesis on the useful content of news sites.

Deturck, "Détection de contenu utile depuis des sites d'actualité" (INALCO, 2015). One page says nothing to it: `fit`
gives it five or more pages of a site, and returns an extractor for the pages of that site. See `page_comparison`.

A departure: pages are grouped by the pq-grams of their elements, which approximate the tree edit distance of the thesis
in n log n. `distance="edit"` is that distance itself, on sites whose pages have at most 1,500 elements each.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

from newsextract.reading.extraction.contract import Extraction, register
from newsextract.reading.extraction.page_comparison.compared_site import MIN_PAGES, TOO_FEW, Method, SiteTemplate
from newsextract.reading.extraction.page_comparison.useful_content import CHOICES
from newsextract.reading.extraction.page_comparison.zones import MIN_SHARE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.page.page import Page


@register
@dataclass(frozen=True)
class Template:
    """Keeps what differs from other pages of a known site."""

    name: ClassVar[str] = "template"
    requires: ClassVar[tuple[str, ...]] = ("apted", "sklearn")
    extra: ClassVar[str] = "template"
    min_pages: ClassVar[int] = MIN_PAGES
    """Fewest pages of a site that `fit` accepts."""

    choice: str = "order"
    """The body is the second differing zone in source `order`, as in the thesis, or that with most text of its own."""
    vote: bool = False
    """Whether a group's pages agree on the element by vote, as the thesis's conclusion proposes."""
    mapping: bool = False
    """Whether to use the thesis's first line of attack, the edit mapping of token trees, on pages small enough."""
    min_share: float = MIN_SHARE
    """Elements with a smaller share of a page's tokens are pruned; 2 % in the thesis."""
    shares: str = "nested"
    """The share of an element includes `nested` zones, as in the thesis, or is its `own`."""
    distance: str = "pqgrams"
    """How far two structures are apart: by `pqgrams`, or by the `edit` distance of the trees, which takes longer."""

    def __post_init__(self) -> None:
        if self.choice not in CHOICES:
            raise ValueError(f"`choice` must be one of {', '.join(CHOICES)}, not {self.choice!r}")
        for name, allowed in (("shares", ("nested", "own")), ("distance", ("pqgrams", "edit"))):
            if getattr(self, name) not in allowed:
                raise ValueError(f"`{name}` must be {' or '.join(allowed)}, not {getattr(self, name)!r}")
        if not 0 <= self.min_share < 1:
            raise ValueError("`min_share` must be at least 0 and below 1")

    def fit(self, pages: Sequence[Page]) -> SiteTemplate:
        """Group these pages of one site, and return an extractor for pages of that site."""
        site = SiteTemplate(pages, Method(**asdict(self)))
        if len(pages) >= self.min_pages:
            _ = site.grouping  # computed on first use, and kept
        return site

    def extract(self, page: Page) -> Extraction:  # noqa: ARG002 - one page has no pair
        """Return an empty extraction with a warning: without `fit`, a single page cannot be compared."""
        return Extraction(self.name, warnings=(TOO_FEW,))
