"""A range of days, the matches of watch rules, and rewritten texts."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from newsextract.newsroom.desk.text_differences import change_of
from newsextract.storage.articles.article_store import ArticleStore
from tests.newsroom.desk.conftest import ARTICLES, BRIDGE, BRIDGE_ID, COPY_ID, HOSTILE, add

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RULE = "Bridges & roads"


@pytest.mark.parametrize("path", ["/", "/matches"])
@pytest.mark.parametrize(
    ("days", "sentence"),
    [
        ("from=2026-02-30", "“2026-02-30” is not a day: write year, month and day, as in 2026-03-01."),
        ("to=soon", "“soon” is not a day"),
        ("from=<b>", "“&lt;b&gt;” is not a day"),
        ("from=٢٠٢٦-٠٣-٠١", "is not a day"),
        ("from=2026-03-02&to=2026-03-01", "No day is both after 2026-03-02 and before 2026-03-01"),
    ],
)
def test_a_wrong_day_gets_a_sentence(
    ask: Callable[..., Any], filled: Path, path: str, days: str, sentence: str
) -> None:
    answer = ask(filled, f"{path}?{quote(days, safe='=&')}")
    assert answer.status_code == 200
    assert sentence in answer.text
    assert "/article/" not in answer.text


def test_the_form_of_days_keeps_the_rest_of_the_choice(ask: Callable[..., Any], filled: Path) -> None:
    html = ask(filled, "/?q=bridge&site=wire.example&from=2026-03-01").text
    form = html[html.index('<form class="days"') : html.index("Both included")]
    assert '<input type="hidden" name="q" value="bridge">' in form
    assert '<input type="hidden" name="site" value="wire.example">' in form
    assert '<input type="date" name="from" value="2026-03-01">' in form
    assert 'name="from" value="2026-03-01"' in html[html.index('class="search"') : html.index("</form>")]


def test_the_matches_show_rule_article_passage_and_dates(ask: Callable[..., Any], filled: Path) -> None:
    html = ask(filled, "/matches").text
    assert '<span class="count">1</span> match' in html
    assert f'<a href="/article/{BRIDGE_ID}">Bridge opened in Tarn</a>' in html
    assert ">Bridges &amp; roads</a> matched <time" in html
    assert "published <time" in html
    assert "… opened its new <mark>bridge</mark> …</blockquote>" in html
    assert '<a href="https://gazette.example/bridge" rel="noopener noreferrer nofollow">original</a>' in html


@pytest.fixture
def matched(tmp_path: Path) -> Path:
    """A database with the matches of two rules on two days, one of them with hostile words."""
    path = tmp_path / "matched.db"
    store = ArticleStore.open(f"sqlite:///{path}")
    for article in ARTICLES:
        store.put(article)
    store.close()
    passage = {"field": "headline", "start": 0, "text": HOSTILE, "marks": [[0, 7], [3, 5]]}
    with closing(sqlite3.connect(path)) as connection, connection:
        for rule, article, day in ((HOSTILE, BRIDGE_ID, 2), ("tolls", COPY_ID, 3), ("tolls", BRIDGE_ID, 4)):
            row = {
                "article_id": article,
                "rule": rule,
                "revision": "",
                "date_matched": f"2026-03-0{day}T09:00:00+00:00",
            }
            add(connection, "matches", row | {"passages": [passage]})
    return path


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/matches", [BRIDGE_ID, COPY_ID, BRIDGE_ID]),
        ("/matches?rule=tolls", [BRIDGE_ID, COPY_ID]),
        ("/matches?rule=tolls&to=2026-03-03", [COPY_ID]),
        ("/matches?from=2026-03-02&to=2026-03-03", [COPY_ID, BRIDGE_ID]),
        ("/matches?rule=' or 1=1 --", []),
        ("/matches?page=3", []),
    ],
)
def test_the_matches_narrow_down(ask: Callable[..., Any], matched: Path, address: str, expected: list[str]) -> None:
    html = ask(matched, quote(address, safe="/?=&")).text
    assert re.findall(r'<h2[^>]*><a href="/article/(\w+)"', html) == expected


def test_hostile_rules_and_passages_are_text(ask: Callable[..., Any], matched: Path) -> None:
    html = ask(matched, f"/matches?rule={quote(HOSTILE)}").text
    assert "<script>alert" not in html
    assert "<mark>&lt;script</mark>&gt;alert" in html


def test_the_list_of_matches_is_bounded(
    ask: Callable[..., Any], matched: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("newsextract.newsroom.desk.watch_matches.WINDOW", 2)
    html = ask(matched, "/matches").text
    assert '<span class="count">2+</span> matches' in html
    assert len(re.findall("<blockquote", html)) == 2


def test_without_matches_the_page_says_how_to_have_some(ask: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store = ArticleStore.open(f"sqlite:///{path}")
    store.put(ARTICLES[0])
    store.close()
    html = ask(path, "/matches").text
    assert "<h2>No matches yet</h2>" in html
    assert "scrapy watch watch.yml" in html


OTHER = (
    "Ministers met in the capital to talk about the price of bread. Nobody expected a result, and none came.\n"
    "Farmers blocked three roads in the south, and said that they would stay until Friday evening."
)


def test_a_rewritten_text_is_shown_whole_and_an_edited_one_by_word() -> None:
    rewritten, edited = change_of("Text", BRIDGE, OTHER), change_of("Text", BRIDGE, BRIDGE.replace("noon", "dusk"))
    assert rewritten.is_rewritten
    assert [piece.text for piece in edited.pieces if piece.kind != "same"] == ["noon", "dusk"]
    added = change_of("Text", BRIDGE, f"{BRIDGE} {OTHER}")
    assert [piece.kind for piece in added.pieces] == ["same", "ins"]
    assert change_of("Headline", "Bridge opens", "Bread is dear").is_rewritten
    assert not change_of("Text", "", OTHER).is_rewritten
    assert change_of("Text", "one " * 4000, "one " * 4000 + "two").is_rewritten  # too long to compare


def test_a_revision_that_rewrote_the_text_shows_both_versions_as_one(ask: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "rewritten.db"
    store = ArticleStore.open(f"sqlite:///{path}")
    store.put(ARTICLES[0])
    store.close()
    old, new = BRIDGE.splitlines(), OTHER.splitlines()
    body = [{"before": before, "after": f"{after} <b>"} for before, after in zip(old, new, strict=True)]
    numbers = [{"before": "400", "after": "3", "context": "three roads"}]
    changes = {"body": body, "numbers": numbers, "added_words": 35, "removed_words": 30}
    seen = "2026-03-03T12:00:00+00:00"
    with closing(sqlite3.connect(path)) as connection, connection:
        row = {"article_id": BRIDGE_ID, "number": 1, "date_seen": seen, "content_hash": "", "changes": changes}
        add(connection, "revisions", row)
    html = ask(path, f"/article/{BRIDGE_ID}").text
    revision = html[html.index('<section id="revisions"') :]
    assert "<del>" not in revision
    assert "<ins>" not in revision
    assert revision.count("<h4>Before</h4>") == revision.count("<h4>After</h4>") == 1
    assert f"<p>{old[0]}</p><p>{old[1]}</p>" in revision
    assert f"<p>{new[0]} &lt;b&gt;</p>" in revision
    assert "35 words added, 30 removed" in revision
