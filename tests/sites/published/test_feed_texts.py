"""Which entries of a feed have a text."""

from __future__ import annotations

import pytest

from newsextract.reading.feed_article import FeedEntry
from newsextract.sites.published.feeds import read_feed

FEED = "https://news.example/feed"
WORDS = " ".join(["The rain goes on in the hills above the town."] * 12)
ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><entry><link href="/rain"/>'
    "<title>Rain</title>{}</entry></feed>"
)
RSS = (
    '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><item>'
    "<title>Rain</title><link>/rain</link>{}</item></channel></rss>"
)


def entry(feed: str) -> FeedEntry | None:
    (candidate,) = read_feed(feed.encode(), FEED, with_texts=True)
    return FeedEntry.unpack(candidate.entry) if candidate.entry else None


def test_prefers_the_content_and_keeps_the_summary_apart() -> None:
    found = entry(
        RSS.format(
            f"<content:encoded><![CDATA[<p>{WORDS} &amp; more</p>]]></content:encoded>"
            "<description>It &lt;b&gt;rains&lt;/b&gt;.</description><author>anna@news.example (Anna Lee)</author>"
            "<category>Weather</category>"
        )
    )
    assert found is not None
    assert (found.body, found.is_html, found.is_summary) == (f"<p>{WORDS} &amp; more</p>", True, False)
    assert (found.summary, found.authors, found.keywords) == ("It rains.", ("Anna Lee",), ("Weather",))
    assert (found.feed, found.title) == (FEED, "Rain")


@pytest.mark.parametrize(
    ("content", "body", "is_html"),
    [
        (
            f'<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>{WORDS} &lt;</p></div></content>',
            f"<p>{WORDS} &lt;</p>",
            True,
        ),
        (f'<content type="html">&lt;p&gt;{WORDS}&lt;/p&gt;</content>', f"<p>{WORDS}</p>", True),
        (f'<content type="text">{WORDS} &lt;b&gt;</content>', f"{WORDS} <b>", False),
    ],
)
def test_reads_the_content_of_atom_by_its_type(content: str, body: str, is_html: bool) -> None:
    found = entry(ATOM.format(content))
    assert found is not None
    assert (found.body, found.is_html, found.language) == (body, is_html, "de")


def test_takes_no_teaser_and_nothing_else_for_a_text() -> None:
    assert entry(RSS.format("<description>It rains.</description>")) is None
    assert entry(ATOM.format(f'<content type="image/png">{"iVBOR " * 200}</content>')) is None
    assert entry(ATOM.format('<content src="https://news.example/full"/>')) is None
    assert entry(RSS.format(f"<description>{WORDS}</description>")) is not None


def test_gives_no_texts_unless_asked() -> None:
    (candidate,) = read_feed(RSS.format(f"<description>{WORDS}</description>").encode(), FEED)
    assert candidate.entry is None


def test_is_linear_in_tags_that_are_never_closed() -> None:
    assert entry(RSS.format(f"<content:encoded><![CDATA[{'<a ' * 160_000}]]></content:encoded>")) is not None
