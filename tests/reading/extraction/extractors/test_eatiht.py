"""The extractor against the original algorithm, implemented with XPath and slowly."""

from __future__ import annotations

import re
from collections import Counter
from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.page.page import Page
from newsextract.reading.extraction.eatiht import Eatiht

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_SELECTED = (
    "//body//*[not(self::script or self::style or self::i or self::b or self::strong or self::span or self::a)]"
    "[text()[string-length(normalize-space()) > 20]]"
)
_SENTENCE_END = re.compile(
    r"""(?:(?<=[.!?])|(?<=[.!?]['"]))(?<!Mr\.)(?<!Mrs\.)(?<!Jr\.)(?<!Dr\.)(?<!Prof\.)(?<!Sr\.)\s+""", re.IGNORECASE
)


def sentences(element: HtmlElement) -> list[str]:
    text = re.sub(r"\[\d*\]", "", " ".join("".join(map(str, element.itertext())).split()))
    return [sentence for sentence in _SENTENCE_END.split(text.strip()) if sentence and sentence[-1] in ".?!\"'"]


def reference(page: Page) -> set[str]:
    """Return the words of the sentences selected under the parent with most of them."""
    selected = page.tree.xpath(_SELECTED)
    histogram: Counter[HtmlElement] = Counter()
    for element in selected:
        histogram[element.getparent()] += len(sentences(element))
    if not histogram or not max(histogram.values()):
        return set()
    best = max(histogram, key=lambda parent: histogram[parent])
    inside = [element for element in selected if element is best or best in element.iterancestors()]
    return {word for element in inside for sentence in sentences(element) for word in sentence.split()}


_SENTENCE = st.sampled_from(
    [
        "{} one two three.",
        "{} who?",
        '{} said "no!"',
        "{} Mr. Brown's {} came!",
        "{} cited.[12] {} again.",
        "{} v2.0 out.",
    ]
)
_TEXT = st.lists(_SENTENCE, min_size=1, max_size=4).map(" ".join)
_PARAGRAPH = st.one_of(
    _TEXT.map("<p>{} </p> ".format),
    st.tuples(_TEXT, _TEXT).map(lambda pair: f"<p>{pair[0]} <b>{pair[1]}</b> </p> "),
    st.just("<p>{} a caption without any end mark</p> "),
    st.just("<p>{} short</p> "),
    _TEXT.map("<ul> <li>{}</li> </ul> ".format),
)
_INNER = st.recursive(
    _PARAGRAPH,
    lambda inner: st.tuples(st.sampled_from(["div", "section", "td"]), st.lists(inner, max_size=4)).map(
        lambda pair: f"<{pair[0].replace('td', 'article')}> {' '.join(pair[1])} </{pair[0].replace('td', 'article')}> "
    ),
    max_leaves=12,
)
_LOOSE = st.one_of(st.just(""), _TEXT.map(" {} ".format))
_BODY = st.tuples(_LOOSE, _INNER, _LOOSE).map("".join)
"""With text that is directly in `body`, which the original does not select."""


@settings(max_examples=80, deadline=None)
@given(_BODY)
def test_equals_the_original_on_its_own_ground(template: str) -> None:
    numbers = count()
    markup = re.sub(r"\{\}", lambda _: f"w{next(numbers)}", template)
    page = Page(f"<html><body>{markup}</body></html>")
    found = Eatiht(every_script=False).extract(page)
    kept = set(re.sub(r"\[\d*\]", "", found.text).split())
    assert kept == reference(page)


def kept(markup: str, *, every_script: bool = True) -> list[str]:
    extractor = Eatiht(every_script=every_script)
    return [block.text for block in extractor.extract(Page(f"<html><body>{markup}</body></html>")).blocks]


LONG = "This is a sentence of the story."


def test_what_ends_no_sentence_is_left() -> None:
    assert kept(f"<div><p>{LONG}</p><p>A long caption without an end</p><p>{LONG}</p></div>") == [LONG, LONG]


def test_a_selected_part_of_a_block_is_cut_out() -> None:
    assert kept(f"<p>Short <em>{LONG}</em></p>") == [LONG]


@pytest.mark.parametrize("version", [1, 2])
def test_text_that_the_best_element_holds_itself_is_kept(version: int) -> None:
    page = Page(f"<body><section><div>{LONG}<p>{LONG}</p><p>{LONG}</p><p>{LONG}</p></div></section></body>")
    assert len(Eatiht(version=version).extract(page).blocks) == 4


def test_twenty_characters_are_a_label_and_twenty_one_a_text() -> None:
    assert kept(f"<p>  {'a' * 10}  {'b' * 8}. </p>") == []
    assert kept(f"<p>  {'a' * 10}  {'b' * 9}. </p>") == [f"{'a' * 10} {'b' * 9}."]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mr. and Mrs. Smith and Dr. Jones and Prof. Sr. and Jr. came", "He came in and sat down. Yes."),
        ('She said to them "no." and went', "He came in and sat down. Yes."),
        ("It was version 2.0.1 of it all.", "He came in and sat down. Yes."),
        ("It was so[1][2][] they said at first.", "He came in and sat down.[3] Yes."),
    ],
)
def test_counts_sentences_as_the_original(one: str, other: str) -> None:
    assert kept(f"<div><p>{one}</p></div><div><p>{other}</p></div>", every_script=False) == [other]


@pytest.mark.parametrize("number", ["[1]", "[<a href=#n>1</a>]", "<sup><a>[1]</a></sup>", "<sup>[<i>1</i>]</sup>"])
def test_a_note_between_sentences_hides_no_end(number: str) -> None:
    assert len(kept(f"<div><p>{LONG} A.</p></div><div><p>{LONG}{number} B. C.</p></div>")) == 1
    assert "C." in kept(f"<div><p>{LONG} A.</p></div><div><p>{LONG}{number} B. C.</p></div>")[0]


@pytest.mark.parametrize(
    "text",
    [
        "昨天下午北京下了一场大雨，许多街道被水淹没。市政府表示，今天将派出更多工人清理道路。居民们希望交通早日恢复正常。",
        "昨日の午後、東京で大雨が降りました。「大変だ。」と市民は言いました。市は作業員を増やすと発表しました。",
        "आज शहर में बहुत तेज़ बारिश हुई। सड़कें पानी में डूब गईं। लोग घरों में रहे।",
        "هل نزل المطر على المدينة أمس؟ نعم، نزل المطر طوال الليل؟",
    ],
)
def test_every_script_has_its_sentence_marks(text: str) -> None:
    markup = f"<div><p>One sentence in the Latin script.</p></div><div><p>{text}</p></div>"
    assert kept(markup) == [text]
    assert kept(markup, every_script=False) == ["One sentence in the Latin script."]
