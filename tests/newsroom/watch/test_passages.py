"""Passages: what shows that a rule is true of an article."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsextract.newsroom.watch import MAX_PASSAGES, Rule, RuleIndex
from newsextract.storage.search.queries import parse_query

if TYPE_CHECKING:
    from newsextract.newsroom.watch import Passage

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
