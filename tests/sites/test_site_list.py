"""Lists of sites, `sites.yml` and its errors, and the secrets of subscriptions."""

from __future__ import annotations

import json
import os
import re
import traceback
from datetime import timedelta
from pathlib import Path

import pytest

from newsextract.reading.rules import SiteRules
from newsextract.sites.site import Limits, Sections, Site, SiteListError
from newsextract.sites.site_list import read_sites
from newsextract.sites.sites_yaml import (
    FileTable,
    LimitsTable,
    LoginTable,
    RulesTable,
    SectionsTable,
    SignTable,
    SiteTable,
    read_sites_file,
)
from newsextract.sites.subscriptions import Access, Login, SecretError, Secrets, Sign, SignKind, read_cookie_file
from newsextract.yaml_files import MAX_ERRORS

A, B = Site("https://a.example/"), Site("https://b.example/news?x=1")


@pytest.mark.parametrize("argument", [
    "a.example b.example/news?x=1",
    "https://a.example,https://b.example/news?x=1",
    " a.example ,\n b.example/news?x=1, https://a.example/",
])  # fmt: skip
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


@pytest.mark.parametrize(("name", "text", "message"), [
    ("s.txt", "a.example\n\nnot an address\n", r"s\.txt, line 3: 'not an address' .* https://example\.com/"),
    ("s.txt", "# nothing\n", "no site in it"),
    ("s.csv", "name,site\nA,a.example\n", r"s\.csv, line 1: no column named url"),
    ("s.csv", "", "no column named url"),
    ("s.csv", "url\na.example\nmailto:x\n", r"s\.csv, line 3: 'mailto:x'"),
    ("s.opml", "<opml>\n<body></opml>", r"s\.opml, line 2: not OPML"),
    ("s.opml", "", "not OPML"),
    ("s.opml", '<opml><outline htmlUrl="nowhere"/></opml>', r"s\.opml, line 1: 'nowhere'"),
    ("s.opml", '<!DOCTYPE o [<!ENTITY a "ha">]><opml><outline htmlUrl="&a;"/></opml>', "DOCTYPE"),
    ("s.xlsx", "PK", r"unknown ending '\.xlsx'.*\.csv"),
])  # fmt: skip
def test_says_where_a_file_is_wrong(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(SiteListError, match=message):
        read_sites(str(tmp_path / name))


@pytest.mark.parametrize(("argument", "message"), [
    ("", "give at least one address"), ("lists/none.txt", re.escape("lists/none.txt: no such file")),
    ("lists/sites", "is not a URL"), ("mailto:a@b.example", "is not a URL"),
    ("a.example,javascript:x", "'javascript:x'"), ("http://[bad", "is not a URL"),
    ("a\0b " * 3000, "is not a URL"),
])  # fmt: skip
def test_says_what_is_wrong_with_the_argument(argument: str, message: str) -> None:
    with pytest.raises(SiteListError, match=message):
        read_sites(argument)


EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "sites.yml"


def read(folder: Path, text: str | bytes) -> list[Site]:
    file = folder / "sites.yml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_sites(str(file))


def errors(folder: Path, text: str | bytes) -> list[str]:
    with pytest.raises(SiteListError) as told:
        read(folder, text)
    return str(told.value).replace(f"{folder}/", "").splitlines()


def test_reads_the_example_of_the_documentation() -> None:
    plain, gazette, herald, norsk = read_sites(str(EXAMPLE))
    assert plain == Site(
        "https://news.example.org/", schedule=timedelta(hours=1), limits=Limits(articles=200, delay=1.0)
    )
    assert gazette == Site(
        "https://www.gazette.example/",
        feeds=("https://www.gazette.example/rss/une.xml",),
        more_starts=("https://www.gazette.example/international/",),
        label="The Valley Gazette",
        sitemaps=("https://www.gazette.example/sitemap-news.xml",),
        discover=frozenset({"feeds", "sitemaps", "links"}),
        extractor="mss:scores=model",
        sections=Sections(("/international/", "/economie/", "/20*"), ("/international/video/",)),
        languages=("fr", "de"),
        schedule=timedelta(minutes=30),
        limits=Limits(100, 1000, "2d", 1.5, 1),
        join_pages=True,
        render="auto",
        rules=SiteRules(body=("div.story", "//article"), strip=("aside.promo",)),
        test_urls=("https://www.gazette.example/a-story.html",),
        access=Access({"Accept-Language": "fr"}, "the-desk (+https://desk.example/bot)"),
    )
    assert herald.access == Access(
        cookies="${HERALD_COOKIES}",
        login=Login(
            "https://www.herald.example/login",
            {"email": "${HERALD_MAIL}", "password": "${HERALD_PASSWORD}"},
            Sign(SignKind.SELECTOR, "a.logout"),
        ),
        paywall=Sign(SignKind.TEXT, "Subscribe to read on"),
    )
    assert herald.access is not None
    assert herald.access.secrets == ("HERALD_MAIL", "HERALD_PASSWORD", "HERALD_COOKIES")
    assert (norsk.name, norsk.languages, norsk.enabled) == ("norsk.example", ("no",), False)


def test_the_documentation_names_every_field() -> None:
    told = (EXAMPLE.parent / "reference" / "list-of-sites.md").read_text() + EXAMPLE.read_text()
    tables = (FileTable, SiteTable, LimitsTable, SectionsTable, RulesTable, LoginTable, SignTable)
    names = {info.alias or name for table in tables for name, info in table.model_fields.items()}
    assert not [name for name in names if name not in told]


@pytest.mark.parametrize(("written", "expected"), [
    ("headers: {X-Key: hush}", "headers: X-Key may be a secret and is not written out here; write ${NAME}"),
    ("headers: {Authorization: [hush]}", "headers: the value of Authorization is not text in one line"),
    ("headers: {Cookie: hush}", "headers: Cookie is not set here but in cookies:"),
    ("headers: hush", "headers: is not a table; write NAME: value"),
    ("cookies: sid=hush", "cookies: cookies are not written out here; write the path of a file of cookies, or ${"),
    ("login: {url: /hush, fields: {p: 1}, sign: {text: x}}", "login.url: not a URL; write that of the page"),
    ("login: {url: https://a.example, fields: {p: hush}, sign: {text: x}}", "login.fields: p is not written out"),
    ("login: {url: https://a.example, fields: {p: '${P}'}}", "login.sign: is missing; write what shows that it"),
    (
        "login: {url: https://a.example, fields: {p: on}, sign: {}}",
        "login.sign: write one sign: selector: a.logout",
    ),
    ("login: {url: https://a.example, fields: {p: on}, sign: {selector: 'a['}}", "sign.selector: 'a[' is not CSS"),
    (
        "login: {url: https://a.example, fields: {p: on}, sign: {text: x}, hosts: ['*.b.example']}",
        "login.hosts[0]: not a host; write its name in full",
    ),
    ("paywall: {text: Pay}", "sites[0]: paywall: is of use beside headers, cookies or login only"),
    ("cookies: c.txt\n  paywall: {cookie: x}", "paywall: a paywall shows on the page; write selector: or text:"),
])  # fmt: skip
def test_a_secret_that_is_written_out_is_refused_and_not_quoted(tmp_path: Path, written: str, expected: str) -> None:
    (error,) = errors(tmp_path, f"sites:\n- start: a.example\n  {written}\n")
    assert expected in error
    assert "hush" not in error


def test_an_address_is_enough(tmp_path: Path) -> None:
    assert read(tmp_path, "sites: [a.example, https://b.example/x]") == [
        Site("https://a.example/"),
        Site("https://b.example/x"),
    ]


def test_a_sites_own_value_wins_and_tables_are_merged(tmp_path: Path) -> None:
    text = """
defaults: {schedule: 1h, language: fr, limits: {pages: 9, delay: 2}, extractor: "mss:tag_score=-1.0"}
sites:
  - {start: a.example, schedule: 2h, limits: {pages: 5}, extractor: mss}
  - {start: b.example, limits: }
"""
    first, second = read(tmp_path, text)
    assert (first.schedule, first.limits) == (timedelta(hours=2), Limits(pages=5, delay=2.0))
    assert first.extractor == "mss"
    assert (second.schedule, second.limits, second.languages) == (
        timedelta(hours=1),
        Limits(pages=9, delay=2.0),
        ("fr",),
    )


@pytest.mark.parametrize(("written", "field", "expected"), [
    ("language: no", "languages", ("no",)),
    ('language: ["no", nb-NO]', "languages", ("no", "nb-NO")),
    ("limits: {since: 2026-11-01}", "limits", Limits(since="2026-11-01")),
    ("name: 2026", "name", "2026"),
    ("name: 'yes'", "name", "yes"),
    ("enabled: off", "enabled", False),
    ("join_pages: yes", "join_pages", True),
    ("render: always", "render", "always"),
    ("limits: {delay: 0}", "limits", Limits(delay=0.0)),
    ("feeds:\n    # - https://a.example/feed", "feeds", ()),
    ("feeds: [&f /feed, *f]", "feeds", ("https://a.example/feed",)),
    ("<<: {language: de}", "languages", ("de",)),
])  # fmt: skip
def test_takes_what_looks_like_text_for_text(tmp_path: Path, written: str, field: str, expected: object) -> None:
    (site,) = read(tmp_path, f"sites:\n  - start: a.example\n    {written}\n")
    assert getattr(site, field) == expected


@pytest.mark.parametrize(("written", "message"), [
    ("limits: {articles: many}", "limits.articles: should be a valid integer"),
    ("limits: {articles: 0}", "limits.articles: should be greater than 0"),
    ("limits: {pages: true}", "limits.pages: should be a valid integer"),
    ("limits: {since: yesterday}", "limits.since: cannot read 'yesterday': write an age"),
    ("limits: {since: 2}", "limits.since: 2 is neither an age nor a date; write 2d"),
    ("limits: {delay: -1}", "limits.delay: should be greater than or equal to 0"),
    ("limits: {delay: 1.5s}", "limits.delay: should be a valid number"),
    ("limits: {concurrency: 99}", "limits.concurrency: should be less than or equal to 16"),
    ("limits: {artcles: 3}", "limits.artcles: unknown field; did you mean articles?"),
    ("limits: 100", "limits: is not a table; write articles:, pages: or the like below it"),
    ("langauge: fr", "langauge: unknown field; did you mean language?"),
    ("zzz: fr", "zzz: unknown field; there are feeds, sitemaps,"),
    ("language: [fr, jp]", "language[1]: 'jp' is not a language code"),
    ("schedule: 1:30", "schedule: '1:30' is not an interval; write 30m, 2h or 1d"),
    ("schedule: 8d", "schedule: '8d' is out of bounds; write from 15m to 7d"),
    ("feeds: [/feed, nowhere]", "feeds[1]: 'nowhere' is not a URL"),
    ("discover: [feeds, guesses]", "discover[1]: should be 'feeds', 'sitemaps' or 'links'"),
    ("discover: []", "discover: List should have at least 1 item"),
    ("extractor: mms", "extractor: no extractor is called 'mms'; there are auto"),
    ("extractor: mss:nope=1", "extractor: extractor 'mss' has no option 'nope'"),
    ("extractor: template", "extractor: 'template' needs 5 pages of a site or more"),
    ("extractor: {name: mss}", "extractor: {'name': 'mss'} is not an extractor; write mss, or with options"),
    ("sections: {only: world}", "sections.only[0]: 'world' is not a path of a section; write /international/"),
    ("sections: {excpt: [/x]}", "sections.excpt: unknown field; did you mean except?"),
    ("join_pages: maybe", "join_pages: should be a valid boolean"),
    ("render: true", "render: should be 'never', 'auto' or 'always'"),
    ("name: [a]", "name: ['a'] is not a name"),
])  # fmt: skip
def test_names_line_column_and_field(tmp_path: Path, written: str, message: str) -> None:
    (found,) = errors(tmp_path, f"# a comment\n\nsites:\n  - b.example\n  - start: a.example\n    {written}\n")
    place, _, rest = found.partition(", sites[1]")
    line = 5 if "both" in message else 6
    assert re.match(rf"sites.yml, line {line}, column \d+$", place)
    assert rest.removeprefix(".").removeprefix(": ").startswith(message)


@pytest.mark.parametrize(("text", "message"), [
    ("", "sites.yml, line 1, column 1: is not a table; write sites:"),
    ("- a.example\n", "sites.yml, line 1, column 1: is not a table; write sites:"),
    ("site: [a.example]\n", "sites.yml, line 1, column 1, site: unknown field; write sites: and list them below"),
    ("sites: []\n", "sites.yml: no site in it"),
    ("sites: a.example\n", "sites.yml, line 1, column 1, sites: is not a list"),
    ("sites:\n  - a.example\n  - 7\n", "sites.yml, line 3, column 5, sites[1]: is neither a URL nor a table"),
    ("sites:\n  - nowhere\n", "sites.yml, line 2, column 5, sites[0].start[0]: 'nowhere' is not a URL"),
    ("sites:\n  - {name: a}\n", "sites.yml, line 2, column 5, sites[0].start: is missing; write start:"),
    ("defaults: {start: b.example}\nsites: [a.example]\n", "line 1, column 12, defaults.start: unknown field"),
    ("sites:\n  - start: a.example\n\tlanguage: fr\n", "sites.yml, line 3, column 1: "),
    ("sites: [a.example]\nsites: [b.example]\n", "sites.yml, line 2, column 1: found duplicate key"),
    ("sites: [*a]\n", "sites.yml, line 1, column 9: found undefined alias"),
    ("sites: [a.example]\n---\nsites: []\n", "sites.yml, line 2, column 1: but found another document"),
    (b"sites:\n - \xff\xfe\n", "sites.yml, line 2: not UTF-8"),
    ("sites:\n - a\0b\n", "sites.yml: not YAML: special characters are not allowed"),
])  # fmt: skip
def test_says_where_the_file_is_wrong(tmp_path: Path, text: str | bytes, message: str) -> None:
    assert message in errors(tmp_path, text)[0]


def test_a_name_or_host_is_one_sites_only(tmp_path: Path) -> None:
    text = "sites:\n  - a.example\n  - {start: www.A.example/x}\n  - {start: b.example, name: A.example}\n"
    assert [line.partition(": ")[::2] for line in errors(tmp_path, text)] == [
        ("sites.yml, line 3, column 5, sites[1]", "'a.example' is also the name of the site in line 2; join them"),
        ("sites.yml, line 4, column 5, sites[2]", "'A.example' is also the name of the site in line 2; join them"),
    ]
    text = "sites:\n  - a.example\n  - {start: a.example/sport, name: Sport}\n"
    assert errors(tmp_path, text) == [
        "sites.yml, line 3, column 5, sites[1]: the site in line 2 is on a.example too; join them"
    ]


def test_tells_ten_errors_at_once(tmp_path: Path) -> None:
    told = errors(tmp_path, "sites:\n" + "".join(f"  - {{start: s{n}.example, x: 1}}\n" for n in range(14)))
    assert len(told) == MAX_ERRORS + 1
    assert [re.search(r"line (\d+)", line)[1] for line in told[:2]] == ["2", "3"]  # type: ignore[index]
    assert told[-1] == "and 4 more"


def test_the_values_of_a_repeated_key_are_not_told(tmp_path: Path) -> None:
    told = errors(tmp_path, "sites:\n  - {start: a.example, cookies: a=hush-hush, cookies: b=hush-hush}\n")
    assert told[0].endswith('found duplicate key "cookies"')


def test_reads_what_windows_editors_write(tmp_path: Path) -> None:
    text = "sites:\r\n  - a.example\r\n"
    assert read(tmp_path, b"\xef\xbb\xbf" + text.encode()) == read(tmp_path, text.encode("utf-16"))
    assert "line 3" in errors(tmp_path, "sites:\r\n  - a.example\r\n  - 7\r\n")[0]


def test_says_that_there_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(SiteListError, match="no such file"):
        read_sites(str(tmp_path / "none.yaml"))
    with pytest.raises(SiteListError, match="cannot be read"):
        read_sites_file(tmp_path)


def test_rules_are_read_checked_and_named(tmp_path: Path) -> None:
    (site,) = read(tmp_path, "sites: [{start: a.example, rules: {body: [div.story, //article], strip: aside}}]")
    assert site.rules == SiteRules(body=("div.story", "//article"), strip=("aside",))
    (error,) = errors(tmp_path, "sites:\n- start: a.example\n  rules:\n    body: '//div['\n")
    assert error.endswith("line 3, column 3, sites[0].rules: body: '//div[' is not XPath: Invalid expression")
    (error,) = errors(tmp_path, "sites:\n- start: a.example\n  rules:\n    boby: div\n")
    assert error.endswith("line 4, column 5, sites[0].rules.boby: unknown field; did you mean body?")


def private(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_the_environment_comes_before_the_file(tmp_path: Path) -> None:
    file = private(tmp_path / "secrets.env", "# ours\nexport A='from file'\n\nB = \"b=1 # 2\"\n")
    secrets = Secrets({"A": "from environment"}, file, Secrets.read(file).from_file)
    assert secrets.filled("${A}|${B}|$A") == "from environment|b=1 # 2|$A"
    assert "from environment" not in repr(secrets)
    assert "b=1" not in repr(secrets)


@pytest.mark.parametrize(("name", "told"), [("MISSING", "${MISSING} is not set"), ("LINES", "holds a line break")])
def test_a_secret_that_cannot_be_sent_is_named(name: str, told: str) -> None:
    with pytest.raises(SecretError) as error:
        Secrets({"LINES": "hush\r\nX: 1"}).filled(f"Bearer ${{{name}}}")
    assert told in str(error.value)
    assert "hush" not in str(error.value)


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    for read in (Secrets.read, read_cookie_file):
        with pytest.raises(SecretError, match="chmod 600"):
            read(private(tmp_path / "file", "A=hush\n", mode))


@pytest.mark.parametrize("text", ["A=1\nhush", "hush\tTRUE", '[{"name": "hush"}]', '["hush"]', "[hush", "\0hush", ""])
def test_a_file_that_is_wrong_is_not_quoted(tmp_path: Path, text: str) -> None:
    path = private(tmp_path / "file", text)
    with pytest.raises(SecretError) as error:
        (Secrets.read if text.startswith("A=1") else read_cookie_file)(path)
    assert str(path) in str(error.value)
    assert "hush" not in "".join(traceback.format_exception(error.value))


def test_cookies_are_read_as_browsers_export_them(tmp_path: Path) -> None:
    netscape = (
        "# Netscape HTTP Cookie File\n\n.a.example\tTRUE\t/\tTRUE\t2147483647\tsid\tabc\n"
        "#HttpOnly_www.a.example\tFALSE\t/x\tFALSE\t0\tone\t1\n"
    )
    rows = [
        {"name": "sid", "value": "abc", "domain": ".a.example", "secure": True, "expirationDate": 2147483647.5},
        {"name": "one", "value": "1", "domain": "www.a.example", "path": "/x", "hostOnly": True, "expires": -1},
    ]
    texts = netscape, json.dumps(rows), json.dumps({"cookies": rows, "origins": []})
    for number, text in enumerate(texts):
        found = read_cookie_file(private(tmp_path / f"{number}", text))
        assert [(each.name, each.value, each.domain, each.path, each.secure, each.expires) for each in found] == [
            ("sid", "abc", ".a.example", "/", True, 2147483647),
            ("one", "1", "www.a.example", "/x", False, None),
        ]
