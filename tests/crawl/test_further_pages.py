"""Articles of several pages become one item if wanted; candidates that turn out to be listings are visited as such."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from newsextract.crawl.spider import MAX_PAGES
from tests.scrapy_runs import STORY, Reply, html, listing, moved, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Run, Scrapy, TinySite, TinyWeb

JOIN = ("-a", "join_pages=1")


def at(number: int) -> str:
    return STORY if number == 1 else STORY.replace(".html", f"-{number}.html")


def linked(number: int, *, last: int = 0, href: str = "") -> Reply:
    """Return a page of the story that names the next one."""
    href = href or (at(number + 1) if number < last else "")
    canonical = f'<link rel="canonical" href="{at(number)}">'
    return html(story(number, head=canonical + (f'<link rel="next" href="{href}">' if href else "")))


def routes(last: int) -> dict[str, Reply]:
    pages = {at(number): linked(number, last=last) for number in range(1, last + 1)}
    return {"/": html(listing(STORY)), **pages}


def said(run: Run, site: TinySite | None = None) -> tuple[list[int], list[str]]:
    """Return the page numbers in the single article of a site, and its warnings about further pages."""
    (line,) = [line for line in run.lines if site is None or line["url"].startswith(site.home)]
    body = line["articleBody"].splitlines()
    numbers = [int(text.split("town number ")[1].split()[0]) for text in body if "Part 0" in text]
    return numbers, [warning for warning in line["extraction"]["warnings"] if "continues" in warning]


UNREADABLE = {
    "error/http 404": Reply(b"", 404),
    "blocked/http 403": Reply(b"", 403),
    "error/not HTML": html(b"%PDF-1.7"),
    "error/truncated response": Reply(story(3), headers={"Content-Type": "text/html"}, declared=10**6),
    "error/redirects to another page": moved(STORY),
    "error/connection refused": moved("http://127.0.0.1:9/"),
}
NOT_FURTHER = (
    STORY, "/2026/05/21/another-story-of-that-town.html", f"http://other.example{at(2)}", "/", at(3), "http://[",
)  # fmt: skip
WHOLE = "/2026/05/20/print/the-town.html"
PARTS = [STORY, "/2026/05/20/how-it-began.html", "/2026/05/20/how-it-ends.html"]


def on_one_page(reply: Reply) -> dict[str, Reply]:
    """Return the story on two pages, the first of which links an answer that has all of it."""
    link = f'<a class="all" href="{WHOLE}">On one page</a></body>'.encode()
    return {**routes(2), STORY: html(linked(1, last=2).body.replace(b"</body>", link)), WHOLE: reply}


def all_sites() -> dict[str, dict[str, Reply]]:
    back = f'<a class="all" href="{STORY}">Back</a></body>'.encode()
    whole = html(story(1).replace(b"</body>", story(2).partition(b"<body>")[2].replace(b"</body>", back)))
    more = [f'<a class="more" href="{path}">Read on</a></body>'.encode() for path in (*PARTS[1:], STORY)]
    read_on = {path: html(story(n).replace(b"</body>", more[n - 1])) for n, path in enumerate(PARTS, start=1)}
    return {
        "three pages": routes(3),
        "without end": routes(MAX_PAGES + 5),
        "forbidden": {**routes(2), "/robots.txt": Reply(f"User-agent: *\nDisallow: {at(2)}".encode())},
        **{reason: {**routes(4), at(3): reply} for reason, reply in UNREADABLE.items()},
        **{f"to {to}": {"/": html(listing(STORY)), STORY: linked(1, href=to), at(3): linked(3)} for to in NOT_FURTHER},
        "on one page": on_one_page(whole),
        "on no page": on_one_page(Reply(b"", 404)),
        "on the same page": on_one_page(moved(STORY)),
        "on a page out of reach": on_one_page(moved("http://127.0.0.1:9/")),
        "on a page of another text": on_one_page(html(story(7).replace(b" ", b"x "))),
        "read on": {"/": html(listing(STORY)), **read_on},
    }  # fmt: skip


@pytest.fixture(scope="module")
def sites(tiny_web: TinyWeb) -> dict[str, TinySite]:
    return {name: tiny_web(routes) for name, routes in all_sites().items()}


@pytest.fixture(scope="module")
def joined(crawl: Scrapy, sites: dict[str, TinySite], tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("joined")
    rules = "rules: {single_page: a.all, next_page: a.more}"
    listed = ", ".join(
        f"{{start: {site.home}{f', {rules}' if name.startswith(('on', 'read')) else ''}}}"
        for name, site in sites.items()
    )
    (folder / "sites.yml").write_text(f"sites: [{listed}]")
    return crawl(folder, "sites.yml", *JOIN)


def test_joins_the_pages_in_order(joined: Run, sites: dict[str, TinySite]) -> None:
    site = sites["three pages"]
    assert said(joined, site) == ([1, 2, 3], [])
    (line,) = [line for line in joined.lines if line["url"].startswith(site.home)]
    assert (line["url"], line["canonicalUrl"]) == (site.home[:-1] + STORY,) * 2
    assert len(site.log) == len(set(site.log))
    assert joined.states["article"] == len(joined.lines) == len(sites)
    assert " part " in joined.out
    assert joined.adds_up()


@pytest.mark.parametrize("reason", UNREADABLE)
def test_a_page_that_cannot_be_had_costs_none_of_those_before(
    reason: str, joined: Run, sites: dict[str, TinySite]
) -> None:
    numbers, (warning, *_) = said(joined, sites[reason])
    assert numbers == [1, 2]
    assert at(3) in warning
    assert joined.reasons[reason] >= 1


def test_a_page_that_robots_txt_forbids_is_not_asked_for(joined: Run, sites: dict[str, TinySite]) -> None:
    numbers, warnings = said(joined, sites["forbidden"])
    assert (numbers, bool(warnings)) == ([1], True)
    assert at(2) not in sites["forbidden"].log


@pytest.mark.parametrize("href", NOT_FURTHER)
def test_follows_nothing_but_its_own_pages(href: str, joined: Run, sites: dict[str, TinySite]) -> None:
    assert said(joined, sites[f"to {href}"]) == ([1], [])


def test_there_is_an_end_to_it(joined: Run, sites: dict[str, TinySite]) -> None:
    numbers, warnings = said(joined, sites["without end"])
    assert numbers == list(range(1, MAX_PAGES + 1))
    assert at(MAX_PAGES + 1) in warnings[0]


def test_a_rule_finds_all_of_an_article_on_one_page(joined: Run, sites: dict[str, TinySite]) -> None:
    assert said(joined, sites["on one page"]) == ([1, 2], [])
    assert at(2) not in sites["on one page"].log


@pytest.mark.parametrize(
    "name", ["on no page", "on the same page", "on a page out of reach", "on a page of another text"]
)
def test_the_first_page_stands_where_the_one_page_is_not_there_or_of_another_text(
    name: str, joined: Run, sites: dict[str, TinySite]
) -> None:
    is_other = name == "on a page of another text"
    assert said(joined, sites[name])[0] == ([1] if is_other else [1, 2])
    (line,) = [line for line in joined.lines if line["url"].startswith(sites[name].home)]
    assert any("single_page" in each for each in line["extraction"]["warnings"]) == is_other


def test_a_rule_finds_the_next_page_where_the_url_does_not_tell(joined: Run, sites: dict[str, TinySite]) -> None:
    assert said(joined, sites["read on"]) == ([1, 2, 3], [])


def test_the_argument_has_the_last_word(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web(routes(3))
    run = crawl(tmp_path, site.home, "-s", "NEWSEXTRACT_JOIN_PAGES=True", "-a", "join_pages=no")
    assert said(run) == ([1], [f"articleBody: continues at {site.home[:-1]}{at(2)}, which was not joined"])
    assert at(2) not in site.log
    assert "part" not in run.states


def test_a_further_page_that_is_listed_too_is_no_second_article(
    crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path
) -> None:
    urls = "".join(f"<url><loc>{at(number)}</loc></url>" for number in (1, 2))
    site = tiny_web({**routes(2), "/sitemap.xml": Reply(f"<urlset>{urls}</urlset>".encode())})
    run = crawl(tmp_path, site.home, *JOIN, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1", "-s", "DOWNLOAD_DELAY=0.1")
    assert said(run)[0] == [1, 2]
    assert run.states["part"] in {1, 2}
    assert run.adds_up()


def test_a_calendar_of_lists_is_not_followed_for_ever(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    days = [f"/2026/05/{day:02}" for day in range(1, 20)]
    lists = {day: html(listing(*(f"{day}?part={n}" for n in range(9)), after)) for day, after in pairwise(days)}
    site = tiny_web({"/": html(listing(days[0])), **lists, "*": html(listing("/a-page-of-five-words"))})
    run = crawl(tmp_path, site.home)
    assert [day for day in days if day in site.log] == days[:4]
    assert run.adds_up()


@pytest.fixture
def rubric(tiny_web: TinyWeb) -> TinySite:
    """Serve a site whose sitemap names a list of articles, as if it were one, and its second page."""
    stories = [f"/2026/05/{day}/a-bridge-of-five-words.html" for day in range(10, 20)]
    candidate, section = "/dossiers/the-bridges-of-our-town-2026.html", "/bridges"
    sitemap = f"<urlset><url><loc>{candidate}</loc></url></urlset>".encode()
    head = f'<link rel="next" href="{candidate}?page=2">'
    return tiny_web(
        {
            "/": html(b"<p>Welcome"),
            "/sitemap.xml": Reply(sitemap),
            candidate: html(listing(*stories[:5], section, head=head)),
            section: html(listing(*stories[5:], "/deeper")),
            "/deeper": html(listing("/deeper/down")),
            **{path: html(story(number)) for number, path in enumerate(stories)},
        }
    )


def test_a_candidate_that_lists_feeds_the_frontier(rubric: TinySite, crawl: Scrapy, tmp_path: Path) -> None:
    run = crawl(tmp_path, rubric.home)
    assert len(run.lines) == 10
    assert all("/2026/05/" in line["url"] for line in run.lines)
    # It counts as linked from the home page, so the bounds are those of a section.
    assert "/deeper" in rubric.log
    assert "/deeper/down" not in rubric.log
    assert run.adds_up()


def test_links_of_such_a_list_are_left_where_none_are_wanted(rubric: TinySite, crawl: Scrapy, tmp_path: Path) -> None:
    run = crawl(tmp_path, rubric.home, "-a", "discover=sitemaps")
    assert run.lines == []
    assert "/bridges" not in rubric.log
