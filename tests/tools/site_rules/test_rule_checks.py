"""What a check of rules says of a page."""

from __future__ import annotations

from newsextract import Page, create_extractor
from newsextract.reading.rules import SiteRules
from newsextract.tools.site_rules.rule_checks import FOLLOWED, NO_BODY, check_page

TEXT = "The mayor opened bridge number {n} on Monday, and hundreds of people of the valley came to see it by foot."
PAGE = Page(
    f"<h1>Bridges</h1><div id='story'>{''.join(f'<p>{TEXT.format(n=n)}</p>' for n in range(9))}</div>",
    "https://a.example/1",
)


def test_a_page_on_which_all_rules_match_is_fine() -> None:
    found = check_page(PAGE, SiteRules(body=("#story",), headline=("h1",)), create_extractor("auto"))
    assert (found.matched, found.missed, found.verdict) == (("body", "headline"), (), FOLLOWED)
    assert found.f1 is not None
    assert found.f1 > 0.9
    assert found.is_fine


def test_a_rule_that_misses_is_named() -> None:
    found = check_page(PAGE, SiteRules(body=("#gone",), date=("time",), strip=("aside",)), create_extractor("auto"))
    assert (found.matched, found.missed, found.f1) == ((), ("body", "date"), None)
    assert found.verdict == "rules: body found nothing usable; the general reading stands"
    assert not found.is_fine


def test_rules_without_a_body_say_so() -> None:
    assert check_page(PAGE, SiteRules(headline=("h1",)), create_extractor("auto")).verdict == NO_BODY
