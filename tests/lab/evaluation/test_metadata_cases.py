from __future__ import annotations

import json

import pytest

from newsextract.lab.evaluation.metadata.metadata_cases import Difference, evidence_of, is_excuse, verdict_of
from newsextract.lab.evaluation.metadata.metadata_evidence import Evidence
from newsextract.page.page import Page

URL = "https://news.example/story"


def page(head: str = "", body: str = "", *, url: str = URL, **article: object) -> Evidence:
    """Return what is found on a page whose JSON-LD has these fields."""
    linked = json.dumps({"@type": "NewsArticle", **article})
    script = f'<script type="application/ld+json">{linked}</script>' if article else ""
    return Evidence(Page(f"<html><head>{head}{script}</head><body>{body}</body></html>", url))


def published(date: str) -> str:
    return f'<meta property="article:published_time" content="{date}">'


WRONG_DAY = Difference("2023-05-04", "2021-02-03T10:00:00+01:00")


@pytest.mark.parametrize(
    ("place", "found"),
    [
        (page(datePublished="2023-05-04T10:00"), "json_ld:datePublished"),
        (page(published("May 4, 2023")), "meta:article:published_time"),
        (page(body="<time datetime=2023-05-04>Thursday</time>"), "time"),
        (page(url="https://news.example/2023/05/04/story"), "url"),
        (page(url="https://news.example/2023/may/4/story"), "url"),
        (page(body="<p>Stand: 04.05.2023, 10 Uhr"), "text"),
        (page(body="<p>2023年5月4日"), "text"),
        (page(body='<script>story = {"at": 1683194400000}</script>'), "source"),
        (page(body="<p>4 May, as every year"), "nowhere"),
    ],
)
def test_it_finds_where_a_day_is_written(place: Evidence, found: str) -> None:
    assert evidence_of("date", place, WRONG_DAY) == f"gold in: {found}"


def test_a_day_that_is_nowhere_is_no_mistake_of_ours() -> None:
    verdict = verdict_of("date", page(datePublished="2021-02-03"), WRONG_DAY)
    assert verdict == "gold day is nowhere on the page"
    assert is_excuse("date", verdict)


def test_a_day_that_only_a_modification_states_is_no_mistake_of_ours() -> None:
    changed = page(datePublished="2021-02-03", dateModified="2023-05-04T01:00:00Z")
    assert verdict_of("date", changed, WRONG_DAY) == "gold is what the page says was modified"
    both = page(published("2023-05-04"), dateModified="2023-05-04T01:00:00Z")
    assert verdict_of("date", both, WRONG_DAY) == "ours"


@pytest.mark.parametrize(
    ("ours", "body", "is_zone"),
    [
        # In UTC it was the next day.
        ("2023-05-03T23:30:00-05:00", "<p>2023-05-04", True),
        # The page says 4 May, which it was in New York at that hour of UTC.
        ("2023-05-05T02:00:00+00:00", "<p>May 4, 2023", True),
        ("2023-05-05T01:30:00+02:00", "<p>May 4, 2023", True),
        # Nowhere was it 4 May at that hour.
        ("2023-05-05T13:00:00+00:00", "<p>May 4, 2023", False),
        # The zone is stated, and no other is.
        ("2023-05-05T08:00:00-05:00", "<p>May 4, 2023", False),
        ("2023-05-05", "<p>May 4, 2023", False),
        # The same instant, as another place of the page has it.
        ("2023-05-05T09:00:00+09:00", "<time datetime=2023-05-04T20:00:00-04:00>yesterday</time>", True),
    ],
)
def test_an_instant_may_be_two_days(ours: str, body: str, is_zone: bool) -> None:
    verdict = verdict_of("date", page(body=body), Difference("2023-05-04", ours))
    assert (verdict == "same instant, other time zone") == is_zone


def test_where_json_ld_and_meta_agree_the_gold_is_wrong() -> None:
    agreed = page(published("2021-02-03T09:00:00Z"), "<p>4 May 2023", datePublished="2021-02-03T10:00:00+01:00")
    assert verdict_of("date", agreed, WRONG_DAY) == "the page's own JSON-LD and meta agree on ours"
    alone = page(body="<p>4 May 2023", datePublished="2021-02-03T10:00:00+01:00")
    assert verdict_of("date", alone, WRONG_DAY) == "ours"


@pytest.mark.parametrize(
    ("gold", "ours", "verdict"),
    [
        ("Snow in Rome", "Rain in Spain", "gold is not on the page at all"),
        ("Why it rains", "Rain in Spain", "gold is og:title, h1 differs"),
        ("Weather: Rain in Spain", "Rain in Spain", "gold contains ours"),
        ("Rain in Spain", "Weather: Rain in Spain", "ours contains gold"),
        ("The story of the year", "Rain in Spain", "ours"),
        ("The story of the year", "", "ours"),
    ],
)
def test_headlines_have_their_verdicts(gold: str, ours: str, verdict: str) -> None:
    head = '<meta property="og:title" content="Why it rains">'
    place = page(head, "<h1>Rain in Spain</h1><p>Weather: Rain in Spain <b>the story</b> of the year")
    assert verdict_of("headline", place, Difference(gold, ours)) == verdict


ANN = {"@type": "Person", "name": "Ann Lee"}
BO = {"@type": "Person", "name": "Bo Chen"}


@pytest.mark.parametrize(
    ("gold", "ours", "authors", "verdict"),
    [
        ("cy dee", "ann lee", [ANN], "gold name is not on the page"),
        ("di eck", "ann lee", [ANN], "the page's structured data names others"),
        # We do not say what the structured data says.
        ("di eck", "zoe", [ANN], "ours"),
        ("di eck", "", [ANN], "ours"),
        ("ann lee", "ann lee; bo chen", [ANN, BO], "gold leaves out co-authors"),
        ("ann lee", "ann lee; di eck", [ANN, BO], "ours"),
        ("ann lee; bo chen", "ann lee", [ANN, BO], "ours"),
    ],
)
def test_authors_have_their_verdicts(gold: str, ours: str, authors: list[object], verdict: str) -> None:
    place = page(body="<p>Photographs by Di Eck", author=authors, url="https://news.example/story")
    assert verdict_of("authors", place, Difference(gold, ours)) == verdict


def test_authors_by_reference_are_resolved_and_accounts_left_out() -> None:
    head = '<meta name="twitter:creator" content="@ann">'
    nodes = {"@graph": [{"@type": "Article", "author": {"@id": "#ann"}}, {"@id": "#ann", "@type": "Person", **ANN}]}
    script = f'<script type="application/ld+json">{json.dumps(nodes)}</script>'
    assert page(head + script).structured_authors == {"ann lee"}
