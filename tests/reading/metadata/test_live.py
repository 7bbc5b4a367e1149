from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsextract.article import LiveUpdate

if TYPE_CHECKING:
    from tests.reading.metadata.conftest import Reader, Writer


def blog(*updates: object, **fields: Any) -> dict[str, Any]:
    return {"@type": "LiveBlogPosting", "headline": "Rain in Spain: live", "liveBlogUpdate": list(updates), **fields}


def posting(date: str, body: str, headline: str | None = None) -> dict[str, Any]:
    return {"@type": "BlogPosting", "datePublished": date, "headline": headline, "articleBody": body}


def test_reads_the_listed_entries(read: Reader, script: Writer) -> None:
    found = read(
        script(
            blog(
                posting("2026-05-04T11:00:00+02:00", "<p>It rains&nbsp;on.</p><p>And on.</p>", "Still &amp; wet"),
                posting("2026-05-04T10:00:00+02:00", "It rains."),
            )
        )
    )
    assert found.liveBlogUpdates == [
        LiveUpdate("2026-05-04T11:00:00+02:00", "Still & wet", "It rains on.\nAnd on."),
        LiveUpdate("2026-05-04T10:00:00+02:00", None, "It rains."),
    ]
    assert found.sources["liveBlogUpdates"] == "json_ld"
    assert found.headline == "Rain in Spain: live"


def test_resolves_entries_by_reference(read: Reader, script: Writer) -> None:
    graph = [blog({"@id": "#one"}), {"@id": "#one", **posting("2026-05-04T10:00:00Z", "It rains.")}]
    (update,) = read(script({"@graph": graph})).liveBlogUpdates or []
    assert update.articleBody == "It rains."


@pytest.mark.parametrize(
    "updates", [[], [None], [5, "x"], [{}], [posting("soon", "It rains.")], [{"datePublished": "2026-05-04"}]]
)
def test_says_nothing_without_times_or_texts(read: Reader, script: Writer, updates: list[object]) -> None:
    assert read(script(blog(*updates))).liveBlogUpdates is None


def test_keeps_a_clock_without_a_day(read: Reader, script: Writer) -> None:
    found = read(script(blog(posting("2026-05-04T10:00:00Z", "It rains."), posting("11:00", "And on."))))
    assert [update.datePublished for update in found.liveBlogUpdates or ()] == ["2026-05-04T10:00:00+00:00", "11:00"]
