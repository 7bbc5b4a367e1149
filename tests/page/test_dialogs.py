from __future__ import annotations

import pytest

from newsextract.page.dialogs import remove_dialogs
from newsextract.page.page import Page
from newsextract.page.parsing import parse
from newsextract.reading.extraction.contract import create_reader
from newsextract.reading.notices import NoArticle, NoticeCode, PageState
from newsextract.reading.reader import ArticleReader, read_article

PARAGRAPH = "The river left its bed on Sunday night, and by Monday the lower town was under water."
STORY = f"<h1>Rain</h1><div class=story>{f'<p>{PARAGRAPH} {PARAGRAPH}' * 6}</div>"
ASKED = "We and our 812 partners store information on your device, with your consent, to show you advertising."
DIALOGS = (
    "<div role=dialog><h1>Your privacy</h1><p>{}</div>",
    "<div aria-modal=true><p>{}</div>",
    "<dialog open><p>{}</dialog>",
    "<div id=onetrust-consent-sdk><div><p>{}</div></div>",
    "<div class='cc-window cc-banner'><span>{}</span></div>",
    "<div id=CybotCookiebotDialog><p>{}</div>",
    "<div id=sp_message_container_7><p>{}</div>",
    "<section class=site-cookie-notice><p>{}</section>",
    "<div style='position: fixed; bottom: 0'><p>{}</div>",
    "<aside class=newsletter-signup><p>{}</aside>",
)


@pytest.mark.parametrize("dialog", DIALOGS)
@pytest.mark.parametrize("page", ["{}" + STORY, STORY + "{}", STORY.replace("</div>", "{}</div>")])
def test_a_dialog_changes_nothing_of_what_is_read(dialog: str, page: str) -> None:
    plain, covered = (read_article(page.format(part)) for part in ("", dialog.format(ASKED)))
    assert (covered.headline, covered.articleBody) == (plain.headline, plain.articleBody) == ("Rain", plain.articleBody)
    assert ASKED not in (covered.articleBody or "")


@pytest.mark.parametrize(
    "page",
    [
        f"<div role=dialog aria-modal=true>{STORY}</div>",
        f"<div class=cookie-bar>{ASKED}<nav>Home</nav>{STORY}",  # never closed
        f"<h1>Rain</h1><div role=dialog><article>{PARAGRAPH}</article></div>{STORY}",
        f"<h1>News</h1>{f'<div class=newsletter-box><p>{PARAGRAPH}</div>' * 5}",
        f"<h1>Biscuits</h1><div class='recipe cookie-recipes'><p>{PARAGRAPH}</div>{STORY}",
    ],
)
def test_what_holds_the_page_is_no_dialog(page: str) -> None:
    assert not remove_dialogs(parse(page))


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
