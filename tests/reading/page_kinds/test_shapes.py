"""What parts the texts of a page, what stands above them, and what is among them."""

from __future__ import annotations

from newsextract.page.page import Page
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.kind_features import features_of, of_address
from newsextract.reading.metadata.precedence import read_metadata

TEXT = "The river rose again on that day, and the old bridge had to be closed for weeks. "
POSTS = "".join(
    f"<div><p><a href=/u/{n}>member</a></p><p>2026-05-{n}</p><p>{TEXT}</p><button>+</button></div>"
    for n in range(10, 20)
)
STORY = f"<h1>The bridge</h1><p>3.5.2026, 10:15</p>{f'<p>{TEXT}“No,” he said.</p>' * 8}"


def shape(html: str) -> dict[str, float]:
    page = Page(f"<html><body>{html}</body></html>")
    found = features_of(page, create_extractor("everything").extract(page), read_metadata(page))
    return dict(found.families["shape"])


def test_the_posts_of_a_thread_are_parted_by_names_and_dates() -> None:
    thread, story = shape(POSTS), shape(STORY)
    assert (thread["gap_share"], thread["gap_both"]) == (0.9, 1)
    assert (story["gap_share"], story["gap_both"]) == (0, 0)
    assert thread["inside_button"] > 0 == story["inside_button"]


def test_an_article_has_a_date_below_its_headline_and_quotes() -> None:
    story, undated = shape(STORY), shape(STORY.replace("3.5.2026, 10:15", "By one of us"))
    assert (story["lead_date"], undated["lead_date"]) == (1, 0)
    assert story["lead_distance"] == 2
    assert story["kept_quotes"] > shape(POSTS)["kept_quotes"] == 0


def test_sections_are_parted_by_headings() -> None:
    sections = shape(f"<h2>Part</h2><p>{TEXT}</p>" * 6)
    assert sections["gap_headings"] == 1
    assert sections["heading_every"] < shape(STORY)["heading_every"]


def test_a_page_without_reading_text_has_a_shape_too() -> None:
    assert shape("<p>Short.</p>")["gaps"] == 0


def test_a_number_at_the_end_of_a_segment_hides_no_word() -> None:
    assert of_address("https://example.com/thread-268.html")["url_forum"] == 1
    assert of_address("https://example.com/threads-of-silk-are-back")["url_forum"] == 0
