"""Tries the rules of a site on one of its pages: which of them match, and whether the body is read by rule."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.page.text import words
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.ruled_reading import RULE, RuledExtractor
from newsextract.reading.rules import texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.page.blocks import Block
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extractor
    from newsextract.reading.rules import SiteRules

_NOT_ON_EVERY_PAGE = ("strip", "next_page", "single_page")

FOLLOWED, NO_BODY = "followed", "no body rule"


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
        """Whether every rule matched."""
        return not self.missed and self.verdict in (FOLLOWED, NO_BODY)


def check_page(page: Page, rules: SiteRules, general: Extractor) -> RuleCheck:
    """Return what became of the rules on a page."""
    written = {name: each for name, each in rules.expressions().items() if each and name != "strip_text"}
    matched = tuple(name for name, each in written.items() if any(texts(one, page.tree) for one in each))
    missed = tuple(name for name in written if name not in matched and name not in _NOT_ON_EVERY_PAGE)
    found = RuledExtractor(general, rules).extract(page)
    is_followed = found.sources.get("articleBody") == RULE
    f1 = agreement(found.blocks, general.extract(page).blocks) if is_followed else None
    missing = next(
        (str(each) for each in found.warnings if isinstance(each, Notice) and each.code is NoticeCode.RULE_MISSED), ""
    )
    verdict = NO_BODY if not rules.body else FOLLOWED if is_followed else missing
    return RuleCheck(page.url or "", matched, missed, f1, verdict)


def agreement(one: Iterable[Block], other: Iterable[Block]) -> float:
    """Return the token F1 of two bodies."""
    first, second = (Counter(word for block in some for word in words(block.text)) for some in (one, other))
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0
