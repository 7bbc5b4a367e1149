"""The import of site configurations: what becomes a rule, what does not, and counts that add up."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

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
    assert (found.with_body, found.with_body_rule) == (3, 3)
    tally = found.tally
    assert tally.taken["body"] == 3
    assert tally.broken == {"body": 1}
    assert tally.needless == {"tidy": 2}
    assert tally.left == {"replace_string": 1}


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
    assert found.tally.broken == {"body": 2, "test_url": 1}


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
