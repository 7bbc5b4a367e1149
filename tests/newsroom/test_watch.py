"""Watch rules: the file and its errors, the articles that match, the passages shown, and stored matches."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from newsextract.article import Article, ArticleMetadata
from newsextract.newsroom.watch import (
    MAX_PASSAGES,
    Rule,
    RuleIndex,
    WatchFileError,
    WatchFileTable,
    WatchTable,
    match_again,
    match_changes,
    read_rules,
)
from newsextract.storage.articles import put_articles
from newsextract.storage.database import writing
from newsextract.storage.schema import articles, matches
from newsextract.storage.search.queries import FIELD_NAMES, And, Near, Not, Or, Query, Term, is_negative, parse_query
from newsextract.yaml_files import MAX_ERRORS
from tests.storage.search.reference import fits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from newsextract.newsroom.watch import Passage
    from newsextract.storage.revisions import Change
    from tests.article_store import ArticleStore


EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "watch.yml"


def read(folder: Path, text: str | bytes) -> list[Rule]:
    file = folder / "watch.yml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_rules(file)


def errors(folder: Path, text: str | bytes) -> list[str]:
    with pytest.raises(WatchFileError) as told:
        read(folder, text)
    return str(told.value).replace(f"{folder}/", "").splitlines()


def test_reads_the_example_of_the_documentation() -> None:
    rules = read_rules(EXAMPLE)
    assert [rule.name for rule in rules] == ["bridges", "closed bridges", "Élysée", "東京", "by our correspondent"]
    assert (rules[0].languages, rules[2].sites) == (("fr", "en", "de"), ("lemonde.fr", "lefigaro.fr"))
    article = {"headline": "The bridge is closed", "in_language": "en", "site": "bbc.co.uk"}
    assert [match.rule.name for match in RuleIndex(rules).match(article)] == ["bridges", "closed bridges"]


def test_the_documentation_has_the_example_and_names_every_field() -> None:
    told = (EXAMPLE.parent / "reference" / "watch-rules.md").read_text()
    assert EXAMPLE.read_text() in told
    names = {*WatchTable.model_fields, *WatchFileTable.model_fields, *(f"{name}:" for name in FIELD_NAMES)}
    assert not [name for name in names if name not in told]


QUERIES = {
    "plain": ("watches:\n- name: a\n  query: pont AND OR b", 3, 19),
    "quotes": ("watches:\n- name: a\n  query: 'pont AND OR x'", 3, 20),
    "flow": ("watches: [{name: a, query: a AND}]", 1, 33),
    "definition": ("definitions:\n  city: paris (\nwatches:\n- name: a\n  query: b", 2, 16),
    "anchor": ("watches:\n- name: a\n  query: &q a OR\n", 3, 17),
    "a block, by its field": ("watches:\n- name: a\n  query: |\n    pont\n      AND OR b\n", 3, 3),
}


@pytest.mark.parametrize(("text", "line", "column"), QUERIES.values(), ids=QUERIES)
def test_says_in_which_line_and_column_of_the_file_a_query_is_wrong(
    text: str, line: int, column: int, tmp_path: Path
) -> None:
    (found,) = errors(tmp_path, text)
    assert found.startswith(f"watch.yml, line {line}, column {column}, ")


@pytest.mark.parametrize(("text", "expected"), [
    ("", "watch.yml, line 1, column 1: is not a table"),
    ("watches: []", "line 1, column 1, watches: is empty"),
    ("watches: pont", "line 1, column 1, watches: is not a list"),
    ("definitions: {}", "line 1, column 1, watches: is missing; write watches: and list the rules"),
    ("watches:\n- pont", "line 2, column 3, watches[0]: is not a table; write name:, query:"),
    ("watches:\n- name: a", "line 2, column 3, watches[0].query: is missing; write query: and words"),
    ("watches:\n- name: a\n  query: ''", "line 3, column 3, watches[0].query: is not a query"),
    (
        "watches:\n- name: a\n  query: b\n  site: x",
        "line 4, column 3, watches[0].site: unknown field; did you mean sites?",
    ),
    ("watches:\n- name: a\n  query: b\n  sites: [a b]", "watches[0].sites: is not a list of sites"),
    ("watches:\n- name: a\n  query: b\n  languages: french", "line 4, column 3, watches[0].languages"),
    (
        "watches:\n- name: a\n  query: b\n- name: A\n  query: c",
        "line 4, column 3, watches[1].name: the rule in line 2 has the same name",
    ),
])  # fmt: skip
def test_says_what_is_wrong_with_the_file(text: str | bytes, expected: str, tmp_path: Path) -> None:
    assert expected in errors(tmp_path, text)[0]


def test_tells_ten_errors_at_once_and_counts_the_others(tmp_path: Path) -> None:
    text = "watches:\n" + "".join(f"- name: {number}\n  query: a OR\n" for number in range(14))
    told = errors(tmp_path, text)
    assert len(told) == MAX_ERRORS + 1
    assert told[0].startswith(
        "watch.yml, line 3, column 14, watches[0].query: expected a word, a phrase, NOT or '(' after OR"
    )
    assert told[-1] == "and 4 more"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WatchFileError, match="no such file"):
        read_rules(tmp_path / "none.yml")


def test_the_revision_of_a_rule_is_that_of_what_it_says(tmp_path: Path) -> None:
    text = "watches:\n- {name: a, query: Pont OR  (golf)}\n- {name: b, query: pont OR golf}\n- {name: c, query: pont}"
    one, same, other = (rule.revision for rule in read(tmp_path, text))
    assert one == same != other


FILLER = "Nothing of note happened here. " * 20


def passages(query: str, **article: Any) -> tuple[Passage, ...]:
    (match,) = RuleIndex([Rule("rule", parse_query(query))]).match(article)
    return match.passages


def test_says_where_in_the_field_and_what_to_highlight() -> None:
    body = f"{FILLER}The Élysée has announced a bridge. {FILLER}"
    (passage,) = passages("elysee bridge NOT golf", article_body=body)
    assert passage.words == ("Élysée", "bridge")
    assert body[passage.start : passage.start + len(passage.text)] == passage.text
    assert passage.field == "body"
    assert len(passage.text) < 250
    assert not passage.text.startswith("othing")


def test_shows_each_part_of_the_query_and_not_too_much() -> None:
    found = passages("golf AND (zinc OR lead)", article_body=f"golf {FILLER}" * 30 + "zinc", headline="Golf")
    assert len(found) == MAX_PASSAGES
    assert found[0].field == "headline"
    found = passages("golf AND zinc", article_body=f"golf {FILLER}golf {FILLER}" + "zinc")
    assert "zinc" in {word for passage in found for word in passage.words}


def test_leaves_out_the_alternative_that_is_not_there_and_words_that_are_not_near() -> None:
    (passage,) = passages("(a1 NEAR/1 b1) OR (c1 d1)", article_body="a1 b1 c1 x x x a1")
    assert passage.words == ("a1", "b1")


def test_names_and_values_have_passages_where_they_are_text() -> None:
    (passage,) = passages("author:bern site:a.fr", authors=[{"name": "Paul Z"}, {"name": "Anna Bern"}], site="a.fr")
    assert (passage.field, passage.text, passage.words) == ("author", "Paul Z; Anna Bern", ("Bern",))
    assert passages("site:a.fr language:fr", site="a.fr", in_language="fr") == ()


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


ANY_QUERIES = st.recursive(LEAVES, larger, max_leaves=8).filter(lambda query: not is_negative(query))
ANY_ARTICLES = st.fixed_dictionaries(
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
@given(st.lists(ANY_QUERIES, min_size=1, max_size=12), ANY_ARTICLES)
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
@given(ANY_QUERIES)
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


RULES = RuleIndex([Rule("Brücke 東京", parse_query("pont OR bridge*")), Rule("sport", parse_query("sport NOT golf"))])
EARLIER = "2026-01-01T00:00:00+00:00"


def article(number: int, body: str, day: int = 20) -> Article:
    obtained = ArticleMetadata(f"2026-05-{day}T10:00:00+00:00")
    return Article(f"https://a.example/{number}", headline=f"News {number}", articleBody=body, metadata=obtained)


def put(store: ArticleStore, *given: Article, index: RuleIndex = RULES, fail: bool = False) -> list[tuple[Any, ...]]:
    new: list[tuple[Any, ...]] = []

    def then(_: Connection, changes: Sequence[Change]) -> None:
        new.extend((change.row["headline"], match["rule"]) for change in changes for match in change.matches)
        if fail:
            raise RuntimeError("after the matches")

    def match(connection: Connection, changes: Sequence[Change]) -> None:
        match_changes(connection, index, changes)

    with writing(store.engine) as connection:
        put_articles(connection, given, effects=[match, then])
    return new


def stored(store: ArticleStore) -> list[dict[str, Any]]:
    with store.engine.connect() as connection:
        return [dict(row) for row in connection.execute(select(matches).order_by(matches.c.rule)).mappings()]


def test_an_article_is_matched_as_it_is_stored(store: ArticleStore) -> None:
    new = put(store, article(1, "A sport for bridge builders. 🌉"), article(2, "Golf is no sport."))
    assert new == [("News 1", "Brücke 東京"), ("News 1", "sport")]
    one, other = stored(store)
    assert (one["rule"], one["revision"], other["rule"]) == ("Brücke 東京", RULES.rules[0].revision, "sport")
    (passage,) = one["passages"]
    start, end = passage["marks"][0]
    assert (passage["field"], passage["text"][start:end]) == ("body", "bridge")


def test_a_change_takes_away_what_is_no_longer_true_and_keeps_the_date_of_the_rest(store: ArticleStore) -> None:
    put(store, article(1, "A sport for bridge builders."))
    with writing(store.engine) as connection:
        connection.execute(update(matches).values(date_matched=EARLIER))
    assert put(store, article(1, "Golf and sport: a viaduct, or bridge.")) == []
    (row,) = stored(store)
    assert (row["rule"], row["date_matched"]) == ("Brücke 東京", EARLIER)
    assert "viaduct" in row["passages"][0]["text"]
    assert put(store, article(1, "Sport, bridge.")) == [("News 1", "sport")]


def test_what_fails_takes_article_and_matches_back(store: ArticleStore) -> None:
    with pytest.raises(RuntimeError):
        put(store, article(1, "A bridge."), fail=True)
    assert (store.count(), stored(store)) == (0, [])


def test_stored_articles_are_matched_again_with_other_rules(store: ArticleStore) -> None:
    put(store, *(article(number, "A bridge and a tunnel.", 10 + number) for number in range(9)))
    other = RuleIndex([Rule("Brücke 東京", parse_query("tunnel")), Rule("new", parse_query("bridge"))])
    since = datetime(2026, 5, 15, tzinfo=UTC)
    (found,) = match_again(store.engine, other, since - timedelta(hours=1))
    assert [len(fits) for _, fits in found] == [2] * 4
    revisions = {row["revision"] for row in stored(store) if row["rule"] == "Brücke 東京"}
    assert revisions == {RULES.rules[0].revision, other.rules[0].revision}
    with store.engine.connect() as connection:
        late = set(
            connection.execute(select(articles.c.id).where(articles.c.date_first_seen >= "2026-05-15")).scalars()
        )
    assert {row["article_id"] for row in stored(store) if row["rule"] == "new"} == late
