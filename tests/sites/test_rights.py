"""What robots.txt, tdmrep.json and pages say of their use, and what contradictory statements come to."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from newsextract.article import UsageRights, plain
from newsextract.crawl.discovery import SiteRights
from newsextract.page.page import Hints, Page
from newsextract.reading.metadata.precedence import read_metadata
from newsextract.reading.usage_rights import USES, answer, statements_of, why_reserved
from newsextract.sites.robots import UseGroup, matches, read_tdmrep, tdm_values, use_groups, use_values
from newsextract.sites.site_files import SiteFileError

URL = "https://paper.example/news/rain.html"
BY = "https://creativecommons.org/licenses/by/4.0/"
UNSAID = ("unsaid", "")
NOTHING = (UNSAID, UNSAID, UNSAID)


@dataclass(frozen=True)
class Site:
    """A page of a site as it was fetched, and the files of the site."""

    about: str
    answers: tuple[tuple[str, str], tuple[str, str], tuple[str, str]]
    """For training, search and archives: the state, and what decides."""
    robots: str = ""
    tdmrep: object = None
    head: str = ""
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def rights(self) -> UsageRights:
        files = SiteRights()
        files.read_robots("paper.example", self.robots.encode())
        if self.tdmrep is not None:
            files.read("paper.example", json.dumps(self.tdmrep).encode(), URL)
        hints = Hints(headers=self.headers, site_rights=files.values(URL))
        page = Page(
            f"<head>{self.head}</head><body><h1>Rain in Spain</h1><p>It rains.</p>{self.body}", URL, hints=hints
        )
        return read_metadata(page).usageRights or UsageRights()


def reserved(reason: str) -> tuple[str, str]:
    return "reserved", reason


def allowed(reason: str) -> tuple[str, str]:
    return "allowed", reason


SITES = [
    Site("says nothing of use: a ban for all is about fetching", NOTHING, robots="User-agent: *\nDisallow: /admin"),
    Site(
        "shuts out AI crawlers in one group, with a hole that the page is not in",
        (reserved("AI crawlers disallowed in robots.txt"), UNSAID, UNSAID),
        robots="\ufeffUser-agent: GPTBot\nUser-agent: CCBot # 2\nAllow: /about\nDisallow: /\n\nUser-agent: *\nAllow:",
    ),
    Site(
        "shuts them out elsewhere: the longest pattern lets them in here, which permits nothing",
        NOTHING,
        robots="User-agent: Google-Extended\nDisallow: /\nAllow: /news/*.html$\n\nUser-agent: AI2Bot\nDisallow: /shop",
    ),
    Site(
        "shuts out the archive, and search engines that are none of its business",
        (UNSAID, UNSAID, reserved("archivers disallowed in robots.txt")),
        robots="user-agent: ia_archiver\ndisallow: /\n\nUser-agent: Baiduspider\nDisallow: /",
    ),
    Site(
        "permits search and reserves training by Content Signals",
        (reserved("ai-train=no in robots.txt"), allowed("search=yes in robots.txt"), UNSAID),
        robots="User-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /",
    ),
    Site(
        "has AIPREF rules by path: the longest counts",
        (allowed("train-ai=y in robots.txt"), UNSAID, UNSAID),
        robots="User-agent: *\nContent-Usage: train-ai=n, search=n\nContent-Usage: /news/ train-ai=y",
    ),
    Site(
        "reserves in robots.txt what its header allows: of AIPREF's statements the most restrictive counts",
        (reserved("train-ai=n in robots.txt"), allowed("search=y in header"), UNSAID),
        robots="User-agent: *\nContent-Usage: train-ai=n",
        headers={"content-usage": "train-ai=y, search=y"},
    ),
    Site(
        "sells training to one crawler, which is a permission for nobody else",
        (reserved("ai-train=no in robots.txt"), UNSAID, UNSAID),
        robots="User-agent: GPTBot\nContent-Signal: ai-train=yes\n\nUser-agent: *\nContent-Signal: ai-train=no",
    ),
    Site(
        "reserves mining in its file, and lifts that for the page",
        (allowed("tdm-reservation: 0 in meta"), UNSAID, UNSAID),
        tdmrep=[{"location": "/", "tdm-reservation": 1}],
        head='<meta name="tdm-reservation" content="0">',
        headers={"tdm-reservation": "1"},
    ),
    Site(
        "frees the news in its file, and shuts out crawlers in robots.txt, which is farther away",
        (allowed("tdm-reservation: 0 in tdmrep.json"), UNSAID, UNSAID),
        robots="User-agent: Bytespider\nDisallow: /",
        tdmrep=[{"location": "/news/", "tdm-reservation": 0}, {"location": "*", "tdm-reservation": 1}],
    ),
    Site(
        "frees mining in its file, and reserves training in robots.txt by AIPREF",
        (reserved("train-ai=n in robots.txt"), UNSAID, UNSAID),
        robots="Content-Usage: train-ai=n",
        tdmrep=[{"location": "/", "tdm-reservation": 0}],
    ),
    Site(
        "reserves with a policy, and names its RSL licence, whose terms are elsewhere",
        (reserved("tdm-reservation: 1 in header"), UNSAID, UNSAID),
        robots="License: https://paper.example/rsl.xml\nUser-agent: *\nAllow: /",
        headers={"tdm-reservation": "1", "tdm-policy": "/policy.json"},
    ),
    Site(
        "says noai in a meta tag and train-ai=y in a header: at one distance the reservation counts",
        (reserved("noai in meta"), UNSAID, UNSAID),
        head='<meta name="robots" content="index, noai, noimageai">',
        headers={"content-usage": "train-ai=y"},
    ),
    Site(
        "wants no copy kept, and no index",
        (UNSAID, reserved("noindex in header"), reserved("noarchive in meta")),
        head='<meta name="robots" content="noarchive, max-snippet:50">',
        headers={"x-robots-tag": "noindex"},
    ),
    Site(
        "says to single robots what is theirs, to an AI crawler by name what is training",
        (reserved("gptbot: noindex in meta"), UNSAID, UNSAID),
        head='<meta name="googlebot-news" content="noindex"><meta name="GPTBot" content="noindex">',
    ),
    Site(
        "is under CC BY by its head, which is nearer than the ban in robots.txt",
        (allowed("a free licence in link"), allowed("a free licence in link"), allowed("a free licence in link")),
        robots="User-agent: CCBot\nDisallow: /",
        head=f'<link rel="license" href="{BY}">',
    ),
    Site(
        "is under CC BY by its linked data, but says noai beside it",
        (reserved("noai in header"), allowed("a free licence in json-ld"), allowed("a free licence in json-ld")),
        head=f"""<script type="application/ld+json">{{"@context": "https://schema.org", "@type": "NewsArticle",
        "headline": "Rain in Spain", "license": "{BY}"}}</script>""",
        headers={"x-robots-tag": "noai"},
    ),
    Site(
        "has a picture under CC BY: that is not the text's licence, and yields to all else",
        (reserved("AI crawlers disallowed in robots.txt"), allowed("a free licence in mention"),
         allowed("a free licence in mention")),
        robots="User-agent: anthropic-ai\nDisallow: /",
        body=f'<figure><img src="/a.jpg"><figcaption><a rel="license" href="{BY}">CC BY</a></figcaption></figure>',
    ),
    Site(
        "is under a licence for no profit, which leaves open who asks",
        NOTHING,
        body='<p><a rel="license" href="https://creativecommons.org/licenses/by-nc-nd/4.0/">CC BY-NC-ND</a>',
        headers={"link": f'<{BY}x>; rel="next", <https://paper.example/terms>; rel="license"'},
    ),
    Site(
        "writes everything wrong",
        NOTHING,
        robots="User-agent GPTBot\nDisallow /\nContent-Signal: ai-train\nContent-Usage: train-ai=maybe, =n\nLicense:",
        tdmrep=[{"location": "/", "tdm-reservation": 1, "tdm-policy": 5}, 7][:0],
        head='<meta name="tdm-reservation" content="yes"><meta name="robots" content="no-ai no">',
        headers={"content-usage": '"train-ai=nope"', "link": "<>; rel=license, rel=license"},
    ),
]  # fmt: skip


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.about)
def test_answers_by_the_order_of_precedence(site: Site) -> None:
    rights = site.rights()
    found = [answer(statements_of(rights), use) for use in USES]
    assert [(each.state, each.reason) for each in found] == list(site.answers)
    # From the item, and from the row that it becomes, too.
    as_row = json.loads(json.dumps(plain(rights)))
    wanted = [reason if state == "reserved" else None for state, reason in site.answers]
    assert [why_reserved(rights, use) for use in USES] == [why_reserved(as_row, use) for use in USES] == wanted


@pytest.mark.parametrize("site", [site for site in SITES if site.robots], ids=lambda site: site.about)
def test_what_is_kept_of_a_robots_txt_says_the_same(site: Site) -> None:
    groups = use_groups(site.robots.encode())
    kept = "\n\n".join(group.text for group in groups)
    assert use_groups(kept.encode()) == groups
    assert use_values(use_groups(kept.encode()), URL) == use_values(groups, URL)


def test_keeps_only_what_is_about_use() -> None:
    robots = (
        b"User-agent: *\nDisallow: /a\nLICENSE: /rsl.xml\n\nUser-agent: Bing\nDisallow: /b\nContent-Usage: search=n"
    )
    assert use_groups(robots) == [UseGroup(("*",), (("license", "/rsl.xml"),), is_ours=True)]


def test_rows_from_before_there_were_statements_are_judged_by_what_they_have() -> None:
    assert why_reserved({"tdmReservation": True, "ai": None, "robots": ["noarchive"]}, "train-ai") is not None
    assert why_reserved({"tdmReservation": None, "ai": False, "robots": []}, "train-ai") is not None
    assert why_reserved({"robots": ["noarchive"]}, "archive") == "noarchive in meta"
    assert why_reserved(None, "archive") is None


TDMREP = "https://example.com/.well-known/tdmrep.json"


def values(path: str, *entries: Any) -> dict[str, str]:
    return tdm_values(read_tdmrep(json.dumps(entries).encode(), TDMREP), f"https://example.com{path}")


def rule(location: str, reservation: Any = 1, **more: Any) -> dict[str, Any]:
    return {"location": location, "tdm-reservation": reservation, **more}


def test_the_first_rule_that_matches_counts() -> None:
    policy = {"tdm-policy": "/policies/tdm.json"}
    entries = rule("/free/", 0), rule("/", **policy)
    assert values("/free/a.html", *entries) == {"tdm-reservation": "0"}
    reserved = {"tdm-reservation": "1", "tdm-policy": "https://example.com/policies/tdm.json"}
    assert values("/news/a.html", *entries) == reserved
    assert values("/a", rule("/b")) == {}


@pytest.mark.parametrize(("pattern", "path", "expected"), [
    ("/", "/a", True), ("*", "/a", True), ("/a*", "/ab/c", True), ("/*.html", "/a.html?b", True),
    ("/*.html$", "/a.html?b", False), ("/*.html$", "/a.html.html", True), ("/a*b*c$", "/a-b-b-c", True),
    ("/a*b*c$", "/a-c-b", False), ("/aa$", "/a", False), ("/a*a$", "/a", False), ("/a$b", "/a$bc", True),
    ("/" + "a*" * 200 + "b", "/" + "a" * 4000, False),
])  # fmt: skip
def test_patterns_are_those_of_robots_txt(pattern: str, path: str, expected: bool) -> None:
    assert matches(pattern, path) is expected


@pytest.mark.parametrize("reservation", [1, "1", True])
def test_tolerates_other_ways_to_say_yes(reservation: Any) -> None:
    assert values("/a", rule("/", reservation)) == {"tdm-reservation": "1"}


def test_leaves_out_what_it_does_not_understand() -> None:
    assert values("/a", 7, rule("/", "maybe"), rule("", 1), {"location": ["/"]}, rule("/", 0, **{"tdm-policy": 3})) == {
        "tdm-reservation": "0"
    }


@pytest.mark.parametrize("body", [
    b"", b"<!DOCTYPE html><html></html>", b"{}", b"null", b'{"location": "/", "tdm-reservation": 1}', b"[1, 2]",
    b"[" * 100_000, b"[" + b"9" * 10_000 + b"]", b"\xff\xfe\x00",
])  # fmt: skip
def test_a_broken_file_is_an_error_that_can_be_caught(body: bytes) -> None:
    with pytest.raises(SiteFileError):
        read_tdmrep(body, TDMREP)


@pytest.mark.parametrize(("to_all", "to_us"), [("n", "y"), ("y", "n")])
def test_the_group_of_the_own_crawler_is_preferred_to_that_for_all(to_all: str, to_us: str) -> None:
    robots = f"User-agent: *\nContent-Usage: train-ai={to_all}\n\nUser-agent: Monitor\nContent-Usage: train-ai={to_us}"
    for agent, told in (("Mozilla/5.0 (compatible; monitor/1.0)", to_us), ("newsextract", to_all)):
        assert use_values(use_groups(robots.encode(), agent), URL) == [f"content-usage: train-ai={told}"]
