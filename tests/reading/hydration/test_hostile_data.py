"""Data made to take long, or to make the reader fall over."""

from __future__ import annotations

import json
from time import process_time
from typing import TYPE_CHECKING

import pytest

from newsextract import extract, read_article
from newsextract.reading import embedded_article as article_search
from newsextract.reading.embedded_values import Budget, NotLiteral, read_literal
from newsextract.reading.embedded_values import page_values as values
from tests.reading.hydration.shapes import ARTICLE, HEADLINE, URL, shell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract import Page

_SECONDS = 10.0
"""Far more than is needed, and far less than a quadratic reader takes."""

_TEXT = "The water rose, and nobody knew why it did. "
_ROWS = {f"N:{n}": {"a": {"__ref": f"N:{n + 1}"}, "b": {"__ref": f"N:{n + 1}"}} for n in range(60)}
"""References to references, which are a tree without end."""
HOSTILE = {
    "references": f"window.__APOLLO_STATE__={json.dumps(_ROWS)};" * 40,
    "brackets": "var a = " + "[" * 100_000,
    "braces": "var a = " + '{"a":' * 100_000,
    "balanced brackets": '{"a":' + "[" * 100_000 + "]" * 100_000 + "}",
    "literal brackets": "var a = {a:" + "[" * 100_000 + "]" * 100_000 + "}",
    "starts": "a=[" * 300_000,
    "calls": "(function(a,b){return " * 20_000,
    "parameters": "(function(" + "a," * 300_000,
    "quotes": "='" * 300_000,
    "open comment": "a={/*" + "*" * 1_000_000,
    "comments": "a={" + "/**/" * 300_000,
    "spaces": "a=" + " " * 3_000_000,
    "digits": '{"a": ' + "9" * 1_000_000 + "}",
    "literal digits": "a={b: " + "9" * 1_000_000 + "}",
    "long string": 'var a = {"title": "' + HEADLINE + '", "body": "' + _TEXT * 400_000 + '"}',
    "escapes": "var a = {b: '" + "\\x3c" * 300_000 + "'}",
    "strings in strings": json.dumps({"a": json.dumps({"b": json.dumps([json.dumps(ARTICLE)] * 20)})}),
    "wide": json.dumps({f"k{number}": {"title": HEADLINE, "url": URL} for number in range(50_000)}),
    "rows": "self.__next_f.push([1," + json.dumps("".join(f"{n:x}:{{}}\n" for n in range(60_000))) + "])",
    "tags": 'a = {"title": "' + HEADLINE + '", "body": "' + "<" * 500_000 + '"}',
    "functions that return nothing": "a=(function(){" * 6_000 + "x" * 9_000_000,
    "long keys": "a=" + "{b:" * 140 + "k" * 9_000_000,
    "long digits": "a=" + "[c," * 140 + "7" * 9_000_000,
    "one text in many objects": "window.s="
    + json.dumps(
        {"Text:1": {"html": "<p>x y</p>" * 190_000}}
        | {f"N:{n}": {"headline": HEADLINE, "url": URL, "body": {"__ref": "Text:1"}} for n in range(1_500)}
    ),
    "one text under many keys": "window.s="
    + json.dumps(
        {"Text:1": {"html": "<p>x y</p>" * 190_000}}
        | {"N:1": {"headline": HEADLINE, "url": URL} | {f"b{n}": {"__ref": "Text:1"} for n in range(1_500)}}
    ),
    "brackets of Markdown": 'a = {"title": "' + HEADLINE + '", "body": "**a** ' + "[" * 150_000 + '"}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_ends_soon(name: str) -> None:
    html = shell(f"<script>{HOSTILE[name]}</script>")
    began = process_time()
    extract(html, URL)
    assert process_time() - began < _SECONDS


def test_references_in_a_circle_end() -> None:
    cache = {"A:1": {**ARTICLE, "author": {"__ref": "P:1"}}, "P:1": {"name": "Anna Keller", "wrote": {"__ref": "A:1"}}}
    html = shell(f"<script>window.__APOLLO_STATE__={json.dumps(cache)}</script>")
    assert extract(html, URL).sources["articleBody"] == "hydration"


@pytest.mark.parametrize("text", ["{a:", "{a b}", "[1", "'abc", "{a: function(){}}", "{,}", "", "/x/", "{a: 1 + b.c(}"])
def test_what_is_no_literal_is_refused(text: str) -> None:
    with pytest.raises(NotLiteral):
        read_literal(text, 0, Budget(10_000))


def test_a_budget_ends_the_reading() -> None:
    with pytest.raises(NotLiteral):
        read_literal(f"'{'a' * 100}'", 0, Budget(50))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{a:1,'b':-2.5,\"c\":.5,3:[,1,],}", {"a": 1, "b": -2.5, "c": 0.5, "3": [None, 1]}),
        (r"'\x41\u0042\u{43}\103\n\'\ud83d\ude00'", "ABCC\n'😀"),
        ("`a\nb`", "a\nb"),
        ("{d: new Date(1772435700), e: void 0, /* x */ // y\n}", {"d": 1772435700, "e": None}),
        ("{f: !1, g: NaN}", {"f": False, "g": None}),
        ("99999999999999999999", "99999999999999999999"),
    ],
)  # fmt: skip
def test_literals_of_all_sorts_are_read(text: str, value: object) -> None:
    assert read_literal(text, 0, Budget(10_000)) == (value, len(text))


@pytest.mark.parametrize(
    ("script", "is_told"),
    [
        ("var a = {b: '" + "x " * 1_100_000 + "'}", True),
        ('var a = {"b": "' + "x " * 5_100_000 + '"}', True),
        (f"window.__APOLLO_STATE__={json.dumps(_ROWS)}", True),
        ("var a = {b: '" + "x " * 900_000 + "'}", False),
    ],
    ids=["literal", "JSON", "references", "none"],
)
def test_a_page_says_that_some_of_its_data_was_not_searched(script: str, is_told: bool) -> None:
    found = extract(shell(f"<script>{script}</script>"), URL)
    told = "the page's data for its scripts is larger than what is read of it: the rest was not searched"
    assert (told in found.warnings) is is_told


def test_the_data_of_a_page_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[Page] = []

    def counted(page: Page, *budgets: Budget) -> Iterator[tuple[str, object]]:
        searched.append(page)
        return values(page, *budgets)

    monkeypatch.setattr(article_search, "page_values", counted)
    article = read_article(shell(f"<script>window.state = {json.dumps(ARTICLE)}</script>"), URL)
    assert article.extraction is not None
    assert article.extraction.sources["articleBody"] == "hydration"
    assert len(searched) == 1
