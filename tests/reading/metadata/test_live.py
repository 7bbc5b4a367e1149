from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsextract.article import LiveUpdate

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.metadata.clues import Metadata

    Reader = Callable[..., Metadata]
    Writer = Callable[[object], str]

URL = "https://www.example.com/news/rain-in-spain"
LIVE_URL = "https://www.example.com/live/rain-in-spain"


def blog(*updates: object, **fields: Any) -> dict[str, Any]:
    return {"@type": "LiveBlogPosting", "headline": "Rain in Spain: live", "liveBlogUpdate": list(updates), **fields}


def posting(date: str, body: str, headline: str | None = None) -> dict[str, Any]:
    return {"@type": "BlogPosting", "datePublished": date, "headline": headline, "articleBody": body}


def entries(count: int = 4, name: str = "live-entry", time: str = '<time datetime="2026-05-04T1{}:00:00Z">') -> str:
    return "".join(
        f'<div class="{name}"><header>{time.format(n)}1{n}:00</time><h3>Hour {n}</h3></header>'
        f"<p>It rains in the hour {n} of the day.</p><p>People read.</p></div>"
        for n in range(count)
    )


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


def test_finds_the_entries_of_a_page_that_lists_none(read: Reader, script: Writer) -> None:
    page = f"<body><main><h1>Rain</h1><div>{entries()}</div></main><ul><li><time>x</time>a teaser here</li></ul></body>"
    found = read(script(blog()) + page)
    assert found.liveBlogUpdates
    assert found.liveBlogUpdates[0] == LiveUpdate(
        "2026-05-04T10:00:00+00:00", "Hour 0", "It rains in the hour 0 of the day.\nPeople read."
    )
    assert [update.headline for update in found.liveBlogUpdates] == ["Hour 0", "Hour 1", "Hour 2", "Hour 3"]
    assert found.sources["liveBlogUpdates"] == "live_entries"


@pytest.mark.parametrize(
    ("markup", "url", "count"),
    [
        (entries(), LIVE_URL, 4),
        (f'<div class="liveblog">{entries(name="entry")}</div>', LIVE_URL, 4),
        (f'<article itemscope itemtype="https://schema.org/LiveBlogPosting">{entries(name="x")}</article>', URL, 4),
        (entries(2), LIVE_URL, 0),
        (entries(), URL, 0),
        (entries(name="comment"), LIVE_URL, 0),
        ("<p class=live-entry><a href=/a>Rain</a> <time>10:00</time></p>" * 4, LIVE_URL, 0),
    ],
)
def test_asks_for_names_and_address(read: Reader, markup: str, url: str, count: int) -> None:
    assert len(read(f"<h1>Rain</h1><div>{markup}</div>", url).liveBlogUpdates or ()) == count


def test_the_class_of_the_body_may_say_it(read: Reader) -> None:
    assert len(read(f'<body class="is-liveblog"><div>{entries()}</div></body>').liveBlogUpdates or ()) == 4


def test_keeps_a_clock_without_a_day(read: Reader, script: Writer) -> None:
    found = read(script(blog()) + f"<body>{entries(time='<time>')}</body>")
    assert [update.datePublished for update in found.liveBlogUpdates or ()] == ["10:00", "11:00", "12:00", "13:00"]


def test_entries_of_nested_containers_are_one_list(read: Reader, script: Writer) -> None:
    wrapped = entries().replace("<div", "<li><div").replace("</div>", "</div></li>")
    assert len(read(script(blog()) + f"<body><ol>{wrapped}</ol></body>").liveBlogUpdates or ()) == 4


def test_survives_a_flood_of_times(read: Reader) -> None:
    assert read("<div class=live-entry><time>x</time></div>" * 20_000, LIVE_URL).liveBlogUpdates is None
