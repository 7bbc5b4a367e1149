"""What a page said, asked when the page is gone."""

from __future__ import annotations

import random

import pytest

from newsextract.page.page import Page
from newsextract.page.page_words import page_words

PAGE = Page(
    """<title>Flood in Porto | Gazette</title><meta property="og:description" content="The river rises again.">
    <script type="application/ld+json">{"headline": "A flood that nobody saw"}</script>
    <h1>Flood in Porto</h1><p>PORTO (AP) — At least 12 people died, the mayor said. Yes.</p>
    <p>The river <b>rises</b> still.</p><table><tr><td>12</td><td>dead</td><td>in Porto</td></tr></table>
    <pre><code>flood = 12\nreturn flood</code></pre>
    <article><div style="display: none"><p>Readers who <b>pay</b> know it.</p><p>Read on</p></div></article>
    <p>水位上升了</p>"""
)


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("At least 12 people died, the mayor said.", True),
        ("at least 12 PEOPLE died – the mayor", True),
        ("At least 13 people died, the mayor said.", False),
        ("At least 12 people died, the mayor says.", False),
        ("At least people died", False),
        ("Flood in Porto", True),
        ("A flood that nobody saw", True),
        ("The river rises again.", True),
        ("12 | dead | in Porto", True),
        ("return flood", True),
        ("Readers who pay know it.", True),
        ("Read on", True),
        ("水位上升", True),
        ("水位下降", False),
        ("Porto", False),
        ("", True),
    ],
)
def test_it_knows_what_the_page_said(text: str, is_said: bool) -> None:
    assert page_words(PAGE).says(text) is is_said


def test_texts_that_are_not_on_the_page_may_be_added() -> None:
    assert not page_words(PAGE).says("A text from the feed")
    assert page_words(PAGE, None, "A text from the feed").says("A text from the feed")


def test_the_same_words_are_the_same_page_whatever_the_markup() -> None:
    one, other = (Page(f"<!-- {number} --><p class=c{number}>Rain in Spain</p>") for number in range(2))
    assert page_words(one) == page_words(other) != page_words(Page("<p>Rain in Spain</p><p>3 comments</p>"))


def test_hardly_any_other_sentence_seems_to_be_said() -> None:
    draw = random.Random(1)  # noqa: S311 - the same numbers in each run
    said = page_words(Page("".join(f"<p>{' '.join(str(draw.random()) for _ in range(20))}</p>" for _ in range(50))))
    assert len(said.sequences) < 4_000
    assert sum(said.says(f"{draw.random()} x {draw.random()}") for _ in range(300)) == 0


def test_a_page_without_words_says_nothing() -> None:
    assert not page_words(Page("<p></p>")).says("Rain in Spain")


def test_a_further_page_or_the_data_for_scripts_makes_another_page() -> None:
    plain, of_two, of_two_others = (
        Page("<p>Rain in Spain</p>", continued=tuple(Page(f"<p>{text}</p>") for text in further))
        for further in ((), ["Ten are missing"], ["Ninety are missing"])
    )
    assert len({page_words(page).hash for page in (plain, of_two, of_two_others)}) == 3
    assert page_words(of_two).says("Ten are missing")
    assert page_words(plain, data="Ten are missing").hash != page_words(plain, data="Ninety are missing").hash
