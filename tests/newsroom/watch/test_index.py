"""Ten thousand rules at once match the same as each rule alone."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from newsextract.newsroom.watch import Rule, RuleIndex
from newsextract.storage.search.queries import And, Near, Not, Or, Query, Term, is_negative, parse_query
from tests.storage.search.reference import fits

LETTERS = st.sampled_from(["aa", "ab", "abc", "bb", "ba", "cc", "cab"])
FIELDS = st.sampled_from(["", "", "", "headline", "description", "body", "author", "keyword"])
TEXTS = st.lists(LETTERS, max_size=8).map(" ".join)


@st.composite
def term_in(draw: st.DrawFn, field: str) -> Term:
    words = draw(st.lists(LETTERS, min_size=1, max_size=3))
    return Term((*words[:-1], words[-1] + draw(st.sampled_from(["", "", "*"]))), field)


@st.composite
def near(draw: st.DrawFn) -> Near:
    field = draw(FIELDS)
    either = st.one_of(term_in(field), st.lists(term_in(field), min_size=2, max_size=2).map(lambda two: Or(tuple(two))))
    operands = draw(st.lists(either, min_size=2, max_size=3))
    distances = draw(st.lists(st.integers(0, 3), min_size=len(operands) - 1, max_size=len(operands) - 1))
    return Near(tuple(operands), tuple(distances))


VALUES = st.sampled_from([Term(("fr",), "language"), Term(("a.example",), "site"), Term(("example",), "site")])
LEAVES: st.SearchStrategy[Query] = st.one_of(FIELDS.flatmap(term_in), FIELDS.flatmap(term_in), near(), VALUES)


def larger(inner: st.SearchStrategy[Query]) -> st.SearchStrategy[Query]:
    several = st.lists(inner, min_size=2, max_size=4).map(tuple)
    return st.one_of(several.map(And), several.map(Or), inner.map(Not))


QUERIES = st.recursive(LEAVES, larger, max_leaves=8).filter(lambda query: not is_negative(query))
ARTICLES = st.fixed_dictionaries(
    {
        "headline": TEXTS,
        "description": st.none() | TEXTS,
        "article_body": TEXTS,
        "authors": st.none() | st.lists(TEXTS.map(lambda name: {"name": name}), max_size=2),
        "keywords": st.none() | st.lists(TEXTS, max_size=3),
        "in_language": st.sampled_from([None, "fr", "fr-CA", "en"]),
        "site": st.sampled_from(["a.example", "b.a.example", "aa.example"]),
    }
)


@settings(max_examples=100, deadline=None)
@given(st.lists(QUERIES, min_size=1, max_size=12), ARTICLES)
@example([And((Term(("aa",)), Term(("aa",), "body")))], {"headline": "aa", "article_body": "", "in_language": None})
@example([Or((Term(("aa",)), And((Term(("ab",)), Term(("a.example",), "site")))))], {"site": "a.example"})
def test_finds_what_the_definition_of_each_query_says(queries: list[Query], article: dict[str, Any]) -> None:
    rules = [Rule(f"rule {number}", query) for number, query in enumerate(queries)]
    matches = RuleIndex(rules).match(article)
    assert [match.rule for match in matches] == [rule for rule in rules if fits(rule.query, article)]
    for match in matches:
        for passage in match.passages:
            assert passage.words
            assert all(passage.words)


@settings(max_examples=60, deadline=None)
@given(QUERIES)
def test_a_printed_query_says_the_same(query: Query) -> None:
    assert parse_query(str(query)) == query


def test_finds_the_same_in_generated_articles_with_many_rules() -> None:
    draw = random.Random(7)  # noqa: S311 - the same rules each time
    vocabulary = ["the", *(f"word{number}" for number in range(400))]
    weights = [1 / (rank + 1) for rank in range(len(vocabulary))]

    def text(length: int) -> str:
        return " ".join(draw.choices(vocabulary, weights, k=length))

    forms = (
        "{} AND {}",
        "{} OR {}",
        '"{} {}"',
        "{} NEAR/3 {}",
        "{} NOT {}",
        "headline:{} {}",
        "{}* body:{}",
        "{} ({})",
    )
    rules = [Rule(f"{n}", parse_query(draw.choice(forms).format(*text(2).split()))) for n in range(500)]
    index = RuleIndex(rules)
    for _ in range(5):
        article = {"headline": text(8), "article_body": text(300)}
        found = [match.rule.name for match in index.match(article)]
        assert found == [rule.name for rule in rules if fits(rule.query, article)]
        assert found
