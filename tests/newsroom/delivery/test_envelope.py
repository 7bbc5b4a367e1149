"""What a message looks like, and how it is posted to webhooks."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import fields
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError

from newsextract import read_article
from newsextract.article import Article, ExtractionReport, LiveUpdate, UsageRights
from newsextract.article_parts import Audio, Comment, Embed, Video
from newsextract.newsroom.delivery.messages import (
    KINDS,
    MOST_CHARS,
    article_message,
    match_message,
    revision_message,
    schema,
)
from newsextract.newsroom.delivery.targets import Away, NotTaken, Refused, Webhook, post_json, url_error
from newsextract.storage.outbox import Letter
from tests.newsroom.delivery.messages import article, change, envelope
from tests.newsroom.delivery.servers import Hook

if TYPE_CHECKING:
    from collections.abc import Iterator


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


@pytest.fixture
def hook() -> Iterator[Hook]:
    with Hook() as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


def letters(count: int) -> list[Letter]:
    return [Letter(number, f"{number:032x}", "match", f'{{"n":{number},"é":1}}') for number in range(count)]


def bodies(count: int) -> list[bytes]:
    return [found.payload.encode() for found in letters(count)]


def test_each_message_is_posted_as_it_is(hook: Hook) -> None:
    assert Webhook(hook.url, KINDS).deliver(letters(3)) == 3
    assert hook.taken == bodies(3)
    headers = hook.headers[1]
    assert headers["Content-Type"] == "application/json"
    assert (headers["X-Newsextract-Id"], headers["X-Newsextract-Kind"]) == (f"{1:032x}", "match")
    assert "X-Newsextract-Signature" not in headers


def test_a_secret_signs_the_body(hook: Hook) -> None:
    Webhook(hook.url, KINDS, "hush").deliver(letters(1))
    expected = hmac.new(b"hush", hook.taken[0], hashlib.sha256).hexdigest()
    assert hook.headers[0]["X-Newsextract-Signature"] == f"sha256={expected}"


@pytest.mark.parametrize("status", [500, 503, 408, 429])
def test_a_server_that_is_not_well_is_away(status: int, hook: Hook) -> None:
    hook.answers = [status]
    with pytest.raises(Away, match=f"answered {status}") as error:
        Webhook(hook.url, KINDS).deliver(letters(2))
    assert error.value.wait_seconds == (7.0 if status == 429 else None)


@pytest.mark.parametrize("status", [400, 404, 410, 302])
def test_a_server_that_does_not_want_a_message_refuses_it(status: int, hook: Hook) -> None:
    hook.answers = [status]
    with pytest.raises(Refused, match=f"answered {status}"):
        Webhook(hook.url, KINDS).deliver(letters(2))
    assert len(hook.asked) == 1


def test_what_arrived_before_a_failure_is_not_sent_again(hook: Hook) -> None:
    hook.answers = [200, 201, 500]
    assert Webhook(hook.url, KINDS).deliver(letters(5)) == 2
    assert hook.taken == bodies(2)


def test_its_name_keeps_the_secret_of_its_address(hook: Hook) -> None:
    names = {Webhook(url, KINDS).name for url in (hook.url, hook.url, hook.url + "2")}
    assert len(names) == 2
    assert not any("token" in name or "hook?" in name for name in names)


# JSON posts, and the text of their errors.


@pytest.mark.parametrize("url", ["", "example.com/hook", "ftp://example.com/", "https://", "http://a.example:99999/"])
def test_only_web_addresses_are_posted_to(url: str) -> None:
    assert url_error(url)
    with pytest.raises(NotTaken, match="not a usable webhook URL"):
        post_json(url, b"{}")


@pytest.mark.parametrize("url", ["https://me:hush@a.example/", "https://a.example/hush b", "https://a.example/hush\n"])
def test_an_address_that_no_request_can_be_made_of_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(NotTaken, match=r"a user|cannot be read") as error:
        post_json(url, b"{}")
    assert "hush" not in str(error.value)


@pytest.mark.parametrize("url", ["https://example.com/@me/hook", "http://127.0.0.1:8080/hook?token=1"])
def test_other_web_addresses_are_fine(url: str) -> None:
    assert url_error(url) is None


def test_where_nobody_answers_the_error_says_why_and_not_what_is_secret() -> None:
    with pytest.raises(NotTaken, match="refused") as error:
        post_json("http://127.0.0.1:9/hush", b"{}")
    assert error.value.status is None
    assert "hush" not in str(error.value)
