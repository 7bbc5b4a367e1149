"""The pages of the desk, requested in the same process, over every kind of database."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import asdict
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from sqlalchemy import insert, text, update
from sqlalchemy.exc import SQLAlchemyError

pytest.importorskip("starlette", reason="Starlette is not installed: pip install 'newsextract[desk]'")

import itertools

from starlette.testclient import TestClient

from newsextract.article import Article, ArticleMetadata, ExtractionReport
from newsextract.newsroom.desk.application import make_desk
from newsextract.newsroom.health.figures import SiteFigures
from newsextract.settings import find_browser
from newsextract.storage import database
from newsextract.storage.articles import row_of
from newsextract.storage.database import StorageError, open_database, reading
from newsextract.storage.differences import compare
from newsextract.storage.schema import (
    articles,
    deliveries,
    ledger,
    matches,
    outbox,
    removals,
    revisions,
    runs,
    site_runs,
    sites,
    stories,
    story_articles,
)
from tests.article_store import ArticleStore
from tests.conftest import DATABASES, own_database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HOSTILE = "<script>alert('x')</script> & \"quoted\" </title>\u202e\u2028"
BRIDGE = (
    "The town of Tarn opened its new bridge over the river on Monday morning.\n"
    "Four hundred people walked across it before noon. The work had taken three years."
)
ADDED = "A toll will be asked of lorries from March."
SEEN = "2026-03-02T12:00:00+00:00"


def story(site: str, name: str, *, headline: str | None, body: str, **fields: Any) -> Article:
    seen = fields.pop("seen", "2026-03-02T10:00:00+00:00")
    report = ExtractionReport("auto", 0.9, sources={"headline": "json_ld", "articleBody": "auto"})
    return Article(
        url=f"https://{site}/{name}",
        headline=headline,
        articleBody=body,
        articleBodyHtml=fields.pop("html", "".join(f"<p>{line}</p>" for line in body.splitlines())),
        wordCount=len(body.split()),
        metadata=ArticleMetadata(dateDownloaded=seen),
        extraction=fields.pop("extraction", report),
        **fields,
    )


ARTICLES = (
    story(
        "gazette.example", "bridge", headline="Bridge opened in Tarn", body=BRIDGE, inLanguage="en", section="City",
        datePublished="2026-03-02T08:00:00+01:00",
        html=f'<p onclick="x()">{BRIDGE}</p><figure><img src="https://pictures.example/b.png" alt="A bridge"></figure>',
    ),
    story(
        "wire.example", "bridge", headline="Tarn opens bridge", body=f"{BRIDGE} {ADDED}", inLanguage="en",
        datePublished="2026-03-02T09:30:00+01:00", seen="2026-03-02T11:00:00+00:00",
    ),
    story(
        "journal.example", "ete", headline="L’été à l’Élysée", body="Le gouvernement prépare l’été.", inLanguage="fr",
        section="Politique", datePublished="2026-03-01",
    ),
    story("ribao.example", "1", headline="新桥通车", body="市长说新桥将于周一通车。", inLanguage="zh"),
    story("akhbar.example", "1", headline="جسر جديد", body="افتتح الجسر.", inLanguage="ar", datePublished="2026-02-27"),
    story(
        "odd.example", "1", headline=HOSTILE, body=HOSTILE, html=f"<p>kept</p>{HOSTILE}<iframe></iframe>",
        description="", section="<b>", publisher="=1+1", datePublished="2026-02-20T10:00:00+00:00",
        extraction=ExtractionReport("auto", 0.1, warnings=["the <date> is odd"]),
    ),
    story("bare.example", "1", headline=None, body="", datePublished="not a date"),
)  # fmt: skip

ROWS = {article.url: row_of(article) for article in ARTICLES}
BRIDGE_ID = ROWS["https://gazette.example/bridge"]["id"]
COPY_ID = ROWS["https://wire.example/bridge"]["id"]
ODD_ID = ROWS["https://odd.example/1"]["id"]


def fill(store: ArticleStore) -> None:
    for article in ARTICLES:
        store.put(article)
    now = ROWS["https://gazette.example/bridge"]
    before = now | {"headline": "Bridge to open in Tarn", "article_body": BRIDGE.replace("Four", "Three")}
    found = compare(before, now)
    assert found is not None
    kept = {"article_id": BRIDGE_ID, "content_hash": "", "date_seen": SEEN}
    earlier, later = ({name: row[name] for name in ("headline", "article_body")} for row in (before, now))
    link = {"story_id": BRIDGE_ID, "similarity": 0.876, "containment": 0.9}
    passage = {"field": "body", "start": 12, "text": "opened its new bridge", "marks": [[15, 21]]}
    match = {"article_id": BRIDGE_ID, "rule": "Bridges & roads", "revision": "", "date_matched": SEEN}
    visit = {"site": "gazette.example", "role": "candidate", "depth": 1, "visits": 1, "unchanged": 0, "failures": 1}
    visit |= {"date_first_seen": SEEN, "date_visited": SEEN, "state": "error"}
    stats = {"newsextract/pages": 9, "newsextract/state/article": 7, "newsextract/state/error": 2}
    run = {"id": "r", "spider": "news", "command": "c", "host": "h", "pid": 1, "reason": "shutdown"}
    run |= {"date_started": SEEN, "date_heartbeat": SEEN, "date_ended": SEEN}
    figures = asdict(SiteFigures(states={"article": 4, "error": 2}, articles=4, new=3, undated=1, median_words=321))
    rows = {
        revisions: [
            kept | earlier | {"number": 0, "changes": None}, kept | later | {"number": 1, "changes": found.as_json()}
        ],
        stories: [{"id": BRIDGE_ID, "date_first_seen": SEEN, "day": 20514}],
        story_articles: [link | {"article_id": BRIDGE_ID, "similarity": 1.0}, link | {"article_id": COPY_ID}],
        matches: [match | {"passages": [passage]}],
        ledger: [
            visit | {"id": "l", "url": "https://gazette.example/gone", "reason": "http 404", "article_id": None},
            visit | {"id": "g", "url": "https://odd.example/1", "site": "odd.example", "reason": "http 410"}
            | {"article_id": ODD_ID},
        ],
        removals: [{"article_id": ODD_ID, "date_missed": SEEN, "reason": "http 410", "date_removed": SEEN}],
        runs: [run | {"arguments": {"sites": "https://gazette.example/,sites.yml"}, "stats": stats}],
        deliveries: [{"target": "alert Morning mailto", "position": 1, "refusals": 0, "date_sought": SEEN}],
        outbox: [
            {"id": n, "message_id": f"{n:032x}", "kind": "match", "article_id": BRIDGE_ID, "payload": "{}"}
            | {"date_created": SEEN} for n in (1, 2)
        ],
        sites: [{"site": "gazette.example", "date_first_seen": SEEN, "date_completed": SEEN}],
        site_runs: [
            {"run_id": "r", "site": "gazette.example", "date": SEEN, "articles": 3, "pages": 4, "figures": figures,
             "problems": "silent"},
        ],
    }  # fmt: skip
    with store.engine.begin() as connection:
        for table, made in rows.items():
            connection.execute(insert(table), made)
        connection.execute(update(articles).values(page_words=b"\x00\xff of pages"))  # as a crawl keeps them


@pytest.fixture(scope="module", params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with own_database(request.param, tmp_path_factory.mktemp("desk")) as url:
        store = ArticleStore.open(url)
        fill(store)
        store.close()
        yield url


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[TestClient]:
    engine = open_database(url)
    yield TestClient(make_desk(engine), base_url="http://127.0.0.1")
    engine.dispose()


@pytest.fixture
def get(client: TestClient) -> Callable[[str], str]:
    def text_of(address: str) -> str:
        response = client.get(address)
        assert response.status_code == 200, response.text
        return response.text

    return text_of


def headlines(html: str) -> list[str]:
    return [unescape(found) for found in re.findall(r'<h2[^>]*><a href="/article/\w+">(.*?)</a>', html, re.DOTALL)]


PAGES = (
    "/", "/?order=seen", "/?q=bridge", "/?q=(", "/?from=2026-13-01", "/?page=7", "/matches", "/stories", "/sites",
    "/pages", "/pages?state=article", "/runs", "/site/gazette.example", "/site/odd.example", f"/article/{BRIDGE_ID}",
    f"/article/{BRIDGE_ID}?beside=1", f"/article/{ODD_ID}", f"/story/{BRIDGE_ID}", "/nowhere",
)  # fmt: skip


def test_every_page_has_headings_in_order_and_may_load_nothing_from_others(client: TestClient) -> None:
    for address in PAGES:
        answer = client.get(address)
        levels = [int(level) for level in re.findall(r"<h([1-6])", answer.text)]
        assert levels[0] == levels.count(1) == 1, address
        assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), (address, levels)
        assert "<script>alert" not in answer.text
        assert "<iframe" not in answer.text
        assert "img-src 'self';" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert not re.findall(r'(?:src|href)="(?:https?:)?//(?!\w+\.example)', answer.text)


def test_the_front_shows_the_newest_by_publication_and_the_undated_by_when_they_were_seen(
    get: Callable[[str], str],
) -> None:
    listed = headlines(get("/"))
    assert listed[2:6] == ["Tarn opens bridge", "Bridge opened in Tarn", "L’été à l’Élysée", "جسر جديد"]
    assert len(listed) == len(ARTICLES)
    assert headlines(get("/?order=seen"))[0] == "Tarn opens bridge"


NARROWED = [
    ("/?q=elysee", ["L’été à l’Élysée"]),
    ('/?q="new bridge"', ["Tarn opens bridge", "Bridge opened in Tarn"]),
    ("/?q=gouv*", ["L’été à l’Élysée"]),
    ("/?q=周一", ["新桥通车"]),
    ("/?q=bridge&site=wire.example", ["Tarn opens bridge"]),
    ("/?q=ELYSÉE OR toll NOT golf", ["Tarn opens bridge", "L’été à l’Élysée"]),
    ("/?q=bridge NEAR/2 Tarn", ["Tarn opens bridge", "Bridge opened in Tarn"]),
    ("/?q=bridge NEAR/0 Tarn", []),
    ("/?q=bridge NOT body:toll", ["Bridge opened in Tarn"]),
    ('/?q=")(*:^-', []),
    ("/?q=%00%ff'", []),
    ("/?language=fr&language=ar", ["L’été à l’Élysée", "جسر جديد"]),
    ("/?language=", ["https://bare.example/1", HOSTILE]),
    ("/?section=City", ["Bridge opened in Tarn"]),
    ("/?watch=Bridges %26 roads", ["Bridge opened in Tarn"]),
    ("/?day=2026-03-02", ["新桥通车", "https://bare.example/1", "Tarn opens bridge", "Bridge opened in Tarn"]),
    ("/?to=2026-02-28", ["جسر جديد", HOSTILE]),
    ("/?from=2026-03-02&order=seen&site=wire.example", ["Tarn opens bridge"]),
    ("/?from=2026-03-02&to=9999-12-31&site=wire.example", ["Tarn opens bridge"]),
    ("/?site=nowhere.example", []),
    ("/?page=7", []),
]


def test_the_front_narrows_down(get: Callable[[str], str]) -> None:
    for address, expected in NARROWED:
        assert headlines(get(quote(address, safe="/?=&%"))) == expected, address


def test_facets_take_several_values_and_count_what_each_would_add(get: Callable[[str], str]) -> None:
    html = get("/?q=bridge&site=wire.example")
    links = dict(re.findall(r'<a href="([^"]+)"[^>]*><span dir="auto">(.*?)</span>', html))
    assert links["/?q=bridge"] == "wire.example"
    assert links["/?site=wire.example&amp;site=gazette.example&amp;q=bridge"] == "gazette.example"
    assert "/?site=gazette.example&amp;q=bridge&amp;watch=Bridges+%26+roads" not in links
    assert 'name="site" value="wire.example"' in html


def test_what_is_wrong_with_a_search_or_with_days_is_shown(get: Callable[[str], str]) -> None:
    html = get("/?q=" + quote("bridge <b>OR</b> (golf"))
    assert "this &#39;(&#39; is never closed" in html
    assert "bridge &lt;b&gt;OR&lt;/b&gt; <mark>(</mark>golf" in html
    assert "“2026-02-30” is not a day" in get("/?from=2026-02-30")


def test_an_article_has_its_text_fields_with_sources_and_pictures_on_demand(client: TestClient) -> None:
    html = client.get(f"/article/{BRIDGE_ID}").text
    assert "onclick" not in html
    assert "<img" not in html
    assert "Load 1 picture" in html
    assert re.search(r"<dt>Language</dt><dd><bdi>English</bdi>", html)
    shown = client.get(f"/article/{BRIDGE_ID}?pictures=1")
    assert 'src="https://pictures.example/b.png"' in shown.text
    assert 'referrerpolicy="no-referrer"' in shown.text
    assert "img-src 'self' http: https:;" in shown.headers["content-security-policy"]
    odd = client.get(f"/article/{ODD_ID}").text
    assert "&lt;script&gt;alert" in odd
    assert "<p>kept</p>" in odd
    assert "the &lt;date&gt; is odd" in odd
    assert "Removed by the site:" in odd


def test_a_revision_marks_words_and_numbers(get: Callable[[str], str]) -> None:
    html = get(f"/article/{BRIDGE_ID}")
    assert "Bridge <del>to open</del> <ins>opened</ins> in Tarn" in html
    assert "<del>Three</del> <ins>Four</ins> hundred people walked across it before noon." in html
    assert "1 revision" in get("/")


def test_both_versions_of_a_revision_stand_beside_each_other_on_demand(get: Callable[[str], str]) -> None:
    assert f'href="/article/{BRIDGE_ID}?beside=1#revision-1"' in get(f"/article/{BRIDGE_ID}")
    cells = re.findall(r'<td data-label="(\w+)">(.*?)</td>', get(f"/article/{BRIDGE_ID}?beside=1"))
    town, hundred = BRIDGE.splitlines()
    assert [(side, re.sub(r" *(?=</)", "", html)) for side, html in cells] == [
        ("Before", "<p>Bridge <del>to open</del> in Tarn</p>"),
        ("After", "<p>Bridge <ins>opened</ins> in Tarn</p>"),
        ("Before", f"<p>{town}</p>"),
        ("After", f"<p>{town}</p>"),
        ("Before", f"<p>{hundred.replace('Four', '<del>Three</del>')}</p>"),
        ("After", f"<p>{hundred.replace('Four', '<ins>Four</ins>')}</p>"),
    ]
    assert "data-label" not in get(f"/article/{BRIDGE_ID}?beside=7")


def test_a_story_shows_copies_side_by_side_with_what_each_adds(get: Callable[[str], str]) -> None:
    html = get(f"/story/{BRIDGE_ID}")
    assert html.index("gazette.example") < html.index("wire.example")
    assert f"<mark>{ADDED}</mark>" in html
    assert "adds 1 sentence" in html
    assert "87\xa0% alike" in html
    assert "Bridge opened in Tarn" in get("/stories")
    assert "1 copy" in get("/")


def test_a_story_has_a_time_line_of_what_was_said_seen_and_changed(get: Callable[[str], str]) -> None:
    line = get(f"/story/{BRIDGE_ID}").partition("Time line")[2].partition("</ol>")[0]
    told = re.findall(r">([\w.]+)</a> <span[^>]*>([^<]+)</span>", line)
    assert ("gazette.example", "changed: headline, text") in told
    assert sum(what == "seen for the first time" for _, what in told) == 2
    dates = re.findall(r'datetime="([^"]+)"', line)
    assert dates == sorted(dates)


def test_matches_show_the_passages_by_rule(get: Callable[[str], str]) -> None:
    html = get("/matches?rule=Bridges+%26+roads")
    assert headlines(html) == ["Bridge opened in Tarn"]
    assert "opened its new <mark>bridge</mark>" in html
    assert headlines(get("/matches?to=2026-03-01")) == []


def test_sites_have_their_health_over_time(get: Callable[[str], str]) -> None:
    html = get("/sites")
    assert html.count("<tr>") == len(ARTICLES) + 1
    assert '<span class="chip revised">silent</span>' in html
    assert "error</span>" not in html
    assert '<span class="state error">error 1</span>' in html
    site = get("/site/gazette.example")
    assert '<g class="bad"><title>2026-03-02 12:00 UTC: 321</title>' in site
    assert "silent" in site
    assert "25\xa0%" in site


def test_pages_say_why_they_are_no_articles(get: Callable[[str], str]) -> None:
    html = get("/pages?site=gazette.example&state=error")
    assert "https://gazette.example/gone" in html
    assert "http 404" in html
    assert "https://odd.example/1" not in html
    assert f"/article/{ODD_ID}" in get("/pages")


def test_runs_say_how_they_ended(get: Callable[[str], str]) -> None:
    html = get("/runs")
    assert ", shutdown" in html
    assert "article 7" in html
    assert "https://gazette.example/, sites.yml" in html
    assert re.search(r"<strong>alert Morning mailto</strong>: 1 match since .*2026", html)


def test_a_selection_is_saved_as_csv_and_json_lines(client: TestClient) -> None:
    answer = client.get("/export.csv?section=<b>")
    lines = list(csv.DictReader(io.StringIO(answer.text.lstrip("\ufeff"))))
    assert [(line["Site"], line["Publisher"]) for line in lines] == [("odd.example", "'=1+1")]
    assert answer.headers["content-disposition"] == 'attachment; filename="articles.csv"'
    items = [json.loads(line) for line in client.get("/export.jsonl?q=bridge").text.splitlines()]
    assert [item["headline"] for item in items] == ["Tarn opens bridge", "Bridge opened in Tarn"]
    assert items[1] == client.get(f"/article/{BRIDGE_ID}.json").json()
    assert client.get("/export.csv?q=(").status_code == 400


def test_what_is_not_there_is_404(client: TestClient) -> None:
    for address in ("/article/nothing", "/article/nothing.json", "/story/x", "/site/x", "/x", "/export.exe"):
        assert client.get(address).status_code == 404, address


def test_answers_only_to_loopback_names_and_only_reads(client: TestClient, url: str) -> None:
    for host, status in (("localhost:8001", 200), ("127.0.0.1:8001", 200), ("evil.example", 400), ("", 400)):
        assert client.get("/", headers={"host": host}).status_code == status, host
    assert client.post("/").status_code == 405
    engine = open_database(url)
    with pytest.raises(SQLAlchemyError), engine.begin() as connection:
        connection.execute(text("DELETE FROM articles"))
    engine.dispose()


def test_a_page_that_takes_too_long_is_given_up(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = {
        "sqlite": "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1e9) SELECT sum(x) FROM n",
        "postgresql": "SELECT pg_sleep(9)",
        "mysql": "SELECT sleep(9)",
    }
    monkeypatch.setattr(database, "PAGE_SECONDS", 0.2)
    limited = {"postgresql": ("SET statement_timeout = 200",), "mysql": ("SET max_statement_time = 0.2",)}
    monkeypatch.setattr(database, "_READ_ONLY", {"sqlite": ()} | limited)
    engine = open_database(url)
    with pytest.raises(database.TooLongError), reading(engine) as connection:
        connection.execute(text(slow[engine.dialect.name])).all()
    engine.dispose()


def test_an_empty_database_says_how_to_fill_it(tmp_path: Path) -> None:
    ArticleStore.open(f"sqlite:///{tmp_path}/a #strange%20 name?.db").close()
    client = TestClient(make_desk(open_database(str(tmp_path / "a #strange%20 name?.db"))), base_url="http://localhost")
    for address in ("/", "/matches", "/stories", "/sites", "/pages", "/runs"):
        assert "yet</h2>" in client.get(address).text


def test_a_database_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database")
    for name, message in (("none.db", "there is no database at"), ("text.db", "file is not a database")):
        with pytest.raises(StorageError, match=message):
            open_database(str(tmp_path / name))
    assert not (tmp_path / "none.db").exists()


def test_j_and_k_go_down_and_up_where_there_is_a_list(client: TestClient, url: str) -> None:
    if not url.startswith("sqlite"):
        pytest.skip("the same script whatever the database")
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install 'newsextract[render]'")
    program = find_browser(None) or pytest.skip("no Chromium: apt-get install chromium")

    def answer(route: Any) -> None:
        found = client.get(route.request.url)
        route.fulfill(status=found.status_code, headers=dict(found.headers), body=found.content)

    with playwright.sync_playwright() as driver:
        page = driver.chromium.launch(executable_path=program, args=["--no-sandbox"]).new_page()
        page.route("**/*", answer)
        page.goto("http://127.0.0.1/sites")
        page.keyboard.type("jjk")
        assert page.evaluate("document.activeElement.textContent") == "akhbar.example"
        page.keyboard.type("/")
        assert page.evaluate("document.activeElement.name") == "q"
        assert "down and up the list" in page.inner_text("footer")
        page.goto("http://127.0.0.1/runs")
        assert page.inner_text("footer") == "Read only. Keys: / search."
