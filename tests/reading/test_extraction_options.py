"""The options of `extract` and `read_article`: what is wanted of a body."""

from __future__ import annotations

from typing import Any

import pytest

from newsextract import ExtractionOptions, Page, create_extractor, extract, read_article
from newsextract.reading.extraction.block_classifier.selection import BARS
from newsextract.reading.extraction.contract import UnknownOption
from newsextract.reading.notices import BadExtractorOption

URL = "https://news.example/2026/rain.html"
LINE = "It rained all day on the plain, and the people of the plain stayed at home to read their papers."
STORY = f"""<h1>Rain</h1><p>{LINE} <a href="/sun">The sun</a> is to follow.</p>
<figure><img src="/rain.jpg" alt="Rain"><figcaption>The plain in the rain</figcaption></figure>
<table><tr><th>Town</th><th>Rain</th></tr><tr><td>Plainville</td><td>12 mm</td></tr></table>
<p>{LINE}</p>"""


def found(**options: Any) -> tuple[str, str, str]:
    extraction = extract(STORY, URL, extractor="everything", **options)
    return extraction.text, extraction.html, extraction.markdown


def test_everything_is_there_unless_it_is_not_wanted() -> None:
    text, html, markdown = found()
    assert "Plainville" in text
    assert "<table>" in html
    assert '<a href="https://news.example/sun">' in html
    assert "rain.jpg" in html
    assert all(part in markdown for part in ("| Plainville |", "https://news.example/sun", "rain.jpg"))


def test_without_tables_there_are_none_in_any_form() -> None:
    for form in found(tables=False):
        assert "Plainville" not in form
        assert "<table" not in form
        assert form.count("It rained all day") == 2


def test_a_table_for_layout_is_no_table() -> None:
    page = f"<table><tr><td><p>{LINE}</p><p>{LINE}</p><p>{LINE}</p></td></tr></table>"
    assert extract(page, URL, extractor="everything", tables=False).text.count("It rained") == 3


def test_without_links_their_text_stays() -> None:
    text, html, markdown = found(links=False)
    assert all("The sun is to follow" in form for form in (text, html, markdown))
    assert "/sun" not in html + markdown


def test_without_images_their_captions_are_gone_too() -> None:
    _, html, markdown = found(images=False)
    assert "rain.jpg" not in html + markdown
    assert "<figure" not in html
    assert html.count("plain in the rain") == 0


def test_without_images_only_the_declared_ones_are_listed() -> None:
    head = '<meta property="og:image" content="/main.jpg">'
    read = read_article(f"<head>{head}</head>{STORY}", URL, extractor="everything", images=False)
    assert [image.url for image in read.images or ()] == ["https://news.example/main.jpg"]
    assert len(read_article(f"<head>{head}</head>{STORY}", URL, extractor="everything").images or ()) == 2


def test_a_body_of_too_few_words_is_left_out_and_said() -> None:
    enough, short = (read_article(STORY, URL, extractor="everything", min_words=least) for least in (40, 4_000))
    assert enough.articleBody
    assert (short.articleBody, short.articleBodyHtml, short.wordCount, short.headline) == (None, None, None, "Rain")
    assert short.extraction
    assert short.extraction.warnings == [f"articleBody: {enough.wordCount} words, and at least 4000 were asked for"]
    assert not extract(STORY, URL, extractor="everything", min_words=4_000)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tables": "no"}, "tables is True or False, not 'no'"),
        ({"links": 0}, "links is True or False, not 0"),
        ({"prefer": "speed"}, "prefer is one of balance, precision, recall, not 'speed'"),
        ({"min_words": -1}, "min_words is a number of words, 0 or more, not -1"),
        ({"min_words": True}, "min_words is a number of words, 0 or more, not True"),
        ({"min_words": 2.5}, "min_words is a number of words"),
    ],
)
def test_a_wrong_value_is_refused(options: dict[str, Any], message: str) -> None:
    for read in (extract, read_article, lambda *_, **given: ExtractionOptions(**given)):
        with pytest.raises(BadExtractorOption, match=message):
            read(STORY, URL, **options)


def test_an_unknown_option_gets_the_list_of_the_known_ones() -> None:
    known = "its options are tag_score, word_score, scores; all extractors take cleaning, tables, links, images, min_w"
    with pytest.raises(UnknownOption, match=f"extractor 'mss' has no option 'tabels'; {known}"):
        extract(STORY, URL, extractor="mss", tabels=False)


def test_an_extraction_has_no_comments_and_says_so() -> None:
    with pytest.raises(UnknownOption, match=r"has no option 'comments'; .* min_words, read_article also comments"):
        extract(STORY, URL, comments=True)


@pytest.mark.parametrize("name", ["mss", "eatiht", "everything", "wutsi"])
def test_an_extractor_without_a_preference_refuses_one(name: str) -> None:
    with pytest.raises(UnknownOption, match=f"extractor '{name}' has no option 'prefer'.*; all .* images, min_words"):
        extract(STORY, URL, extractor=name, prefer="recall")
    assert extract(STORY, URL, extractor=name, prefer="balance").extractor == name


def test_the_options_of_extractors_still_work() -> None:
    assert extract(STORY, URL, extractor="eatiht", version=2, cleaning="wutsi", tables=False).extractor == "eatiht"
    with pytest.raises(BadExtractorOption, match="`version` must be 1 or 2"):
        extract(STORY, URL, extractor="eatiht", version=3)


def test_auto_keeps_more_for_recall_and_less_for_precision() -> None:
    teasers = "".join(f'<div><a href="/{n}">The news of day {n}</a> and what it is about</div>' for n in range(20))
    page = Page(f"<body>{STORY * 3}{teasers}<p>Written by the desk.</p><p>{LINE[:50]}</p></body>", URL)
    kept = {prefer: set(create_extractor("auto", prefer=prefer).extract(page).blocks) for prefer in BARS}
    assert kept["precision"] <= kept["balance"] <= kept["recall"]
    assert kept["precision"] < kept["recall"]
