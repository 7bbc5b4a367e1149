"""A page: its limits, its parsed tree, and the dialogs on it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from newsextract.page import dialogs
from newsextract.page.dialogs import remove_dialogs
from newsextract.page.page import NotHtml, Page, PageError, TooLarge
from newsextract.page.parsing import MAX_DEPTH, parse
from newsextract.reading.extraction.contract import create_reader
from newsextract.reading.notices import NoArticle, NoticeCode, PageState
from newsextract.reading.reader import ArticleReader, extract, read_article

URL = "https://news.example/a/b.html"


def test_a_page_waits_for_no_other() -> None:
    # Nor does a child that is forked meanwhile, which would wait for ever.
    begun, is_read = Event(), Event()

    class SlowText(str):
        __slots__ = ()

        def removeprefix(self, prefix: str, /) -> str:
            begun.set()
            assert is_read.wait(5)
            return super().removeprefix(prefix)

    with ThreadPoolExecutor() as pool:
        slow = pool.submit(lambda: Page(SlowText("<p>slow</p>")).blocks)
        assert begun.wait(5)
        assert [block.text for block in Page("<p>quick</p>").blocks] == ["quick"]
        is_read.set()
        assert [block.text for block in slow.result()] == ["slow"]


@pytest.mark.parametrize(
    "nothing", ["", b"", " \n\t ", b"\n", "\ufeff", "<!-- only -->", "<!-- a --><!-- b -->", "\x00"]
)
def test_an_empty_page_has_no_blocks_and_no_article(nothing: str | bytes) -> None:
    assert Page(nothing).blocks == ()
    assert read_article(Page(nothing, URL)).articleBody is None


@pytest.mark.parametrize("body", [
    b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0\x00\x10JFIF",
    b"GIF89a\x01\x00", b"PK\x03\x04\x14", b"\x1f\x8b\x08\x00", b"\x00\x01\x02\x03" * 300,
    bytes(range(1, 256)) * 4,
])  # fmt: skip
def test_refuses_what_is_not_html(body: bytes) -> None:
    with pytest.raises(NotHtml, match="not HTML") as caught:
        Page(body)
    assert caught.value.reason == "not HTML"


@pytest.mark.parametrize(("html", "url", "message"), [
    (None, URL, "html is the text or the bytes of a page, not None"),
    (3, URL, "not of type int"),
    (["<p>"], URL, "not of type list"),
    ("<p>", 3, "url is the address of the page as text, or None, not of type int"),
    ("<p>", b"https://a.example/", "not of type bytes"),
])  # fmt: skip
def test_nonsense_gets_a_sentence(html: Any, url: Any, message: str) -> None:
    for read in (Page, read_article, extract):
        with pytest.raises(TypeError, match=message):
            read(html, url)


@pytest.mark.parametrize(("html", "message"), [
    ("", "empty: html has no characters"),
    (b"", "empty: html has no characters"),
    ("https://a.example/b", r"not its URL; fetch_article\('https://a.example/b'\) fetches it"),
])  # fmt: skip
def test_what_is_plainly_no_page_gets_a_sentence(html: str | bytes, message: str) -> None:
    for read in (read_article, extract):
        with pytest.raises(PageError, match=message):
            read(html, URL)


def test_refuses_what_is_too_large() -> None:
    with pytest.raises(TooLarge, match="too large: 50,000,000 bytes") as caught:
        Page(b" " * 50_000_000)
    assert caught.value.reason == "too large"
    with pytest.raises(TooLarge):
        Page("12345", max_bytes=4)
    assert Page("1234", max_bytes=4).blocks


@pytest.mark.parametrize(
    "cut", ["<p>Story</p><p", "<p>Story</p><a href='x", "<p>Story</p><!-- x", "<p>Story</p><script>x", "<p>Story</p>&"]
)
def test_a_truncated_page_keeps_its_text(cut: str) -> None:
    assert Page(cut).blocks[0].text == "Story"


@pytest.mark.parametrize(("base", "expected"), [
    ("", URL),
    ("<base>", URL),
    ("<base href=''>", URL),
    ("<base href='  '>", URL),
    ("<base href='../c/'>", "https://news.example/c/"),
    ("<base href='//cdn.example/'>", "https://cdn.example/"),
    ("<base target=_top><base href=/first><base href=/second>", "https://news.example/first"),
    ("<base href='javascript:alert(1)'>", URL),
    ("<base href='data:text/html,x'>", URL),
    ("<base href='http://[broken'>", URL),
    ("<base href='file:///etc/'>", URL),
])  # fmt: skip
def test_relative_links_resolve_against_the_base(base: str, expected: str) -> None:
    assert Page(f"<head>{base}</head><body><p>x", URL).base_url == expected


def test_without_an_address_there_is_no_base() -> None:
    assert Page("<base href='/x'><p>x").base_url is None
    assert Page("<base href='https://a.example/x'><p>x").base_url == "https://a.example/x"


@pytest.mark.parametrize("text", [
    *(
        "", " ", "\x00", "<", "</p>", "&", "<!DOCTYPE html>", "<!-- c -->", "<?xml version='1.0'?>", "<html>",
        "<base>",
    ),
    "<frameset><frame src=a><noframes>none</noframes></frameset>",
    "\ud800 lone \udfff",
    "\x01\x02\x1f\ufffe",
    "<a" + " x" * 5_000,
])  # fmt: skip
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


@pytest.mark.parametrize("markup", [
    "<title>T</title><article>Rain</article>",
    "<!doctype html><title>T</title><script>1</script><main>Rain</main>",
    "<head><meta charset=utf-8><section>Rain</section>",
])  # fmt: skip
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


PARAGRAPH = "The river left its bed on Sunday night, and by Monday the lower town was under water."
STORY = f"<h1>Rain</h1><div class=story>{f'<p>{PARAGRAPH} {PARAGRAPH}' * 6}</div>"
ASKED = "We and our 812 partners store information on your device, with your consent, to show you advertising."
DIALOGS = (
    "<div role=dialog><h1>Your privacy</h1><p>{}</div>", "<div aria-modal=true><p>{}</div>",
    "<dialog open><p>{}</dialog>", "<div id=onetrust-consent-sdk><div><p>{}</div></div>",
    "<div class='cc-window cc-banner'><span>{}</span></div>", "<div id=CybotCookiebotDialog><p>{}</div>",
    "<div id=sp_message_container_7><p>{}</div>", "<section class=site-cookie-notice><p>{}</section>",
    "<div style='position: fixed; bottom: 0'><p>{}</div>", "<aside class=newsletter-signup><p>{}</aside>",
)  # fmt: skip


@pytest.mark.parametrize("dialog", DIALOGS)
@pytest.mark.parametrize("page", ["{}" + STORY, STORY + "{}", STORY.replace("</div>", "{}</div>")])
def test_a_dialog_changes_nothing_of_what_is_read(dialog: str, page: str) -> None:
    plain, covered = (read_article(page.format(part)) for part in ("", dialog.format(ASKED)))
    assert (covered.headline, covered.articleBody) == (plain.headline, plain.articleBody) == ("Rain", plain.articleBody)
    assert ASKED not in (covered.articleBody or "")


@pytest.mark.parametrize("page", [
    f"<div role=dialog aria-modal=true>{STORY}</div>",
    f"<div class=cookie-bar>{ASKED}<nav>Home</nav>{STORY}",  # never closed
    f"<h1>Rain</h1><div role=dialog><article>{PARAGRAPH}</article></div>{STORY}",
    f"<h1>News</h1>{f'<div class=newsletter-box><p>{PARAGRAPH}</div>' * 5}",
    f"<h1>Biscuits</h1><div class='recipe cookie-recipes'><p>{PARAGRAPH}</div>{STORY}",
])  # fmt: skip
def test_what_holds_the_page_is_no_dialog(page: str) -> None:
    assert not remove_dialogs(parse(page))


def test_dialogs_in_dialogs_that_hold_the_page_are_not_measured_again_and_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measure = Mock(return_value=9)
    monkeypatch.setattr(dialogs, "_running_chars", measure)
    assert not remove_dialogs(parse(f"{'<div role=dialog>' * 200}{STORY}"))
    assert measure.call_count < 20


def test_a_dialogs_own_title_is_not_the_pages() -> None:
    page = f"<title>Rain - News</title><div role=dialog><h1>Your privacy</h1><p>{ASKED}</div>{STORY}"
    assert remove_dialogs(parse(page.replace("h1>Rain</h1", "h2>Rain</h2")))


def test_texts_on_both_sides_of_a_dialog_stay_apart() -> None:
    page = Page(f"<p>One<div><span>two</span> three<dialog>{ASKED}</dialog>four</div>{STORY}")
    assert [block.text for block in page.blocks][1:3] == ["two three", "four"]


def test_a_page_that_shows_only_a_dialog_is_empty_for_that_reason() -> None:
    page = Page(f"<title>Rain</title><div id=didomi-host><p>{ASKED} {ASKED}</div>", "https://news.example/rain")
    article = read_article(page)
    assert article.articleBody is None
    assert article.extraction
    assert NoticeCode.ONLY_DIALOG in article.extraction.warnings
    with pytest.raises(NoArticle) as ended:
        ArticleReader(create_reader("auto")).read(page)
    assert (ended.value.state, ended.value.reason.code) == (PageState.EMPTY, NoticeCode.ONLY_DIALOG)
