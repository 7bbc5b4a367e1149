"""Tries the rules of a site on one of its pages: which of them match, and whether the body is read by rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.reading.notices import Notice
from newsextract.reading.ruled_reading import RULE, RuledExtractor, agreement
from newsextract.reading.rules import texts

if TYPE_CHECKING:
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extractor
    from newsextract.reading.rules import SiteRules

_NOT_ON_EVERY_PAGE = ("strip", "next_page", "single_page")

FOLLOWED, NOT_TRIED, NO_BODY = "followed", "not tried: the general reading is sure", "no body rule"


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """What became of the rules on one page."""

    url: str
    matched: tuple[str, ...]
    """The rules of which an expression finds text."""
    missed: tuple[str, ...]
    """The others, without `strip`, `strip_text` and links to pages: what these find need not be on every page."""
    f1: float | None
    """Token F1 between what `body` selects and the general reading; `None` without such a selection."""
    verdict: str
    is_fetched: bool = True
    """Whether the page is there; `verdict` says why not."""

    @property
    def is_fine(self) -> bool:
        """Whether every rule matched, and none was refused."""
        return not self.missed and self.verdict in (FOLLOWED, NOT_TRIED, NO_BODY)


def check_page(page: Page, rules: SiteRules, general: Extractor) -> RuleCheck:
    """Return what became of the rules on a page."""
    written = {name: each for name, each in rules.expressions().items() if each and name != "strip_text"}
    matched = tuple(name for name, each in written.items() if any(texts(one, page.tree) for one in each))
    missed = tuple(name for name in written if name not in matched and name not in _NOT_ON_EVERY_PAGE)
    ruled = RuledExtractor(general, rules)
    selected = ruled.selected(page)
    f1 = agreement(selected, general.extract(page).blocks) if selected else None
    return RuleCheck(page.url or "", matched, missed, f1, _verdict(ruled, page))


def _verdict(ruled: RuledExtractor, page: Page) -> str:
    if not ruled.rules.body:
        return NO_BODY
    found = ruled.extract(page)
    refused = [each for each in found.warnings if isinstance(each, Notice) and each.code.name.startswith("RULE_")]
    if refused:
        return str(refused[0])
    return FOLLOWED if found.sources.get("articleBody") == RULE else NOT_TRIED
