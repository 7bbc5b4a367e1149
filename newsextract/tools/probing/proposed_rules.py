"""Proposes rules where the general reading of a site is unsure or finds nothing, learned from its other pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml

from newsextract.reading.rules.site_rules import SiteRules
from newsextract.tools.probing.proposal import NotProposed, Proposal
from newsextract.tools.probing.proposed_body import propose_body
from newsextract.tools.probing.proposed_fields import propose_field
from newsextract.tools.probing.read_pages import AsRead
from newsextract.tools.site_rules.rule_checks import check_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.tools.probing.read_pages import ReadPage

FIELDS = ("headline", "authors", "date")


@dataclass(frozen=True, slots=True)
class ProposedRules:
    """The rules proposed for a site, and why there is none where one was wanted."""

    proposals: tuple[Proposal, ...] = ()
    refusals: tuple[NotProposed, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.proposals)

    @property
    def rules(self) -> SiteRules:
        """The rules as a crawl has them: the body's counts where the general reading is unsure."""
        return _rules(self.proposals)

    @property
    def test_urls(self) -> tuple[str, ...]:
        """The pages on which every proposed rule was followed."""
        first, *others = (each.urls for each in self.proposals)
        return tuple(url for url in first if all(url in other for other in others))

    def lines(self) -> Iterator[str]:
        """Yield the lines of `rules` and `test_urls` for a site of `sites.yml`, each rule below its reasons."""
        yield "rules:"
        for each in self.proposals:
            yield f"  # {each.rule}: {each.why}; it changes"
            yield from (f"  # {url}" for url in each.changes)
            yield f"  {_line({each.rule: each.selector})}"
        if self.rules.when_unsure:
            yield "  when_unsure: true"
        if self.test_urls:
            yield "test_urls:"
            yield from (f"  - {_line(url)}" for url in self.test_urls)


def propose(pages: Sequence[ReadPage]) -> ProposedRules:
    """Return the rules that help the general reading of these pages of one site."""
    answers = [propose_body(pages), *(propose_field(rule, pages) for rule in FIELDS)]
    proposals = [each for each in answers if isinstance(each, Proposal)]
    refusals = [each for each in answers if isinstance(each, NotProposed)]
    for each in [each for each in proposals if not _holds(each, pages)]:
        proposals.remove(each)
        refusals.append(NotProposed(each.rule, f"`{each.selector}` would not be followed in a crawl"))
    return ProposedRules(tuple(proposals), tuple(refusals))


def _holds(proposal: Proposal, pages: Sequence[ReadPage]) -> bool:
    """Return whether `scrapy rules check` finds a rule fine on the pages that support it."""
    rules = _rules((proposal,))
    supporting = [page for page in pages if page.url in proposal.urls]
    return all(check_page(page.page, rules, AsRead(page.extraction)).is_fine for page in supporting)


def _rules(proposals: Sequence[Proposal]) -> SiteRules:
    written = {each.rule: (each.selector,) for each in proposals}
    return SiteRules(**written, when_unsure="body" in written)


def _line(value: object) -> str:
    """Return a value as YAML on a line of its own."""
    return yaml.safe_dump(value, allow_unicode=True, width=1 << 20).removesuffix("\n").removesuffix("\n...")
