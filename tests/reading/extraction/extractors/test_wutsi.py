from __future__ import annotations

from newsextract import Page, create_extractor

STORY = (
    "<p>The first sentence stands here. And a second one follows.</p><p>Another paragraph of the story ends here.</p>"
)


def text_of(html: str, **options: object) -> str:
    return create_extractor("wutsi", **options).extract(Page(html)).text


def test_keeps_the_argmax_whole() -> None:
    page = f"<body><main><div>{STORY}<p>short</p></div></main><div><p>A teaser of some length, alone.</p></div></body>"
    assert text_of(page).splitlines() == [
        "The first sentence stands here. And a second one follows.",
        "Another paragraph of the story ends here.",
        "short",
    ]


def test_fuses_the_nodes_beside_the_argmax() -> None:
    more = "<section><p>What follows in the next section.</p></section>"
    page = f"<body><main><section>{STORY}</section>{more}</main><div><p>A teaser of some length.</p></div></body>"
    assert text_of(page).splitlines()[-1] == "What follows in the next section."


def test_one_long_teaser_does_not_beat_many_paragraphs() -> None:
    teaser = "<p>The first of four. The second of four. The third of four. The last of four.</p>"
    paragraphs = "".join(f"<p>Paragraph number {number} is a sentence.</p>" for number in range(8))
    page = f"<body><aside2><div>{teaser}</div></aside2><main><div>{paragraphs}</div></main></body>"
    assert len(text_of(page).splitlines()) == 8


def test_a_text_of_twenty_characters_is_long_enough() -> None:
    assert text_of(f"<div><p>{'x' * 19}.</p></div>")
    assert not text_of(f"<div><p>{'x' * 18}.</p></div>")


def test_a_part_of_a_name_hides_nothing() -> None:
    named = STORY.replace("<p>", '<p class="entry-content-read-more js-social-anchor-start">')
    assert len(text_of(f"<div>{named}</div>").splitlines()) == 2
    hidden = STORY.replace("<p>", '<p class="entry Related_Posts">')
    assert not text_of(f"<div>{hidden}</div>")


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
