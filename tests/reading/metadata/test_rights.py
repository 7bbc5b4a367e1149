from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.article import UsageRights
from newsextract.page.page import Hints, Page
from newsextract.reading.metadata.precedence import read_metadata

if TYPE_CHECKING:
    from newsextract.reading.metadata.clues import Metadata
    from tests.reading.metadata.conftest import Reader, Writer


URL = "https://www.example.com/news/rain"


def read_with(markup: str = "", tdmrep: dict[str, str] | None = None, **headers: str) -> Metadata:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    files = {"tdmrep.json": "\n".join(f"{name}: {value}" for name, value in (tdmrep or {}).items())}
    return read_metadata(Page(f"<head>{markup}</head>", URL, hints=Hints(headers=named, site_rights=files)))


def made_of(found: Metadata) -> UsageRights:
    """Return what the statements make up, without them."""
    assert found.usageRights is not None
    return replace(found.usageRights, statements=())


@pytest.mark.parametrize("markup", [
    "",
    '<meta name="robots" content="index, follow">',
    '<meta name="robots" content="INDEX,FOLLOW,NOODP,noydir">',
    '<meta name="robots" content=" , ;">',
    '<meta name="tdm-reservation" content="2">',
    '<meta name="tdm-policy" content="https://example.com/policy">',
])  # fmt: skip
def test_says_nothing_where_nobody_says_anything(markup: str) -> None:
    found = read_with(markup)
    assert found.usageRights is None
    assert "usageRights" not in found.sources


@pytest.mark.parametrize(("markup", "robots", "ai"), [
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
])  # fmt: skip
def test_reads_the_tags_to_robots(markup: str, robots: tuple[str, ...], ai: bool | None) -> None:
    found = read_with(markup)
    assert made_of(found) == UsageRights(ai=ai, robots=robots)
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
    assert made_of(found) == UsageRights(ai=False, robots=("noarchive", "noai"))
    assert found.sources["usageRights"] == "robots_meta, headers"


def test_a_refusal_of_training_outweighs_a_permission() -> None:
    rights = read_with('<meta name="robots" content="noai">', content_usage="train-ai=y").usageRights
    assert rights is not None
    assert rights.ai is False


RESERVED = '<meta name="tdm-reservation" content="1"><meta name="tdm-policy" content="/policy.json">'
FREE = '<meta name="tdm-reservation" content="0">'
FILE = {"tdm-reservation": "1", "tdm-policy": "https://example.com/file.json"}
PAGES_POLICY = "https://www.example.com/policy.json"


@pytest.mark.parametrize(("markup", "headers", "tdmrep", "reserved", "policy", "source"), [
    (RESERVED, {}, {}, True, PAGES_POLICY, "robots_meta"),
    (FREE, {"tdm_reservation": "1"}, FILE, False, None, "robots_meta, headers, site_files"),
    ("", {"tdm_reservation": "0"}, FILE, False, None, "headers, site_files"),
    ("", {}, FILE, True, "https://example.com/file.json", "site_files"),
    ("", {"tdm_reservation": "yes"}, FILE, True, "https://example.com/file.json", "site_files"),
    (RESERVED, {"tdm_reservation": "1"}, FILE, True, PAGES_POLICY, "robots_meta, headers, site_files"),
    ("", {"tdm_reservation": "1", "tdm_policy": "javascript:x"}, {}, True, None, "headers"),
])  # fmt: skip
def test_of_the_mining_protocol_the_statement_nearest_to_the_text_counts(
    markup: str, headers: dict[str, str], tdmrep: dict[str, str], reserved: bool, policy: str | None, source: str
) -> None:
    found = read_with(markup, tdmrep, **headers)
    assert made_of(found) == UsageRights(tdmReservation=reserved, tdmPolicy=policy)
    assert found.sources["usageRights"] == source


def test_survives_a_flood_of_directives() -> None:
    assert made_of(read_with(f'<meta name="robots" content="{"noai," * 100_000}">')) == UsageRights(
        ai=False, robots=("noai",)
    )


def article(**fields: Any) -> dict[str, Any]:
    return {"@type": "NewsArticle", "headline": "Rain in Spain", **fields}


def part(selector: object, is_free: object = False) -> dict[str, object]:
    return {"@type": "WebPageElement", "isAccessibleForFree": is_free, "cssSelector": selector}


@pytest.mark.parametrize("is_free", [False, "False", "false", "https://schema.org/False"])
def test_reads_the_marked_up_parts(read: Reader, script: Writer, is_free: object) -> None:
    parts = [part(".paywall", is_free), part([".more", ".paywall"], is_free), part(".lead", "True")]
    found = read(script(article(isAccessibleForFree=is_free, hasPart=parts)))
    assert (found.isAccessibleForFree, found.paywalledParts) == (False, [".paywall", ".more"])
    assert found.sources["paywalledParts"] == "json_ld"
    assert found.warnings == ()


def test_a_locked_part_locks_the_article(read: Reader, script: Writer) -> None:
    found = read(script(article(hasPart=part(".paywall"))))
    assert (found.isAccessibleForFree, found.paywalledParts) == (False, [".paywall"])


def test_follows_references_to_parts(read: Reader, script: Writer) -> None:
    graph = [article(hasPart={"@id": "#wall"}), {"@id": "#wall", **part(".paywall")}]
    assert read(script({"@graph": graph})).paywalledParts == [".paywall"]


def test_warns_when_article_and_part_disagree(read: Reader, script: Writer) -> None:
    found = read(script(article(isAccessibleForFree=True, hasPart=part(".paywall"))))
    assert found.isAccessibleForFree is True
    assert found.warnings == ("isAccessibleForFree: json_ld says 'False', but json_ld says 'True'",)


def test_warns_when_sources_disagree(read: Reader, script: Writer) -> None:
    found = read(script(article(isAccessibleForFree=False)) + '<meta name="article:content_tier" content="free">')
    assert (found.isAccessibleForFree, found.sources["isAccessibleForFree"]) == (False, "json_ld")
    assert found.warnings == ("isAccessibleForFree: meta_tags says 'free', but json_ld says 'False'",)


@pytest.mark.parametrize(("markup", "is_free"), [
    ('<meta property="article:content_tier" content="metered">', False),
    ('<meta property="article:content_tier" content="free">', True),
    ('<meta name="isAccessibleForFree" content="false">', False),
    ('<p itemscope itemtype="https://schema.org/Article"><b itemprop="isAccessibleForFree">False</b></p>', False),
])  # fmt: skip
def test_reads_other_forms(read: Reader, markup: str, is_free: bool) -> None:
    assert read(f"<body>{markup}</body>").isAccessibleForFree is is_free


def test_reads_parts_in_microdata(read: Reader) -> None:
    found = read("""<article itemscope itemtype="https://schema.org/NewsArticle"><h1 itemprop="headline">Rain</h1>
      <div itemprop="hasPart" itemscope itemtype="https://schema.org/WebPageElement">
      <meta itemprop="isAccessibleForFree" content="False"><meta itemprop="cssSelector" content=".wall"></div>""")
    assert (found.isAccessibleForFree, found.paywalledParts) == (False, [".wall"])
    assert found.sources["paywalledParts"] == "microdata"


@pytest.mark.parametrize("parts", [None, 5, "x", [[]], [None], [{}], [part(None)], [part("x" * 400)], [part("")]])
def test_survives_odd_parts(read: Reader, script: Writer, parts: object) -> None:
    assert read(script(article(hasPart=parts))).paywalledParts is None
