"""The block classifier: its weights, names of elements, its parts against slow ways, and the choice of blocks."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.page import characters as kinds
from newsextract.page.characters import read_characters
from newsextract.page.page import Page
from newsextract.reading import kinds as kind_model
from newsextract.reading.extraction.block_classifier import model as block_model
from newsextract.reading.extraction.block_classifier.features import describe
from newsextract.reading.extraction.block_classifier.layout import LEVELS, lay_out
from newsextract.reading.extraction.block_classifier.model import WEIGHTS, inputs_of, load, save
from newsextract.reading.extraction.block_classifier.names import NameScores, terms, words_in
from newsextract.reading.extraction.block_classifier.selection import best_segment, select, with_whole_tables
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.notices import BadExtractorOption
from newsextract.reading.trained_models.boosted_trees import BadWeights, ObliviousTrees, WeightFile, inputs_in

if TYPE_CHECKING:
    from pathlib import Path


STORY = "<p>The bridge was closed in May, after engineers had found cracks in two of its pillars.</p>"


def test_the_weights_fit_the_features() -> None:
    described, probabilities = load().read(Page(f"<article>{STORY * 3}</article>"))
    assert described.features.shape == (3, len(described.names))
    assert inputs_of(described) == load().inputs
    assert ((probabilities >= 0) & (probabilities <= 1)).all()


def test_a_file_that_holds_no_weights_is_an_error_that_names_it(tmp_path: Path) -> None:
    broken = tmp_path / "broken.npz"
    whole = WEIGHTS.packaged.read_bytes()
    for content in (b"no archive", whole[:9000], whole[:5000] + b"xyz" * 100 + whole[5300:], b"\x93NUMPY"):
        broken.write_bytes(content)
        WEIGHTS.loaded.clear()
        with pytest.raises(BadWeights, match=r"broken\.npz holds no weights"):
            load(str(broken))
    with pytest.raises(BadExtractorOption, match=r"auto.*nowhere\.npz"):
        create_extractor("auto", weights=str(tmp_path / "nowhere.npz"))


def test_weights_for_other_features_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.npz"
    save(replace(load(), inputs=("size",)), other)
    with pytest.raises(BadExtractorOption, match=r"other\.npz.*make model"):
        create_extractor("auto", weights=str(other))


# Names of elements: those that are none say nothing, those of other languages what the English ones say.


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


@pytest.mark.parametrize("name", ["yorumlar", "komentarze", "comentarios-lista", "cmt-list"])
def test_comments_are_left_out_whatever_the_language_of_their_name(name: str) -> None:
    names = load().names
    assert names.classes([name])[0] < names.classes(["unheardof"])[0]


# The parts of the classifier against the slow and obvious way to compute the same.

TEXTS = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=30), min_size=1, max_size=8)


@given(TEXTS)
def test_letters_are_counted_as_unicode_says(texts: list[str]) -> None:
    found = read_characters(texts)
    assert found.lengths.tolist() == [len(text) for text in texts]
    assert found.counts.sum(1).tolist() == found.lengths.tolist()
    for text, counts in zip(texts, found.counts, strict=True):
        basic = [char for char in text if ord(char) < 0x10000]
        assert counts[kinds.LOWER] == sum(unicodedata.category(char) == "Ll" for char in basic)
        assert counts[kinds.DIGIT] == sum(unicodedata.category(char)[0] == "N" for char in basic)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("He left.", kinds.STOP), ("他走了。", kinds.STOP), ("“Leave!”", kinds.STOP), ("They said:", kinds.COLON),
        ("The bridge was…", kinds.ELLIPSIS), ("The bridge was ...", kinds.ELLIPSIS), ("Read more", kinds.LOWER),
        (")", kinds.CLOSER), ("𠀀", kinds.DENSE), ("👍", kinds.OTHER),
    ],
)  # fmt: skip
def test_the_last_character_that_is_no_bracket_or_quote_tells_how_a_text_ends(text: str, kind: int) -> None:
    assert read_characters([text]).last[0] == kind


SCORES = st.lists(st.integers(-9, 9).map(float), max_size=12)


@given(SCORES)
def test_the_best_segment_is_the_best_of_all(scores: list[float]) -> None:
    start, stop = best_segment(np.array(scores))
    sums = [sum(scores[i:j]) for i in range(len(scores)) for j in range(i + 1, len(scores) + 1)]
    assert sum(scores[start:stop]) == max([0.0, *sums])


@settings(max_examples=40)
@given(st.integers(1, 5), st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_trees_answer_like_trees_walked_one_by_one(depth: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    trees = ObliviousTrees(
        rng.integers(0, 4, (depth, count)),
        rng.normal(size=(depth, count)).astype(np.float32),
        rng.normal(size=(count, 1 << depth)).astype(np.float32),
        0.25,
    )
    rows = rng.normal(size=(1500, 4)).astype(np.float32)  # more than are evaluated at once
    for number in (0, 1, 1023, 1024, 1499):
        total = trees.bias
        for tree in range(count):
            leaf = 0
            for level in range(depth):
                if rows[number, trees.features[level, tree]] > trees.borders[level, tree]:
                    leaf += 1 << level
            total += float(trees.leaves[tree, leaf])
        assert trees.raw(rows)[number] == pytest.approx(total, abs=1e-5)


def test_a_page_as_deep_as_pages_get_has_a_layout_of_bounded_size() -> None:
    deep = "<div>" * 900 + "<p>Bottom</p>" + "</div>" * 900
    assert lay_out(Page(deep).outline).lineage.shape == (LEVELS, 1)


def test_a_doubtful_standfirst_is_kept_and_equally_doubtful_dates_and_teasers_are_not() -> None:
    lead = (
        "<h1>The bridge opens</h1><p>After ten years of work, the town has its bridge.</p><p>Monday, 8 May, 17:54</p>"
    )
    story = "".join(f"<p>On day {n} the builders rested, drank tea and looked at the river.</p>" for n in range(6))
    teaser = "<p>Elsewhere a tower has fallen, and nobody knows why it did.</p>"
    form = "<p>Subscribe to our letter, which comes each Monday and Friday.</p>"
    page = Page(f"<title>The bridge opens</title>{lead}{form}{story}{form}{teaser}")
    described = describe(page, NameScores({}))
    first = [text.split()[0] for text in described.layout.texts]
    likely = {"On": 0.95, "After": 0.6, "Elsewhere": 0.6, "Monday,": 0.6}
    kept = select(described, np.array([likely.get(word, 0.02) for word in first]))
    assert [word for word, is_kept in zip(first, kept, strict=True) if is_kept] == ["After", *["On"] * 6]


def test_one_paragraph_that_is_much_likelier_than_its_like_does_not_displace_them() -> None:
    page = Page("".join(f"<p>On day {n} the builders rested, drank tea and looked at the river.</p>" for n in range(6)))
    described = describe(page, NameScores({}))
    assert select(described, np.array([0.95, *[0.45] * 5])).all()


def captioned(paragraphs: int) -> list[str]:
    """Return what is kept of a page with two captions in classes, if all its blocks are likely."""
    story = "".join(
        f"<p>On day {n} the builders rested, drank tea and looked at the river.</p>" for n in range(paragraphs)
    )
    caption = "<div class='wp-caption'><p class='wp-caption-text'>A builder at the river. Photo: Ann Lee</p></div>"
    page = Page(
        f"<div class='entry has-caption'>{caption}{story}<p class='foto-bildunterschrift'>Tea in a cup.</p></div>"
    )
    described = describe(page, NameScores({}))
    kept = select(described, np.full(len(described.layout.texts), 0.9))
    return [text for text, is_kept in zip(described.layout.texts, kept, strict=True) if is_kept]


def test_headings_right_above_kept_blocks_are_kept_and_those_of_other_boxes_are_not() -> None:
    places = "".join(f"<h3>{name}</h3><p>In {name} the builders rested and looked at the river.</p>" for name in "ABC")
    page = Page(f"{places}<h3>Box</h3><div><p>Elsewhere the builders rested, too, and drank tea.</p></div>")
    described = describe(page, NameScores({}))
    texts = described.layout.texts
    kept = select(described, np.array([0.9 if text == "A" or len(text) > 3 else 0.02 for text in texts]))
    assert [text for text, is_kept in zip(texts, kept, strict=True) if is_kept and len(text) <= 3] == ["A", "B", "C"]


def test_captions_that_only_a_class_names_are_left_out_unless_they_are_the_text() -> None:
    assert [text[:2] for text in captioned(6)] == ["On"] * 6
    assert len(captioned(1)) == 3


def test_notices_of_copyright_at_the_end_are_left_out_and_sentences_about_it_stay() -> None:
    text = "".join(f"<p>On day {n} the court heard who holds the rights to the pictures.</p>" for n in range(6))
    end = "<p>She had sued over copyright in 2019.</p>"
    for notice in ("© 2026 The Associated Press.", "Copyright 2026 AFP. All rights reserved.", "版权所有"):
        page = Page(f"<h1>Court rules on pictures</h1><article>{text}{end}<p>{notice}</p></article>")
        described = describe(page, NameScores({}))
        kept = select(described, np.full(len(described.features), 0.9))
        assert described.layout.texts[kept.nonzero()[0][-1]] == "She had sued over copyright in 2019."


# Tables of data of which some blocks are kept.

ROWS = "".join(f"<tr><td>a{number}<td>b{number}" for number in range(4))


def completed(markup: str, *kept: str) -> list[str]:
    """Return the texts that are kept in the end, of a page of which these are kept."""
    blocks = [block for block in Page(markup).blocks if block.text in kept]
    return [block.text for block in with_whole_tables(blocks)]


def test_a_table_of_data_directly_between_kept_blocks_is_kept_whole() -> None:
    assert len(completed(f"<p>before</p><table>{ROWS}</table><p>after</p>", "before", "after")) == 10
    links = ROWS.replace("<td>", "<td><a href=/>")
    assert completed(f"<p>before</p><table>{links}</table><p>after</p>", "before", "after") == ["before", "after"]


def test_another_table_needs_a_third_of_its_blocks() -> None:
    page = f"<p>before</p><table>{ROWS}</table><p>between</p><p>after</p>"
    assert completed(page, "before", "b2", "after") == ["before", "b2", "after"]
    assert len(completed(page, "before", "a1", "b1", "b2", "after")) == 10


def test_a_table_for_layout_is_left_as_it_is() -> None:
    page = f"<p>before</p><table role=presentation><tr><th>c<th>d{ROWS}</table><p>after</p>"
    assert completed(page, "before", "b2", "after") == ["before", "b2", "after"]


@pytest.mark.parametrize("model", [block_model, kind_model])
def test_the_packaged_weights_are_what_saving_them_would_write(model: Any, tmp_path: Path) -> None:
    written = tmp_path / "weights.npz"
    model.save(model.load(), written)
    assert written.read_bytes() == model.WEIGHTS.packaged.read_bytes()
    assert written.stat().st_size < 1_000_000
    assert model.load(str(written)).inputs == model.load().inputs


def test_each_file_is_read_once(tmp_path: Path) -> None:
    copied = tmp_path / "copied.npz"
    copied.write_bytes(kind_model.WEIGHTS.packaged.read_bytes())
    inputs = WeightFile("page_weights.npz", "these", inputs_in)
    first = inputs.load(str(copied))
    copied.unlink()
    assert inputs.load(str(copied)) is first
    assert inputs.load() is inputs.load()
    assert inputs.load() == first


def test_packaged_weights_that_are_missing_are_an_error_that_says_of_what() -> None:
    with pytest.raises(BadWeights, match=r"absent\.npz holds no weights of the model of nothing: .*No such file"):
        WeightFile("absent.npz", "the model of nothing", inputs_in).load()


def test_weights_of_another_model_are_refused() -> None:
    with pytest.raises(BadWeights, match="holds no weights of the block classifier"):
        block_model.load(str(kind_model.WEIGHTS.packaged))
