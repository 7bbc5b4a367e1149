from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from newsextract.page.page import Page
from newsextract.page.parsing import MAX_DEPTH, parse


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "\x00",
            "<",
            "</p>",
            "&",
            "<!DOCTYPE html>",
            "<!-- c -->",
            "<?xml version='1.0'?>",
            "<html>",
            "<base>",
        ),
        "<frameset><frame src=a><noframes>none</noframes></frameset>",
        "\ud800 lone \udfff",
        "\x01\x02\x1f\ufffe",
        "<a" + " x" * 5_000,
    ],
)
def test_any_text_has_a_root(text: str) -> None:
    assert parse(text).tag == "html"


@given(st.text() | st.text(alphabet="<>/!-='\"abp &;#\x00\x01\ufeffé"))
def test_utf_8_and_text_are_read_alike(text: str) -> None:
    source = text.encode("utf-8", "ignore")
    assert etree.tostring(parse(source)) == etree.tostring(parse(source.decode()))


def test_lone_surrogates_become_the_replacement_character() -> None:
    assert parse("<p>a\ud800b").text_content() == "a\ufffdb"


def test_comments_do_not_split_text() -> None:
    (paragraph,) = parse("<p>one <!-- c -->two<?pi?>").iter("p")
    assert (paragraph.text, len(paragraph)) == ("one two", 0)


def test_what_follows_the_end_of_the_page_is_kept() -> None:
    assert parse("<html><head><title>T</title></head></html><p>one</p><p>two").text_content() == "Tonetwo"


def test_a_declared_shadow_root_is_shown_and_another_template_is_not() -> None:
    page = Page("<x-a><template shadowrootmode=open><p>shown</template></x-a><template><p>not</template>")
    assert [block.text for block in page.blocks] == ["shown"]


def test_the_tree_is_never_too_deep_to_recurse() -> None:
    tree = parse("<div>" * 5_000 + "core")
    deepest = max(sum(1 for _ in element.iterancestors()) for element in tree.iter())
    assert deepest <= MAX_DEPTH
    assert tree.text_content() == "core"


def test_a_flattened_page_reads_in_the_order_of_its_source() -> None:
    depth = 3_000
    source = "".join(f"<div>a{n} " for n in range(depth)) + "".join(f"b{n} </div>" for n in range(depth)) + "<p>end"
    expected = [*(f"a{n}" for n in range(depth)), *(f"b{n}" for n in range(depth)), "end"]
    assert parse(source).text_content().split() == expected


@pytest.mark.parametrize(
    "markup",
    [
        "<title>T</title><article>Rain</article>",
        "<!doctype html><title>T</title><script>1</script><main>Rain</main>",
        "<head><meta charset=utf-8><section>Rain</section>",
    ],
)
def test_what_is_no_metadata_ends_the_head(markup: str) -> None:
    root = parse(markup)
    assert [block.text for block in Page(markup).blocks] == ["Rain"]
    assert [el.tag for el in root] == ["head", "body"]


def test_a_body_that_begins_in_the_head_keeps_its_order() -> None:
    page = Page("<title>T</title><main>One</main>two<p>three")
    assert [block.text for block in page.blocks] == ["One", "two", "three"]


def test_long_tags_lose_their_attributes_wherever_they_stand() -> None:
    attributes = " ".join(f"a{number}=1" for number in range(20_000))
    long, plain = f"<p {attributes}>", f"<p title='{'x' * 70_000}'>"
    root = parse(f"{'a' * 70_000}<p class=b>b</p>{long}c</p>{plain}d</p>{long}e</p>{'<i>f</i>' * 9_000}{long}g")
    assert [len(el.attrib) for el in root.iter("p") if el.text in {"b", "c", "d", "e", "g"}] == [1, 0, 1, 0, 0]
    assert "".join(map(str, root.itertext())) == f"{'a' * 70_000}bcde{'f' * 9_000}g"
