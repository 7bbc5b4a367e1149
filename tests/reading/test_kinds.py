"""The kinds of small made-up pages, in several languages."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.page.page import Page
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.kind_features import features_of
from newsextract.reading.kinds import PageKind, UnknownKind, check_kinds, judge, load, require_kind
from newsextract.reading.metadata.clues import Metadata
from newsextract.reading.metadata.precedence import read_metadata
from newsextract.reading.notices import ARTICLE_LIKE, NoArticle, Notice, NoticeCode, noticed

if TYPE_CHECKING:
    from collections.abc import Sequence


HOME = "https://example.com/"
STORY = "https://example.com/2026/05/20/a-new-bridge-is-open-to-all"
SENTENCES = {
    "en": "On {n} May the river rose again, and the mayor said that the old bridge would have to be closed for weeks. ",
    "zh": "五月{n}日河水再次上涨，市长表示，这座老桥将不得不关闭数周，以便工程师检查桥墩和路面的损坏情况。",
    "ar": "في {n} مايو ارتفع منسوب النهر مرة أخرى، وقال رئيس البلدية إن الجسر القديم سيغلق لعدة أسابيع لإصلاحه. ",
    "ru": "{n} мая река снова поднялась, и мэр сказал, что старый мост придётся закрыть на несколько недель. ",
}
HEADLINES = {
    "en": "Floods close the old bridge for the {n}th time", "zh": "洪水第{n}次迫使市政府关闭老桥进行全面检修",
    "ar": "الفيضانات تغلق الجسر القديم للمرة {n} هذا العام", "ru": "Наводнение закрыло старый мост в {n}-й раз за год",
}  # fmt: skip
MENU = "".join(f"<li><a href='/part{n}'>Part {n}</a></li>" for n in range(9))


def paragraphs(language: str, count: int = 9) -> str:
    return "".join(f"<p>{SENTENCES[language].format(n=n) * 2}</p>" for n in range(1, count + 1))


def whole(main: str, head: str = "", body: str = "") -> str:
    return (
        f"<html><head><title>A town</title>{head}</head><body {body}><nav><ul>{MENU}</ul></nav><main>{main}</main>"
        f"<footer><ul>{MENU}</ul></footer></body></html>"
    )


def story(language: str) -> str:
    head = '<meta property="og:type" content="article"><meta property="article:published_time" content="2026-05-20">'
    headline = HEADLINES[language].format(n=2)
    return whole(f"<article><h1>{headline}</h1><time>2026-05-20</time>{paragraphs(language)}</article>", head)


def teasers(language: str, count: int = 25) -> str:
    return "".join(
        f"<div class=card><h3><a href='/{n}/a-b-c-d'>{HEADLINES[language].format(n=n)}</a></h3>"
        f"<p>{SENTENCES[language].format(n=n)}</p></div>"
        for n in range(1, count + 1)
    )


PRODUCT = whole(
    "<h1>Kettle 200</h1><div class=price>$ 49.90</div><form><input name=n><select><option>red</select>"
    "<button class=btn>Add to cart</button></form><div class=product-description><ul>"
    + "".join(f"<li>Holds {n} litres</li>" for n in range(4))
    + f"</ul>{SENTENCES['en']}</div><h2>Reviews</h2><div class=review>I like it, $ 49.90 is not much.</div>",
    '<meta property="og:type" content="product"><meta property="product:price:amount" content="49.90">'
    '<script type="application/ld+json">{"@type": "Product", "name": "Kettle", "offers": {"@type": "Offer"}}</script>',
    "class=single-product",
)
FORUM = whole(
    "<h1>My kettle leaks</h1>"
    + "".join(
        f"<div class='post message'><div class=username><a href='/user/{n}'>member{n}</a></div><time>10:{n}</time>"
        f"<div class=message-body>I have the same one. It leaks after {n} months, and nobody answers. What now?"
        "</div><button class=btn>Reply</button></div>"
        for n in range(10, 30)
    ),
    '<script type="application/ld+json">{"@type": "DiscussionForumPosting", "headline": "My kettle leaks"}</script>',
    "class=forum-thread",
)


def kind_of(html: str, url: str | None, extractor: str = "auto") -> PageKind:
    page = Page(html, url)
    return judge(page, create_extractor(extractor).extract(page), read_metadata(page))


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("url", [STORY, None, "about:blank"])
def test_an_article_is_one_in_any_language_and_without_an_address(language: str, url: str | None) -> None:
    found = kind_of(story(language), url)
    assert found.kind == "article"
    assert found.article_probability == found.probability > 0.5
    assert found.reasons


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize(
    "url", ["https://example.com/world", "https://example.com/tag/floods", "https://example.com/search?q=flood&page=2"]
)
def test_a_section_a_tag_and_a_search_are_listings_in_any_language(language: str, url: str) -> None:
    found = kind_of(whole(teasers(language)), url)
    assert found.kind == "listing"
    assert found.article_probability < 0.4


@pytest.mark.parametrize(
    ("html", "url", "kind"),
    [
        (PRODUCT, "https://example.com/product/kettle-200", "other"),
        (FORUM, "https://forum.example.com/threads/my-kettle-leaks", "thread"),
    ],
)
def test_a_product_and_a_discussion_are_something_else(html: str, url: str, kind: str) -> None:
    found = kind_of(html, url)
    assert found.kind == kind
    assert found.reasons


def live_blog() -> str:
    entries = "".join(f"<h3><time>{n}:15</time></h3><p>{SENTENCES['en'].format(n=n)}</p>" for n in range(10, 20))
    return whole(f"<article><h1>The flood, live</h1>{entries}</article>")


PICTURES = whole(
    "<article><h1>The flood in pictures</h1>"
    + "".join(f"<figure><img src='/{n}.jpg'><figcaption>The bridge, {n}.</figcaption></figure>" for n in range(12))
    + f"{paragraphs('en', 1)}</article>"
)
CLIP = whole(f"<article><h1>The flood</h1><video src='/a.mp4'></video>{paragraphs('en', 1)}</article>")


@pytest.mark.parametrize(("html", "url", "kind"), [
    (live_blog(), "https://example.com/news/live/the-flood-hour-by-hour-123456", "live"),
    (live_blog(), "https://example.com/liveticker/die-flut-stunde-um-stunde-123456", "live"),
    (
        story("en").replace(
            "</head>", '<script type="application/ld+json">{"@type": "LiveBlogPosting"}</script></head>'
        ),
        None,
        "live",
    ),
    (PICTURES, "https://example.com/fotostrecke/die-flut-in-der-stadt-und-auf-dem-land-123456", "gallery"),
    (CLIP, "https://example.com/video/the-flood-as-seen-from-the-old-bridge-123456", "video"),
    (
        whole(f"<h1>The flood</h1>{paragraphs('en', 1)}", '<meta property="og:type" content="video.other">'),
        "https://example.com/the-flood-as-seen-from-the-old-bridge-123456",
        "video",
    ),
    (story("en"), "https://example.com/video/the-flood-as-seen-from-the-old-bridge-123456", "article"),
    (story("en"), "https://example.com/live/the-flood-as-seen-from-the-old-bridge-123456", "article"),
])  # fmt: skip
def test_formats_are_told_by_two_kinds_of_evidence(html: str, url: str | None, kind: str) -> None:
    assert kind_of(html, url).kind == kind


def test_a_home_page_is_a_listing_whatever_stands_on_it() -> None:
    assert kind_of(story("en"), HOME).kind == "listing"
    assert kind_of(story("en"), HOME).reasons == ("home page",)
    assert kind_of("", HOME).kind == "listing"


def test_a_page_without_text_is_nothing() -> None:
    found = kind_of("", STORY)
    assert (found.kind, found.reasons) == ("other", ("no main content",))


@pytest.mark.parametrize("extractor", ["everything", "mss", "eatiht"])
def test_other_extractors_will_do(extractor: str) -> None:
    assert kind_of(story("en"), STORY, extractor).kind == "article"


def ending(html: str, url: str | None, wanted: Sequence[str] = ARTICLE_LIKE, **metadata: Any) -> str:
    page = Page(html, url)
    extraction = create_extractor("auto").extract(page)
    kind = judge(page, extraction, Metadata(**metadata))
    try:
        require_kind(kind, extraction, wanted)
    except NoArticle as end:
        return f"{end.state}: {end.reason}"
    return kind.kind


@pytest.mark.parametrize(("html", "url", "wanted", "expected"), [
    (story("en"), STORY, ARTICLE_LIKE, "article"), (story("en"), STORY, ("live",), "other: article, not wanted"),
    (story("en"), HOME, ARTICLE_LIKE, "listing: home page"), (whole(teasers("en")), HOME, ("listing",), "listing"),
    ("", HOME, ARTICLE_LIKE, "empty: no main content"), ("", STORY, ARTICLE_LIKE, "empty: no main content"),
])  # fmt: skip
def test_a_page_of_another_kind_is_refused_with_a_reason(
    html: str, url: str, wanted: Sequence[str], expected: str
) -> None:
    assert ending(html, url, wanted) == expected


def test_what_is_neither_ends_as_other() -> None:
    assert ending(PRODUCT, "https://example.com/product/kettle-200").startswith("other: ")


def test_kinds_are_checked_by_name() -> None:
    assert check_kinds(["video", "article", "video"]) == ("article", "video")
    for wrong in (["articles"], [], "article"):
        with pytest.raises(UnknownKind, match="article, live, gallery, video, thread, listing, other"):
            check_kinds(wrong)


@pytest.mark.parametrize(("text", "reason"), [
    (SENTENCES["en"] * 20, "no markup"),
    ("\n".join(SENTENCES["ru"] for _ in range(20)), "no markup"),
    ('{"headline": "A", "body": "<p>' + SENTENCES["en"] * 20 + '</p>"}', "JSON, not HTML"),
    ('[{"body": "' + SENTENCES["en"] * 20 + '"}]', "JSON, not HTML"),
    ("if a < b and 3 < 4: " + SENTENCES["en"] * 20, "no markup"),
])  # fmt: skip
def test_a_text_without_markup_is_no_article(text: str, reason: str) -> None:
    kind = kind_of(text, STORY)
    assert (kind.kind, kind.reasons, kind.article_probability < 0.05) == ("other", (reason,), True)


@pytest.mark.parametrize("start", ["", "{% block %}", "[ad] "])
def test_any_markup_is_looked_at(start: str) -> None:
    assert kind_of(start + story("en"), STORY).reasons != ("no markup",)
    assert kind_of(start + story("en"), STORY).kind == "article"


# The weights: found in the package, the same bytes each time, and refused where they do not fit.


def names() -> tuple[str, ...]:
    page = Page("<p>It rained all day on the plain, and nobody said a word about it.</p>")
    return features_of(page, create_extractor("everything").extract(page), read_metadata(page)).names


def test_the_package_brings_weights_for_its_features() -> None:
    model = load()
    assert model.inputs == names()
    assert model.typical.shape == (2, len(model.inputs))


# What parts the texts of a page, what stands above them, and what is among them.


LONG = Notice(NoticeCode.TOO_LONG, most=100)


def test_a_code_and_its_values_make_a_sentence() -> None:
    notice = Notice(NoticeCode.REFUSED, field="authors", source="json_ld", value="Ann's", reason=LONG)
    assert notice == 'authors: json_ld says "Ann\'s", longer than 100 characters'


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError, match="least"):
        Notice(NoticeCode.TOO_FEW_WORDS, words=3)


def test_a_notice_travels_between_processes_with_its_values() -> None:
    for arrived in (pickle.loads(pickle.dumps(LONG)), deepcopy(LONG)):  # noqa: S301
        assert (arrived, arrived.code, arrived.values) == (LONG, NoticeCode.TOO_LONG, {"most": 100})


def test_plain_text_that_reads_like_a_notice_is_none() -> None:
    notice = Notice(NoticeCode.OTHER_UNITS, units=2)
    found = list(noticed(NoticeCode.OTHER_UNITS, ["".join(notice), notice, LONG]))
    assert [one.values for one in found] == [{"units": 2}]
