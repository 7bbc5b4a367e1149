"""The size of corpora: what is counted, and that counts add up."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from newsextract.evaluation.corpora import GoldPage
from newsextract.evaluation.corpus_statistics import (
    CorpusStatistics,
    TextStatistics,
    count_answer,
    count_page,
    statistics_of_gold,
    statistics_of_marked,
    statistics_of_source,
    statistics_of_text,
    tables,
    total,
)
from newsextract.evaluation.measures import Answer, Text
from newsextract.page.text import count_words


def gold(html: str | bytes = "<p>Hi", *, text: str | None = None, **fields: str | None) -> GoldPage:
    return GoldPage("c", "1", html, "c.jsonl:1", text=text, **fields)  # type: ignore[arg-type]


def test_adds_up() -> None:
    assert TextStatistics(1, 2, 3, 4, 1) + TextStatistics(10, 20, 30, 40, 1) == TextStatistics(11, 22, 33, 44, 2)


def test_counts_lines_with_a_bare_p_tag_as_the_report_does() -> None:
    source = "<p>a</p><p>b\n<P>c\n<p class=x>d\n<pre>e</pre>\n <p>f"
    assert statistics_of_source(source).paragraphs == 2


def test_decodes_a_source_in_bytes() -> None:
    html = "<meta charset=windows-1251><p>новости дня"
    assert statistics_of_source(html.encode("cp1251")) == statistics_of_source(html)


@pytest.mark.parametrize(("text", "line_count"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2)])
def test_counts_a_last_line_that_is_not_ended(text: str, line_count: int) -> None:
    assert statistics_of_text(text).lines == line_count


@pytest.mark.parametrize(
    ("text", "word_count"),
    [("三月的新聞", 5), ("ニュース", 4), ("ข่าว", 4), ("뉴스 기사", 2), ("Свежие новости", 2), ("", 0)],
)
def test_counts_words_of_scripts_without_spaces(text: str, word_count: int) -> None:
    counted = (statistics_of_text(text), statistics_of_marked(f"<p>{text}"), statistics_of_source(text))
    assert [size.words for size in counted] == [word_count] * 3


@given(st.text(alphabet=st.sampled_from('a_1é聞ع<>"=& -\n\x1c')))
def test_counts_the_words_of_a_source_as_everywhere(source: str) -> None:
    assert statistics_of_source(source).words == count_words(source)


def test_counts_paragraphs_of_a_marked_text_by_its_marks() -> None:
    assert statistics_of_marked("<h>Title\n<p>One\n<p>two\nlines\n<l>Item") == TextStatistics(2, 5, 5, 24, 1)


def test_counts_nothing_for_a_page_without_gold_and_a_file_for_empty_gold() -> None:
    assert statistics_of_gold(gold()) == TextStatistics()
    assert statistics_of_gold(gold(text="")) == TextStatistics(files=1)


def test_prefers_the_marked_gold() -> None:
    assert statistics_of_gold(gold(text="Title\nOne", marked="<h>Title\n<p>One")).paragraphs == 1


def test_counts_an_answer_as_the_gold_of_its_page() -> None:
    answer = Answer(Text("Title\nOne"), "<h>Title\n<p>One")
    plain = count_answer(gold(text="x"), "mss", answer).by_source()["mss"]["unknown"]
    marked = count_answer(gold(text="x", marked="<p>x"), "mss", answer).by_source()["mss"]["unknown"]
    assert (plain.paragraphs, marked.paragraphs) == (1, 1)
    assert (plain.lines, plain.words) == (2, 2)


@pytest.mark.parametrize(("written", "paragraphs"), [("Title\nOne", 0), ("<div><p>One</p>\n<p>Two</p></div>", 2)])
def test_a_tool_has_the_paragraphs_that_it_writes_itself(written: str, paragraphs: int) -> None:
    answer = Answer(Text("Title\nOne"), "<h>Title\n<p>One", written)
    assert count_answer(gold(text="x"), "tool", answer).by_source()["tool"]["unknown"].paragraphs == paragraphs


def test_sorts_sources_and_languages_whatever_came_first() -> None:
    one, other = CorpusStatistics(), CorpusStatistics()
    for part, source, language in [
        (one, "wutsi", "ru"),
        (one, "gold", "el"),
        (other, "mss", "el"),
        (other, "raw", "el"),
    ]:
        part.add(language, source, TextStatistics(files=1))
    one.add("el", "wutsi", TextStatistics(files=2))
    assert total([one, other]).by_source() == total([other, one]).by_source()
    by_source = total([other, one]).by_source()
    assert list(by_source) == ["raw", "gold", "mss", "wutsi"]
    assert list(by_source["wutsi"].items()) == [("el", TextStatistics(files=2)), ("ru", TextStatistics(files=1))]


def test_gives_the_same_from_parallel_workers() -> None:
    pages = [gold("<p>Hi", text="Hi", language="en"), gold("<p>新聞", text="新聞", language="zh"), gold()]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        assert total(pool.map(count_page, pages)) == total(map(count_page, pages))
    assert pickle.loads(pickle.dumps(count_page(pages[0]))) == count_page(pages[0])  # noqa: S301 - our own bytes


def test_shows_a_table_a_source_with_the_sum_below() -> None:
    counted = total([
        count_page(gold("<p>Hi", text="Hi " * 1200, language="en")),
        count_page(gold("<p>新聞", text="新聞", language="zh")),
    ])  # fmt: skip
    raw, body = tables(counted)
    console = Console(width=100)
    with console.capture() as capture:
        console.print(body)
    shown = [line.split() for line in capture.get().replace("│", " ").replace("┃", " ").splitlines()]
    assert raw.title == "source of the pages"
    assert ["language", "paragraphs", "lines", "words", "characters", "files"] in shown
    assert ["en", "1", "1", "1,200", "3,600", "1"] in shown
    assert ["zh", "1", "1", "2", "2", "1"] in shown
    assert ["all", "2", "2", "1,202", "3,602", "2"] in shown
