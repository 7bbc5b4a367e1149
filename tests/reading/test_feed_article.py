from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.page.page import Page
from newsextract.reading.feed_article import _CUT, article_of
from newsextract.reading.feed_entry import FeedEntry, Instead, is_fallback
from newsextract.reading.metadata.precedence import PRECEDENCE
from newsextract.reading.notices import NoticeCode, PageState

if TYPE_CHECKING:
    from newsextract.article import Article

FEED = "https://news.example/feed"
URL = "https://news.example/2026/05/20/rain-in-the-hills"
TEXT = "".join(
    f"<p>It has rained for {n} days in the hills above the town, and the river is high.</p>" for n in range(9)
)


def read(body: str, *, state: PageState = PageState.BLOCKED, page: Page | None = None, **told: Any) -> Article | None:
    entry = FeedEntry(FEED, body, **told)
    return article_of(FeedEntry.unpack(entry.pack()), Instead(URL, state, "http 403", {}, page), PRECEDENCE)


def body_of(article: Article | None) -> str:
    assert article is not None
    return article.articleBody or ""


def test_reads_the_entry_and_its_sources() -> None:
    article = read(
        f'{TEXT}<p><a href="map">The <i>map</i></a></p><img src="/rain.jpg"><a href="javascript:x()">x</a>',
        title="Rain",
        summary="It rains.",
        published="2026-05-20T08:00:00+02:00",
        modified="2026-05-20T09:00:00+02:00",
        authors=("Anna Lee", "Bo Chen"),
        language="en-GB",
        keywords=("Weather",),
    )
    assert article is not None
    assert is_fallback(article)
    assert (article.url, article.canonicalUrl, article.headline) == (URL, None, "Rain")
    assert (article.datePublished, article.dateModified) == ("2026-05-20T08:00:00+02:00", "2026-05-20T09:00:00+02:00")
    assert [author.name for author in article.authors or ()] == ["Anna Lee", "Bo Chen"]
    assert (article.description, article.keywords, article.inLanguage) == ("It rains.", ["Weather"], "en")
    assert '<a href="https://news.example/2026/05/20/map">' in (article.articleBodyHtml or "")
    assert "javascript" not in (article.articleBodyHtml or "")
    assert article.extraction is not None
    assert set(article.extraction.sources.values()) == {"feed", "feed_text"}  # the picture is one of the body's
    (notice,) = article.extraction.noticed
    assert notice.code is NoticeCode.FROM_FEED  # type: ignore[attr-defined]
    assert notice.values == {"state": "blocked", "reason": "http 403", "feed": FEED}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (TEXT.replace("<", "&lt;").replace(">", "&gt;"), {}),
        (TEXT.replace("<p>", "").replace("</p>", "\n"), {}),
        (TEXT.replace("<p>", "").replace("</p>", "\n"), {"is_html": False}),
        (f'{TEXT}<p>The post <a href="{URL}/">Rain in the hills</a> appeared first on <a href="/">News</a>.</p>', {}),
    ],
    ids=["escaped twice", "lines", "plain text", "with a line that leads to the page"],
)
def test_reads_what_feeds_make_of_paragraphs(body: str, told: dict[str, Any]) -> None:
    assert body_of(read(body, **told)) == body_of(read(TEXT))
    assert len(body_of(read(TEXT)).splitlines()) == 9


def test_keeps_plain_text_as_it_is() -> None:
    assert body_of(read("\n".join(["if a <b> c & d"] * 9), is_html=False)).splitlines()[0] == "if a <b> c & d"


def test_a_page_that_shows_as_much_is_what_it_is() -> None:
    shop = Page(f"<body>{TEXT}", URL)
    assert read(TEXT, state=PageState.OTHER, page=shop) is None
    assert read(TEXT, state=PageState.OTHER, page=Page("<p>Please register.</p>", URL)) is not None


def test_keeps_the_rights_that_an_empty_page_states() -> None:
    page = Page('<head><meta name="robots" content="noai"></head><body></body>', URL)
    article = read(TEXT, state=PageState.EMPTY, page=page)
    assert article is not None
    assert article.usageRights is not None
    assert article.usageRights.ai is False


def test_is_linear_in_hostile_bodies() -> None:
    assert read("<div>" * 20_000 + TEXT) is not None
    assert read("&amp;" * 20_000) is None
    assert read("…" * 100_000) is None


def test_a_long_word_behind_an_ellipsis_is_looked_at_once() -> None:
    sentence = f"…{'雨' * 198}。"
    began = process_time()
    assert _CUT.search(sentence) is None
    assert process_time() - began < 1  # formerly 8 s
    assert _CUT.search("The river rose … Read more »") is not None
