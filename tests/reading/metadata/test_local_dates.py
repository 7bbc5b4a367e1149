"""Dates as the readers of a page see them: in their language, in their order of day and month, in their time zone."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from newsextract.reading.metadata import dates as date_checks

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from newsextract.reading.metadata.clues import Metadata

    Reader = Callable[..., Metadata]

_URL = "https://www.example.com/news/rain"


def _page(language: str, title: str, story: str) -> str:
    return f"<html lang='{language}'><title>{title}</title><h1>{title}</h1>{story}"


def _body(lines: str, language: str = "en") -> str:
    return _page(language, "Rain falls in Spain", f"{lines}<p>{'It rains and rains. ' * 20}</p>")


_DECLARED = '<meta property="article:published_time" content="2023-05-05T03:22:07Z">'


@pytest.mark.parametrize(
    ("shown", "moment"),
    [
        ("<p>May 4, 2023 at 8:22 PM</p>", "2023-05-04T20:22:07-07:00"),
        ('<time datetime="2023-05-04T22:22:07-05:00">Thursday</time>', "2023-05-04T22:22:07-05:00"),
        ("<p>May 4, 2023</p>", "2023-05-04T23:22:07-04:00"),
        ("<p>May 5, 2023 at 5:22</p>", "2023-05-05T03:22:07+00:00"),
        ("<p>May 2, 2023</p>", "2023-05-05T03:22:07+00:00"),
        ("<p>Updated May 4, 2023</p>", "2023-05-05T03:22:07+00:00"),
    ],
)
def test_a_moment_declared_in_utc_has_the_day_that_the_page_shows(read: Reader, shown: str, moment: str) -> None:
    found = read(_DECLARED + _body(shown))
    assert (found.datePublished, found.sources["datePublished"]) == (moment, "meta_tags")
    assert found.datePublishedRaw == "2023-05-05T03:22:07Z"


_CHANGED = '<meta property="article:modified_time" content="2023-05-06T08:34:55Z">'


@pytest.mark.parametrize(
    ("head", "shown"),
    [
        ("", '<time datetime="2023-05-06T08:34:55Z">May 6, 2023</time>'),
        ("", '<p>Read on: <time datetime="2023-05-04T11:30:00+02:00">4 May 2023</time></p>'),
        (_CHANGED, "<p>May 6, 2023</p>"),
        (_CHANGED, '<time datetime="2023-05-06">Saturday</time>'),
    ],
)
def test_the_day_of_another_moment_tells_nothing(read: Reader, head: str, shown: str) -> None:
    published = "2023-05-05T12:49:58+00:00" if "05-06" in shown or head else "2023-05-05T03:22:07+00:00"
    declared = f'<meta property="article:published_time" content="{published}">'
    assert read(declared + head + _body(shown)).datePublished == published


def test_the_day_of_publication_counts_beside_that_of_a_change(read: Reader) -> None:
    shown = '<p>May 4, 2023</p><p>Updated <time datetime="2023-05-06T08:34:55Z">May 6, 2023</time></p>'
    assert read(_DECLARED + _CHANGED + _body(shown)).datePublished == "2023-05-04T23:22:07-04:00"


def test_the_day_in_the_url_counts_as_shown(read: Reader) -> None:
    found = read(_DECLARED + _body(""), "https://www.example.com/2023/05/04/rain")
    assert found.datePublished == "2023-05-04T23:22:07-04:00"


_PROSE = [
    ("uk", "Дощ іде в Іспанії", "Київ. 4 травня 2023 року. Дощ іде."),
    ("bg", "Дъжд вали в Испания", "04 май 2023 | 18:30"),
    ("cs", "Ve Španělsku prší", "čtvrtek 4. května 2023"),
    ("hu", "Spanyolországban esik az eső", "2023. máj. 04., csütörtök"),
    ("ro", "Plouă în Spania", "Joi, 4 mai 2023, ora 18:30"),
    ("lv", "Spānijā līst", "2023. gada 4. maijs"),
    ("fr", "Il pleut en Espagne", "Paris, le 4 mai 2023 (AFP) —"),
    ("pt", "Chove em Espanha", "04/05/2023 18h30"),
    ("ar", "المطر يهطل في إسبانيا", "الخميس ٤ أيار ٢٠٢٣"),
    ("fa", "باران در اسپانیا می‌بارد", "پنجشنبه ۱۴ اردیبهشت ۱۴۰۲ - ۱۸:۳۰"),
    ("fa", "باران در اسپانیا می‌بارد", "۱۴۰۲/۰۲/۱۴"),
    ("he", "גשם יורד בספרד", "04.05.23 | 18:30"),
    ("th", "ฝนตกในสเปน", "4 พ.ค. 2566"),
    ("mn", "Испанид бороо орж байна", "2023 оны 5 сарын 4"),
    ("uz", "Ispaniyada yomgʻir yogʻmoqda", "2023-yil 4-may"),
    ("ko", "스페인에 비가 온다", "입력 2023.05.04. 오후 6:30"),
]


@pytest.mark.parametrize(("language", "title", "dateline"), _PROSE)
@pytest.mark.parametrize("template", ["<div>{0}</div><p>{1}</p>", "<p>{0} {1}</p>"])
def test_reads_prose_under_the_headline_and_at_the_head_of_the_text(
    read: Reader, language: str, title: str, dateline: str, template: str
) -> None:
    found = read(_page(language, title, template.format(dateline, f"{title}. " * 20)))
    assert (found.datePublished or "")[:10] == "2023-05-04"


@pytest.mark.parametrize(
    ("title", "dateline"),
    [
        ("Дощ іде в Іспанії вже цілий тиждень", "4 травня 2023"),
        ("Ve Španělsku už celý týden prší a prší", "4. května 2023"),
        ("Het regent in Spanje", "4 mei 2023"),
        ("Hujan turun di Spanyol", "4 Mei 2023"),
    ],
)
def test_a_template_that_says_english_does_not_hide_the_months(read: Reader, title: str, dateline: str) -> None:
    found = read(_page("en-US", title, f"<div>{dateline}</div><p>{f'{title}. ' * 20}</p>"))
    assert found.datePublished == "2023-05-04"


@pytest.mark.parametrize(
    ("language", "url", "more", "day"),
    [
        ("en", _URL, "", "2023-04-05"),
        ("en-US", _URL, "", "2023-04-05"),
        ("en", "https://www.example.ca/a", "", "2023-04-05"),
        ("en-GB", _URL, "", "2023-05-04"),
        ("en-US", "https://www.example.co.ke/a", "", "2023-05-04"),
        ("en-US", "https://www.example.com.ua/a", "", "2023-05-04"),
        ("en", _URL, '<meta property="og:locale" content="en_AU">', "2023-05-04"),
        ("en-US", _URL, "<ul><li>Rome, 25/12/2022<li>Oslo, 30/11/2022</ul>", "2023-05-04"),
        ("en-GB", "https://www.example.co.uk/a", "<ul><li>Rome, 12/25/2022</ul>", "2023-04-05"),
        ("fr", _URL, "", "2023-05-04"),
        ("ar", _URL, "", "2023-05-04"),
    ],
)
def test_language_country_and_other_dates_tell_the_order(
    read: Reader, language: str, url: str, more: str, day: str
) -> None:
    assert read(_body("<div>04/05/2023</div>", language) + more, url).datePublished == day


def test_an_order_that_gives_a_day_in_the_future_is_not_meant(read: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    class June(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> June:
            return cls(2023, 6, 1, tzinfo=tz)

    monkeypatch.setattr(date_checks, "datetime", June)
    assert read(_body("<div>05/04/2023</div>")).datePublished == "2023-05-04"
    assert read(_body("<div>12/05/2023</div>")).datePublished == "2023-05-12"
