"""The rules of a site and the options of an extraction: checked before use, and followed as they are written."""

from __future__ import annotations

import re
from typing import Any

import pytest
from parsel import Selector

from newsextract import ExtractionOptions, Page, create_extractor, extract, read_article
from newsextract.page.page import html_of
from newsextract.reading.extraction.block_classifier.selection import BARS
from newsextract.reading.extraction.contract import UnknownOption
from newsextract.reading.notices import BadExtractorOption
from newsextract.reading.reader import ArticleReader
from newsextract.reading.rules import (
    MOST_VALUES,
    BadRule,
    RuledExtractor,
    SiteRules,
    ruled_next_page,
    ruled_single_page,
)

SENTENCES = [
    f"The river rose by {n} metres on day {n}, and the council closed bridge number {n} to all traffic for now."
    for n in range(1, 9)
]
PAGE = (
    "<html><head><title>The river rises</title></head><body><nav><a href='/'>Home</a> <a href='/s'>Sport</a></nav>"
    "<h1>The river rises</h1><p class='by'>Ann Carter</p><p class='on'>4 May 2023</p><div id='story'>"
    + "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
    + "<p class='promo'>Sign up for our river letter, sent to you each morning at seven.</p>"
    "<p>Read also: a dry summer</p></div><div class='foot'>About us</div></body></html>"
)


def _rules(written: dict[str, str]) -> SiteRules:
    given: dict[str, Any] = {name: (value,) for name, value in written.items()}
    return SiteRules(**given)


def _read(**rules: str) -> RuledExtractor:
    return RuledExtractor(create_extractor("auto"), _rules(rules))


@pytest.mark.parametrize(
    "body", ["#story", "//div[@id='story']", "(//div[@id='story'])[1]", "//div[re:test(@id, '^stor.$')]"]
)
def test_a_body_rule_selects_the_blocks_of_its_elements(body: str) -> None:
    found = _read(body=body, strip="p.promo", strip_text="read also:*").extract(Page(PAGE, "https://a.example/1"))
    assert found.text.splitlines() == SENTENCES
    assert found.sources["articleBody"] == "rule"
    assert not found.warnings


def test_rules_take_what_parsel_takes() -> None:
    html = "<h1 class='a main'>Rain <i>today</i></h1><time datetime='2026-05-04'>yesterday</time><p>It rained.</p>"
    rules = {"headline": "h1::text", "date": "time::attr(datetime)", "body": "//p[not(has-class('main'))]"}
    article = read_article(html, "https://a.example/1", rules=rules)
    assert (article.headline, article.datePublished, article.articleBody) == ("Rain", "2026-05-04", "It rained.")


def test_a_selection_of_a_spider_is_the_body() -> None:
    selected = Selector(PAGE).css("p.promo")
    for body in (selected, selected[0], selected.getall(), selected.get()):
        article = read_article(PAGE, "https://a.example/1", body=body)
        assert article.articleBody == " ".join(selected.xpath("string()").get("").split())
        assert article.extraction is not None
        assert article.extraction.sources["articleBody"] == "selection"


def test_a_selection_that_found_nothing_leaves_the_body_to_the_extractor() -> None:
    found_nothing: tuple[Any, ...] = (Selector(PAGE).css("div.gone"), None, "", [])
    for nothing in found_nothing:
        assert html_of(nothing) == ()
    article = read_article(PAGE, "https://a.example/1", body="")
    assert article.articleBody == read_article(PAGE, "https://a.example/1").articleBody


def test_what_is_stripped_is_left_out_of_the_general_reading_too() -> None:
    page = Page(PAGE, "https://a.example/1")
    assert "river letter" not in _read(strip="p.promo").extract(page).text
    assert "river letter" in page.tree.text_content()  # nobody edits the page


def test_a_rule_that_strips_everything_strips_nothing() -> None:
    assert SENTENCES[0] in _read(strip="body").extract(Page(PAGE, "https://a.example/1")).text


@pytest.mark.parametrize("strip", ["figure.promo", "//img[contains(@src, 'letter')]"])
def test_the_pictures_of_what_is_stripped_are_left_out(strip: str) -> None:
    promo = "<figure class='promo'><img src='/letter.jpg'></figure>"
    html = PAGE.replace("<p class='promo'>", f"<img src='/flood.jpg'>{promo}<p class='promo'>")
    page = Page(html, "https://a.example/1")
    assert [each.url for each in _read().extract(page).illustrations.images] == [
        "https://a.example/flood.jpg",
        "https://a.example/letter.jpg",
    ]
    found = _read(body="#story", strip=strip).extract(page)
    assert "flood.jpg" in found.html
    assert "letter.jpg" not in found.html


def test_the_general_reading_stands_where_a_rule_finds_nothing() -> None:
    page = Page(PAGE, "https://a.example/1")
    found = _read(body="div.gone").extract(page)
    assert found.blocks == create_extractor("auto").extract(page).blocks
    assert found.warnings == ("rules: body found nothing usable; the general reading stands",)


def test_a_rule_counts_as_it_is_written() -> None:
    assert _read(body="div.foot").extract(Page(PAGE, "https://a.example/1")).text == "About us"


def test_a_crawl_reads_fields_by_rule_and_says_so() -> None:
    rules = SiteRules(body=("#story",), headline=("h1",), authors=("p.by",), date=("p.on",))
    reader = ArticleReader(create_extractor("auto"), rules={"a.example": rules})
    article = reader.read(Page(PAGE, "https://www.a.example/1"))
    assert (article.headline, article.datePublished) == ("The river rises", "2023-05-04")
    assert [author.name for author in article.authors or ()] == ["Ann Carter"]
    assert article.extraction is not None
    sources = article.extraction.sources
    assert {sources[name] for name in ("articleBody", "headline", "authors", "datePublished")} == {"rule"}
    other = reader.read(Page(PAGE, "https://b.example/1"))
    assert other.extraction is not None
    assert "rule" not in other.extraction.sources.values()


def test_a_rule_gives_an_article_no_more_authors_than_one_can_have() -> None:
    names = "".join(f"<b>Ann {chr(65 + n)}arter</b>" for n in range(MOST_VALUES + 5))
    article = read_article(PAGE.replace("Ann Carter", names), "https://a.example/1", rules={"authors": "p.by b"})
    assert len(article.authors or ()) == MOST_VALUES


def test_a_field_whose_rule_finds_nothing_keeps_its_value_with_a_warning() -> None:
    reader = ArticleReader(create_extractor("auto"), rules={"a.example": SiteRules(headline=("h2.gone",))})
    article = reader.read(Page(PAGE, "https://a.example/1"))
    assert article.headline == "The river rises"
    assert article.extraction is not None
    assert "rules: headline found nothing usable; the general reading stands" in article.extraction.warnings


@pytest.mark.parametrize(("rules", "error"), [
    ({"body": "//div["}, "body: '//div\\[' is not XPath: "),
    ({"body": "div > > p"}, "body: 'div > > p' is not CSS: .*; XPath begins with / or \\("),
    ({"body": "(string(//p))"}, "finds a text, and elements are wanted"),
    ({"headline": "(count(//p))"}, "finds a number or an answer, and elements or texts are wanted"),
    ({"headline": "(not(//form))"}, "finds a number or an answer, and elements or texts are wanted"),
    ({"headline": "(document('/etc/passwd'))"}, "is not XPath: "),
    ({"body": "div.story::text"}, "body: 'div.story::text' finds a text, and elements are wanted"),
    ({"body": "//table[document('/etc/passwd')]"}, "is not XPath: "),
    ({"body": "//table[@class = $name]"}, "is not XPath: "),
    ({"body": "//p[. = '\x01']"}, "has characters that XML does not know"),
    ({"body": "//p[. = '\ud800']"}, "has characters that XML does not know"),
    ({"strip": "/" * 1001}, "has 1001 characters, and at most 1000 are read"),
    ({"strip_text": "*"}, "is no text with at most 4 asterisks"),
])  # fmt: skip
def test_an_expression_that_cannot_be_used_is_refused(rules: dict[str, str], error: str) -> None:
    with pytest.raises(BadRule, match=error):
        _rules(rules)


def test_a_single_page_is_read_by_rules_that_the_caller_gives() -> None:
    article = read_article(PAGE, "https://a.example/1", rules={"body": "#story", "strip_text": ["Read also:*"]})
    assert article.extraction is not None
    assert article.extraction.sources["articleBody"] == "rule"
    same = read_article(PAGE, "https://a.example/1", rules=SiteRules(body=("#story",), strip_text=("Read also:*",)))
    assert same.articleBody == article.articleBody


@pytest.mark.parametrize(("rules", "message"), [
    ({"boby": "p"}, "'boby' is no rule; there are body, headline,"),
    ({"body": 3}, "body is CSS, XPath or a list of them, not 3"),
    ({"strip": []}, "strip is CSS, XPath or a list of them, not []"),
    ({"body": "//div["}, "body: '//div[' is not XPath"),
])  # fmt: skip
def test_rules_that_cannot_be_used_say_what_would_be_right(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRule, match=re.escape(message)):
        read_article(PAGE, rules=rules)


@pytest.mark.parametrize("body", [
    "//div[@id='story'][starts-with(normalize-space(.), 'The river')]",
    "//div[@id='story' and (p or (ul))]",
    "//div[@id='story'][not(. = 'a:b $c d()')]",
    "//p[lang('xx') or @xml:lang='xx']/ancestor::div | //div[@id='story']",
    "div#story:has(p):not(.foot)",
])  # fmt: skip
def test_what_xpath_has_of_its_own_can_be_used(body: str) -> None:
    assert _read(body=body).extract(Page(PAGE, "https://a.example/1")).sources["articleBody"] == "rule"


@pytest.mark.parametrize(("written", "text", "is_left_out"), [
    ("Read*more", "read on, and more", True),
    ("*letter*seven.", "Our letter, each morning at seven.", True),
    ("ab*ba", "aba", False),
    ("Read also", "Read also: a dry summer", False),
    ("*a*a*a*z", "a b " * 50_000, False),  # a regular expression would try for hours
])  # fmt: skip
def test_a_text_to_leave_out_has_asterisks_for_any_characters(written: str, text: str, is_left_out: bool) -> None:
    assert SiteRules(strip_text=(written,)).leaves_out(text) is is_left_out


URL = "https://a.example/story"


@pytest.mark.parametrize(("html", "rule", "found"), [
    ("<a class='next' href='/two'>on</a>", "a.next", "https://a.example/two"),
    ("<p class='next'><a href='/two'>on</a></p>", "p.next", "https://a.example/two"),
    ("<a class='next' href='/two'>on</a>", "//a[@class='next']/@href", "https://a.example/two"),
    (
        "<a class='next' href='/story#top'>on</a><a class='next' href='/two'>on</a>",
        "a.next",
        "https://a.example/two",
    ),
    ("<a class='next' href='https://b.example/two'>on</a>", "a.next", None),
    ("<a class='next' href='javascript:go()'>on</a>", "a.next", None),
    ("<a class='other' href='/two'>on</a>", "a.next", None),
])  # fmt: skip
def test_is_another_page_of_the_same_site(html: str, rule: str, found: str | None) -> None:
    assert ruled_next_page(Page(html, URL), URL, SiteRules(next_page=(rule,)), None) == found


def test_does_not_lead_back_to_the_first_page() -> None:
    rules = SiteRules(next_page=("a",))
    assert ruled_next_page(Page("<a href='/story'>on</a>", "https://a.example/two"), URL, rules, None) is None


@pytest.mark.parametrize(
    ("href", "found"), [("/all", "https://a.example/all"), ("https://b.example/all", None), (URL, None)]
)
def test_all_on_one_page_is_another_page_of_the_same_site(href: str, found: str | None) -> None:
    page = Page(f"<a class='all' href='{href}'>One page</a>", URL)
    assert ruled_single_page(page, SiteRules(single_page=("a.all",))) == found


def test_an_article_of_one_page_says_where_it_continues() -> None:
    html = "<h1>The river</h1>" + "<p>The river rose again this week, and the council closed the bridge.</p>" * 9
    article = read_article(html + "<a class='next' href='/two'>on</a>", URL, rules={"next_page": "a.next"})
    assert article.extraction is not None
    assert "articleBody: continues at https://a.example/two, which was not joined" in article.extraction.warnings


RAIN = "https://news.example/2026/rain.html"
LINE = "It rained all day on the plain, and the people of the plain stayed at home to read their papers."
STORY = f"""<h1>Rain</h1><p>{LINE} <a href="/sun">The sun</a> is to follow.</p>
<figure><img src="/rain.jpg" alt="Rain"><figcaption>The plain in the rain</figcaption></figure>
<table><tr><th>Town</th><th>Rain</th></tr><tr><td>Plainville</td><td>12 mm</td></tr></table>
<p>{LINE}</p>"""


def found(**options: Any) -> tuple[str, str, str]:
    extraction = extract(STORY, RAIN, extractor="everything", **options)
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
    assert extract(page, RAIN, extractor="everything", tables=False).text.count("It rained") == 3


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
    read = read_article(f"<head>{head}</head>{STORY}", RAIN, extractor="everything", images=False)
    assert [image.url for image in read.images or ()] == ["https://news.example/main.jpg"]
    assert len(read_article(f"<head>{head}</head>{STORY}", RAIN, extractor="everything").images or ()) == 2


def test_a_body_of_too_few_words_is_left_out_and_said() -> None:
    enough, short = (read_article(STORY, RAIN, extractor="everything", min_words=least) for least in (40, 4_000))
    assert enough.articleBody
    assert (short.articleBody, short.articleBodyHtml, short.wordCount, short.headline) == (None, None, None, "Rain")
    assert short.extraction
    assert short.extraction.warnings == [f"articleBody: {enough.wordCount} words, and at least 4000 were asked for"]
    assert not extract(STORY, RAIN, extractor="everything", min_words=4_000)


@pytest.mark.parametrize(("options", "message"), [
    ({"tables": "no"}, "tables is True or False, not 'no'"),
    ({"links": 0}, "links is True or False, not 0"),
    ({"prefer": "speed"}, "prefer is one of balance, precision, recall, not 'speed'"),
    ({"min_words": -1}, "min_words is a number of words, 0 or more, not -1"),
    ({"min_words": True}, "min_words is a number of words, 0 or more, not True"),
    ({"min_words": 2.5}, "min_words is a number of words"),
])  # fmt: skip
def test_a_wrong_value_is_refused(options: dict[str, Any], message: str) -> None:
    for read in (extract, read_article, lambda *_, **given: ExtractionOptions(**given)):
        with pytest.raises(BadExtractorOption, match=message):
            read(STORY, RAIN, **options)


def test_an_unknown_option_gets_the_list_of_the_known_ones() -> None:
    known = "its options are tag_score, word_score, scores; all extractors take cleaning, tables, links, images, min_w"
    with pytest.raises(UnknownOption, match=f"extractor 'mss' has no option 'tabels'; {known}"):
        extract(STORY, RAIN, extractor="mss", tabels=False)


def test_an_extraction_has_no_comments_and_says_so() -> None:
    with pytest.raises(UnknownOption, match=r"has no option 'comments'; .* min_words, read_article also comments"):
        extract(STORY, RAIN, comments=True)


@pytest.mark.parametrize("name", ["mss", "eatiht", "everything", "wutsi"])
def test_an_extractor_without_a_preference_refuses_one(name: str) -> None:
    with pytest.raises(UnknownOption, match=f"extractor '{name}' has no option 'prefer'.*; all .* images, min_words"):
        extract(STORY, RAIN, extractor=name, prefer="recall")
    assert extract(STORY, RAIN, extractor=name, prefer="balance").extractor == name


def test_the_options_of_extractors_still_work() -> None:
    assert extract(STORY, RAIN, extractor="eatiht", version=2, cleaning="wutsi", tables=False).extractor == "eatiht"
    with pytest.raises(BadExtractorOption, match="`version` must be 1 or 2"):
        extract(STORY, RAIN, extractor="eatiht", version=3)


def test_auto_keeps_more_for_recall_and_less_for_precision() -> None:
    teasers = "".join(f'<div><a href="/{n}">The news of day {n}</a> and what it is about</div>' for n in range(20))
    page = Page(f"<body>{STORY * 3}{teasers}<p>Written by the desk.</p><p>{LINE[:50]}</p></body>", RAIN)
    kept = {prefer: set(create_extractor("auto", prefer=prefer).extract(page).blocks) for prefer in BARS}
    assert kept["precision"] <= kept["balance"] <= kept["recall"]
    assert kept["precision"] < kept["recall"]
