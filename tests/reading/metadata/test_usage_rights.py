from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsextract.article import UsageRights
from newsextract.page.page import Hints, Page
from newsextract.reading.metadata.precedence import read_metadata

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.metadata.clues import Metadata

    Reader = Callable[..., Metadata]

URL = "https://www.example.com/news/rain"


def read_with(markup: str = "", tdmrep: dict[str, str] | None = None, **headers: str) -> Metadata:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return read_metadata(Page(f"<head>{markup}</head>", URL, hints=Hints(headers=named, tdm_reservation=tdmrep or {})))


@pytest.mark.parametrize(
    "markup",
    [
        "",
        '<meta name="robots" content="index, follow">',
        '<meta name="robots" content="INDEX,FOLLOW,NOODP,noydir">',
        '<meta name="robots" content=" , ;">',
        '<meta name="tdm-reservation" content="2">',
        '<meta name="tdm-policy" content="https://example.com/policy">',
    ],
)
def test_says_nothing_where_nobody_says_anything(markup: str) -> None:
    found = read_with(markup)
    assert found.usageRights is None
    assert "usageRights" not in found.sources


@pytest.mark.parametrize(
    ("markup", "robots", "ai"),
    [
        ('<meta name="robots" content="noai, noimageai">', ("noai", "noimageai"), False),
        ('<meta name="ROBOTS" content="NOARCHIVE,NoAI">', ("noarchive", "noai"), False),
        ('<meta name="robots" content="noindex nofollow">', ("noindex", "nofollow"), None),
        ('<meta name="robots" content="max-snippet: 50, nosnippet">', ("max-snippet:50", "nosnippet"), None),
        ('<meta name="robots" content="noimageai">', ("noimageai",), None),
        ('<meta name="googlebot" content="noarchive">', ("googlebot: noarchive",), None),
        ('<meta name="GPTBot" content="noindex">', ("gptbot: noindex",), False),
        ('<meta name="CCBot" content="none">', ("ccbot: none",), False),
        ('<meta name="Google-Extended" content="noindex">', ("google-extended: noindex",), False),
        ('<meta name="bingbot" content="nocache"><meta name="robots" content="all">', ("bingbot: nocache",), None),
        (
            '<meta name="robots" content="unavailable_after: 2027-01-01T00:00:00Z">',
            ("unavailable_after:2027-01-01t00:00:00z",),
            None,
        ),
    ],
)
def test_reads_the_tags_to_robots(markup: str, robots: tuple[str, ...], ai: bool | None) -> None:
    found = read_with(markup)
    assert found.usageRights == UsageRights(ai=ai, robots=robots)
    assert found.sources["usageRights"] == "robots_meta"


def test_reads_the_header_to_robots() -> None:
    found = read_with(x_robots_tag="noarchive, GPTBot: noindex, nofollow, googlebot: max-snippet: 20")
    assert found.usageRights is not None
    assert found.usageRights.robots == (
        "noarchive", "gptbot: noindex", "gptbot: nofollow", "googlebot: max-snippet:20",
    )  # fmt: skip
    assert (found.usageRights.ai, found.sources["usageRights"]) == (False, "headers")


@pytest.mark.parametrize(("value", "ai"), [("train-ai=n", False), ("search=y, train-ai=y", True), ("bots=n", None)])
def test_reads_the_preference_about_training(value: str, ai: bool | None) -> None:
    rights = read_with(content_usage=value).usageRights
    assert (rights and rights.ai) is ai


def test_joins_the_directives_of_page_and_headers() -> None:
    found = read_with('<meta name="robots" content="noarchive">', x_robots_tag="noarchive, noai")
    assert found.usageRights == UsageRights(ai=False, robots=("noarchive", "noai"))
    assert found.sources["usageRights"] == "robots_meta, headers"


def test_a_refusal_of_training_outweighs_a_permission() -> None:
    rights = read_with('<meta name="robots" content="noai">', content_usage="train-ai=y").usageRights
    assert rights is not None
    assert rights.ai is False


RESERVED = '<meta name="tdm-reservation" content="1"><meta name="tdm-policy" content="/policy.json">'
FREE = '<meta name="tdm-reservation" content="0">'
FILE = {"tdm-reservation": "1", "tdm-policy": "https://example.com/file.json"}
PAGES_POLICY = "https://www.example.com/policy.json"


@pytest.mark.parametrize(
    ("markup", "headers", "tdmrep", "reserved", "policy", "source"),
    [
        (RESERVED, {}, {}, True, PAGES_POLICY, "robots_meta"),
        (FREE, {"tdm_reservation": "1"}, FILE, False, None, "robots_meta"),
        ("", {"tdm_reservation": "0"}, FILE, False, None, "headers"),
        ("", {}, FILE, True, "https://example.com/file.json", "tdmrep"),
        ("", {"tdm_reservation": "yes"}, FILE, True, "https://example.com/file.json", "tdmrep"),
        (RESERVED, {"tdm_reservation": "1"}, FILE, True, PAGES_POLICY, "robots_meta"),
        ("", {"tdm_reservation": "1", "tdm_policy": "javascript:x"}, {}, True, None, "headers"),
    ],
)
def test_the_statement_nearest_to_the_text_counts(
    markup: str, headers: dict[str, str], tdmrep: dict[str, str], reserved: bool, policy: str | None, source: str
) -> None:
    found = read_with(markup, tdmrep, **headers)
    assert found.usageRights == UsageRights(tdmReservation=reserved, tdmPolicy=policy)
    assert found.sources["usageRights"] == source


def test_survives_a_flood_of_directives() -> None:
    rights = read_with(f'<meta name="robots" content="{"noai," * 100_000}">').usageRights
    assert rights == UsageRights(ai=False, robots=("noai",))
