from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from newsextract.sites.site_list.site import Site, SiteListError
from newsextract.sites.site_list.site_list import read_sites

if TYPE_CHECKING:
    from pathlib import Path

A, B = Site("https://a.example/"), Site("https://b.example/news?x=1")


@pytest.mark.parametrize(
    "argument",
    [
        "a.example b.example/news?x=1",
        "https://a.example,https://b.example/news?x=1",
        " a.example ,\n b.example/news?x=1, https://a.example/",
    ],
)
def test_reads_addresses(argument: str) -> None:
    assert read_sites(argument) == [A, B]


def test_keeps_scheme_and_port() -> None:
    assert read_sites("http://127.0.0.1:8000/demo localhost:81") == [
        Site("http://127.0.0.1:8000/demo"),
        Site("https://localhost:81/"),
    ]
    assert read_sites("http://www.a.example:8000")[0].name == "a.example:8000"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.txt", "# my sites\na.example\n\nhttps://b.example/news?x=1  # the news\nA.example\n"),
        ("s.csv", "name,URL\nA,a.example\n\nB,https://b.example/news?x=1\n"),
        ("s.csv", 'Url;name\r\n"a.example";"A; the first"\r\nb.example/news?x=1;B\r\n'),
        ("s.csv", "\ufeffurl\na.example\nb.example/news?x=1\n"),
        ("s.CSV", "lang\turl\nfr\ta.example\nfr\tb.example/news?x=1\nfr\n"),
        (
            "s.opml",
            """<?xml version="1.0"?><opml><body><outline text="group"><outline htmlUrl="https://a.example"/></outline>
            <outline htmlUrl="https://b.example/news?x=1"/></body></opml>""",
        ),
    ],
)
def test_reads_files(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    assert read_sites(str(tmp_path / name)) == [A, B]


def test_reads_feeds_from_opml(tmp_path: Path) -> None:
    file = tmp_path / "s.opml"
    file.write_text(
        '<opml><body><outline xmlUrl="https://a.example/feed/1" htmlUrl="https://a.example/"/>'
        '<outline xmlUrl="https://a.example/feed/2"/></body></opml>'
    )
    assert read_sites(str(file)) == [
        Site("https://a.example/", ("https://a.example/feed/1", "https://a.example/feed/2"))
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "s.txt",
            "a.example\n\nnot an address\n",
            r"s\.txt, line 3: 'not an address' .* https://example\.com/",
        ),
        ("s.txt", "# nothing\n", "no site in it"),
        ("s.csv", "name,site\nA,a.example\n", r"s\.csv, line 1: no column named url"),
        ("s.csv", "", "no column named url"),
        ("s.csv", "url\na.example\nmailto:x\n", r"s\.csv, line 3: 'mailto:x'"),
        ("s.opml", "<opml>\n<body></opml>", r"s\.opml, line 2: not OPML"),
        ("s.opml", "", "not OPML"),
        ("s.opml", '<opml><outline htmlUrl="nowhere"/></opml>', r"s\.opml, line 1: 'nowhere'"),
        ("s.opml", '<!DOCTYPE o [<!ENTITY a "ha">]><opml><outline htmlUrl="&a;"/></opml>', "DOCTYPE"),
        ("s.xlsx", "PK", r"unknown ending '\.xlsx'.*\.csv"),
    ],
)
def test_says_where_a_file_is_wrong(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(SiteListError, match=message):
        read_sites(str(tmp_path / name))


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("", "give at least one address"),
        ("lists/none.txt", re.escape("lists/none.txt: no such file")),
        ("lists/sites", "is not a URL"),
        ("mailto:a@b.example", "is not a URL"),
        ("a.example,javascript:x", "'javascript:x'"),
        ("http://[bad", "is not a URL"),
        ("a\0b " * 3000, "is not a URL"),
    ],
)
def test_says_what_is_wrong_with_the_argument(argument: str, message: str) -> None:
    with pytest.raises(SiteListError, match=message):
        read_sites(argument)


def test_reports_a_folder_named_like_a_list(tmp_path: Path) -> None:
    (tmp_path / "s.txt").mkdir()
    with pytest.raises(SiteListError, match="cannot be read"):
        read_sites(str(tmp_path / "s.txt"))
