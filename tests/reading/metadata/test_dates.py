from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest

from newsextract.page.page import Hints, Page
from newsextract.reading.metadata.precedence import read_metadata

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.metadata.clues import Metadata

    Reader = Callable[..., Metadata]
    Writer = Callable[[object], str]

_HEAD = "<title>Rain falls in Spain</title>"
_URL = "https://www.example.com/news/rain-in-spain"


def _body(lines: str) -> str:
    return f"{_HEAD}<h1>Rain falls in Spain</h1>{lines}<p>{'It rains and rains. ' * 20}</p>"


@pytest.mark.parametrize(
    ("language", "line", "day"),
    [
        ("en", "<div>May 4, 2023</div>", "2023-05-04"),
        ("en", "<p>05/04/2023</p>", "2023-05-04"),
        ("en-GB", "<p>04/05/2023</p>", "2023-05-04"),
        ("de", "<p>Berlin, 4. Mai 2023 — Es regnet, und zwar so sehr, dass niemand mehr hinausgeht.</p>", "2023-05-04"),
        ("pl", "<span>4 maja 2023, 10:00</span>", "2023-05-04T10:00:00"),
        ("ja", "<div>2023年5月4日 10時00分</div>", "2023-05-04T10:00:00"),
    ],
)
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


def test_the_same_moment_in_two_zones_is_no_conflict(read: Reader, script: Writer) -> None:
    meta = '<meta property="article:published_time" content="2023-05-04T23:30:00-05:00">'
    data = script({"@type": "NewsArticle", "headline": "Rain falls", "datePublished": "2023-05-05T04:30:00Z"})
    assert not read(f"<title>Rain falls</title>{meta}{data}").warnings


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("https://example.com/2023-05/04/c_112.htm", "2023-05-04"),
        ("https://example.com/meldungen/04-05-2023", "2023-05-04"),
        ("https://example.com/2023/may/04/rain", "2023-05-04"),
    ],
)
def test_reads_the_day_in_addresses_of_many_systems(read: Reader, url: str, day: str) -> None:
    assert read("<p>It rains.</p>", url).datePublished == day


def test_htmldate_is_asked_last(read: Reader) -> None:
    found = read(f"{_body('<p>Rain</p>' * 20)}<footer><p class='x'>Stand: 04.05.2023</p></footer>")
    assert found.sources.get("datePublished") in (None, "htmldate")


def test_a_date_that_a_sentence_mentions_comes_after_a_dateline(read: Reader) -> None:
    lines = "<p>El 3 de mayo de 1990 nació en Madrid.</p><p>Madrid, 4 may 2023 - 10:30 CEST</p>"
    found = read(f'<html lang="es"><title>Llueve en toda España</title><h1>Llueve en toda España</h1>{lines}')
    assert found.datePublished == "2023-05-04T10:30:00+02:00"


def test_the_label_is_the_line_above_the_date(read: Reader) -> None:
    lines = "<div>Updated</div><div>May 5, 2023</div><div>Published</div><div>May 4, 2023</div>"
    found = read(f'<html lang="en">{_HEAD}<nav>Menu</nav><h1>Rain falls in Spain</h1>{lines}')
    assert (found.datePublished, found.dateModified) == ("2023-05-04", "2023-05-05")
