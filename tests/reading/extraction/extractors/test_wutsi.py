from __future__ import annotations

from newsextract import Page, create_extractor

STORY = (
    "<p>The first sentence stands here. And a second one follows.</p><p>Another paragraph of the story ends here.</p>"
)


def text_of(html: str, **options: object) -> str:
    return create_extractor("wutsi", **options).extract(Page(html)).text


def test_keeps_the_argmax_and_its_siblings_with_text() -> None:
    page = f"<body><div>{STORY}<p>short</p></div><div><p>A teaser of some length, alone.</p></div></body>"
    assert text_of(page).splitlines() == [
        "The first sentence stands here. And a second one follows.",
        "Another paragraph of the story ends here.",
    ]


def test_does_not_see_what_cleaning_removes() -> None:
    noise = "One comment. Two comments. Three comments. Four comments. Five of them."
    page = f'<body><div>{STORY}</div><div id="comments"><p>{noise}</p></div><footer><p>{noise}</p></footer></body>'
    assert "comment" not in text_of(page)
    assert "comment" in text_of(page, cleans=False)


def test_drops_share_links_inside_the_story() -> None:
    link = '<a href="https://www.facebook.com/sharer.php?u=x">Share it on Facebook</a>'
    share = f"<p>Liked this long story? {link} today.</p>"
    assert "Share it" not in text_of(f"<body><div>{STORY}{share}</div></body>")


def test_keeps_the_images_among_the_paragraphs() -> None:
    page = Page(f'<div><img src="/a.jpg">{STORY}</div>', "https://example.com/")
    assert "https://example.com/a.jpg" not in create_extractor("wutsi").extract(page).text
    first, second = STORY.split("</p>", 1)
    page = Page(f'<div>{first}</p><img src="/a.jpg">{second}</div>', "https://example.com/")
    assert 'src="https://example.com/a.jpg"' in create_extractor("wutsi").extract(page).html


def test_a_page_without_long_text_is_empty() -> None:
    assert not create_extractor("wutsi").extract(Page("<p>Too short.</p>"))
