"""Notices: codes and values, and the sentences made from them."""

from __future__ import annotations

import pickle
from copy import deepcopy

import pytest

from newsextract.reading.notices import Notice, NoticeCode, noticed

LONG = Notice(NoticeCode.TOO_LONG, most=100)
BROKEN = Notice(NoticeCode.BROKEN, start="{{{ nope")

SENTENCES = {
    Notice(
        NoticeCode.REFUSED, field="authors", source="json_ld", value="Ann's", reason=LONG
    ): 'authors: json_ld says "Ann\'s", longer than 100 characters',
    Notice(
        NoticeCode.OTHER_DATE, stated="2021-01-01", source="json_ld", taken="2023-05-04"
    ): "datePublished: meta_tags says '2021-01-01', json_ld says '2023-05-04', which is taken",
    Notice(NoticeCode.OF_SOURCE, source="json_ld", notice=BROKEN): "json_ld: broken beyond repair: '{{{ nope'",
    BROKEN: "broken beyond repair: '{{{ nope'",
    Notice(NoticeCode.TOO_MUCH_TO_READ, chars=2_000_000): "2000000 characters are too many to read",
    Notice(NoticeCode.OF_ANOTHER_PAGE, headline="Rain"): "describes another page: 'Rain'",
    Notice(NoticeCode.OUT_OF_TIME, seconds=0.15): "no date within 0.15 s",
    LONG: "longer than 100 characters",
    Notice(NoticeCode.NO_NAME): "not a name",
    Notice(NoticeCode.ADDRESS_AS_NAME): "an address, not a name",
    Notice(NoticeCode.NO_DATE): "not a date",
    Notice(NoticeCode.TOO_OLD, year=1990): "older than 1990",
    Notice(NoticeCode.IN_FUTURE): "in the future",
    Notice(NoticeCode.NO_LANGUAGE): "not a language",
    Notice(NoticeCode.OTHER_SCRIPT, script="Cyrillic"): "but the text is in Cyrillic script",
    Notice(NoticeCode.OTHER_LANGUAGE, language="fr"): "but the text is in 'fr'",
    Notice(NoticeCode.NO_ADDRESS): "no address",
    Notice(NoticeCode.NO_WEB_ADDRESS): "not an address of the web",
    Notice(NoticeCode.NO_PUBLIC_ADDRESS): "not an address of the public web",
    Notice(NoticeCode.UNFILLED_TEMPLATE): "a template that nobody filled in",
    Notice(NoticeCode.HOME_AS_CANONICAL): "a home page",
    Notice(NoticeCode.OTHER_DOMAIN, domain="a.example"): "canonicalUrl: on another domain than the page, a.example",
    Notice(
        NoticeCode.OWN_URL, url="https://a.example/1"
    ): "canonicalUrl: the article is stored under its own URL, not under https://a.example/1",
    Notice(NoticeCode.LOGO): "a logo or a placeholder",
    Notice(NoticeCode.NEITHER_TRUE_NOR_FALSE): "neither true nor false",
    Notice(NoticeCode.CONTRADICTED, source="json_ld", value="True"): "but json_ld says 'True'",
    Notice(
        NoticeCode.TOO_MANY_BLOCKS, blocks=30_000
    ): "30000 blocks are too many to classify: only the densest stretch was read",
    Notice(
        NoticeCode.ADDED_FROM_JSON_LD, blocks=3
    ): "articleBody: 3 blocks were kept because the page's JSON-LD has them in its body",
    Notice(NoticeCode.FROM_JSON_LD): "the page shows little text: body from its JSON-LD",
    Notice(
        NoticeCode.DATA_CUT
    ): "the page's data for its scripts is larger than what is read of it: the rest was not searched",
    Notice(
        NoticeCode.FROM_HYDRATION, place="__NEXT_DATA__"
    ): "the page shows little of an article: body from the data for its scripts (__NEXT_DATA__)",
    Notice(NoticeCode.FROM_BROWSER): "the page was read as a browser shows it, with its scripts run",
    Notice(
        NoticeCode.FROM_VERSION, url="https://amp.a.example/1"
    ): "the page itself shows no article: read from the version that it links, https://amp.a.example/1",
    Notice(NoticeCode.VERSION_OF_ANOTHER, url="https://a.example/2"): "a version of another page, https://a.example/2",
    Notice(
        NoticeCode.FROM_FEED, state="blocked", reason="http 403", feed="https://a.example/feed"
    ): "the page could not be read (blocked: http 403): text from the feed https://a.example/feed",
    Notice(NoticeCode.WITH_SUBSCRIPTION): "read with a subscription: others may see less of it",
    Notice(NoticeCode.FEED_CUT): "articleBody: the feed breaks it off with an ellipsis",
    Notice(NoticeCode.FROM_REGION): "no block looks like an article's: kept the densest region",
    Notice(NoticeCode.TOO_FEW_PAGES): "fewer than five pages of the site",
    Notice(NoticeCode.OUTLIER): "no page of the site has the same structure",
    Notice(NoticeCode.NO_MAPPING): "the pages are too large for the edit mapping, or do not differ",
    Notice(NoticeCode.RULE_MISSED, rule="body"): "rules: body found nothing usable; the general reading stands",
    Notice(NoticeCode.RULE_WHOLE_PAGE, rule="body"): "rules: body finds the whole page; the general reading stands",
    Notice(
        NoticeCode.RULE_DISAGREES, rule="body", extractor="auto", share="12%"
    ): "rules: body agrees with auto on 12% of the words; the general reading stands",
    Notice(
        NoticeCode.RULE_NOT_WHOLE, url="https://a.example/1"
    ): "rules: single_page leads to https://a.example/1, which lacks the text of the first page; the first page stands",
    Notice(NoticeCode.RULE_TOO_LARGE, elements=60_000): "rules: not tried on a page of 60000 elements",
    Notice(NoticeCode.NOTHING_NEW, page=2): "articleBody: nothing new on page 2",
    Notice(NoticeCode.TOO_FEW_WORDS, words=9, least=50): "articleBody: 9 words, and at least 50 were asked for",
    Notice(
        NoticeCode.NOT_JOINED, url="https://a.example/2"
    ): "articleBody: continues at https://a.example/2, which was not joined",
    Notice(NoticeCode.LAYOUT_CHANGED, shape="/news/0"): "site memory: the layout of pages at /news/0 has changed",
    Notice(NoticeCode.MISPLACED, part="body", place="div"): "site memory: the body is not at its usual place, div",
    Notice(NoticeCode.NO_CONTENT): "no main content",
    Notice(NoticeCode.TOO_SHORT): "too short",
    Notice(NoticeCode.NOT_WANTED, kind="video"): "video, not wanted",
    Notice(NoticeCode.OF_KIND, sign="URL of a shop"): "URL of a shop",
}


@pytest.mark.parametrize(("notice", "sentence"), SENTENCES.items(), ids=lambda one: getattr(one, "code", one)[:20])
def test_a_code_and_its_values_make_a_sentence(notice: Notice, sentence: str) -> None:
    assert str(notice) == notice == sentence


def test_every_code_has_its_sentence_here() -> None:
    assert {notice.code for notice in SENTENCES} == set(NoticeCode)


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError, match="place"):
        Notice(NoticeCode.MISPLACED, part="body")


@pytest.mark.parametrize("notice", SENTENCES, ids=lambda one: one.code.name)
def test_a_notice_travels_between_processes_with_its_values(notice: Notice) -> None:
    for arrived in (pickle.loads(pickle.dumps(notice)), deepcopy(notice)):  # noqa: S301
        assert (arrived, arrived.code, arrived.values) == (notice, notice.code, notice.values)


def test_plain_text_that_reads_like_a_notice_is_none() -> None:
    notice = Notice(NoticeCode.LAYOUT_CHANGED, shape="/x")
    found = list(noticed(NoticeCode.LAYOUT_CHANGED, [SENTENCES[LONG], "".join(notice), notice, LONG]))
    assert [one.values for one in found] == [{"shape": "/x"}]
