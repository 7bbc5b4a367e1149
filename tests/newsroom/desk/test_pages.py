"""The pages of the desk, requested in the same process."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from html import escape, unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from newsextract.storage.articles.article_store import ArticleStore
from newsextract.storage.database.connection import open_engine
from tests.newsroom.desk.conftest import ADDED, ARTICLES, BRIDGE_ID, COPY_ID, HOSTILE, ODD_ID, story

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGES = (
    "/",
    "/?order=seen",
    "/?q=bridge",
    "/?from=2026-03-01",
    "/matches",
    "/stories",
    "/sites",
    "/runs",
    "/newsextract",
    "/newsextract/articles.json",
)


def headlines(html: str) -> list[str]:
    return [unescape(found) for found in re.findall(r'<h2[^>]*><a href="/article/\w+">(.*?)</a>', html, re.DOTALL)]


@pytest.fixture
def get(ask: Callable[..., Any], filled: Path) -> Callable[[str], str]:
    def text_of(address: str) -> str:
        response = ask(filled, address)
        assert response.status_code == 200, response.text
        return str(response.text)

    return text_of


def test_the_front_shows_the_newest_by_publication_and_the_undated_by_when_they_were_seen(
    get: Callable[[str], str],
) -> None:
    listed = headlines(get("/"))
    assert listed[1:6] == ["新桥通车", "Tarn opens bridge", "Bridge opened in Tarn", "L’été à l’Élysée", "جسر جديد"]
    assert len(listed) == len(ARTICLES)
    assert headlines(get("/?order=seen"))[0] == "Tarn opens bridge"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/?q=elysee", ["L’été à l’Élysée"]),
        ('/?q="new bridge"', ["Tarn opens bridge", "Bridge opened in Tarn"]),
        ("/?q=gouv*", ["L’été à l’Élysée"]),
        ("/?q=周一", ["新桥通车"]),
        ("/?q=bridge&site=wire.example", ["Tarn opens bridge"]),
        ("/?q=ELYSÉE OR toll NOT golf", ["Tarn opens bridge", "L’été à l’Élysée"]),
        ("/?q=bridge NEAR/2 Tarn", ["Tarn opens bridge", "Bridge opened in Tarn"]),
        ("/?q=bridge NEAR/0 Tarn", []),
        ("/?q=headline:opens OR lang:zh", ["新桥通车", "Tarn opens bridge"]),
        ("/?q=bridge NOT body:toll", ["Bridge opened in Tarn"]),
        ('/?q=")(*:^-', []),
        ("/?q=%00%ff'", []),
        ("/?language=fr", ["L’été à l’Élysée"]),
        ("/?language=", ["https://bare.example/1", HOSTILE]),
        ("/?section=City", ["Bridge opened in Tarn"]),
        ("/?watch=Bridges %26 roads", ["Bridge opened in Tarn"]),
        ("/?day=2026-03-02", ["https://bare.example/1", "新桥通车", "Tarn opens bridge", "Bridge opened in Tarn"]),
        ("/?from=2026-03-01&to=2026-03-01", ["L’été à l’Élysée"]),
        ("/?to=2026-02-28", ["جسر جديد", HOSTILE]),
        ("/?from=2026-03-02&q=bridge", ["Tarn opens bridge", "Bridge opened in Tarn"]),
        ("/?from=2026-03-02&order=seen&site=wire.example", ["Tarn opens bridge"]),
        ("/?to=2026-03-01&order=seen", []),
        ("/?site=nowhere.example", []),
        ("/?page=7", []),
    ],
)
def test_the_front_narrows_down(get: Callable[[str], str], address: str, expected: list[str]) -> None:
    assert headlines(get(quote(address, safe="/?=&%"))) == expected


def test_a_wrong_query_is_shown_with_its_mistake(get: Callable[[str], str]) -> None:
    html = get("/?q=" + quote("bridge <b>OR</b> (golf"))
    assert "this &#39;(&#39; is never closed" in html
    assert "bridge &lt;b&gt;OR&lt;/b&gt; <mark>(</mark>golf" in html


def test_datasette_searches_the_folded_words_too(ask: Callable[..., Any], filled: Path) -> None:
    for words, count in (("ÉLYSÉE", 1), ("bridge OR Élysée", 3), ("bridge (", 2), ("(", 0)):
        answer = ask(filled, f"/newsextract/articles.json?_shape=array&_search={quote(words)}")
        assert (answer.status_code, len(answer.json())) == (200, count), words


def test_the_facets_count_and_lead_to_what_they_count(get: Callable[[str], str]) -> None:
    html = get("/?q=bridge")
    links = re.findall(r'data-facet="(\w+)"|<li><a href="([^"]+)"[^>]*><span dir="auto">(.*?)</span>', html)
    assert ("", "/?q=bridge&amp;site=wire.example", "wire.example") in links
    assert ("", "/?q=bridge&amp;watch=Bridges+%26+roads", "Bridges &amp; roads") in links
    assert [facet for facet, _, _ in links if facet] == ["site", "language", "section", "watch", "day", "days"]


def test_hostile_text_is_text_everywhere(get: Callable[[str], str]) -> None:
    for address in ("/", f"/article/{ODD_ID}", f"/?q={quote(HOSTILE)}", f"/?site={quote(HOSTILE)}"):
        html = get(address)
        assert "<script>alert" not in html
        assert "<iframe" not in html
    article = get(f"/article/{ODD_ID}")
    assert "&lt;script&gt;alert" in article
    assert "<p>kept</p>" in article
    assert "the &lt;date&gt; is odd" in article


def test_an_article_shows_where_its_fields_come_from_and_no_picture_until_asked(
    ask: Callable[..., Any], filled: Path
) -> None:
    answer = ask(filled, f"/article/{BRIDGE_ID}")
    assert "<dt>Headline found in</dt><dd><bdi>JSON-LD</bdi></dd>" in answer.text
    assert 'href="https://gazette.example/bridge" rel="noopener noreferrer nofollow"' in answer.text
    assert "onclick" not in answer.text
    assert "<img" not in answer.text
    assert "img-src 'self';" in answer.headers["content-security-policy"]
    with_pictures = ask(filled, f"/article/{BRIDGE_ID}?pictures=1")
    assert '<img src="https://pictures.example/b.png"' in with_pictures.text
    assert "img-src 'self' http: https:;" in with_pictures.headers["content-security-policy"]
    assert "script-src 'self';" in with_pictures.headers["content-security-policy"]


def test_an_article_shows_its_revisions_its_watches_and_its_story(get: Callable[[str], str]) -> None:
    html = get(f"/article/{BRIDGE_ID}")
    assert "Bridge <del>to open</del><ins>opened</ins> in Tarn" in html
    assert "<del>Three</del><ins>Four</ins> hundred people came." in html
    assert '<del>300</del> <ins>400</ins> <span class="quiet" lang="en" dir="ltr">in “around 400 people”</span>' in html
    assert "… opened its new <mark>bridge</mark> …</blockquote>" in html
    assert html.count('<article class="revision">') == 1
    assert f'href="/story/{BRIDGE_ID}"' in html


def test_a_story_shows_its_copies_and_what_each_adds(get: Callable[[str], str]) -> None:
    html = get(f"/story/{BRIDGE_ID}")
    assert html.index("gazette.example") < html.index("wire.example")
    assert "87\u00a0% alike" in html
    marked = re.findall(r"<mark>(.*?)</mark>", html)
    assert [text.strip() for text in marked if text != "Marked"] == [ADDED]
    assert "adds 1 sentence<" in html
    assert f"/article/{COPY_ID}" in html
    assert "<del>to open</del>" in html


def test_texts_say_their_language_and_direction(get: Callable[[str], str]) -> None:
    html = get("/")
    assert '<h2 lang="ar" dir="rtl">' in html
    assert '<h2 lang="zh" dir="ltr">' in html
    assert '<h2 lang="" dir="auto">' in html


def test_sites_and_runs_give_counts_and_states(get: Callable[[str], str]) -> None:
    sites = get("/sites")
    assert 'href="/?site=gazette.example"' in sites
    assert ">1 failure</span>" in sites
    assert ">no new articles</span>" in sites
    runs = get("/runs")
    assert ">7 articles</span>, " in runs
    assert '>2 failures</span> <span class="quiet">(HTTP 404)</span>' in runs


@pytest.mark.parametrize("address", PAGES)
def test_an_empty_database_has_all_pages(ask: Callable[..., Any], tmp_path: Path, address: str) -> None:
    path = tmp_path / "empty.db"
    open_engine(f"sqlite:///{path}").dispose()
    answer = ask(path, address)
    assert answer.status_code == 200
    assert 'href="/stories"' not in answer.text


@pytest.mark.parametrize("address", [page for page in PAGES if not page.startswith("/newsextract/")])
def test_a_database_without_any_table_has_all_pages(ask: Callable[..., Any], tmp_path: Path, address: str) -> None:
    path = tmp_path / "nothing.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("vacuum")
    assert ask(path, address).status_code == 200


def test_parts_whose_tables_are_missing_are_left_out(ask: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    store = ArticleStore.open(f"sqlite:///{path}")
    store.put(ARTICLES[0])
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        for table in ("revisions", "stories", "story_articles", "runs", "ledger", "sites"):
            connection.execute(f"drop table {table}")
        connection.commit()
    for address in (*PAGES, f"/article/{BRIDGE_ID}"):
        html = ask(path, address).text
        assert "Error" not in html
        assert 'href="/stories"' not in html
        assert "revision" not in html or address.startswith("/newsextract")
    assert ask(path, f"/story/{BRIDGE_ID}").status_code == 404


def test_an_article_shows_words_instead_of_internals(get: Callable[[str], str]) -> None:
    html = get(f"/article/{BRIDGE_ID}")
    shown = re.sub(r"<[^>]*>", " ", html)
    for internal in (BRIDGE_ID, "json_ld", "content_hash", "text_hash", "run_id", "_utc", "{", "[", "None"):
        assert internal not in shown
    facts = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html)
    assert ("Language", "<bdi>English</bdi>") in facts
    assert ("Published", "<bdi>2026-03-02 08:00 +01:00</bdi>") in facts
    assert ("Text chosen by", '<bdi>auto, 90\u00a0% sure</bdi> <span class="source">from auto</span>') not in facts
    assert all(re.sub(r"<[^>]*>", "", value).strip() for _, value in facts)


def test_empty_pages_say_what_to_run(ask: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    open_engine(f"sqlite:///{path}").dispose()
    for address in ("/", "/matches", "/stories", "/sites", "/runs"):
        html = ask(path, address).text
        assert "<code>make crawl</code>" in html
        assert "scrapy crawl news -a sites=" in html


def test_a_choice_without_an_article_offers_what_to_take_away(get: Callable[[str], str]) -> None:
    html = get("/?language=fr&section=City&from=2026-01-01")
    assert "<h2>No article fits</h2>" in html
    assert 'href="/?section=City&amp;from=2026-01-01" title="Take this away">Language: <bdi>French</bdi> ×</a>' in html
    assert 'href="/?language=fr&amp;section=City" title="Take this away">From: <bdi>2026-01-01</bdi> ×</a>' in html
    assert "The list ends before this page" in get("/?page=7")


def test_an_article_that_is_not_there_is_not_found(ask: Callable[..., Any], filled: Path) -> None:
    answer = ask(filled, "/article/0000")
    assert answer.status_code == 404
    assert "There is no such article." in answer.text


def test_a_page_that_takes_too_long_is_given_up(
    ask: Callable[..., Any], filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("newsextract.newsroom.desk.limited_reading.PAGE_MILLISECONDS", 0)
    answer = ask(filled, "/sites")
    assert answer.status_code == 503
    assert "took too long" in answer.text


def test_what_a_crawl_writes_meanwhile_is_there(ask: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "busy.db"
    store = ArticleStore.open(f"sqlite:///{path}")
    store.put(ARTICLES[0])
    assert headlines(ask(path, "/").text) == ["Bridge opened in Tarn"]
    store.put(story("late.example", "1", headline="Late", body="Later.", datePublished="2027-01-01"))
    assert headlines(ask(path, "/").text) == ["Late", "Bridge opened in Tarn"]
    store.close()


def test_the_list_goes_on_over_pages_and_says_where_it_ends(
    ask: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("newsextract.newsroom.desk.article_listing.WINDOW", 40)
    path = tmp_path / "many.db"
    store = ArticleStore.open(f"sqlite:///{path}")
    for number in range(50):
        store.put(story("many.example", str(number), headline=f"Story {number:02}", body=f"Text {number}."))
    store.close()
    first, second = ask(path, "/").text, ask(path, "/?page=2").text
    assert 'rel="next" href="/?page=2"' in first
    assert len(headlines(first)) == 30
    assert len(headlines(second)) == 10
    assert not set(headlines(first)) & set(headlines(second))
    assert "The newest" in second


@pytest.mark.parametrize("address", ["/nothing", "/newsextract/nothing", "/a&b"])
def test_a_wrong_address_is_a_page_with_a_way_home_and_nothing_in_the_terminal(
    ask: Callable[..., Any], filled: Path, capsys: pytest.CaptureFixture[str], address: str
) -> None:
    response = ask(filled, address)
    assert response.status_code == 404
    assert f"<h1>There is no page at {escape(address)}.</h1>" in response.text
    assert '<a href="/">' in response.text
    assert capsys.readouterr() == ("", "")


def test_a_wrong_address_of_data_is_answered_as_data(ask: Callable[..., Any], filled: Path) -> None:
    response = ask(filled, "/newsextract/nothing.json")
    assert response.status_code == 404
    assert response.json()["error"] == "Table not found"


def test_what_datasette_cannot_do_is_told_on_a_page_with_a_way_home(ask: Callable[..., Any], filled: Path) -> None:
    response = ask(filled, "/newsextract/articles?_size=x")
    assert response.status_code == 400
    assert "<h1>_size must be a positive integer</h1>" in response.text
    assert '<a href="/">' in response.text


def test_the_words_that_were_found_are_marked(get: Callable[[str], str]) -> None:
    assert "opened its new <mark>bridge</mark> over" in get("/?q=bridge")
    assert "<mark>" not in get("/")


def test_says_that_a_site_has_removed_an_article(get: Callable[[str], str]) -> None:
    assert "Removed by the site." in get(f"/article/{ODD_ID}")
    assert "HTTP 410" in get(f"/article/{ODD_ID}")
    assert "Removed by the site." not in get(f"/article/{BRIDGE_ID}")
    assert get("/").count(">removed</a>") == 1
