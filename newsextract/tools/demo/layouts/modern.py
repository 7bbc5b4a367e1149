"""A modern layout: semantic elements, OpenGraph and a JSON-LD graph."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from newsextract.tools.demo.demo_stories import TABLE_COLUMNS
from newsextract.tools.demo.layouts.json_ld_graph import graph
from newsextract.tools.demo.layouts.page_frame import (
    Layout,
    anchor,
    anchors,
    byline,
    elements,
    pager,
    rows,
    with_place_linked,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.tools.demo.demo_stories import Piece
    from newsextract.tools.demo.layouts.page_frame import ArticlePage, Comment, Listing, Note, Surroundings, Teaser
    from newsextract.tools.demo.vocabulary import Furniture

STYLE = """
body{margin:0;font:17px/1.6 Georgia,serif;color:#222}nav a,footer a,.share button{margin-right:1em}
body>header,footer{background:#12304a;color:#fff;padding:1em 2em}header a,footer a{color:#fff}
main{display:grid;grid-template-columns:minmax(0,42em) 18em;gap:3em;padding:1em 2em}
main{max-width:66em;margin:auto}
aside,.consent,.teaser small{font:14px/1.4 sans-serif;color:#555}figure{margin:1em 0}img{width:100%}
.consent{background:#ffe;padding:.7em 2em}
blockquote{font-size:1.3em;border-left:4px solid #12304a;padding-left:1em}
.teaser{border-bottom:1px solid #ddd}td,th{border:1px solid #ccc;padding:.3em 1em}"""


def article_page(page: ArticlePage, around: Surroundings) -> str:
    """Return an article page."""
    truth, words = page.truth, around.furniture
    return _shell(
        f"{truth.headline} | {around.site_name}",
        _article_head(page, around),
        f"""<nav class="breadcrumb" aria-label="breadcrumb"><ol>
<li><a href="{around.home}">{escape(words.home)}</a></li>
<li>{anchor(page.section)}</li></ol></nav>
<article>
<header><h1>{escape(truth.headline)}</h1>
<p class="byline"><span class="author">{byline(page, around)}</span> ·
<time datetime="{truth.date_published}">{escape(page.date)}</time></p></header>
<div class="share">{elements("button", words.share)}</div>
<figure><img src="{page.image}" alt=""></figure>
<div class="article-body">
{_body(page, words.advertisement)}
</div>
{_duplicate(page, words.print)}
</article>
{_after(page, words)}""",
        around,
    )


def listing_page(page: Listing, around: Surroundings) -> str:
    """Return a page of teasers."""
    return _shell(
        f"{page.title} | {around.site_name}",
        f'<link rel="canonical" href="{escape(page.url)}">',
        f"""<h1>{escape(page.title)}</h1>
{_teasers(page.teasers)}
<nav class="pager">{pager(page, around)}</nav><p class="extras">{anchors(page.extras, " · ")}</p>""",
        around,
    )


def note_page(page: Note, around: Surroundings) -> str:
    """Return a page of plain text."""
    content = f"<h1>{escape(page.title)}</h1>\n{elements('p', page.paragraphs)}"
    return _shell(f"{page.title} | {around.site_name}", "", content, around)


def _after(page: ArticlePage, words: Furniture) -> str:
    return f"""<section class="related"><h2>{escape(words.related)}</h2>{_teasers(page.related)}</section>
<section class="newsletter"><h2>{escape(words.newsletter_title)}</h2><p>{escape(words.newsletter_text)}</p>
<button>{escape(words.subscribe)}</button></section>
<section id="comments"><h2>{escape(words.comments)}</h2>{_comments(page.comments, words.reply)}</section>"""


def _article_head(page: ArticlePage, around: Surroundings) -> str:
    truth = page.truth
    properties = (
        ("og:type", "article"),
        ("og:title", truth.headline),
        ("og:description", truth.description),
        ("og:url", truth.url),
        ("og:image", page.image),
        ("og:site_name", truth.publisher),
        ("og:locale", "en_CA"),
        ("article:published_time", truth.date_published),
        ("article:modified_time", truth.date_modified),
        ("article:section", truth.section),
        *(("article:tag", keyword) for keyword in truth.keywords),
    )
    metas = "\n".join(f'<meta property="{name}" content="{escape(text)}">' for name, text in properties)
    return f"""<meta name="description" content="{escape(truth.description)}">
<link rel="canonical" href="{truth.url}">
{metas}
<script type="application/ld+json">{graph(page, around)}</script>"""


def _body(page: ArticlePage, advertisement: Sequence[str]) -> str:
    pieces = [_piece(piece, page) for piece in page.story.body]
    # In the middle of the story, as on real sites.
    pieces.insert(len(pieces) // 2, f'<aside class="ad">{elements("p", advertisement[:2])}</aside>')
    return "\n".join(pieces)


def _piece(piece: Piece, page: ArticlePage) -> str:
    text = with_place_linked(piece.lines[0], page)
    return {
        "paragraph": f"<p>{text}</p>",
        "heading": f"<h2>{escape(piece.lines[0])}</h2>",
        "quote": f"<blockquote><p>{escape(piece.lines[0])}</p></blockquote>",
        "list": f"<ul>{elements('li', piece.lines)}</ul>",
        "table": f"<table>{_table(piece.lines)}</table>",
        "image": f'<figure><img src="{page.image}" alt="">{elements("figcaption", piece.lines)}</figure>',
    }[piece.kind]


def _table(cells: Sequence[str]) -> str:
    head, body = cells[:TABLE_COLUMNS], cells[TABLE_COLUMNS:]
    return f"<thead><tr>{elements('th', head)}</tr></thead><tbody>{rows(body)}</tbody>"


def _duplicate(page: ArticlePage, label: str) -> str:
    return f'<p class="tools"><a href="{page.duplicate}">{escape(label)}</a></p>' if page.duplicate else ""


def _teasers(teasers: Sequence[Teaser]) -> str:
    return "\n".join(
        f'<div class="teaser"><h3><a href="{escape(teaser.url)}">{escape(teaser.headline)}</a></h3>'
        f"<p>{escape(teaser.summary)}</p><small>{escape(teaser.date)}</small></div>"
        for teaser in teasers
    )


def _comments(comments: Sequence[Comment], reply: str) -> str:
    return "\n".join(
        f'<div class="comment"><b>{escape(comment.name)}</b><p>{escape(comment.text)}</p>'
        f"<button>{escape(reply)}</button></div>"
        for comment in comments
    )


def _shell(title: str, head: str, content: str, around: Surroundings) -> str:
    words = around.furniture
    return f"""<!doctype html>
<html lang="{around.language}">
<head><meta charset="{around.charset}"><title>{escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="alternate" type="{around.feed_type}" title="{escape(around.site_name)}" href="{around.feed}">
{head}
<style>{STYLE}</style></head>
<body>
<div class="consent" role="dialog"><p>{escape(words.cookie_text)}</p>
{elements("button", (words.accept, words.refuse))}</div>
<header><a href="{around.home}"><strong>{escape(around.site_name)}</strong></a>
<em>{escape(words.slogan)}</em>
<nav class="main">{anchors(around.sections)} {elements("span", words.nav)}</nav></header>
<main><div>
{content}
</div>
<aside><h2>{escape(words.most_read)}</h2>
<ol><li>{anchors(around.most_read, "</li><li>")}</li></ol></aside></main>
<footer>{elements("p", words.footer)}{anchors(around.pages)}</footer>
</body>
</html>
"""


LAYOUT = Layout(article_page, listing_page, note_page)
