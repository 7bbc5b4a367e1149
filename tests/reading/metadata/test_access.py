from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.metadata.clues import Metadata

    Reader = Callable[..., Metadata]
    Writer = Callable[[object], str]


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


@pytest.mark.parametrize(
    ("markup", "is_free"),
    [
        ('<meta property="article:content_tier" content="metered">', False),
        ('<meta property="article:content_tier" content="free">', True),
        ('<meta name="isAccessibleForFree" content="false">', False),
        ('<p itemscope itemtype="https://schema.org/Article"><b itemprop="isAccessibleForFree">False</b></p>', False),
    ],
)
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
