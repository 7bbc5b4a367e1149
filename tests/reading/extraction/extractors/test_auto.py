"""The default extractor on all kinds of pages: what it keeps, what it leaves out, and its confidence."""

from __future__ import annotations

import html
import json

import pytest

from newsextract import extract

SENTENCES = (
    "The council voted on Tuesday to close the old bridge, which has carried trams since 1911.",
    "Engineers had found cracks in two of its pillars, and warned that a third could follow.",
    "“We have no choice,” the mayor said, adding that a ferry would run from Monday on.",
    "Shopkeepers on the east bank fear for their trade, as they told this newspaper in March.",
    "The repair is to cost nine million, of which the region pays a third, and take two years.",
    "A vote on the tram lines follows in autumn, when the new budget is known to all parties.",
)
STORY = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
MENU = "<nav><ul>" + "".join(f"<li><a href='/{n}'>Section {n}</a></li>" for n in range(12)) + "</ul></nav>"
FOOTER = "<footer><p>© 2026 The Gazette. All rights reserved.</p><a href='/imprint'>Imprint</a></footer>"


def page(body: str, head: str = "<title>Old bridge to close - The Gazette</title>") -> str:
    return f"<html><head>{head}</head><body>{MENU}<main>{body}</main>{FOOTER}</body></html>"


def article(inside: str = "", after: str = "") -> str:
    return page(
        f"<article><h1>Old bridge to close</h1><div class='article-body'>{STORY}{inside}</div></article>{after}"
    )


def test_the_story_is_kept_whole_and_nothing_else() -> None:
    found = extract(article(), "https://gazette.example/bridge")
    assert found.extractor == "auto"
    assert found.text.split("\n") == list(SENTENCES)
    assert found.warnings == ()


QUOTE = "<blockquote><p>It has been our bridge for a century, and now we are to swim, it seems.</p></blockquote>"
HEADING = "<h2>What the ferry costs</h2><p>A single trip is two euros, a child's is one, and bicycles go free.</p>"
LIST = """<p>The plan has three parts:</p><ul><li>The ferry, from Monday on, at all hours.</li>
<li>A footbridge, to be built before winter.</li><li>The repair of the pillars, in two years.</li></ul>"""


@pytest.mark.parametrize(
    ("inside", "wanted"),
    [(HEADING, "What the ferry costs"), (QUOTE, "we are to swim"), (LIST, "A footbridge, to be built")],
)
def test_headings_quotes_and_lists_of_the_article_are_in(inside: str, wanted: str) -> None:
    assert wanted in extract(article(inside + STORY.replace("The ", "That "))).text


def test_an_advertisement_is_left_out_and_a_table_about_advertising_is_whole() -> None:
    table = "".join(f"<tr><td>{n}</td><td>Werbung – Sprache</td><td>Seite {n}</td></tr>" for n in range(9))
    table = f"<table><tr><th>Nummer</th><th>Titel</th><th>Ort</th></tr>{table}</table>"
    text = extract(article(f"<p>Werbung – weiter unten</p>{table}<p>{SENTENCES[0].replace('old', 'new')}</p>")).text
    assert text.count("Werbung") == 9
    assert "weiter unten" not in text


@pytest.mark.parametrize("name", ["id", "class"])
def test_a_heading_whose_anchor_or_class_ends_in_ads_is_no_advertisement(name: str) -> None:
    heading = HEADING.replace("<h2>", f"<h2 {name}='ferries-and-ads'>")
    assert heading != HEADING
    assert "What the ferry costs" in extract(article(heading + STORY.replace("The ", "That "))).text


COMMENT = "<div class='comment'><p>I cross it every day, what a shame.</p></div>"
FORM = "<p>Sign up for our newsletter and never miss a story.</p><form><label>Mail</label></form>"
TEASERS = "<li><a href='/a'>Tram lines are to be cut</a></li><li><a href='/b'>A ferry for the poor</a></li>"
NOTICE = "<p>We use cookies to improve your experience on our site.</p><button>Accept</button>"


@pytest.mark.parametrize(
    ("after", "unwanted"),
    [
        (f"<section id='comments' class='comments'>{COMMENT * 5}</section>", "shame"),
        (f"<div class='newsletter-signup'>{FORM}</div>", "newsletter"),
        (f"<aside class='related'><h3>Read also</h3><ul>{TEASERS}</ul></aside>", "Tram lines"),
        (f"<div class='cookie-notice'>{NOTICE}</div>", "cookies"),
    ],
)
def test_comments_forms_teasers_and_notices_are_out(after: str, unwanted: str) -> None:
    text = extract(article(after=after)).text
    assert unwanted not in text
    assert SENTENCES[-1] in text


def test_a_caption_is_in_the_html_and_not_in_the_text() -> None:
    figure = (
        "<figure><img src='/bridge.jpg' width=600><figcaption>The bridge in May. Photo: A. Lens</figcaption></figure>"
    )
    source = page(
        f"<article><h1>Old bridge to close</h1><div>{STORY}{figure}{STORY.replace('The', 'That')}</div></article>"
    )
    found = extract(source, "https://gazette.example/bridge")
    assert "Photo: A. Lens" not in found.text
    assert "Photo: A. Lens" in found.html


def test_a_quote_in_a_figure_is_text_and_no_caption() -> None:
    quote = "Nobody had asked the people of the quay about it before this week."
    figure = f"<figure><blockquote><p>“{quote}”</p></blockquote></figure>"
    source = page(f"<article><h1>Old bridge to close</h1><div>{STORY}{figure}{SENTENCES[0]}</div></article>")
    assert quote in extract(source, "https://gazette.example/bridge").text


def test_a_table_that_is_kept_in_large_part_is_kept_whole() -> None:
    cells = "".join(f"<tr><td>{SENTENCES[n]}</td><td>{n}</td></tr>" for n in range(3))
    source = page(f"<article><h1>Old bridge to close</h1><div>{STORY}<table>{cells}</table></div></article>")
    kept = extract(source).text.split("\n")
    assert f"{SENTENCES[2]}\t2" in kept


def test_a_teaser_that_the_text_repeats_is_left_out() -> None:
    teaser = f"<div class='lead'><p>{SENTENCES[0]}</p></div>"
    source = page(f"<article><h1>Old bridge to close</h1>{teaser}<div class='article-body'>{STORY}</div></article>")
    assert extract(source).text.count("trams since 1911") == 1


def test_text_that_repeats_inside_the_article_is_kept_each_time() -> None:
    refrain = "<p>“The bridge was here before us, and it will be here after us,” the old song of the quay says.</p>"
    source = page(f"<article><h1>Old bridge to close</h1><div>{refrain}{STORY}{refrain}</div></article>")
    assert extract(source).text.count("the old song") == 2


def test_the_body_comes_from_the_json_ld_where_the_page_shows_none_of_it() -> None:
    data = {"@type": "NewsArticle", "headline": "Old bridge to close", "articleBody": "\n".join(SENTENCES)}
    script = f"<script type='application/ld+json'>{json.dumps(data)}</script>"
    found = extract(page("<h1>Old bridge to close</h1><p>Loading…</p>", f"<title>Old bridge to close</title>{script}"))
    assert found.text.split("\n") == list(SENTENCES)
    assert found.sources == {"articleBody": "json_ld"}
    assert "JSON-LD" in found.warnings[0]


def stating(sentences: tuple[str, ...]) -> str:
    data = {"@type": "NewsArticle", "headline": "Old bridge to close", "articleBody": "\n".join(sentences)}
    return f"<title>Old bridge to close</title><script type='application/ld+json'>{json.dumps(data)}</script>"


MORE = tuple(f"On day {n} of the works the ferry carried {n} hundred people, and none was late." for n in range(2, 9))


def test_what_the_json_ld_states_and_the_page_shows_elsewhere_is_added_from_the_page() -> None:
    cards = "".join(f"<aside class='related-teasers'><p><i>{sentence}</i></p></aside>" for sentence in MORE)
    body = f"<article><h1>Old bridge to close</h1><div class='article-body'>{STORY}</div></article>{cards}"
    assert MORE[0] not in extract(page(body)).text
    found = extract(page(body, stating(SENTENCES + MORE)))
    assert found.text.split("\n") == [*SENTENCES, *MORE]
    assert "<i>" in found.html or "<em>" in found.html
    assert [str(warning) for warning in found.warnings] == [
        f"articleBody: {len(MORE)} blocks were kept because the page's JSON-LD has them in its body"
    ]


def test_what_the_json_ld_states_and_the_page_does_not_show_is_not_taken_beside_a_shown_text() -> None:
    rest = tuple(f"{sentence} {number}" for number in range(3) for sentence in SENTENCES)
    found = extract(page(f"<article><h1>Old bridge to close</h1>{STORY}</article>", stating(SENTENCES + rest)))
    assert found.text.split("\n") == list(SENTENCES)
    assert not found.warnings


def test_a_sentence_that_the_article_repeats_itself_is_kept() -> None:
    again = f"<p>{SENTENCES[0]} Nobody had thought so in June, when the first cracks were seen.</p>"
    assert extract(article(again)).text.count("trams since 1911") == 2


@pytest.mark.parametrize(
    "body",
    ["<div>One &amp; only story.</div>", "One &amp;amp; only story.", "&lt;p&gt;One &amp;amp; only story.&lt;/p&gt;"],
)
def test_the_body_of_the_json_ld_may_be_html_escaped_or_not(body: str) -> None:
    data = {"@type": "NewsArticle", "headline": "Old bridge", "articleBody": html.unescape(body) + " It goes on." * 9}
    script = f"<script type='application/ld+json'>{json.dumps(data)}</script>"
    text = extract(f"<title>Old bridge</title>{script}<h1>Old bridge</h1>").text
    assert text.startswith("One & only story.")
    assert "<" not in text


@pytest.mark.parametrize(
    "body", ["<h1>Only a heading here</h1>", "<figure><figcaption>A caption</figcaption></figure>" * 4]
)
def test_where_nothing_is_left_the_densest_region_is_kept_and_the_confidence_low(body: str) -> None:
    found = extract(f"<body>{body}</body>")
    assert found
    assert found.sources == {"articleBody": "densest_region"}
    assert found.confidence < 0.5


def test_of_a_page_with_more_blocks_than_any_article_the_first_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsextract.reading.extraction.auto.MAX_BLOCKS", 100)
    comment = "<li class=comment><b>Reader {0}</b><p>I agree with number {0}, well said, thanks a lot.</p></li>"
    below = f"<ol class=comments>{''.join(map(comment.format, range(200)))}</ol>"
    found = extract(article().replace("</article>", f"</article>{below}"))
    assert "too many" in found.warnings[0]
    assert SENTENCES[0] in found.text
    assert "number 150" not in found.text


def test_a_long_list_of_like_paragraphs_takes_no_square_of_the_time() -> None:
    like = "".join(
        f"<p>{'The same beginning of a sentence, word for word, in each of them, ' * 2}{n}</p>" for n in range(9000)
    )
    assert extract(f"<article>{like}</article>")
