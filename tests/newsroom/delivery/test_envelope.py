"""What a message looks like."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError

from newsextract import read_article
from newsextract.article import Article, ExtractionReport, LiveUpdate, UsageRights
from newsextract.article_parts import Audio, Comment, Embed, Video
from newsextract.newsroom.delivery.messages import (
    MOST_CHARS,
    article_message,
    match_message,
    revision_message,
    schema,
)
from tests.newsroom.delivery.messages import article, change, envelope

VALIDATOR = Draft202012Validator(schema(), format_checker=FormatChecker())

NOON = "2026-05-20T12:00:00+00:00"
PAGE = """<html lang=en><head><meta property="og:type" content="article"><title>The bridge</title>
<meta property="article:published_time" content="2026-05-20T08:00:00+02:00"><meta name="author" content="Ada Byron">
<meta property="og:image" content="/a.png"></head><body><h1>The bridge opens</h1>{}</body></html>"""
SENTENCE = "<p>The mayor opened the bridge that the people of the town had asked for during many years.</p>"


def real_article() -> Article:
    found = read_article(PAGE.format(SENTENCE * 8), "https://www.a.example/2026/05/20/bridge.html")
    found.usageRights = UsageRights(tdmReservation=True, robots=("noai",))
    found.liveBlogUpdates = [LiveUpdate("08:00", None, "It opens.")]
    found.videos, found.audios = [Video("https://a.example/1.mp4")], [Audio("https://a.example/1.mp3", duration="PT3M")]
    found.embeds = [Embed("https://b.example/1", "b.example", "Ann", "2026-05-20", "It opens.")]
    found.comments = [Comment("Yes.", "Ann", "2026-05-20"), Comment("No.", parent=0, depth=1)]
    found.articleMarkdown = "It *opens*."
    return found


def strict(part: Any) -> Any:
    """Return the schema with each table closed, so that a field that it does not describe is an error."""
    if isinstance(part, list):
        return [strict(one) for one in part]
    if not isinstance(part, dict):
        return part
    closed = {name: strict(value) for name, value in part.items()}
    is_table = "properties" in part and part.get("type") in ("object", ["object", "null"])
    return {"additionalProperties": False} | closed if is_table else closed


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())


def test_a_message_of_a_real_article_is_as_the_schema_says_with_no_field_that_it_leaves_out() -> None:
    found = envelope(article_message(change(real_article())))
    Draft202012Validator(strict(schema()), format_checker=FormatChecker()).validate(found)
    assert (found["version"], found["kind"], found["site"]) == (1, "article", "a.example")
    assert found["article"]["headline"] == "The bridge opens"
    assert found["article"]["authors"][0]["name"] == "Ada Byron"
    assert found["article"]["usageRights"]["robots"] == ["noai"]


def test_the_schema_describes_every_field_of_an_article() -> None:
    assert set(schema()["properties"]["article"]["properties"]) == {field.name for field in fields(Article)}


@pytest.mark.parametrize("kind", ["revision", "match"])
def test_a_message_says_what_is_new(kind: str) -> None:
    made = {
        "revision": revision_message(change(article(), article(text="Earlier.")), {"contentHash": "x"}),
        "match": match_message(change(article()), {"rule": "bridges", "passages": ["It opens."], "dateMatched": NOON}),
    }[kind]
    found = envelope(made)
    VALIDATOR.validate(found)
    assert found["kind"] == made.kind == kind
    assert found[kind]
    del found[kind]
    with pytest.raises(ValidationError, match=f"'{kind}' is a required property"):
        VALIDATOR.validate(found)


def test_an_article_of_which_nothing_is_known_has_a_message() -> None:
    VALIDATOR.validate(envelope(article_message(change(Article(url="https://a.example/")))))


def test_the_id_is_of_the_news_not_of_the_message() -> None:
    first = change(article())
    assert article_message(first).id == article_message(change(article())).id
    assert article_message(first).id != article_message(change(article(2))).id
    former = change(article(2, canonicalUrl=article().url))
    assert former.row["id"] == first.row["id"]
    assert article_message(former).id != article_message(first).id
    once = revision_message(change(article(text="New.")), {})
    assert once.id == revision_message(change(article(text="New.")), {}).id
    assert once.id != revision_message(change(article(text="Newer.")), {}).id
    rules = [match_message(first, {"rule": rule, "passages": [], "dateMatched": NOON}).id for rule in ("a", "b", "a")]
    assert rules[0] == rules[2] != rules[1]


def test_a_text_that_comes_back_is_another_revision() -> None:
    days = ["2026-05-20T09:00:00+00:00", "2026-05-22T09:00:00+00:00"]
    ids = {revision_message(change(article(text="Same.", downloaded=day)), {}).id for day in days}
    assert len(ids) == 2


def test_a_match_that_comes_back_is_another() -> None:
    days = ["2026-05-20T09:00:00+00:00", "2026-05-22T09:00:00+00:00"]
    ids = {match_message(change(article()), {"rule": "a", "passages": [], "dateMatched": day}).id for day in days}
    assert len(ids) == 2


def test_what_no_database_holds_is_not_in_it() -> None:
    payload = article_message(change(article(text="a\0b\ud800c"))).payload
    assert "\\u0000" not in payload
    assert envelope(article_message(change(article(text="a\0b\ud800c"))))["article"]["articleBody"] == "ab\ufffdc"
    payload.encode()


@pytest.mark.parametrize("body", ["word " * 10, '"\n' * 900_000])
def test_a_message_is_never_too_long_and_says_what_is_left_out(body: str) -> None:
    long = article(text=body, articleBodyHtml="<p>x</p>" * 200_000, extraction=ExtractionReport("auto", 0.9))
    message = article_message(change(long))
    assert len(message.payload) <= MOST_CHARS
    found = envelope(message)["article"]
    assert found["articleBodyHtml"] is None
    assert "articleBodyHtml was left out of the message" in found["extraction"]["warnings"]
    if len(body) < 100:
        assert found["articleBody"] == body
    else:
        assert len(found["articleBody"]) > 100_000
        assert "articleBody was cut for the message" in found["extraction"]["warnings"]
    VALIDATOR.validate(envelope(message))
    assert long.articleBody == body
    assert long.articleBodyHtml
