from __future__ import annotations

import json

import pytest

from newsextract.article_parts import Comment
from newsextract.reading.reader import read_article

HOST = "https://news.example"
STORY = "".join(
    f"<p>{day} brought rain to the plain, and the people of the plain stayed at home with the books of {writer}.</p>"
    for day, writer in (
        ("Monday", "Ann"), ("Tuesday", "Ben"), ("Friday", "Carla"), ("Sunday", "Dora"), ("Today", "Eva"),
    )
)  # fmt: skip
WORDPRESS = """<div id=comments class=comments-area><h2>Three thoughts</h2><ol class=comment-list>
<li class="comment even depth-1" id=comment-1><article class=comment-body><footer class=comment-meta>
  <div class="comment-author vcard"><b class=fn>Gina Holt</b> <span class=says>says:</span></div>
  <time datetime="2026-05-04T10:00:00+02:00">4 May</time></footer>
  <div class=comment-content><p>I like the rain.</p><p>And the books.</p></div>
  <div class=reply><a href=#r>Reply</a></div></article>
  <ol class=children><li class="comment odd depth-2" id=comment-2><article class=comment-body>
    <footer class=comment-meta><div class="comment-author vcard"><b class=fn>Hugo Lind</b></div>
    <time datetime="2026-05-04T11:00:00+02:00">4 May</time></footer>
    <div class=comment-content><p>So do I, Gina.</p></div><div class=reply><a href=#r>Reply</a></div></article></li>
  </ol></li>
<li class="comment even depth-1" id=comment-3><article class=comment-body><footer class=comment-meta>
  <div class="comment-author vcard"><b class=fn>Ida</b></div><time datetime="2026-05-05T09:00:00">5 May</time></footer>
  <div class=comment-content><p>I prefer the sun.</p></div><div class=reply><a href=#r>Reply</a></div></article></li>
</ol></div>"""
THREAD = [
    Comment("I like the rain.\nAnd the books.", "Gina Holt", "2026-05-04T10:00:00+02:00"),
    Comment("So do I, Gina.", "Hugo Lind", "2026-05-04T11:00:00+02:00", 0, 1),
    Comment("I prefer the sun.", "Ida", "2026-05-05T09:00:00"),
]


def comments_of(markup: str, head: str = "", lang: str = "en") -> list[Comment] | None:
    page = f"<html lang={lang}><head>{head}</head><body><article><h1>Rain</h1>{STORY}</article>{markup}</body></html>"
    return read_article(page, f"{HOST}/rain", comments=True).comments


def declared(*comments: object) -> str:
    node = {"@type": "NewsArticle", "headline": "Rain", "comment": comments}
    return f'<script type="application/ld+json">{json.dumps(node)}</script>'


def test_comments_are_read_only_on_request() -> None:
    page = f"<h1>Rain</h1><article>{STORY}</article>{WORDPRESS}"
    without, found = (read_article(page, f"{HOST}/rain", comments=asked) for asked in (False, True))
    assert without.comments is None
    assert found.comments == THREAD
    assert found.extraction is not None
    assert found.extraction.sources["comments"] == "visible_comments"
    assert without.articleBody == found.articleBody
    assert found.articleBody
    assert "prefer the sun" not in found.articleBody


def test_threads_keep_their_nesting() -> None:
    assert comments_of(WORDPRESS) == THREAD


@pytest.mark.parametrize(("lang", "container", "date", "expected"), [
    ("de", "kommentare", "4. Mai 2026", "2026-05-04"), ("fr", "commentaires", "4 mai 2026", "2026-05-04"),
    ("es", "comentarios", "4 de mayo de 2026", "2026-05-04"), ("pl", "komentarze", "04.05.2026", "2026-05-04"),
    ("tr", "yorumlar", "vor kurzem", None),
])  # fmt: skip
def test_containers_are_named_in_many_languages(lang: str, container: str, date: str, expected: str | None) -> None:
    rows = "".join(
        f"<div class='item n{n}'><div class=head><span class=user>{name}</span> <span class=date>{date}</span></div>"
        f"<div class=words>{name} saw the rain.</div><button>+1</button></div>"
        for n, name in enumerate(("Ann", "Ben", "Carla"))
    )
    found = comments_of(f"<section class={container}>{rows}</section>", lang=lang)
    assert found == [Comment(f"{name} saw the rain.", name, expected) for name in ("Ann", "Ben", "Carla")]


def test_a_name_may_stand_in_one_heading_with_the_date() -> None:
    shown = "".join(
        f"<li class=comment id=comment-{number}><h4 class=title><span class=bold>{name}</span>"
        f"<time datetime=2026-05-0{number}>{number} May</time></h4><p>I like the rain in {name}'s plain.</p></li>"
        for number, name in ((4, "Gina Holt"), (5, "Hugo Lind"))
    )
    found = comments_of(f"<ol id=comments>{shown}</ol>") or []
    assert [(each.author, each.datePublished) for each in found] == [
        ("Gina Holt", "2026-05-04"),
        ("Hugo Lind", "2026-05-05"),
    ]


def test_answers_in_boxes_are_below_their_comment() -> None:
    def box(name: str, inner: str = "") -> str:
        answers = f"<div class=answers>{inner}</div>" if inner else ""
        said = f"<div class=own><i class=nickname>{name}</i> <time>2026-05-04</time><p>{name} says this.</p></div>"
        return f"<div class=box>{said}{answers}</div>"

    found = comments_of(f"<div class=comments>{box('Ann', box('Ben', box('Carla')) + box('Dora'))}{box('Eva')}</div>")
    assert [(comment.author, comment.parent, comment.depth) for comment in found or ()] == [
        ("Ann", None, 0), ("Ben", 0, 1), ("Carla", 1, 2), ("Dora", 0, 1), ("Eva", None, 0),
    ]  # fmt: skip


def test_declared_comments_are_read_with_their_answers() -> None:
    answer = {"@type": "Comment", "text": "So do I.", "author": "Ben", "comment": {"text": "And I."}}
    first = {"@type": "Comment", "text": "I like<br>rain.", "author": {"name": "Ann"}, "dateCreated": "2026-05-04"}
    assert comments_of("", declared(first | {"comment": [answer]}, {"@type": "Comment", "text": " "})) == [
        Comment("I like\nrain.", "Ann", "2026-05-04"), Comment("So do I.", "Ben", None, 0, 1),
        Comment("And I.", None, None, 1, 2),
    ]  # fmt: skip


def test_the_more_complete_source_counts() -> None:
    one = {"@type": "Comment", "text": "I like the rain.", "author": "Gina Holt"}
    assert comments_of(WORDPRESS, declared(one)) == THREAD


@pytest.mark.parametrize("nonsense", [None, [], {}, [[]], {"text": {}}, {"text": [None], "author": []}, {"@id": {}}])
def test_nonsense_in_json_ld_is_no_comment(nonsense: object) -> None:
    assert comments_of("", declared(nonsense, {"text": nonsense, "author": nonsense})) is None


def test_comments_that_refer_to_each_other_end() -> None:
    graph = [
        {"@type": "NewsArticle", "headline": "Rain", "comment": {"@id": "#a"}},
        {"@id": "#a", "text": "A", "author": "Ann", "comment": {"@id": "#b"}},
        {"@id": "#b", "text": "B", "author": "Ben", "comment": {"@id": "#a"}},
    ]
    script = f'<script type="application/ld+json">{json.dumps(graph)}</script>'
    assert [comment.text for comment in comments_of("", script) or ()] == ["A", "B"]


@pytest.mark.parametrize("markup", [
    "<div class=comments></div>",
    "<div id=comments><p>Be the first to comment.</p></div>",
    "<div class=comment-form><span class=author>Your name</span><span class=date>2026-05-04</span>Words</div>",
    "<div class=latest-comments><ul><li><time>2026-05-04</time> Ann on Rain</ul></div>",
    "<div class=comments><a class=author href=/me>Follow us</a></div>",
])  # fmt: skip
def test_boxes_without_comments_have_none(markup: str) -> None:
    assert comments_of(markup) is None


def test_the_body_is_never_a_comment() -> None:
    posts = "".join(f"<li><time>2026-05-0{n}</time><div>{STORY}</div></li>" for n in (1, 2))
    article = read_article(f"<ul class=comments>{posts}</ul>", HOST, extractor="everything", comments=True)
    assert article.articleBody
    assert article.comments is None


def test_very_many_and_very_deep_comments_are_read_to_a_limit() -> None:
    one = "<li class=comment><time>2026-05-04</time> <b class=fn>Ann</b><p>It rains, number %d.</p>"
    many = comments_of("<ul class=comments>" + "".join(one % n for n in range(6_000)) + "</ul>")
    deep = comments_of("<ul class=comments>" + "".join(one % n + "<ul>" for n in range(2_000)))
    assert 0 < len(many or ()) <= 1_000
    assert 0 < len(deep or ()) <= 1_000


def test_markdown_is_given_on_request() -> None:
    page = f"<h1>Rain</h1><article>{STORY}<p>It is <em>wet</em>.</p></article>"
    assert read_article(page).articleMarkdown is None
    assert "It is *wet*." in (read_article(page, markdown=True).articleMarkdown or "")
    assert read_article("<p>", markdown=True).articleMarkdown is None
