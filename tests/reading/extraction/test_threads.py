"""Threads of forums and questions with answers: their posts, and the pages that are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsextract.page.page import Page
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.notices import NoArticle
from newsextract.reading.reader import ArticleReader, extract, read_article

if TYPE_CHECKING:
    from newsextract.article import Article

THREAD = "https://talk.example/threads/kettle.17/"
SAID = (
    "My kettle leaks at the seam since Sunday, and the shop says that it was never meant to boil water at all.",
    "Mine did the same in the spring. A drop of solder on the seam has kept it dry ever since, so try that.",
    "The solder held for a week, and then the handle came off while I was pouring tea for the whole family.",
)
NAMES = "Gina", "Hugo Lind", "Ida"


def post(number: int, text: str, quoted: str = "") -> str:
    quote = f"<blockquote><div>{NAMES[number - 1]} wrote:</div><p>{quoted}</p></blockquote>" if quoted else ""
    return f"""<article class=message id=post-{number}><div class=message-user><a class=username>{NAMES[number]}</a>
      <div class=userTitle>Member</div><div>Posts: {number}71</div><div class=join-date>Joined 2009</div></div>
      <div class=message-main><time datetime="2026-05-0{number + 1}T10:00:00+02:00">{number + 1} May 2026</time>
      <div class=message-body>{quote}<p>{text}</p></div>
      <div class=signature>Nine kettles and counting, all of them dry.</div>
      <div class=buttons><a href=#r>Reply</a> <a href=#q>Quote</a></div></div></article>"""


def page_of(posts: str, head: str = "") -> str:
    menu = "<nav><a href=/>Home</a> <a href=/new>New posts</a></nav>"
    return f"<html lang=en><head><title>Kettle</title>{head}</head><body>{menu}<h1>Kettle</h1>{posts}</body></html>"


POSTS = page_of(post(0, SAID[0]) + post(1, SAID[1], SAID[0]) + post(2, SAID[2]))


def of_posts(article: Article) -> list[tuple[str | None, str | None, str]]:
    return [(each.author, each.datePublished, each.text) for each in article.comments or ()]


def test_a_thread_is_its_posts_without_user_cards_signatures_and_quotes_of_each_other() -> None:
    found = read_article(POSTS, THREAD)
    dates = [f"2026-05-0{day}T10:00:00+02:00" for day in (1, 2, 3)]
    assert of_posts(found) == list(zip(NAMES, dates, SAID, strict=True))
    assert found.articleBody == "\n".join(SAID) == extract(POSTS, THREAD).text
    assert found.metadata is not None
    assert found.metadata.pageKind == "thread"
    assert found.to_json_ld()["@type"] == "DiscussionForumPosting"


def test_the_asker_is_the_author_and_a_mark_twice_in_a_post_or_an_initial_beside_the_name_hides_nobody() -> None:
    posts = "".join(
        f"""<article class=entry><div class=small-screen><div class=by><span class=avatar>{name[0]}</span><b
        class=username>{name}</b></div><a class=when><time>{day} May 2026</time></a></div>
        <div class=rest><a class=when><time>{day} May 2026</time></a><div class=prose><p>{text}</p></div></div>
        </article>"""
        for day, (name, text) in enumerate(zip(NAMES, SAID, strict=True), start=1)
    )
    found = read_article(page_of(posts), THREAD)
    assert [(author, text) for author, _, text in of_posts(found)] == list(zip(NAMES, SAID, strict=True))
    assert [author.name for author in found.authors or ()] == [NAMES[0]]


def test_a_quote_of_what_is_not_on_the_page_stays() -> None:
    elsewhere = "Copper is said to keep its seams for forty years where the water is soft."
    found = read_article(page_of(post(0, SAID[0]) + post(1, SAID[1], elsewhere)), THREAD)
    assert elsewhere in (found.articleBody or "")


def test_declared_questions_and_answers_are_a_thread_at_any_address() -> None:
    answers = "".join(
        f"<div itemprop=suggestedAnswer itemscope itemtype=https://schema.org/Answer><div class=prose>{text}</div>"
        f"<div itemprop=author>{name}</div><span class=time>answered on May {day}, 2026</span></div>"
        for name, day, text in zip(NAMES, (4, 5, 6), SAID, strict=True)
    )
    found = read_article(
        page_of(f"<div itemscope itemtype=https://schema.org/QAPage>{answers}</div>"), "https://a.example/8"
    )
    assert [(author, text) for author, _, text in of_posts(found)] == list(zip(NAMES, SAID, strict=True))


def test_an_article_keeps_its_comments_apart() -> None:
    story = "".join(
        f"<p>{text} So the paper was told by a reader of the town, who had kept the bill.</p>" for text in SAID
    )
    page = page_of(f"<main>{story * 2}</main>" + post(0, SAID[0]) + post(1, "Thanks!"))
    for url in ("https://news.example/2026/05/04/kettles-leak", "https://news.example/community/kettles-leak"):
        found = read_article(page, url)
        assert found.comments is None
        assert (found.articleBody or "").startswith(SAID[0])


def test_many_comments_make_no_thread_of_a_story_in_an_area_for_readers() -> None:
    story = "".join(f"<p>{text} So the paper was told by a reader, who had kept the bill.</p>" for text in SAID * 2)
    said = "".join(post(number % 3, f"{number}. {SAID[number % 3]}") for number in range(40))
    page = page_of(f"<main>{story}</main><div class=%s>{said}</div>")
    area = "https://news.example/community/kettles-leak"
    assert not extract(page % "comments", area).posts
    types = '<script type="application/ld+json">[{"@type": "NewsArticle"}, {"@type": "QAPage"}]</script>'
    assert not extract(types + page % "comments", THREAD).posts
    assert len(extract(page % "messages", area).posts) == len(extract(page % "comments", THREAD).posts) == 41


def test_a_thread_may_have_hundreds_of_posts() -> None:
    page = page_of("".join(post(number % 3, f"{number}. {SAID[number % 3]}") for number in range(500)))
    assert len(extract(page, THREAD).posts) == 500


def test_a_crawl_takes_threads_only_where_they_are_wanted() -> None:
    page, auto = Page(POSTS, THREAD), create_extractor("auto")
    with pytest.raises(NoArticle, match=r"other: .*thread"):
        ArticleReader(auto).read(page)
    assert ArticleReader(auto, kinds=("thread",)).read(page).comments
