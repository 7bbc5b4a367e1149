"""Queries: their meaning, and the errors for wrong ones."""

from __future__ import annotations

from typing import Any

import pytest

from newsextract.newsroom.watch import Rule, RuleIndex
from newsextract.storage.search.queries import MAX_DEPTH, MAX_TERMS, QueryError, parse_query

ARTICLE: dict[str, Any] = {
    "headline": "Le pont de Kehl rouvre",
    "description": "Une structure métallique de l'Élysée, après deux ans.",
    "article_body": "The bridges of Straßburg were closed and the mayor said so.\n東京新聞 wrote of Пётр and ΟΔΌΣ.",
    "authors": [{"name": "Anna Bern"}, {"name": "Paul Zimmer"}],
    "section": "Vie locale",
    "keywords": ["travaux publics", "trains"],
    "publisher": "Le Monde",
    "in_language": "fr-FR",
    "site": "grand-est.lemonde.fr",
}


def is_found(query: str, article: dict[str, Any] = ARTICLE) -> bool:
    return bool(RuleIndex([Rule("rule", parse_query(query))]).match(article))


@pytest.mark.parametrize(
    "query",
    [
        "pont", "PONT", "elysee", "l'Élysée", "“structure metallique”",
        "bridg*", '"bridges of stras"*', "strassburg",
        "STRASSBURG", "pont bridges", "pont AND bridges", "sport OR pont",
        "(sport OR pont) NOT golf", "pont NOT sport",
        "pont AND (bridges OR sport) AND NOT (golf OR tennis)", "and", "pont OR sport golf", "東京",
        "京新", "東京新*", "петр",
        "οδος", "bridges NEAR/3 closed", "closed NEAR/3 bridges", '"were closed" NEAR/3 (mayor OR minister)',
        "bridges NEAR mayor NEAR/1 so", "headline:pont", "HEADLINE:pont", "lead:elysee",
        "description:elysee", "body:mayor",
        "headline:(pont NEAR kehl)",
        "author:zimmer", 'author:"anna bern"', "section:locale", 'keyword:"travaux publics"',
        "keyword:train*", "publisher:monde", "site:lemonde.fr pont",
        "site:https://www.lemonde.fr/", "language:fr pont",
        "lang:FR pont", "headl* OR pont", "pont AND (golf OR NOT sport)", "  pont\n  NOT\n  golf ",
    ],
)  # fmt: skip
def test_finds(query: str) -> None:
    assert is_found(query)


@pytest.mark.parametrize(
    "query",
    [
        "ponts", "headline*", "pont sport", "pont NOT bridges", "(sport OR pont) NOT bridges", '"pont kehl"',
        "headline:bridges", "body:pont", "description:pont", "bridges NEAR/2 closed",
        "pont NEAR/100 bridges", "京東",
        "bern", "locale", 'author:"bern paul"', "author:(bern NEAR paul)", "monde",
        "site:monde.fr pont", "site:est.lemonde.fr",
        "language:en pont", '"rouvre une"', "pont NEAR pont", "mayor NEAR bridge",
        "bridges NEAR/2 closed NEAR/1 so", "anna*",
    ],
)  # fmt: skip
def test_does_not_find(query: str) -> None:
    assert not is_found(query)


def test_says_what_it_has_understood() -> None:
    query = parse_query("a b OR (c NEAR d) NOT headline:(e OR fg*)")
    assert str(query) == "(a AND b) OR ((c NEAR/10 d) AND (NOT (headline:e OR headline:fg*)))"
    assert parse_query(str(query)) == query


@pytest.mark.parametrize(
    ("query", "position", "told"),
    [
        ("pont OR", 7, "expected a word, a phrase, NOT or '(' after OR"),
        ("pont AND OR b", 9, "after AND, not OR"),
        ("AND pont", 0, "not AND"),
        ("(pont OR b", 0, "this '(' is never closed"),
        ("pont) b", 4, "this ')' closes nothing"),
        ("pont ()", 6, "after (, not )"),
        ('pont "structure', 5, 'this " is never closed'),
        ("", 0, "expected a word"),
        ("headline:", 9, "expected a word, a phrase or '(' after headline:"),
        ("NOT sport", 0, "only what must not be there"),
        ("pont OR NOT sport", 8, "only what must not be there"),
        ("pont -sport", 5, "is written NOT"),
        ("pont | bridge", 5, "joined by OR"),
        ("pont && bridge", 5, "joined by AND"),
        ("headlin:pont", 0, "headlin: is no field; did you mean headline:?"),
        ("x headline:(a OR body:b)", 2, "there is a field"),
        ("site:(a.fr OR b.fr)", 0, "site: takes one value"),
        ("site:a* x", 5, "is no site"),
        ("language:french x", 9, "is no code of a language"),
        ("pont NEAR/x b", 5, "expected a number of words from 0 to 100"),
        ("pont NEAR/101 b", 5, "expected a number of words from 0 to 100"),
        ("NEAR(pont b)", 0, "NEAR stands between"),
        ("pont NEAR (a AND b)", 5, "NEAR joins words, phrases"),
        ("headline:a NEAR b", 11, "in one field"),
        ("*pont", 0, "only at the end of a word"),
        ("po*nt", 0, "only at the end of a word"),
        ("p*", 0, "too short"),
        ("bridg?s", 0, "? stands for nothing"),
        ("pont …", 5, "no letter and no digit"),
        ("$city", 0, "$city: only rules have definitions"),
        ("(" * (MAX_DEPTH + 1) + "a", 0, "deep"),
        ("a " + "NOT " * 3000 + "b", 2, "in a row"),
        ("a " * (MAX_TERMS + 1), 0, "more than"),
    ],
)
def test_says_what_is_wrong_and_where(query: str, position: int, told: str) -> None:
    with pytest.raises(QueryError) as error:
        parse_query(query)
    assert told in str(error.value)
    assert error.value.position == position


def test_definitions_stand_for_what_they_say_in_a_field_too() -> None:
    known = {"city": parse_query("paris OR lyon")}
    assert str(parse_query("$city NOT headline:$city", known)) == (
        "(paris OR lyon) AND (NOT (headline:paris OR headline:lyon))"
    )


def test_a_rule_for_languages_and_sites_leaves_out_the_others() -> None:
    query = parse_query("pont")
    rules = [
        Rule("both", query, ("fr", "en"), ("lemonde.fr",)),
        Rule("English", query, ("en",)),
        Rule("elsewhere", query, sites=("bbc.co.uk",)),
    ]
    assert [match.rule.name for match in RuleIndex(rules).match(ARTICLE)] == ["both"]
    assert not RuleIndex(rules).match(ARTICLE | {"in_language": None, "site": None})
    assert len({rule.revision for rule in rules}) == 3
