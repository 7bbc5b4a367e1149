"""What is shown of an article that was found."""

from __future__ import annotations

import unicodedata

import pytest

from newsextract.page.word_folding import words
from newsextract.storage.search.matching import Matcher, Part, snippet
from newsextract.storage.search.queries import parse_query

LONG = "Donaudampfschifffahrtsgesellschaftskapitansmutzenabzeichenfabrikationsdirektor "


def shown(body: str, query: str) -> list[Part]:
    matcher = Matcher(parse_query(query))
    return snippet(matcher.read({"article_body": body}), matcher)


@pytest.mark.parametrize("around", ["Considerable amounts. ", "Considérables\n\nsommes, ", LONG, "桥梁开放 "])
@pytest.mark.parametrize("shift", range(5))
def test_a_snippet_cuts_no_word(around: str, shift: int) -> None:
    body = f"{'x' * shift} {around * 30}Pont {around * 30}"
    parts = shown(body, "pont")
    text = "".join(part.text for part in parts)
    assert [part.text for part in parts if part.is_found] == ["Pont"]
    assert set(words(text)) == set(words(f"{around} pont"))
    assert (text[:2], text[-2:]) == ("… ", " …")
    assert len(text) < 200
    assert "\n" not in text


@pytest.mark.parametrize("around", ["新桥通车，人们等待", "นายกเทศมนตรีเปิดสะพานใหม่ในวันนี้"])
def test_a_script_without_spaces_is_cut_between_letters(around: str) -> None:
    for shift in range(len(around)):
        text = "".join(part.text for part in shown(f"{around[shift:]}{around * 20} pont {around * 20}", "pont"))
        assert 55 < len(text.partition("pont")[0]) < 65
        assert 175 < len(text) < 190
        begun = f"{around * 20} pont {around * 20}".split(text[2:-2])
        assert len(begun) == 2
        assert unicodedata.category(text[2])[0] != "M"
        assert unicodedata.category(begun[1][0])[0] != "M"


def test_all_that_was_found_is_marked_once() -> None:
    parts = shown("Le vieux pont, le nouveau  pont neuf.", '"nouveau pont" OR pont OR neuf')
    assert [part.text for part in parts if part.is_found] == ["pont", "nouveau pont", "neuf"]
    assert "".join(part.text for part in parts) == "Le vieux pont, le nouveau pont neuf."


def test_what_was_found_elsewhere_is_shown_by_the_beginning() -> None:
    matcher = Matcher(parse_query("headline:pont"))
    assert snippet(matcher.read({"headline": "Pont", "article_body": "Un. "}), matcher) == [Part("Un.")]
    assert snippet(matcher.read({"headline": "Pont"}), matcher) == []
