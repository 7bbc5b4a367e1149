"""Dates: where pages state them, in words of many languages, and in the reader's order and time zone."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest

from newsextract.page.page import Hints, Page
from newsextract.reading.metadata import dates as date_checks
from newsextract.reading.metadata.dates import read_date
from newsextract.reading.metadata.precedence import read_metadata
from newsextract.reading.metadata.written_dates import month_names

if TYPE_CHECKING:
    from datetime import tzinfo

    from tests.reading.metadata.conftest import Reader, Writer


_HEAD = "<title>Rain falls in Spain</title>"
_URL = "https://www.example.com/news/rain-in-spain"


def _body(lines: str) -> str:
    return f"{_HEAD}<h1>Rain falls in Spain</h1>{lines}<p>{'It rains and rains. ' * 20}</p>"


@pytest.mark.parametrize(("language", "line", "day"), [
    ("en", "<div>May 4, 2023</div>", "2023-05-04"),
    ("en", "<p>05/04/2023</p>", "2023-05-04"),
    ("en-GB", "<p>04/05/2023</p>", "2023-05-04"),
    ("de", "<p>Berlin, 4. Mai 2023 — Es regnet, und zwar so sehr, dass niemand mehr hinausgeht.</p>", "2023-05-04"),
    ("pl", "<span>4 maja 2023, 10:00</span>", "2023-05-04T10:00:00"),
    ("ja", "<div>2023年5月4日 10時00分</div>", "2023-05-04T10:00:00"),
])  # fmt: skip
def test_reads_the_line_near_the_headline(read: Reader, language: str, line: str, day: str) -> None:
    found = read(f'<html lang="{language}">{_body(line)}')
    assert (found.datePublished, found.sources["datePublished"]) == (day, "near_heading")


def test_a_label_tells_a_change_from_the_publication(read: Reader) -> None:
    found = read(f'<html lang="de">{_body("<p>Veröffentlicht 4. Mai 2023 | Aktualisiert: 5. Mai 2023</p>")}')
    assert (found.datePublished, found.dateModified) == ("2023-05-04", "2023-05-05")


def test_a_line_in_decomposed_letters_has_its_label_whole(read: Reader) -> None:
    line = normalize("NFD", f"Publié le 4 mai 2023 {'é' * 9}, modifié : 5 mai 2023")
    found = read(f'<html lang="fr">{_body(f"<p>{line}</p>")}')
    assert (found.datePublished, found.dateModified) == ("2023-05-04", "2023-05-05")


def test_a_page_that_only_states_a_change_is_dated_by_it(read: Reader) -> None:
    found = read(f"<html lang='en'>{_body('<div>Last updated</div><div>May 4, 2023</div>')}")
    assert (found.datePublished, found.dateModified) == ("2023-05-04", "2023-05-04")
    assert found.sources["datePublished"] == "last_change"


def test_a_page_without_a_headline_is_dated_by_the_lines_before_its_story(read: Reader) -> None:
    found = read(f"<title>News</title><ul><li>Menu</li></ul><div>4 May 2023 | Message</div><p>{'It rains. ' * 30}</p>")
    assert (found.datePublished, found.sources["datePublished"]) == ("2023-05-04", "near_heading")


def test_a_page_without_a_headline_is_dated_even_where_no_line_near_its_story_tells_the_day(read: Reader) -> None:
    found = read("<title>News</title>" + f"<p>{'It rains. ' * 30}</p>" * 15 + "<div>2023-05-04</div>")
    assert (found.datePublished, found.sources["datePublished"]) == ("2023-05-04", "htmldate")


def test_the_day_that_somebody_joined_a_forum_is_not_that_of_the_thread(read: Reader) -> None:
    found = read(_body("<dl><dd>Registriert: 4.5.2011</dd></dl><p>von lupa, 6.5.2023</p>"))
    assert found.datePublished == "2023-05-06"


def test_the_time_near_the_headline_beats_those_elsewhere(read: Reader) -> None:
    far = '<section><time datetime="2020-01-01">1 January</time></section>'
    near = '<div class="card-head"><time datetime="2023-05-04">4 May</time></div>'
    found = read(f"{_HEAD}{far}{'<p>Menu of things</p>' * 9}{_body(near)}")
    assert (found.datePublished, found.sources["datePublished"]) == ("2023-05-04", "time_element")


def test_a_feed_beats_what_is_visible_but_not_the_page_itself(script: Writer) -> None:
    hints = Hints(date="2023-05-03T08:00:00+00:00")
    line = _body("<time datetime='2023-05-04'>4 May</time>")
    found = read_metadata(Page(line, _URL, hints=hints))
    assert (found.datePublished, found.sources["datePublished"]) == ("2023-05-03T08:00:00+00:00", "feed")
    data = script({"@type": "NewsArticle", "headline": "Rain falls in Spain", "datePublished": "2023-05-02"})
    assert read_metadata(Page(data + line, _URL, hints=hints)).datePublished == "2023-05-02"


def test_of_ten_conflicting_dates_the_best_source_wins_and_the_others_are_named(read: Reader, script: Writer) -> None:
    metas = "".join(
        f'<meta name="{name}" content="2021-0{number}-01">'
        for number, name in enumerate(("article:published_time", "dcterms.issued", "pubdate", "date"), start=1)
    )
    times = "".join(f'<time datetime="2022-0{number}-01">then</time>' for number in range(1, 6))
    data = script({"@type": "NewsArticle", "headline": "Rain falls in Spain", "datePublished": "2023-05-04"})
    found = read(f"{metas}{data}{_body(times)}")
    assert found.datePublished == "2023-05-04"
    assert [warning for warning in found.warnings if "meta_tags says '2021-01-01'" in warning]


@pytest.mark.parametrize(("url", "day"), [
    ("https://example.com/2023-05/04/c_112.htm", "2023-05-04"),
    ("https://example.com/meldungen/04-05-2023", "2023-05-04"),
    ("https://example.com/2023/may/04/rain", "2023-05-04"),
])  # fmt: skip
def test_reads_the_day_in_addresses_of_many_systems(read: Reader, url: str, day: str) -> None:
    assert read("<p>It rains.</p>", url).datePublished == day


def test_a_date_that_a_sentence_mentions_comes_after_a_dateline(read: Reader) -> None:
    lines = "<p>El 3 de mayo de 1990 nació en Madrid.</p><p>Madrid, 4 may 2023 - 10:30 CEST</p>"
    found = read(f'<html lang="es"><title>Llueve en toda España</title><h1>Llueve en toda España</h1>{lines}')
    assert found.datePublished == "2023-05-04T10:30:00+02:00"


def test_the_label_is_the_line_above_the_date(read: Reader) -> None:
    lines = "<div>Updated</div><div>May 5, 2023</div><div>Published</div><div>May 4, 2023</div>"
    found = read(f'<html lang="en">{_HEAD}<nav>Menu</nav><h1>Rain falls in Spain</h1>{lines}')
    assert (found.datePublished, found.dateModified) == ("2023-05-04", "2023-05-05")


_DAY = "2019-06-13"


@pytest.mark.parametrize(("language", "text"), [
    ("ar", "١٣ يونيو ٢٠١٩"), ("bg", "13 юни 2019"), ("bn", "১৩ জুন ২০১৯"), ("ca", "13 de juny de 2019"),
    ("cs", "13. června 2019"), ("de", "Do., 13. Juni 2019"), ("de", "13.06.19"), ("el", "13 Ιουνίου 2019"),
    ("en", "Thursday, June 13th, 2019"), ("en", "13 June 2019"), ("es", "13 de junio de 2019"),
    ("fa", "۱۳ ژوئن ۲۰۱۹"), ("fi", "13. kesäkuuta 2019"), ("fr", "jeudi 13 juin 2019"),
    ("he", "13 ביוני 2019"), ("hi", "13 जून 2019"), ("hr", "13. lipnja 2019."), ("hu", "2019. június 13."),
    ("id", "13 Juni 2019"), ("it", "giovedì 13 giugno 2019"), ("ja", "2019年6月13日"), ("ko", "2019년 6월 13일"),
    ("lt", "2019 m. birželio 13 d."), ("lv", "2019. gada 13. jūnijs"), ("nl", "13 juni 2019"),
    ("pl", "13 czerwca 2019"), ("pt", "13 de junho de 2019"), ("ro", "13 iunie 2019"), ("ru", "13 июня 2019"),
    ("sr", "13. јун 2019."), ("sv", "13 juni 2019"), ("th", "13 มิถุนายน 2562"), ("tr", "13 HAZİRAN 2019"),
    ("uk", "13 червня 2019"), ("vi", "13 tháng 6, 2019"), ("ar", "13 حزيران/يونيو 2019"), ("zh", "2019年6月13日"),
    (None, "13 juin 2019"), ("xx", "13. Juni 2019"),
])  # fmt: skip
def test_reads_the_day_in_many_languages(language: str | None, text: str) -> None:
    assert read_date(text, language, is_day_first=True) == _DAY


@pytest.mark.parametrize(("language", "text", "time"), [
    ("de", "13.06.2019, 10:30 Uhr", "10:30:00"), ("en", "June 13, 2019 at 10:30 p.m.", "22:30:00"),
    ("en", "June 13, 2019 12:05 AM EST", "00:05:00-05:00"), ("fi", "13.6.2019 klo 10.30", "10:30:00"),
    ("fr", "13 juin 2019 à 10h30", "10:30:00"), ("ja", "2019年6月13日10時30分", "10:30:00"),
    ("pt", "13 de junho de 2019 às 10h30", "10:30:00"), (None, "2019-06-13 10:30 UTC+0200", "10:30:00+02:00"),
    ("vi", "13/06/2019 10:30 GMT+7", "10:30:00+07:00"), ("en", "June 13, 2019 10:00 -2450", "10:00:00"),
    ("en", "Thu Jun 13 10:30:00 2019", "10:30:00"), ("ja", "2019年6月13日(木) 午後3:20", "15:20:00"),
    ("ar", "13 يونيو 2019 10:30 م", "22:30:00"),
])  # fmt: skip
def test_reads_the_time_behind_the_day(language: str | None, text: str, time: str) -> None:
    assert read_date(text, language, is_day_first=True) == f"{_DAY}T{time}"


@pytest.mark.parametrize(
    "text", ["May 2019", "13 June", "1/2", "30. Februar 2019", "10:30", "Room 1306 2019", "1.2.3.2019", "call 555-2019"]
)
def test_reads_nothing_that_leaves_the_day_open(text: str) -> None:
    assert read_date(text, "en") is None


def test_the_same_name_is_another_month_elsewhere() -> None:
    assert (read_date("13. listopada 2019", "hr"), read_date("13 listopada 2019", "pl")) == ("2019-10-13", "2019-11-13")
    assert "listopada" not in month_names(None) or month_names(None)["listopada"] == 11


@pytest.mark.parametrize(("language", "text", "day"), [
    ("tr", "4 KASIM 2023", "2023-11-04"), (None, "4 Kasim 2023", "2023-11-04"),
    ("el", "4 Μαΐου 2023", "2023-05-04"), ("fr", "4 fe\u0301vrier 2023", "2023-02-04"),
    ("it", "1° maggio 2023", "2023-05-01"), ("en", "May 4, 2023 24:00", "2023-05-04"),
])  # fmt: skip
def test_capitals_and_accents_are_no_obstacle(language: str | None, text: str, day: str) -> None:
    assert read_date(text, language, is_day_first=True) == day


@pytest.mark.parametrize(("text", "day"), [("lupa28.09.1912:44", "2019-09-28"), ("on 28.09.1912", "1912-09-28")])
def test_a_time_may_follow_a_short_year_without_a_space(text: str, day: str) -> None:
    assert (read_date(text, "de") or "")[:10] == day


@pytest.mark.parametrize(
    ("text", "day"), [("۱ فروردین ۱۴۰۳", "2024-03-20"), ("30 اسفند 1399", "2021-03-20"), ("۱۴۰۲/۱۰/۱۱", "2024-01-01")]
)
def test_reads_the_calendar_of_iran(text: str, day: str) -> None:
    assert read_date(text, "fa") == day


# Dates as the readers of a page see them: in their language, in their order of day and month, in their time zone.


_RAIN_URL = "https://www.example.com/news/rain"


def _page(language: str, title: str, story: str) -> str:
    return f"<html lang='{language}'><title>{title}</title><h1>{title}</h1>{story}"


def _local_body(lines: str, language: str = "en") -> str:
    return _page(language, "Rain falls in Spain", f"{lines}<p>{'It rains and rains. ' * 20}</p>")


_DECLARED = '<meta property="article:published_time" content="2023-05-05T03:22:07Z">'


@pytest.mark.parametrize(("shown", "moment"), [
    ("<p>May 4, 2023 at 8:22 PM</p>", "2023-05-04T20:22:07-07:00"),
    ('<time datetime="2023-05-04T22:22:07-05:00">Thursday</time>', "2023-05-04T22:22:07-05:00"),
    ("<p>May 4, 2023</p>", "2023-05-04T23:22:07-04:00"),
    ("<p>May 5, 2023 at 5:22</p>", "2023-05-05T05:22:07+02:00"),
    ("<p>May 5, 2023</p>", "2023-05-05T03:22:07+00:00"),
    ("<p>May 2, 2023</p>", "2023-05-05T03:22:07+00:00"),
    ("<p>Updated May 4, 2023</p>", "2023-05-05T03:22:07+00:00"),
])  # fmt: skip
def test_a_moment_declared_in_utc_has_the_time_that_the_page_shows(read: Reader, shown: str, moment: str) -> None:
    found = read(_DECLARED + _local_body(shown))
    assert (found.datePublished, found.sources["datePublished"]) == (moment, "meta_tags")
    assert found.datePublishedRaw == "2023-05-05T03:22:07Z"


_CHANGED = '<meta property="article:modified_time" content="2023-05-06T08:34:55Z">'


@pytest.mark.parametrize("shown", ["<p>May 6, 2023</p>", '<time datetime="2023-05-06">Saturday</time>'])
def test_the_day_of_a_change_tells_nothing(read: Reader, shown: str) -> None:
    published = "2023-05-05T12:49:58+00:00"
    declared = f'<meta property="article:published_time" content="{published}">'
    assert read(declared + _CHANGED + _local_body(shown)).datePublished == published


def test_the_day_of_publication_counts_beside_that_of_a_change(read: Reader) -> None:
    shown = '<p>May 4, 2023</p><p>Updated <time datetime="2023-05-06T08:34:55Z">May 6, 2023</time></p>'
    assert read(_DECLARED + _CHANGED + _local_body(shown)).datePublished == "2023-05-04T23:22:07-04:00"


_PROSE = [
    ("uk", "Дощ іде в Іспанії", "Київ. 4 травня 2023 року. Дощ іде."),
    ("hu", "Spanyolországban esik az eső", "2023. máj. 04., csütörtök"),
    ("fr", "Il pleut en Espagne", "Paris, le 4 mai 2023 (AFP) —"),
    ("ar", "المطر يهطل في إسبانيا", "الخميس ٤ أيار ٢٠٢٣"),
    ("fa", "باران در اسپانیا می‌بارد", "پنجشنبه ۱۴ اردیبهشت ۱۴۰۲ - ۱۸:۳۰"),
    ("he", "גשם יורד בספרד", "04.05.23 | 18:30"),
    ("th", "ฝนตกในสเปน", "4 พ.ค. 2566"),
    ("ko", "스페인에 비가 온다", "입력 2023.05.04. 오후 6:30"),
]


@pytest.mark.parametrize(("language", "title", "dateline"), _PROSE)
@pytest.mark.parametrize("template", ["<div>{0}</div><p>{1}</p>", "<p>{0} {1}</p>"])
def test_reads_prose_under_the_headline_and_at_the_head_of_the_text(
    read: Reader, language: str, title: str, dateline: str, template: str
) -> None:
    found = read(_page(language, title, template.format(dateline, f"{title}. " * 20)))
    assert (found.datePublished or "")[:10] == "2023-05-04"


@pytest.mark.parametrize(("title", "dateline"), [
    ("Дощ іде в Іспанії вже цілий тиждень", "4 травня 2023"),
    ("Ve Španělsku už celý týden prší a prší", "4. května 2023"),
    ("Het regent in Spanje", "4 mei 2023"),
    ("Hujan turun di Spanyol", "4 Mei 2023"),
])  # fmt: skip
def test_a_template_that_says_english_does_not_hide_the_months(read: Reader, title: str, dateline: str) -> None:
    found = read(_page("en-US", title, f"<div>{dateline}</div><p>{f'{title}. ' * 20}</p>"))
    assert found.datePublished == "2023-05-04"


@pytest.mark.parametrize(("language", "url", "more", "day"), [
    ("en", _RAIN_URL, "", "2023-04-05"),
    ("en", "https://www.example.ca/a", "", "2023-04-05"),
    ("en-GB", _RAIN_URL, "", "2023-05-04"),
    ("en-US", "https://www.example.co.ke/a", "", "2023-05-04"),
    ("en", _RAIN_URL, '<meta property="og:locale" content="en_AU">', "2023-05-04"),
    ("en-US", _RAIN_URL, "<ul><li>Rome, 25/12/2022<li>Oslo, 30/11/2022</ul>", "2023-05-04"),
    ("en-GB", "https://www.example.co.uk/a", "<ul><li>Rome, 12/25/2022</ul>", "2023-04-05"),
    ("fr", _RAIN_URL, "", "2023-05-04"),
])  # fmt: skip
def test_language_country_and_other_dates_tell_the_order(
    read: Reader, language: str, url: str, more: str, day: str
) -> None:
    assert read(_local_body("<div>04/05/2023</div>", language) + more, url).datePublished == day


def test_an_order_that_gives_a_day_in_the_future_is_not_meant(read: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    class June(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> June:
            return cls(2023, 6, 1, tzinfo=tz)

    monkeypatch.setattr(date_checks, "datetime", June)
    assert read(_local_body("<div>05/04/2023</div>")).datePublished == "2023-05-04"
    assert read(_local_body("<div>12/05/2023</div>")).datePublished == "2023-05-12"
