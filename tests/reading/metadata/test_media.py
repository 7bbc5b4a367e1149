"""Images, videos, recordings and embedded posts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsextract import create_extractor
from newsextract.article import Image
from newsextract.article_parts import Audio, Embed, Video
from newsextract.page.page import Page
from newsextract.reading.metadata.media import image_key
from newsextract.reading.reader import read_article

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.article import Article
    from newsextract.reading.extraction.contract import Extraction
    from tests.reading.metadata.conftest import Reader


HOST = "https://news.example"
TEXT = "It rained on the plain all day, and the people of the plain stayed at home with their books. "
TWEET = """<blockquote class=twitter-tweet data-lang=en><p lang=en>Rain again. <a href="https://t.co/x">more</a></p>
&mdash; Anna Beck (@annabeck) <a href="https://birds.example/annabeck/status/12345?ref_src=twsrc">June 3, 2020</a>
</blockquote><script async src="https://platform.birds.example/widgets.js"></script>"""


def markup(body: str, head: str = "") -> str:
    return f"<html><head>{head}</head><body><h1>Rain</h1><p>{TEXT * 3}</p>{body}<p>{TEXT * 3}</p></body></html>"


def shown(body: str, head: str = "") -> Article:
    """Read the article of a page that holds this among two paragraphs."""
    return read_article(markup(body, head), f"{HOST}/rain", extractor="everything")


def extracted(body: str) -> Extraction:
    return create_extractor("everything").extract(Page(markup(body), f"{HOST}/rain"))


@pytest.mark.parametrize(("element", "video"), [
    ('<video src="/a.mp4" poster="/a.jpg"></video>', Video(f"{HOST}/a.mp4", thumbnailUrl=f"{HOST}/a.jpg")),
    ('<video><source src="blob:x"><source src="/a.webm"></video>', Video(f"{HOST}/a.webm")),
    (
        '<iframe src="//www.youtube.com/embed/abcdefghijk?rel=0" title="Rain, filmed"></iframe>',
        Video("https://www.youtube.com/watch?v=abcdefghijk", "https://www.youtube.com/embed/abcdefghijk?rel=0",
              "Rain, filmed"),
    ),
    (
        '<iframe src="about:blank" data-lazy-src="https://tv.example/player/77" title="video player"></iframe>',
        Video("https://tv.example/player/77"),
    ),
    (
        '<figure class="is-type-video"><iframe src="https://films.example/x/9"></iframe></figure>',
        Video("https://films.example/x/9"),
    ),
    ("<lite-youtube videoid=abcdefghijk></lite-youtube>", Video("https://www.youtube.com/watch?v=abcdefghijk")),
    (
        "<object><embed src='http://www.youtube.com/v/abcdefghijk?x=1'></object>",
        Video("https://www.youtube.com/watch?v=abcdefghijk", "http://www.youtube.com/v/abcdefghijk?x=1"),
    ),
])  # fmt: skip
def test_a_video_among_the_paragraphs_is_the_article_s(element: str, video: Video) -> None:
    article = shown(element)
    assert article.videos == [video]
    assert article.extraction is not None
    assert article.extraction.sources["videos"] == "everything"
    assert (article.audios, article.embeds) == (None, None)


@pytest.mark.parametrize("element", [
    '<iframe src="javascript:alert(1)" title="video" allowfullscreen></iframe>',
    '<iframe src="data:text/html,x" class="video"></iframe>',
    '<iframe src="https://ads.example/player" allowfullscreen></iframe>',
    '<iframe src="https://x.example/player" title="Advertisement"></iframe>',
    '<iframe src="https://x.example/player" width=1 height=1></iframe>',
    '<iframe src="https://x.example/player" style="display:none"></iframe>',
    '<iframe src="/static/twitter_button?title=Rain"></iframe>',
    '<iframe src="https://shop.example/aff_widget/1"></iframe>',
    '<div class=newsletter-box><iframe src="https://x.example/embed/form"></iframe></div>',
    '<iframe src="https://x.example/e/cm?o=2"></iframe>',
    '<iframe src="https://[broken/player"></iframe>',
    f'<iframe src="https://x.example/player/{"a" * 3000}"></iframe>',
    "<video autoplay></video><audio></audio><iframe></iframe><embed><object></object>",
    '<blockquote cite="https://b.example/1"><p>To be. <a href="https://b.example/1">A play</a></p></blockquote>',
    "<blockquote class=twitter-tweet><p>Rain without a link</p></blockquote>",
])  # fmt: skip
def test_what_is_no_embed_or_is_hostile_is_left_out(element: str) -> None:
    article = shown(element)
    assert (article.videos, article.audios, article.embeds) == (None, None, None)


def test_a_post_keeps_its_author_its_date_its_words_and_its_link() -> None:
    (post,) = shown(TWEET).embeds or []
    assert post == Embed(
        "https://birds.example/annabeck/status/12345", "birds.example", "Anna Beck (@annabeck)", "2020-06-03",
        "Rain again. more",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("element", "author", "url"),
    [
        (
            """<blockquote data-photos-permalink="https://photos.example/p/A/?utm_source=embed"><a href="/">View</a>
            <p>Ein Beitrag von Ben (@ben)</p></blockquote>""",
            "@ben",
            "https://photos.example/p/A/",
        ),
        (
            '<iframe class=toot src="https://social.example/@carla/99/embed"></iframe>',
            "@carla",
            "https://social.example/@carla/99",
        ),
        (
            """<blockquote><p>Hi</p><a href="https://b.example/u/dora">@dora</a> <a href="https://b.example/u/dora/p/1">
            Monday</a></blockquote><p><script src="//b.example/static/embed.js"></script></p>""",
            "@dora",
            "https://b.example/u/dora/p/1",
        ),
        (
            """<div class=fb-post data-href="https://faces.example/eva/posts/5"><blockquote cite="https://faces.example">
            <p>Rain.</p>By <a href="https://faces.example/eva">Eva</a></blockquote></div>""",
            None,
            "https://faces.example/eva/posts/5",
        ),
    ],
)
def test_posts_are_known_by_their_shape(element: str, author: str | None, url: str) -> None:
    (post,) = shown(element).embeds or []
    assert (post.url, post.author) == (url, author)


def test_recordings_and_charts_are_told_apart_by_words() -> None:
    article = shown(
        '<iframe src="https://cdn.example/podcast/embed/1" title="Rain, heard"></iframe><audio src="/a.mp3"></audio>'
        '<iframe src="https://data.example/51/" aria-label="Interactive chart" title="Rain by month"></iframe>'
        '<noscript><iframe src="https://data.example/51/" class=chart></iframe></noscript>'
    )
    assert article.audios == [
        Audio("https://cdn.example/podcast/embed/1", name="Rain, heard"), Audio(f"{HOST}/a.mp3"),
    ]  # fmt: skip
    assert article.embeds == [Embed("https://data.example/51/", "data.example", name="Rain by month")]
    assert article.videos is None


def test_what_is_declared_completes_what_is_shown(script: Callable[[object], str]) -> None:
    video = {
        "@type": "VideoObject", "name": "Rain &amp; sun", "embedUrl": "https://www.youtube.com/embed/abcdefghijk",
        "thumbnailUrl": ["/still.jpg"], "duration": "PT1M30S", "uploadDate": "2026-05-04",
    }  # fmt: skip
    other = {"@type": "VideoObject", "contentUrl": "/other.mp4", "embedUrl": "javascript:x", "duration": "soon"}
    article = shown(
        '<iframe src="https://www.youtube-nocookie.com/embed/abcdefghijk"></iframe>',
        script({"@type": "NewsArticle", "headline": "Rain", "video": [video, other]})
        + "<meta property=og:audio content=/rain.mp3><meta property=og:video content=/never.mp4>",
    )
    first, second = article.videos or []
    assert first == Video(
        "https://www.youtube.com/watch?v=abcdefghijk", "https://www.youtube-nocookie.com/embed/abcdefghijk",
        "Rain & sun", f"{HOST}/still.jpg", "PT1M30S", "2026-05-04",
    )  # fmt: skip
    assert second == Video(f"{HOST}/other.mp4")
    assert article.audios == [Audio(f"{HOST}/rain.mp3")]
    assert article.extraction is not None
    assert article.extraction.sources["videos"] == "json_ld, everything"
    assert article.extraction.sources["audios"] == "meta_tags"


@pytest.mark.parametrize(
    "nonsense", [None, True, 7, [], {}, [[["x"]]], "x", {"@type": 3}, [{"@id": {}}], {"@id": "#a"}]
)
def test_nonsense_in_json_ld_is_no_video(nonsense: object, script: Callable[[object], str]) -> None:
    node = {
        "@type": "VideoObject",
        "name": nonsense,
        "contentUrl": nonsense,
        "embedUrl": nonsense,
        "duration": nonsense,
    }
    graph = [{"@type": "NewsArticle", "@id": "#a", "headline": "Rain", "video": nonsense, "audio": node}, node]
    urls = [video.url for video in shown("", script(graph)).videos or ()]
    assert all(url.startswith(HOST) for url in urls)
    assert len(urls) <= 1


def test_videos_that_no_article_names_count_only_if_they_are_few(script: Callable[[object], str]) -> None:
    def declared(count: int) -> list[str]:
        nodes = [{"@type": "VideoObject", "contentUrl": f"/{number}.mp4"} for number in range(count)]
        return [video.url for video in shown("", script(nodes)).videos or ()]

    assert declared(2) == [f"{HOST}/0.mp4", f"{HOST}/1.mp4"]
    assert declared(9) == []


def test_a_video_that_leads_the_article_is_its_own_and_one_of_the_margin_is_not() -> None:
    lead = "<video src=/lead.mp4></video>"
    text = f"<h1>Rain</h1><div>{lead}</div><p>By Anna</p><div><p>{TEXT * 5}</p><p>{TEXT * 4}</p></div>"
    page = f"<main>{text}</main><aside><h2>More</h2><video src=/other.mp4></video></aside>"
    found = read_article(page, f"{HOST}/rain").videos or []
    assert [video.url for video in found] == [f"{HOST}/lead.mp4"]


def test_the_body_s_text_is_the_same_with_frames() -> None:
    frames = '<iframe src="https://tv.example/player/77" title="A film"></iframe><video src=/a.mp4></video>'
    assert shown(frames).articleBody == shown("").articleBody


def test_links_stand_where_the_frames_stood() -> None:
    found = extracted(
        '<iframe src="https://tv.example/player/77" title="A <b>film</b>"></iframe><video src=/a.mp4></video>'
    )
    link = '<p><a href="https://tv.example/player/77">A &lt;b&gt;film&lt;/b&gt;</a></p>'
    assert f'</p>{link}<p><a href="{HOST}/a.mp4">news.example/a.mp4</a></p><p>' in found.html
    assert "](https://tv.example/player/77)\n\n" in found.markdown
    assert found.text.count("\n") == extracted("").text.count("\n")


@pytest.mark.parametrize("place", ["<td>Sun {}</td>", "<td>{}</td>", "{}", "<caption>Rain {}</caption>"])
def test_a_video_in_a_table_has_its_link(place: str) -> None:
    video = "<video src=/a.mp4></video>"
    rows = "<tr><th>Monday</th><th>Rain</th></tr><tr><td>Tuesday</td><td>Sun</td></tr>"
    found = extracted(f"<table>{place.format(video)}{rows}<tr>{place.format(video)}</tr></table>")
    assert found.html.count(f'<a href="{HOST}/a.mp4">news.example/a.mp4</a>') == 1
    assert found.markdown.count(f"{HOST}/a.mp4") == 1


def test_a_post_is_linked_once() -> None:
    kept = extracted(TWEET)
    assert kept.html.count("birds.example/annabeck/status/12345") == 1
    without = extracted(
        '<blockquote class=toot data-embed-url="https://s.example/@anna/1"><p>Rain again, and more.</p></blockquote>'
    )
    assert (
        '<blockquote><p>Rain again, and more.</p><p><a href="https://s.example/@anna/1">@anna</a></p>' in without.html
    )


def test_ten_thousand_frames_are_a_hundred() -> None:
    frames = "".join(f'<iframe src="https://tv.example/player/{n}"></iframe>' for n in range(10_000))
    assert len(shown(frames).videos or ()) == 100


def figure(path: str, caption: str = "", attributes: str = "") -> str:
    note = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure {attributes}><img src={path}>{note}</figure>"


MAIN = "<meta property=og:image content=/main.jpg>"


def test_the_body_s_pictures_follow_the_main_one_with_their_captions() -> None:
    article = shown(figure("/one.jpg", "The <b>plain</b>, wet") + figure("/two.jpg"), MAIN)
    assert article.images == [
        Image(f"{HOST}/main.jpg"), Image(f"{HOST}/one.jpg", "The plain, wet"), Image(f"{HOST}/two.jpg"),
    ]  # fmt: skip
    assert article.extraction is not None
    assert article.extraction.sources["images"] == "meta_tags, everything"
    assert article.extraction.sources["mainImage"] == "meta_tags"


def test_a_picture_of_several_sizes_is_one_and_keeps_its_caption() -> None:
    article = shown(figure("/main-300x200.jpg?w=300", "Rain"), MAIN)
    assert article.images == [Image(f"{HOST}/main.jpg", "Rain")]
    assert article.mainImage == Image(f"{HOST}/main.jpg", "Rain")
    assert article.extraction is not None
    assert article.extraction.sources["images"] == "meta_tags"


def test_a_body_without_a_declared_image_has_its_own() -> None:
    article = shown(figure("/one.jpg"))
    assert (article.mainImage, article.images) == (None, [Image(f"{HOST}/one.jpg")])
    assert article.extraction is not None
    assert article.extraction.sources["images"] == "everything"


@pytest.mark.parametrize("body", [
    "<img src=/logo.png>", "<img src=/placeholder.jpg>", "<img src=/ann.jpg class=author-photo>",
    "<div class=byline><span><img src=/ann.jpg></span></div>", "<img src=/pin.png class='share-button'>",
    "<img src=/smile.png class='wp-smiley'>", "<img src=https://secure.gravatar.com/x?s=96>",
    "<img src=/rain.jpg width=16 height=16>",
])  # fmt: skip
def test_leaves_what_is_no_picture_of_the_story(body: str) -> None:
    assert shown(f"<p>{body} {TEXT}</p>").images is None


PICTURES_HOST = "https://www.example.com"


@pytest.mark.parametrize("path", [
    "/logo.png", "/img/site-logo-2x.png", "/favicon.ico", "/icons/mark.svg", "/default-og-image.jpg",
    "/placeholder_16x9.jpg", "/blank.gif", "/no-image.png", "/avatars/ann.jpg", "/1x1.trans.gif",
    "/img/clear.gif", "/images/rss.gif", "/img/twitter_16.png", "/images/icons/t_wb_75.gif", "/top_button.gif",
    "/apple-touch-icon.png",
])  # fmt: skip
def test_a_logo_is_no_main_image(read: Reader, path: str) -> None:
    found = read(f'<meta property="og:image" content="{path}"><meta name="twitter:image" content="/rain.jpg">')
    assert found.mainImage is not None
    assert found.mainImage.url == f"{PICTURES_HOST}/rain.jpg"
    assert [image.url for image in found.images or ()] == [f"{PICTURES_HOST}/rain.jpg"]
    assert found.warnings == (f"mainImage: meta_tags says {path!r}, a logo or a placeholder",)


@pytest.mark.parametrize(
    "path", ["/twitter-logo.jpg", "/vi/x/maxresdefault.jpg", "/full/0/default.jpg", "/iconic.jpg", "/send.jpg"]
)
def test_a_picture_may_be_named_like_one(read: Reader, path: str) -> None:
    found = read(f'<meta property="og:image" content="{path}">')
    assert found.mainImage is not None


def test_an_address_that_is_escaped_twice_is_unescaped_once(read: Reader) -> None:
    found = read('<meta property="og:image" content="/rain.jpg?w=9&amp;amp;copy=1">')
    assert found.mainImage is not None
    assert found.mainImage.url == f"{PICTURES_HOST}/rain.jpg?w=9&copy=1"


@pytest.mark.parametrize(("one", "other", "is_same"), [
    ("/a.jpg?w=300", "/a.jpg?w=900&fit=crop", True),
    ("/a-300x200.jpg", "/a-scaled.jpg", True),
    ("/a.jpg", "/a.jpg?quality=80", True),
    ("/a.fill.size_400x225.v17.jpg", "/a.fill.size_1200x675.v17.jpg", True),
    ("/photos/5/master/w_1600%2Cc_limit/a.jpg", "/photos/5/4:3/w_1280,h_960,c_limit/a.jpg", True),
    ("/300x200/a.jpg", "/600x400/a.jpg", True),
    ("/photos/5/a.jpg", "/photos/6/a.jpg", False),
    ("/image?id=1", "/image?id=2", False),
    ("/a.jpg", "/b.jpg", False),
])  # fmt: skip
def test_sizes_of_a_picture_are_one_picture(one: str, other: str, is_same: bool) -> None:
    assert (image_key(PICTURES_HOST + one) == image_key(PICTURES_HOST + other)) is is_same
