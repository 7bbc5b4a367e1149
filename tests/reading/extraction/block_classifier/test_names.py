"""Names of elements: those that are none say nothing, those of other languages what the English ones say."""

from __future__ import annotations

import pytest

from newsextract.page.page import Page
from newsextract.reading.extraction.block_classifier.model import load
from newsextract.reading.extraction.block_classifier.names import NameScores, terms, words_in


@pytest.mark.parametrize(
    "name",
    [
        "css-1x2y3z", "sc-bdVaJa", "jsx-3141592653", "aB3xQ9", "x7", "k", "zq", "_12",
        "col-md-8", "row", "container-fluid", "text-center", "text-lg", "mt-4", "px-auto", "md:w-1/2", "text-[15px]",
        "font-bold", "d-flex", "justify-content-between", "elementor-element-6f2d1a3", "vc_column_container",
    ],
)  # fmt: skip
def test_names_that_a_tool_gave_say_nothing(name: str) -> None:
    assert words_in(name) == ""
    assert terms(name) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Article_body__a3Xz9", "article-body"),
        ("text", "text"),
        ("pull-quote", "pull-quote"),
        ("text-block", "text-block"),
        ("no-comments", "no-comments"),
        ("block-title", "block-title"),
        ("elementor-widget-theme-post-content", "elementor-widget-theme-post-content"),
        ("com17", "comment"),
        ("example-com", "example-com"),
        ("liste-commentaires", "liste-comments"),
        ("Bildunterschrift", "caption"),
        ("noticiasRelacionadas", "news-related"),
        ("artikel_inhalt", "article-content"),
    ],
)
def test_other_names_keep_their_words_in_one_language(name: str, words: str) -> None:
    assert words_in(name) == words


def test_what_is_known_of_an_english_name_holds_for_others() -> None:
    scores = NameScores({"comments": -2.0, "=article-content": 3.0})
    assert scores.classes(["x kommentare", "artikel-inhalt", "css-9z8y7x"]).tolist() == [-2.0, 3.0, 0.0]


@pytest.mark.parametrize("name", ["yorumlar", "komentarze", "comentarios-lista", "cmt-list"])
def test_comments_are_left_out_whatever_the_language_of_their_name(name: str) -> None:
    names = load().names
    assert names.classes([name])[0] < names.classes(["unheardof"])[0]


def test_names_of_two_letters_change_nothing() -> None:
    told = "".join(f"<p>In the {n}th hour the rain came back, said the keeper of the bridge.</p>" for n in range(8))
    plain, named = (Page(f"<body><div class='{name}'><h1>Rain</h1>{told}</div></body>") for name in ("", "zx ql"))
    assert load().read(plain)[1].tolist() == load().read(named)[1].tolist()
