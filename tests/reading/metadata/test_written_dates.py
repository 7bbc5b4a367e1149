from __future__ import annotations

import pytest

from newsextract.reading.metadata.written_dates import find_dates, month_names, read_written

_DAY = "2019-06-13"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ar", "١٣ يونيو ٢٠١٩"),
        ("ar", "13 حزيران 2019"),
        ("bg", "13 юни 2019"),
        ("bn", "১৩ জুন ২০১৯"),
        ("ca", "13 de juny de 2019"),
        ("cs", "13. června 2019"),
        ("cs", "13. 6. 2019"),
        ("da", "13. juni 2019"),
        ("de", "Do., 13. Juni 2019"),
        ("de", "13.06.19"),
        ("el", "13 Ιουνίου 2019"),
        ("en", "Thursday, June 13th, 2019"),
        ("en", "13 June 2019"),
        ("es", "13 de junio de 2019"),
        ("et", "13. juuni 2019"),
        ("fa", "۱۳ ژوئن ۲۰۱۹"),
        ("fi", "13. kesäkuuta 2019"),
        ("fr", "jeudi 13 juin 2019"),
        ("he", "13 ביוני 2019"),
        ("hi", "13 जून 2019"),
        ("hr", "13. lipnja 2019."),
        ("hu", "2019. június 13."),
        ("id", "13 Juni 2019"),
        ("it", "giovedì 13 giugno 2019"),
        ("ja", "2019年6月13日"),
        ("ko", "2019년 6월 13일"),
        ("lt", "2019 m. birželio 13 d."),
        ("lv", "2019. gada 13. jūnijs"),
        ("nl", "13 juni 2019"),
        ("pl", "13 czerwca 2019"),
        ("pt", "13 de junho de 2019"),
        ("ro", "13 iunie 2019"),
        ("ru", "13 июня 2019"),
        ("sr", "13. јун 2019."),
        ("sv", "13 juni 2019"),
        ("th", "13 มิถุนายน 2562"),
        ("tr", "13 HAZİRAN 2019"),
        ("uk", "13 червня 2019"),
        ("vi", "13 tháng 6, 2019"),
        ("vi", "ngày 13 tháng 06 năm 2019"),
        ("vi", "13 Tháng Sáu, 2019"),
        ("ar", "13 حزيران/يونيو 2019"),
        ("th", "13 มิถุนายน พ.ศ. 2562"),
        ("sr", "13. jun 2019."),
        ("tr", "13 Haziran 2019"),
        ("zh", "2019年6月13日"),
        (None, "13 juin 2019"),
        ("xx", "13. Juni 2019"),
    ],
)
def test_reads_the_day_in_many_languages(language: str | None, text: str) -> None:
    assert read_written(text, language, is_day_first=True) == _DAY


@pytest.mark.parametrize(
    ("language", "text", "time"),
    [
        ("de", "13.06.2019, 10:30 Uhr", "10:30:00"),
        ("en", "June 13, 2019 at 10:30 p.m.", "22:30:00"),
        ("en", "June 13, 2019 12:05 AM EST", "00:05:00-05:00"),
        ("fi", "13.6.2019 klo 10.30", "10:30:00"),
        ("fr", "13 juin 2019 à 10h30", "10:30:00"),
        ("it", "13 giugno 2019 ore 10.30", "10:30:00"),
        ("ja", "2019年6月13日10時30分", "10:30:00"),
        ("pl", "13 czerwca 2019, godz. 10:30", "10:30:00"),
        ("pt", "13 de junho de 2019 às 10h30", "10:30:00"),
        ("sv", "13 juni 2019 kl. 10.30", "10:30:00"),
        (None, "2019-06-13 10:30 UTC+0200", "10:30:00+02:00"),
        ("vi", "13/06/2019 10:30 GMT+7", "10:30:00+07:00"),
        ("en", "June 13, 2019 10:00 -2450", "10:00:00"),
        ("en", "Thu Jun 13 10:30:00 2019", "10:30:00"),
        ("ja", "2019年6月13日(木) 午後3:20", "15:20:00"),
        ("ko", "2019년 6월 13일 오후 3:20", "15:20:00"),
        ("ar", "13 يونيو 2019 10:30 م", "22:30:00"),
        ("ru", "13 июня 2019 г., 10:30", "10:30:00"),
        ("hr", "13. lipnja 2019. u 10:30", "10:30:00"),
    ],
)
def test_reads_the_time_behind_the_day(language: str | None, text: str, time: str) -> None:
    assert read_written(text, language, is_day_first=True) == f"{_DAY}T{time}"


@pytest.mark.parametrize(
    "text", ["May 2019", "13 June", "1/2", "30. Februar 2019", "10:30", "Room 1306 2019", "1.2.3.2019", "call 555-2019"]
)
def test_reads_nothing_that_leaves_the_day_open(text: str) -> None:
    assert read_written(text, "en") is None


def test_the_same_name_is_another_month_elsewhere() -> None:
    assert (read_written("13. listopada 2019", "hr"), read_written("13 listopada 2019", "pl")) == (
        "2019-10-13",
        "2019-11-13",
    )
    assert "listopada" not in month_names(None) or month_names(None)["listopada"] == 11


@pytest.mark.parametrize(
    ("language", "text", "day"),
    [
        ("tr", "4 KASIM 2023", "2023-11-04"),
        (None, "4 Kasim 2023", "2023-11-04"),
        ("el", "4 Μαΐου 2023", "2023-05-04"),
        ("el", "4 ΜΑΪΟΥ 2023", "2023-05-04"),
        ("fr", "4 fe\u0301vrier 2023", "2023-02-04"),
        ("es", "04 set. 2023", "2023-09-04"),
        ("it", "1° maggio 2023", "2023-05-01"),
        ("en", "May 4, 2023 24:00", "2023-05-04"),
    ],
)
def test_capitals_and_accents_are_no_obstacle(language: str | None, text: str, day: str) -> None:
    assert read_written(text, language, is_day_first=True) == day


@pytest.mark.parametrize(("text", "day"), [("lupa28.09.1912:44", "2019-09-28"), ("on 28.09.1912", "1912-09-28")])
def test_a_time_may_follow_a_short_year_without_a_space(text: str, day: str) -> None:
    assert (read_written(text, "de") or "")[:10] == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("۱ فروردین ۱۴۰۳", "2024-03-20"),
        ("30 اسفند 1399", "2021-03-20"),
        ("۱۴۰۲/۱۰/۱۱", "2024-01-01"),
        ("11/10/1402", "2024-01-01"),
    ],
)
def test_reads_the_calendar_of_iran(text: str, day: str) -> None:
    assert read_written(text, "fa") == day


def test_finds_every_date_with_its_place() -> None:
    text = "Veröffentlicht am 4. Mai 2023, aktualisiert am 05.05.2023 um 8:15 Uhr"
    found = list(find_dates(text, "de"))
    assert [(one.iso, one.raw) for one in found] == [
        ("2023-05-04", "4. Mai 2023"),
        ("2023-05-05T08:15:00", "05.05.2023 um 8:15"),
    ]
    assert [text[one.start : one.stop].strip() for one in found] == [one.raw for one in found]


def test_keeps_the_digits_of_the_page() -> None:
    assert next(find_dates("نُشر ١٣ يونيو ٢٠١٩", "ar")).raw == "١٣ يونيو ٢٠١٩"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("31 شهریور 1402", "2023-09-22"),
        ("31 مهر 1402", None),
        ("1402/07/31", None),
        ("30 اسفند 1402", None),
        ("29 اسفند 1402", "2024-03-19"),
        ("30 اسفند 1403", "2025-03-20"),
        ("30/12/1404", None),
    ],
)
def test_an_iranian_month_has_only_its_days(text: str, day: str | None) -> None:
    assert read_written(text, "fa") == day
