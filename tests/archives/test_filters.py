"""Which records and articles are wanted, and what is said of the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.archives.filters import may_be_in, record_filter
from newsextract.archives.warc import WarcRecord
from newsextract.article import Article

if TYPE_CHECKING:
    from pathlib import Path

GERMAN = (
    "Der Regen fällt seit Tagen auf die Ebene, und die Leute bleiben zu Hause, weil alle Straßen überschwemmt sind. "
)
ENGLISH = "The rain has been falling on the plain for days, and people stay at home because the roads are under water. "


def page(text: str, lang: str = "") -> bytes:
    menu = "<li><a href='/'>" + "Home and all the latest news of the day from everywhere " * 9 + "</a></li>"
    script = f"<script>var words = '{ENGLISH * 5}'</script>"
    return f"<html{f' lang={lang}' if lang else ''}><body>{menu}{script}<p>{text * 4}</p></body></html>".encode()


RECORD = WarcRecord(
    0,
    "response",
    url="https://www.news.example.com/2024/story",
    date="2024-05-14T08:00:00Z",
    status=200,
    content_type="text/html; charset=utf-8",
    body=page(GERMAN, "de"),
)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, None),
        ({"hosts": "example.com"}, None),
        ({"hosts": "https://www.news.example.com/ other.example"}, None),
        ({"hosts": "ample.com"}, "another host"),
        ({"hosts": "deep.news.example.com"}, "another host"),
        ({"urls": ["/2024/", "/2025/"]}, None),
        ({"urls": ["/2025/"]}, "URL not wanted"),
        ({"since": "2024-05-14", "until": "2024-05-14"}, None),
        ({"since": "2024-05-14T08:00:00Z"}, None),
        ({"since": "2024-05-15"}, "before the time wanted"),
        ({"until": "2024-05-13"}, "after the time wanted"),
        ({"until": "2024-05-14T08:00:00Z"}, "after the time wanted"),
        ({"languages": ["en", "de-AT"]}, None),
        ({"languages": ["en", "fr"]}, "another language"),
    ],
)
def test_says_why_a_record_is_left_out(options: dict[str, Any], reason: str | None) -> None:
    assert record_filter(**options).reason(RECORD) == reason


def test_wants_only_pages_that_were_there() -> None:
    assert record_filter().reason(replace(RECORD, status=404)) == "status 404"
    assert record_filter().reason(replace(RECORD, status=None)) is None


def test_what_is_not_stated_is_not_what_is_wanted() -> None:
    bare = WarcRecord(0, "response", body=b"")
    assert record_filter(hosts="example.com").reason(bare) == "another host"
    assert record_filter(since="2024-05-14").reason(bare) == "no date"
    assert record_filter(languages=["en"]).reason(bare) is None


def test_hosts_are_compared_in_one_form() -> None:
    wanted = record_filter(hosts="bücher.example")
    assert wanted.reason(replace(RECORD, url="https://bücher.example/x")) is None
    assert wanted.reason(replace(RECORD, url="https://WWW.xn--bcher-kva.example:8443/x")) is None
    assert wanted.reason(replace(RECORD, url="http://[broken")) == "another host"


def test_hosts_may_be_a_list_of_sites(tmp_path: Path) -> None:
    (tmp_path / "sites.yml").write_text("sites:\n- https://news.example.com/\n- other.example\n")
    wanted = record_filter(hosts=str(tmp_path / "sites.yml"))
    assert wanted.reason(RECORD) is None
    assert wanted.reason(replace(RECORD, url="https://third.example/")) == "another host"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hosts": "nonsense"}, "--hosts: "),
        ({"hosts": "missing.yml"}, "--hosts: missing.yml: no such file"),
        ({"languages": ["german"]}, "--languages: 'german'"),
        ({"since": "soon"}, "--since: "),
        ({"until": "never"}, "--until: "),
        ({"since": "2024-05-14", "until": "2024-05-01"}, "--until: 2024-05-01 is not after --since 2024-05-14"),
        ({"urls": ["("]}, "--url: "),
    ],
)
def test_a_bad_option_is_an_error_that_names_it(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(")):
        record_filter(**options)


@pytest.mark.parametrize(
    ("body", "headers", "wanted"),
    [
        (page(GERMAN, "de"), (), True),
        (page(GERMAN, "en"), (), True),  # a template's declaration
        (page(GERMAN), (), True),
        (page(GERMAN), (("content-language", "fr, de-DE"),), True),
        (page(ENGLISH, "en"), (), False),
        (page(ENGLISH), (), False),
        (page("", "en"), (), False),
        (page(""), (), True),
    ],
)
def test_a_page_may_be_in_the_language_that_it_declares_or_is_written_in(
    body: bytes, headers: tuple[tuple[str, str], ...], *, wanted: bool
) -> None:
    assert may_be_in(replace(RECORD, body=body, headers=headers), {"de"}) is wanted


def test_the_charset_of_the_response_decodes_the_text() -> None:
    russian = "Дождь идёт над равниной уже несколько дней, и люди остаются дома, потому что дороги под водой. "
    body = f"<p>{russian * 4}</p>".encode("cp1251")
    record = replace(RECORD, body=body, content_type="text/html; charset=Windows-1251")
    assert may_be_in(record, {"ru"})
    assert not may_be_in(record, {"de"})


def test_unclosed_markup_takes_no_longer_than_its_length() -> None:
    for part in ("<script>", "<!--", "<a ", "<", "<html ", "<svg><a>"):
        may_be_in(replace(RECORD, body=(part * 60_000).encode()), {"de"})


def test_articles_are_left_out_by_language() -> None:
    article = Article("https://a.example/", inLanguage="pt-BR")
    assert record_filter().article_reason(article) is None
    assert record_filter(languages=["pt"]).article_reason(article) is None
    assert record_filter(languages=["en"]).article_reason(article) == "language pt-BR"
    assert record_filter(languages=["en"]).article_reason(Article("https://a.example/")) is None
