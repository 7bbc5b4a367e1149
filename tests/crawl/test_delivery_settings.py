"""The settings of delivery."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from newsextract.crawl.effects import targets_from
from newsextract.newsroom.delivery.files import JsonLines
from newsextract.newsroom.delivery.messages import KINDS
from newsextract.settings import TARGETS, BadSetting, check

DATABASE = {"NEWSEXTRACT_DATABASE": "sqlite:///output/a.db"}
HOOK = "https://example.com/hook"


def targets(**settings: Any) -> list[Any]:
    named = Settings(DATABASE | {f"NEWSEXTRACT_{name}": value for name, value in settings.items()})
    check(named, TARGETS)
    return targets_from(named)


def test_nothing_is_delivered_unless_it_is_asked_for() -> None:
    assert targets() == targets(BROKER=None, WEBHOOKS=[], ATOM="", MESSAGES=None) == targets_from(Settings()) == []


def test_each_setting_has_its_target() -> None:
    found = targets(BROKER="redis://127.0.0.1/1", WEBHOOKS=[HOOK], ATOM="feeds", MESSAGES="a.jsonl")
    assert [type(target).__name__ for target in found] == ["Broker", "Webhook", "AtomFeeds", "JsonLines"]
    assert len({target.name for target in found}) == 4


def test_a_command_line_may_say_the_same() -> None:
    hooks = targets(WEBHOOKS=f'[{{"url": "{HOOK}", "kinds": ["match"], "secret": "s"}}, "https://b.example/"]')
    assert [(hook.url, hook.kinds, hook.secret) for hook in hooks] == [
        (HOOK, {"match"}, "s"), ("https://b.example/", set(KINDS), None),
    ]  # fmt: skip
    assert [hook.url for hook in targets(WEBHOOKS=HOOK)] == [HOOK]
    (lines,) = targets(MESSAGES="a.jsonl")
    assert isinstance(lines, JsonLines)
    assert lines.path == Path("a.jsonl")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"BROKER": "kafka://a.example"}, "NEWSEXTRACT_BROKER: .* try redis://"),
        (
            {"WEBHOOKS": ["ftp://a.example"]},
            "NEWSEXTRACT_WEBHOOKS: entry 1: cannot use its URL: it does not begin",
        ),
        ({"WEBHOOKS": [{"link": HOOK}]}, "NEWSEXTRACT_WEBHOOKS: entry 1: .* neither a URL nor a table"),
        ({"WEBHOOKS": 7}, "NEWSEXTRACT_WEBHOOKS: int is not a list"),
        ({"WEBHOOKS": '["a'}, "NEWSEXTRACT_WEBHOOKS: .* not JSON"),
        ({"WEBHOOKS": [{"url": HOOK, "kinds": ["news"]}]}, "some of article, revision, match"),
        ({"WEBHOOKS": [{"url": HOOK, "secret": 5}]}, "its secret is not text"),
        ({"WEBHOOKS": [HOOK, {"url": HOOK, "kinds": ["match"]}]}, "there twice"),
        ({"WEBHOOKS": ["https://me:hush@a.example/"]}, "it names a user"),
        ({"WEBHOOKS": [HOOK + "?a b"]}, "cannot be read"),
        ({"BROKER": "redis://a.example:port/0"}, "host and port cannot be read"),
        ({"ATOM": True}, "NEWSEXTRACT_ATOM: True is not a path of a folder"),
        ({"MESSAGES": "s3://bucket/a.jsonl"}, "NEWSEXTRACT_MESSAGES: "),
        ({"MESSAGES": "."}, "NEWSEXTRACT_MESSAGES: '.' is a folder"),
    ],
)
def test_what_cannot_work_is_said_with_the_name_of_the_setting(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(BadSetting, match=told):
        targets(**settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"BROKER": "kafka://me:hush@a.example"},
        {"BROKER": "amqp://me:1/hush@a.example//"},
        {"WEBHOOKS": [{"url": HOOK, "secrets": "hush"}]},
        {"WEBHOOKS": '[{"url": "https://a.example", "secret": "hush"'},
    ],
)
def test_an_error_has_no_secret(settings: dict[str, Any]) -> None:
    with pytest.raises(BadSetting) as error:
        targets(**settings)
    assert "hu" not in str(error.value)


@pytest.mark.parametrize("database", [None, ""])
def test_messages_need_a_database(database: str | None) -> None:
    with pytest.raises(BadSetting, match=r"NEWSEXTRACT_ATOM.*NEWSEXTRACT_DATABASE"):
        check({"NEWSEXTRACT_ATOM": "feeds", "NEWSEXTRACT_DATABASE": database})
