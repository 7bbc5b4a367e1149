from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import zyte_common_items
from itemadapter import ItemAdapter

from newsextract.article import Image
from newsextract.reading.reader import read_article

if TYPE_CHECKING:
    from newsextract.article import Article

HOST = "https://news.example"
TEXT = "It rained on the plain all day, and the people of the plain stayed at home with their books. "


def images_of(body: str, head: str = "") -> Article:
    """Read the article of a page that holds this among two paragraphs."""
    markup = f"<html><head>{head}</head><body><h1>Rain</h1><p>{TEXT * 3}</p>{body}<p>{TEXT * 3}</p></body></html>"
    return read_article(markup, f"{HOST}/rain", extractor="everything")


def figure(path: str, caption: str = "", attributes: str = "") -> str:
    note = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure {attributes}><img src={path}>{note}</figure>"


MAIN = "<meta property=og:image content=/main.jpg>"


def test_the_body_s_pictures_follow_the_main_one_with_their_captions() -> None:
    article = images_of(figure("/one.jpg", "The <b>plain</b>, wet") + figure("/two.jpg"), MAIN)
    assert article.images == [
        Image(f"{HOST}/main.jpg"), Image(f"{HOST}/one.jpg", "The plain, wet"), Image(f"{HOST}/two.jpg"),
    ]  # fmt: skip
    assert article.extraction is not None
    assert article.extraction.sources["images"] == "meta_tags, everything"
    assert article.extraction.sources["mainImage"] == "meta_tags"


def test_a_picture_of_several_sizes_is_one_and_keeps_its_caption() -> None:
    article = images_of(figure("/main-300x200.jpg?w=300", "Rain"), MAIN)
    assert article.images == [Image(f"{HOST}/main.jpg", "Rain")]
    assert article.mainImage == Image(f"{HOST}/main.jpg", "Rain")
    assert article.extraction is not None
    assert article.extraction.sources["images"] == "meta_tags"


def test_a_body_without_a_declared_image_has_its_own() -> None:
    article = images_of(figure("/one.jpg"))
    assert (article.mainImage, article.images) == (None, [Image(f"{HOST}/one.jpg")])
    assert article.extraction is not None
    assert article.extraction.sources["images"] == "everything"


@pytest.mark.parametrize(
    "body",
    [
        "<img src=/logo.png>",
        "<img src=/placeholder.jpg>",
        "<img src=/ann.jpg class=author-photo>",
        "<div class=byline><span><img src=/ann.jpg></span></div>",
        "<img src=/pin.png class='share-button'>",
        "<img src=/smile.png class='wp-smiley'>",
        "<img src=https://secure.gravatar.com/x?s=96>",
        "<img src=/rain.jpg width=16 height=16>",
    ],
)
def test_leaves_what_is_no_picture_of_the_story(body: str) -> None:
    assert images_of(f"<p>{body} {TEXT}</p>").images is None


def test_the_page_s_own_author_makes_no_portrait() -> None:
    article = images_of(f"<article class='post author-ann'><p>{TEXT}</p>{figure('/one.jpg')}</article>")
    assert article.images == [Image(f"{HOST}/one.jpg")]


def test_captions_survive_a_conversion_that_knows_none() -> None:
    article = images_of(figure("/one.jpg", "The plain"), MAIN)
    theirs = zyte_common_items.Article.from_dict(
        {"url": article.url, "images": ItemAdapter(article).asdict()["images"]}
    )  # fmt: skip
    assert theirs.images is not None
    assert [image.url for image in theirs.images] == [f"{HOST}/main.jpg", f"{HOST}/one.jpg"]
