"""The linear pass over the tree against the paper's algorithm on the tokens of the source; and the token classifier."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from newsextract.page.page import Page
from newsextract.reading.extraction.mss import (
    WEIGHTS,
    MaximumSubsequence,
    TokenClassifier,
    Tokens,
    best_run,
    page_tokens,
    save,
)

if TYPE_CHECKING:
    from pathlib import Path


_GONE = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)
_TOKEN = re.compile(r"<[^>]+>|[^<]+")
_WORD_OR_SYMBOL = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+|[^\w\s]")


def reference(source: str, tag_score: float = -3.25) -> str:
    """Try every stretch of tokens; of the best, take the one that ends first, and of those the shortest."""
    tokens = _TOKEN.findall(_GONE.sub("", source))
    scores = [tag_score if token[0] == "<" else len(_WORD_OR_SYMBOL.findall(token)) for token in tokens]
    best, kept = 0.0, slice(0, 0)
    for stop in range(1, len(tokens) + 1):
        total = 0.0
        for start in range(stop - 1, -1, -1):
            total += scores[start]
            if total > best:
                best, kept = total, slice(start, stop)
    return "".join(token for token in tokens[kept] if token[0] != "<")


def kept(source: str, **options: Any) -> str:
    return MaximumSubsequence(**options).extract(Page(source)).text


def letters(text: str) -> str:
    return "".join(text.split())


_WORDS = st.lists(
    st.sampled_from(["rain", "2.5", "don't", "新聞", "état", ",", "x_y", "—"]), min_size=1, max_size=14
).map(" ".join)
_INLINE = st.recursive(
    _WORDS | st.sampled_from(["<br>", " ", "<img src='a'>"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(" ".join),
        st.tuples(st.sampled_from("b i a span em".split()), inner).map(
            lambda pair: f"<{pair[0]}>{pair[1]}</{pair[0]}>"
        ),
    ),
    max_leaves=8,
).filter(lambda text: text.count("<a>") < 2)
_BLOCK = st.recursive(
    _INLINE.map(lambda inner: f"<p>{inner}</p>")
    | st.just("<script>var a = 'one two three four five six seven';</script>")
    | _INLINE,
    lambda inner: st.tuples(st.sampled_from("div section blockquote".split()), st.lists(inner, max_size=4)).map(
        lambda pair: f"<{pair[0]}>{''.join(pair[1])}</{pair[0]}>"
    ),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(_BLOCK, st.sampled_from([-3.25, -1.0, -0.5]))
@example("<p>a b c d</p><p>e f g h i j k l m n o</p>", -3.25)
@example("<div>one two<br><br>three four five six seven</div>", -0.5)
def test_equals_the_reference_on_the_source(body: str, tag_score: float) -> None:
    source = f"<html><body>{body}</body></html>"
    assert letters(kept(source, tag_score=tag_score)) == letters(reference(source, tag_score))


STORY = "one two three four five six seven eight nine ten"


@pytest.mark.parametrize(("markup", "expected"), [
    (f"<ul><li><a>menu</a></li></ul><p>{STORY}</p><p>{STORY}</p><ul><li>foot</li></ul>", f"{STORY}\n{STORY}"),
    (f"<p><a>one</a><br><a>two</a><br>{STORY}</p>", STORY),
    (f"<p>{STORY} <b>so</b> <a>x</a> <a>y</a></p>", STORY),
    ("<p>昨天下午北京下了一场大雨</p><p>short one</p>", "昨天下午北京下了一场大雨"),
    ("<p>昨天下午北京下了</p><p>一场大雨今天又来</p>", "昨天下午北京下了\n一场大雨今天又来"),
    (f"<p>{STORY}</p>" + "<br>" * 40 + f"<p>{STORY}</p>", STORY),
    (f"<p>{STORY}</p><script>{STORY * 9}</script><svg><g></g></svg><p>{STORY}</p>", f"{STORY}\n{STORY}"),
    (f"<p>{STORY}<p>{STORY}", f"{STORY}\n{STORY}"),
    ("<p></p>", ""),
])  # fmt: skip
def test_keeps_the_stretch_with_most_words_for_fewest_tags(markup: str, expected: str) -> None:
    assert kept(f"<html><body>{markup}</body></html>") == expected


def test_soft_hyphens_do_not_make_words() -> None:
    assert kept("<p>a&shy;b&shy;c</p><p>one two three four five</p>", tag_score=-2) == "one two three four five"


@pytest.mark.parametrize(("scores", "gaps", "expected"), [
    ([3, 3], [-3], (0, 1)), ([3, 3], [-9], (0, 1)), ([3, 4], [-3], (1, 2)), ([2, 2, 2], [-1, -1], (0, 3)),
    ([0, 0], [-1], (0, 0)), ([0, 5, 0], [0, 0], (1, 2)),
])  # fmt: skip
def test_of_equal_stretches_the_first_and_shortest_wins(
    scores: list[float], gaps: list[float], expected: tuple[int, int]
) -> None:
    assert best_run(scores, gaps) == expected


def test_scores_of_the_model_leave_out_what_tags_do_not_tell_from_the_article() -> None:
    story = "".join(
        f"<p>The council met on day {day}, heard the engineers, and put the decision off until autumn.</p>"
        for day in range(9)
    )
    teasers = "".join(
        f"<li><a href='/{day}'>A ferry for the east bank, {day}</a><p>It costs as much as two trams do, and it takes "
        "a quarter of an hour more to the other side, as all the guards and most of the shopkeepers say.</p></li>"
        for day in range(9)
    )
    page = f"<html><body><article><h1>Council</h1><div class='article-body'>{story}</div></article>"
    page += f"<aside class='related'><ul>{teasers}</ul></aside></body></html>"
    assert "two trams" in kept(page)
    by_model = kept(page, scores="model")
    assert by_model.count("council met") == 9
    assert "two trams" not in by_model
    assert kept("<html></html>", scores="model") == ""


def test_scores_of_another_kind_are_an_error() -> None:
    with pytest.raises(ValueError, match="`scores` must be one of tags, longest, naive_bayes, model"):
        MaximumSubsequence(scores="words")


def test_the_longest_part_is_not_joined_over_tags_that_divide_content() -> None:
    page = f"<div><p>{STORY}</p><p>{STORY} <b>so</b></p></div><div><p>{STORY}</p></div><td>{STORY}</td>"
    assert kept(page, scores="longest") == f"{STORY}\n{STORY} so"
    assert kept("<div></div>", scores="longest") == ""


def test_naive_bayes_tells_a_story_from_the_lists_around_it() -> None:
    menu = "".join(
        f"<li><a href='/{n}'>{name}</a></li>" for n, name in enumerate("News Sport Weather Contact".split() * 5)
    )
    story = "".join(
        f"<p>The council met on day {day}, heard the engineers, and decided nothing.</p>" for day in range(9)
    )
    page = f"<html><body><ul>{menu}</ul><div>{story}</div><ul>{menu}</ul></body></html>"
    assert kept(page, scores="naive_bayes") == kept(f"<div>{story}</div>")
    assert kept("<html></html>", scores="naive_bayes") == ""


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
