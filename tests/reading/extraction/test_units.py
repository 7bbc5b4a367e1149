"""Next stories, teasers and comments are told apart from the article's own parts."""

from __future__ import annotations

import pytest

from newsextract import Page, extract
from newsextract.page.text import words
from newsextract.reading.extraction.block_classifier.features import describe
from newsextract.reading.extraction.block_classifier.names import NameScores
from newsextract.reading.extraction.block_classifier.units import other_units
from newsextract.reading.notices import NoticeCode, noticed

OWN = "".join(
    f"<p>On day {n} the builders of the bridge rested, drank their tea and looked at the river.</p>" for n in range(6)
)
OTHER = "".join(
    f"<p>In hall {n} the new engine was tested for an hour, and nobody heard a sound of it.</p>" for n in range(4)
)
STORY = f"<article><h1 class=head>The bridge opens</h1><div class=date>4 May 2026</div>{OWN}</article>"
NEXT = f"<article><h1 class=head>An engine falls silent</h1><div class=date>3 May 2026</div>{OTHER}</article>"
URL = "https://news.example/the-bridge-opens"


def left_out(body: str, url: str = URL, title: str = "The bridge opens") -> tuple[set[str], int]:
    """Return the first words of the blocks of other units, if all paragraphs were kept, and the number of the units."""
    page = Page(f"<title>{title}</title><body>{body}", url)
    described = describe(page, NameScores({}))
    is_other, count = other_units(page, described, described.layout.sizes > 40)
    texts = described.layout.texts
    return {words(texts[n])[0] for n in is_other.nonzero()[0]}, count


def test_a_next_story_with_its_own_headline_and_date_is_another_unit() -> None:
    assert left_out(STORY + NEXT) == ({"An", "3", "In"}, 1)
    assert left_out(NEXT + STORY) == ({"An", "3", "In"}, 1)
    signed = NEXT.replace("<div class=date>3 May 2026", "<div class=author-name>Ann Lee, engineer")
    assert left_out(STORY + signed)[1] == 1


def test_sections_of_a_story_are_its_own() -> None:
    section = f"<section><h1 class=head>How it was built</h1>{OTHER}</section>"
    assert left_out(STORY + section) == (set(), 0)
    dated = f"<section><h2>Engines</h2><div class=date>3 May 2026</div>{OTHER}</section>"
    assert left_out(STORY + dated * 2) == (set(), 0)


SAID = "<p>Well said, and I am happy to read it here today.</p>"


def rows(row: str, count: int = 4) -> str:
    """Return rows that differ in `n` and in `name`."""
    return "".join(row.format(n=n, name=chr(96 + n), SAID=SAID) for n in range(1, count + 1))


@pytest.mark.parametrize("row", [
    "<div class=reply><p class=by>Reader {n}, {n}. mai 2026 10:3{n}</p>{SAID}</div>",
    "{SAID}<p class=comment-by>Posted by R{n} at May {n}, 2026 10:3{n} PM</p>",
    "<li class=comment><i>R{n}</i><p>{n}.05.2026</p>{SAID}</li>",
    "<div class=opinia><p class=op>~Ann{name} [2026-05-0{n} 10:3{n}]</p>{SAID}</div>",
    "<div><a href=/{n}>The next of the stories</a><p class=d>{n} May 2026</p>{SAID}</div>",
])  # fmt: skip
def test_rows_of_comments_and_teasers_below_the_text_are_other_units(row: str) -> None:
    found, count = left_out(f"<h1>The bridge opens</h1><div>{OWN}</div><div>{rows(row)}</div>")
    assert "On" not in found
    assert "Well" in found
    assert count >= 3


@pytest.mark.parametrize("row", [
    "<div class=entry><p class=time>{n} May 2026, 10:3{n}</p>{SAID}</div>",
    "<div><h2>Week {n}</h2><p class=d>{n} May 2026</p>{SAID}</div>",
    "<div><p class=d>Prices may change. Price of {n} May 2026, 11:08</p>{SAID}</div>",
    "<blockquote>{SAID}<p class=d>R{n} May {n}, 2026 10:30</p></blockquote>",
])  # fmt: skip
def test_chronologies_dated_sections_prices_and_quoted_posts_are_the_story_s(row: str) -> None:
    assert left_out(f"<h1>The bridge opens</h1><div>{OWN}</div><div>{rows(row)}</div>") == (set(), 0)


def test_the_posts_of_live_blogs_and_forums_are_what_their_pages_are_for() -> None:
    row = "<div class=reply><p class=by>R{n}, {n} May 2026 10:3{n}</p>{SAID}</div>"
    page = f"<h1>The bridge opens</h1><div>{OWN}</div><div>{rows(row)}</div>"
    assert left_out(page)[1] == 4
    assert left_out(page, "https://news.example/live/bridge") == (set(), 0)
    assert left_out(page, title="The bridge opens: live updates") == (set(), 0)
    assert left_out(page, "https://news.example/forum/bridge") == (set(), 0)


def test_other_stories_are_left_out_of_the_body_with_a_warning() -> None:
    found = extract(f"<title>The bridge opens</title><body>{STORY}{NEXT}", URL)
    assert "builders" in found.text
    assert "engine" not in found.text
    assert [notice.values for notice in noticed(NoticeCode.OTHER_UNITS, found.warnings)] == [{"units": 1}]
