"""What a replay counts as a change, and how it sums up."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from newsextract.article import Article, Author
from newsextract.reading.notices import NoArticle, Notice, NoticeCode, PageState
from newsextract.storage.articles import row_of
from newsextract.tools.replaying.article_comparison import Comparison, compare, end_of
from newsextract.tools.replaying.replay_report import diff_text, report
from newsextract.tools.replaying.replay_summary import as_json, sentence, summarize
from newsextract.tools.replaying.word_diff import MOST_WORDS, Segment, word_diff

BODY = "The mayor opened the bridge.\nIt is long."
STORED = Article(
    url="https://a.example/1",
    headline="Bridge",
    articleBody=BODY,
    datePublished="2026-05-20",
    authors=[Author("Ann Lee", "Ann Lee")],
    keywords=["bridge"],
    isAccessibleForFree=True,
)


def compared(now: Article, stored: Article = STORED) -> Comparison:
    row = json.loads(json.dumps(row_of(stored)))  # as it comes back from a database
    return compare("https://a.example/1", "a.example", row, now)


def test_the_same_article_has_not_changed() -> None:
    comparison = compared(STORED)
    assert not comparison.has_changed
    assert comparison.body_f1 == 1


@pytest.mark.parametrize(
    ("change", "field", "kind"),
    [
        ({"articleBody": BODY + "\nMore."}, "article_body", "longer"),
        ({"articleBody": "The mayor."}, "article_body", "shorter"),
        ({"articleBody": BODY.replace("long", "wide")}, "article_body", "changed"),
        ({"articleBody": None}, "article_body", "became empty"),
        ({"headline": "A bridge"}, "headline", "changed"),
        ({"description": "At last."}, "description", "was empty"),
        ({"datePublished": None}, "date_published", "became empty"),
        ({"authors": [Author("Bo Lee", "Bo Lee")]}, "authors", "changed"),
        ({"keywords": None}, "keywords", "became empty"),
        ({"isAccessibleForFree": False}, "is_accessible_for_free", "changed"),
        ({"isAccessibleForFree": None}, "is_accessible_for_free", "became empty"),
    ],
)
def test_a_field_that_reads_otherwise_is_named_with_what_became_of_it(
    change: dict[str, Any], field: str, kind: str
) -> None:
    comparison = compared(replace(STORED, **change))
    assert [(one.field, one.kind) for one in comparison.changes] == [(field, kind)]
    assert (comparison.body_f1 < 1) == (field == "article_body")


def test_an_empty_list_and_none_are_the_same() -> None:
    assert not compared(replace(STORED, keywords=[]), replace(STORED, keywords=None)).has_changed


def test_a_page_that_is_no_article_any_more_comes_first_among_the_changes() -> None:
    gone = end_of("https://a.example/2", "a.example", NoArticle(PageState.EMPTY, Notice(NoticeCode.TOO_SHORT)))
    summary = summarize([compared(replace(STORED, articleBody="It.")), gone, compared(STORED)])
    assert gone.end == "empty: too short"
    assert summary.largest(1) == [gone]
    assert sentence(summary.total).startswith("3 pages read again: 2 would change; 1 no longer an article")


def test_sites_are_counted_apart_and_unreadable_pages_are_no_change() -> None:
    lost = Comparison("https://b.example/1", "b.example", unreadable="no such file")
    summary = summarize([compared(STORED), lost])
    assert {site: (tally.pages, tally.changed, tally.unreadable) for site, tally in summary.by_site.items()} == {
        "a.example": (1, 0, 0),
        "b.example": (1, 0, 1),
    }
    assert [page["url"] for page in as_json(summary)["pages"]] == ["https://b.example/1"]
    assert summary.total.changed == 0


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a b c", "a b c", []),
        ("", "new words", [("added", "new words")]),
        ("old words", "", [("removed", "old words")]),
        ("An old one", "A new one", [("removed", "An old "), ("added", "A new "), ("same", "one")]),
        ("Open it", "Open it now", [("same", "Open it "), ("added", "now")]),
        ("旧桥开放", "新桥开放", [("removed", "旧"), ("added", "新"), ("same", "桥开放")]),
        ("one two", "one\ntwo", []),
    ],
)
def test_the_words_that_went_and_came_are_told(before: str, after: str, expected: list[tuple[str, str]]) -> None:
    assert [(segment.role, segment.text) for segment in word_diff(before, after)] == expected


def test_what_stayed_is_cut_down_to_the_words_around_a_change() -> None:
    stayed = " ".join(f"w{n}" for n in range(100))
    segments = word_diff(f"{stayed} x {stayed}", f"{stayed} y {stayed}", context=2)
    assert segments == [
        Segment("same", "[…] w98 w99 "),
        Segment("removed", "x "),
        Segment("added", "y "),
        Segment("same", "w0 w1 […] "),
    ]


def test_two_long_texts_without_a_common_word_are_told_at_once() -> None:
    before, after = (" ".join(f"{letter}{n}" for n in range(MOST_WORDS)) for letter in "ab")
    assert [segment.role for segment in word_diff(before, after)] == ["removed", "added"]


def test_a_difference_can_be_read_without_colours() -> None:
    text = diff_text("The old bridge\nis open", "The new bridge\nis open")
    assert text.plain == "The [-old-] {+new+} bridge ¶ is open"
    assert {str(span.style) for span in text.spans} == {"dim", "red strike", "green"}


def test_the_report_fits_a_terminal_of_eighty_columns() -> None:
    comparisons = [
        compared(replace(STORED, articleBody="Other words. " * 50, headline=None)),
        replace(compared(replace(STORED, articleBody="It.")), site="a-long-name-of-a-site.news.example.com"),
    ]
    console = Console(width=80, record=True, file=open("/dev/null", "w", encoding="utf-8"))  # noqa: SIM115, PTH123
    console.print(report(summarize(comparisons), 5))
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= 80
    assert any("body longer" in line for line in lines)
