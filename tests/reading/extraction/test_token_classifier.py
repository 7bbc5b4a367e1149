"""The tokens of a page, and the naive Bayes over them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from newsextract.page.page import Page
from newsextract.reading.extraction.mss import WEIGHTS, TokenClassifier, Tokens, page_tokens, save

if TYPE_CHECKING:
    from pathlib import Path


def tokens_of(body: str) -> Tokens:
    return page_tokens(Page(f"<html><body>{body}</body></html>").outline)


def named(tokens: Tokens, *names: str) -> list[str]:
    by_hash = {0: "", **{crc32(name.encode()): name for name in names}}
    return [by_hash[number] for number in tokens.around.tolist()]


def test_words_and_tags_stand_in_the_order_of_the_source_each_under_its_tag() -> None:
    tokens = tokens_of("<div>Hi <b>you</b>!<br></div>")
    # html, body, div, hi, b, you, /b, !, br, /div, /body, /html
    inner = named(tokens, "html", "body", "div", "b")[2:-2]
    assert inner == ["body", "div", "div", "b", "div", "div", "div", "body"]
    assert tokens.runs.tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 3]


def test_numbers_are_all_one_and_case_does_not_matter() -> None:
    assert tokens_of("<p>In 1999 It").trigrams.tolist() == tokens_of("<p>in 42 it").trigrams.tolist()
    assert tokens_of("<p>in it").trigrams.tolist() != tokens_of("<p>it in").trigrams.tolist()


def test_scripts_are_no_tokens() -> None:
    assert len(tokens_of("<p>a</p><script>var b</script>").runs) == len(tokens_of("<p>a</p>").runs)


def test_unknown_trigrams_have_the_odds_of_rare_ones(tmp_path: Path) -> None:
    tokens = tokens_of("<p>one two three</p>")
    known, tag = np.sort(tokens.trigrams[:1]), np.array([crc32(b"p")], np.uint32)
    model = TokenClassifier(known, np.array([-2.0]), tag, np.array([1.0]), 0.5)
    save(model, tmp_path / "weights.npz")
    found = WEIGHTS.load(str(tmp_path / "weights.npz")).log_odds(tokens)
    in_p = tokens.around == tag[0]
    assert found[0] == -2.0
    assert set(found[in_p].tolist()) == {1.5}
    assert set(found[1:][~in_p[1:]].tolist()) == {0.5}
