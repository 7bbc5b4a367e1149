"""Rules that are proposed where the general reading is unsure, and those that are not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from newsextract.page.page import Page
from newsextract.reading.extraction.contract import Extraction
from newsextract.reading.rules.ruled_body import RuledExtractor
from newsextract.sites.site_list.site_list import read_sites
from newsextract.tools.probing.advice import UNKNOWN as SCHEDULE
from newsextract.tools.probing.advice import Advice, site_block
from newsextract.tools.probing.proposed_rules import propose
from newsextract.tools.probing.read_pages import AsRead, ReadPage, read_again
from newsextract.tools.probing.stable_selectors import shared_selectors, unique_places
from newsextract.tools.site_rules.rule_checks import FOLLOWED, NOT_TRIED, check_page
from tests.tools.probing.hard_pages import story_page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from newsextract.tools.probing.proposed_rules import ProposedRules

ADDRESS = "https://a.example/2026/05/20/what-is-on-{}.html"
SURE, UNSURE = 0.97, 0.3
MENU = (
    "<ul class='menu'><li><a href='/1'>Home and the town</a></li><li><a href='/2'>Sport and the weather</a></li></ul>"
)


def pages_of(lists: Sequence[int], count: int = 5, name: str = "story-text") -> list[Page]:
    """Return pages of one site; those whose numbers are in `lists` are hard to read."""
    return [Page(story_page(n, is_list=n in lists, name=name), ADDRESS.format(n)) for n in range(count)]


def proposed(pages: Sequence[Page]) -> ProposedRules:
    return propose(read_again(pages, "auto"))


def refused(found: ProposedRules, rule: str = "body") -> str:
    return next(each.why for each in found.refusals if each.rule == rule)


def read(html: str, number: int, kept: str, confidence: float) -> ReadPage:
    """Return a page of which the blocks that hold a word were kept."""
    page = Page(f"<html><body>{MENU}{html}</body></html>", ADDRESS.format(number))
    blocks = tuple(block for block in page.blocks if kept in block.text)
    return ReadPage(page, Extraction("auto", blocks, confidence))


def body(number: int, sentences: int = 20) -> str:
    return "".join(
        f"<p>Story {number} tells at length what happened in street {n} of town {number}.</p>" for n in range(sentences)
    )


def test_the_place_of_stories_is_proposed_for_pages_that_are_hard_to_read() -> None:
    pages = pages_of([3, 4])
    found = proposed(pages)
    (rule,) = found.proposals
    assert (rule.rule, rule.selector) == ("body", "div.story-text")
    assert rule.changes == (pages[3].url, pages[4].url)
    assert found.test_urls == tuple(page.url for page in pages)
    reading = read_again(pages[3:4], "auto")[0]
    ruled = RuledExtractor(AsRead(reading.extraction), found.rules).extract(pages[3])
    entries = [entry.text_content() for entry in pages[3].tree.iter("li")]
    assert reading.extraction.text.splitlines() != entries
    assert ruled.text.splitlines() == entries


def test_the_lines_are_those_of_a_list_that_the_crawl_reads_and_the_check_finds_fine(tmp_path: Path) -> None:
    pages = pages_of([3, 4])
    found = proposed(pages)
    advice = Advice(("links",), (), (), SCHEDULE, ())
    file = tmp_path / "sites.yml"
    file.write_text(site_block("https://a.example/", advice, "en", more=found.lines()), "utf-8")
    (site,) = read_sites(str(file))
    assert site.rules == found.rules
    assert site.rules is not None
    assert site.test_urls == found.test_urls
    checks = [check_page(each.page, site.rules, AsRead(each.extraction)) for each in read_again(pages, "auto")]
    assert [each.verdict for each in checks] == [NOT_TRIED] * 3 + [FOLLOWED] * 2
    assert all(each.is_fine for each in checks)


def test_nothing_is_proposed_where_auto_is_sure() -> None:
    found = proposed(pages_of([]))
    assert not found.proposals
    assert all(each.rule != "body" for each in found.refusals)


@pytest.mark.parametrize(
    ("pages", "told"),
    [
        (pages_of([2], count=3), "4 are needed to compare"),
        (pages_of([1, 2, 3, 4]), "sure of 1; 2 are needed to learn from"),
        (pages_of([3, 4], name="css-1q2w3e"), "no id, class or element holds their text"),
    ],
    ids=["few pages", "few that are sure", "names that a program made up"],
)
def test_why_no_body_is_proposed_is_told(pages: list[Page], told: str) -> None:
    found = proposed(pages)
    assert not found
    assert told in refused(found)


def site(inside: str = "", unsure: str = "", *, kept: str = "Unrelated", words: int = 20) -> list[ReadPage]:
    """Return five pages with a story in `#story`, with something in it on all and on the two that are unsure."""
    stories = [read(f"<div id='story'>{body(n)}{inside.format(n)}</div>", n, "Story", SURE) for n in range(3)]
    other = "<p>Unrelated is what stands in line {0} below page {1}, in some more words than a few.</p>"
    below = {n: "".join(other.format(line, n) for line in range(8)) for n in (3, 4)}
    hard = (f"<div id='story'>{body(n, words)}{unsure}</div>{below[n]}" for n in (3, 4))
    return [*stories, *(read(html, n, kept, UNSURE) for n, html in enumerate(hard, 3))]


def test_a_place_that_holds_the_known_bodies_is_proposed() -> None:
    (rule,) = propose(site()).proposals
    assert rule.selector == "#story"


def test_only_the_paragraphs_are_taken_of_a_place_with_more_in_it() -> None:
    box = (
        "<div>Share this page with friends of page {0}, and all that you know. "
        + "Number {0} in our list. " * 5
        + "</div>"
    )
    (rule,) = propose(site(box)).proposals
    assert rule.selector == "#story p"


@pytest.mark.parametrize(
    ("pages", "told"),
    [
        (
            site(unsure="<p>The editors thank all of their readers for the letters that they have sent to us.</p>" * 2),
            "no id",
        ),
        (site(unsure="<p><a href='/x'>Further stories of the day and of the week before it</a></p>" * 20), "no id"),
        (
            site("<p>Our fans of page {0} say what they think of it. " + "Number {0} in our list. " * 5 + "</p>"),
            "`#story` comes nearest",
        ),
        (site(words=2), "no id"),
        (site(kept="Story"), "`#story` finds there what auto finds"),
    ],
    ids=["repeated text", "links", "more than the body", "a few words", "no difference"],
)
def test_a_place_that_would_read_worse_or_the_same_is_not_proposed(pages: list[ReadPage], told: str) -> None:
    found = propose(pages)
    assert not found.proposals
    assert told in refused(found)


def dated(number: int, date: str | None, mark: str) -> ReadPage:
    page = read(f"<div id='story'>{body(number)}</div><div class='{mark}'>20 May 2026</div>", number, "Story", SURE)
    page.metadata = replace(page.metadata, datePublished=date, headline=f"Story {number}")
    return page


def test_a_date_that_other_pages_show_at_the_same_place_is_proposed() -> None:
    day = "2026-05-20T08:00:00"
    (rule,) = propose([dated(n, None if n == 2 else day, "story-day") for n in range(4)]).proposals
    assert (rule.rule, rule.selector, rule.changes) == ("date", "div.story-day", (ADDRESS.format(2),))


@pytest.mark.parametrize(
    ("dates", "told"),
    [
        (["2026-05-20", "2026-04-01", "2026-05-20", None], "no place says what it finds on the others"),
        (["2026-05-20", None, None, None], "2 others are needed to learn from"),
    ],
    ids=["it says something else", "too few to learn from"],
)
def test_a_date_that_is_not_confirmed_is_not_proposed(dates: list[str | None], told: str) -> None:
    found = propose([dated(n, date, "story-day") for n, date in enumerate(dates)])
    assert not found.proposals
    assert told in refused(found, "date")


def test_a_headline_that_several_pages_share_is_looked_for_elsewhere() -> None:
    pages = [
        read(f"<h2 class='head'>Mayor opens bridge {n}</h2><div>{body(n)}</div>", n, "Story", SURE) for n in range(5)
    ]
    for n, page in enumerate(pages):
        told = "The Gazette of the Valley" if n > 2 else f"Mayor opens bridge {n}"
        page.metadata = replace(page.metadata, headline=told, datePublished="2026-05-20")
    (rule,) = propose(pages).proposals
    assert (rule.rule, rule.selector) == ("headline", "h2.head")
    assert rule.changes == (ADDRESS.format(3), ADDRESS.format(4))


def test_a_selector_matches_one_place_and_has_no_made_up_name() -> None:
    story, line = "<div class='story sc-bdVaJa post-81234 Text__3xYz'>a</div>", "<p class='line'>b</p>"
    places = unique_places(Page(f"<main id='main'>{story}{line}{line}</main>"))
    assert set(places) == {"main", "#main", "div.story"}
    assert shared_selectors([places, places, {"main": 1}]) == ["main"]
