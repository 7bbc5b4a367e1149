"""The import of site configurations: what becomes a rule, what does not, and counts that add up."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from newsextract import Page
from newsextract.reading.rules.expressions import addresses
from newsextract.reading.rules.site_rules import SiteRules
from newsextract.sites.site_list.site_list import read_sites
from newsextract.tools.site_rules.rules_import import MAX_FILE_BYTES, as_yaml, read_folder

if TYPE_CHECKING:
    from pathlib import Path

ONE = """# a comment: //div
title: //h1
author: substring-after(//p[@class='by'], 'By ')
date://time/@datetime
body: //div[@id='story']
body: //div[
strip: //aside
strip_id_or_class: promo
tidy: no
replace_string(<br>): <p>
next_page_link: //a[@rel='next']
test_url: https://one.example/1
"""


def _folder(tmp_path: Path) -> Path:
    files = {"one.example": ONE, "www.one.example": "body: //p", "two.example": "tidy: yes", "no host": "body: //p"}
    for name, text in files.items():
        (tmp_path / f"{name}.txt").write_text(text)
    return tmp_path


def test_each_directive_is_counted_once(tmp_path: Path) -> None:
    found = read_folder(_folder(tmp_path))
    assert (found.files, list(found.sites), found.empty, found.refused) == (4, ["one.example"], 1, 2)
    assert (found.with_body, found.with_body_rule) == (3, 1)
    tally = found.tally
    assert tally.taken["body"] == 1
    assert tally.broken == {"body": 1}
    assert tally.needless == {"tidy": 1}
    assert tally.left == {"replace_string": 1, "body": 2, "tidy": 1}  # of files that are in no site, all


LINKS = """body: //p
single_page_link: //a[@id='one']
single_page_link: concat(//a[@id='more']/@href, '?all')
if_page_contains: //a[@id='more']
next_page_link: //a[@rel='next']
if_page_contains: //nav
if_page_contains: //late
strip_image_src: 'pixel.gif'
"""


def test_a_condition_is_one_of_the_link_before_it(tmp_path: Path) -> None:
    (tmp_path / "a.example.txt").write_text(f"if_page_contains: //early\n{LINKS}")
    found = read_folder(tmp_path)
    assert found.tally.taken == {
        "body": 1,
        "single_page_link": 2,
        "next_page_link": 1,
        "if_page_contains": 2,
        "strip_image_src": 1,
    }
    assert found.tally.left == {"if_page_contains": 2}
    rules = found.sites["a.example"].rules
    assert rules.strip == ("//img[contains(@src, 'pixel.gif')]",)
    head = "<a id='one' href='/one'>x</a><a rel='next' href='/2'>x</a>"
    plain, more = (Page(head + html, "https://a.example/1") for html in ("", "<nav><a id='more' href='/m'>x</a></nav>"))
    pages = [
        [list(addresses(each, page.tree)) for each in rules.single_page + rules.next_page] for page in (plain, more)
    ]
    assert pages == [[["/one"], [], []], [["/one"], ["/m?all"], ["/2"]]]


def test_a_condition_that_cannot_be_used_takes_its_link_along(tmp_path: Path) -> None:
    (tmp_path / "a.example.txt").write_text("body: //p\nsingle_page_link: //a\nif_page_contains: //a[\n")
    found = read_folder(tmp_path)
    assert found.tally.broken == {"single_page_link": 1, "if_page_contains": 1}
    assert not found.sites["a.example"].rules.single_page


def test_headers_that_say_who_asks_are_not_taken_over(tmp_path: Path) -> None:
    lines = (
        "body: //p",
        "http_header(User-Agent): Googlebot",
        "http_header(cookie): a=b",
        "http_header(Accept-Language): de",
    )
    (tmp_path / "a.example.txt").write_text("\n".join(lines))
    found = read_folder(tmp_path)
    assert found.tally.taken == {"body": 1, "http_header(accept-language)": 1}
    assert found.tally.left == {"http_header(user-agent)": 1, "http_header(cookie)": 1}
    written = tmp_path / "rules.yml"
    written.write_text(as_yaml(found.sites.values()))
    (site,) = read_sites(str(written))
    assert site.access is not None
    assert (site.access.headers, site.access.user_agent) == ({"Accept-Language": "de"}, None)


def test_the_file_of_a_domain_comes_before_that_of_its_subdomains(tmp_path: Path) -> None:
    (tmp_path / ".a.example.txt").write_text("body: //div")
    (tmp_path / "a.example.txt").write_text("body: //p")
    found = read_folder(tmp_path)
    assert found.sites["a.example"].rules.body == ("//p",)
    assert (found.tally.taken, found.tally.left, found.refused) == ({"body": 1}, {"body": 1}, 1)


def test_what_is_no_configuration_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "configurations"
    folder.mkdir()
    _folder(folder)
    (folder / "inner.example.txt").mkdir()
    (folder / "gone.example.txt").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.example.txt")
    (folder / "large.example.txt").write_text("body: //p\n" + "#" * MAX_FILE_BYTES)
    (folder / "odd.example.txt").write_bytes(b"\xff\xfe body\nbody: //p[.='\x01']\ntest_url: " + b"a." * 200_000)
    found = read_folder(folder)
    assert (found.files, list(found.sites), found.empty, found.refused) == (6, ["one.example"], 2, 3)
    assert found.tally.broken == {"body": 1}  # lines of files that are left out are no site's


def test_what_is_written_can_be_read_as_a_list_of_sites(tmp_path: Path) -> None:
    written = tmp_path / "rules.yml"
    written.write_text(as_yaml(read_folder(_folder(tmp_path)).sites.values()))
    (site,) = read_sites(str(written))
    assert site.home == "https://one.example/"
    assert not site.enabled
    assert site.test_urls == ("https://one.example/1",)
    assert site.rules == SiteRules(
        body=("//div[@id='story']",),
        headline=("//h1",),
        authors=("(substring-after(//p[@class='by'], 'By '))",),
        date=("//time/@datetime",),
        strip=("//aside", "//*[contains(@id, 'promo') or contains(@class, 'promo')]"),
        next_page=("//a[@rel='next']",),
        when_unsure=True,
    )
