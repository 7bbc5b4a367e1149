"""JSON-LD of a megabyte, of broken syntax, of other pages: its work is bounded and the rest of the page is read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.reading.metadata.json_ld import Graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.metadata.clues import Metadata

    Reader = Callable[..., Metadata]
    Writer = Callable[[object], str]

OWN = '<title>Rain in Spain</title><meta name="og:title" content="Rain in Spain"><meta name="author" content="Ann Lee">'


def other(number: int) -> dict[str, Any]:
    return {
        "@type": "NewsArticle",
        "headline": f"Sun in Rome, part {number}",
        "url": f"https://www.example.com/sun/{number}",
        "author": {"@type": "Person", "name": "Bo Chen"},
    }


def nested(depth: int) -> dict[str, Any]:
    node: dict[str, Any] = other(0)
    for _ in range(depth):
        node = {"@type": "Thing", "about": node}
    return node


@pytest.mark.parametrize(
    "value",
    [
        [other(n) for n in range(5_500)],
        {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": other(n)} for n in range(4_500)]},
        {"@type": "BreadcrumbList", "itemListElement": [{"name": str(n), "position": n} for n in range(25_000)]},
        {"@type": "NewsArticle", "headline": "Rain in Spain", "keywords": ["rain"] * 100_000},
        {"@type": "NewsArticle", "headline": "Rain in Spain", "hasPart": [{"isAccessibleForFree": True}] * 25_000},
        {"@type": "LiveBlogPosting", "headline": "Rain in Spain", "liveBlogUpdate": [{"headline": "x"}] * 45_000},
        {"@type": "NewsArticle", "headline": "Rain in Spain", "articleBody": "It rains. " * 95_000},
        [[[[]] * 300] * 300],
        nested(200),
    ],
    ids=["articles", "list", "crumbs", "keywords", "parts", "updates", "body", "lists", "depth"],
)
def test_reads_the_page_beside_a_megabyte(read: Reader, script: Writer, value: object) -> None:
    found = read(OWN + script(value))
    assert found.headline == "Rain in Spain"
    assert [author.name for author in found.authors or ()] == ["Ann Lee"]
    assert len(found.keywords or ()) <= 50
    assert len(found.warnings) <= 20


def test_looks_at_a_bounded_number_of_nodes() -> None:
    assert len(Graph([[other(n) for n in range(50_000)]]).nodes) <= 5_000


@pytest.mark.parametrize("cut", [0.3, 0.7, 0.99])
def test_reads_the_page_beside_a_torn_megabyte(read: Reader, script: Writer, cut: float) -> None:
    text = json.dumps([other(n) for n in range(5_500)])
    found = read(OWN + script(text[: int(len(text) * cut)]))
    assert (found.headline, [author.name for author in found.authors or ()]) == ("Rain in Spain", ["Ann Lee"])
    assert any("broken beyond repair" in warning for warning in found.warnings)
