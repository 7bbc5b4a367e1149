"""A layout of tables: paragraphs between line breaks, hardly any metadata, the date in the byline."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from newsextract.tools.demo.layouts.page_frame import Layout, Link, anchor, anchors, byline, elements, pager, rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.tools.demo.demo_stories import Piece
    from newsextract.tools.demo.layouts.page_frame import ArticlePage, Listing, Note, Surroundings, Teaser
    from newsextract.tools.demo.vocabulary import Furniture

INDENT = "\u3000\u3000"
"""Two ideographic spaces open a paragraph."""

BREAK = "<br><br>\n"


def article_page(page: ArticlePage, around: Surroundings) -> str:
    """Return an article page."""
    truth, words = page.truth, around.furniture
    return _shell(
        f"{truth.headline}_{around.site_name}",
        _article_head(page),
        f"""<font size=2><a href="{around.home}">{escape(words.home)}</a> &gt; {anchor(page.section)}</font>
<center><h1>{escape(truth.headline)}</h1>
<font size=2 color=#666666>{escape(around.site_name)} {byline(page, around)}
<time datetime="{truth.date_published}">{escape(page.date)}</time></font><br>
<font size=2>{" | ".join(map(escape, words.share))}{_duplicate(page, words.print)}</font></center>
<hr size=1>
<table width="100%" cellpadding=8><tr><td class=wz>
{_body(page)}
</td></tr></table>
{_pager(page)}<hr size=1>
{_after(page, words)}""",
        around,
    )


def listing_page(page: Listing, around: Surroundings) -> str:
    """Return a page of teasers."""
    return _shell(
        f"{page.title}_{around.site_name}",
        "",
        f"""<h2>{escape(page.title)}</h2>
<table width="100%">{_teasers(page.teasers)}</table>
<center>{pager(page, around)}</center><font size=2>{anchors(page.extras, " | ")}</font>""",
        around,
    )


def note_page(page: Note, around: Surroundings) -> str:
    """Return a page of plain text."""
    content = f"<h2>{escape(page.title)}</h2>{BREAK.join(INDENT + escape(text) for text in page.paragraphs)}"
    return _shell(f"{page.title}_{around.site_name}", "", content, around)


def _article_head(page: ArticlePage) -> str:
    truth = page.truth
    return f"""<meta name="description" content="{escape(truth.description)}">
<meta name="keywords" content="{escape(",".join(truth.keywords))}">
<meta property="og:image" content="{page.image}">
<link rel="canonical" href="{truth.url}">
{"".join(f'<link rel="next" href="{url}">' for url in page.pages[page.number : page.number + 1])}"""


def _pager(page: ArticlePage) -> str:
    """Return the page numbers, all linked except that of this page."""
    numbers = (
        f"<b>{number}</b>" if number == page.number else anchor(Link(str(number), url))
        for number, url in enumerate(page.pages, start=1)
    )
    return f"<center>{' '.join(numbers)}</center>" if page.pages else ""


def _after(page: ArticlePage, words: Furniture) -> str:
    comments = (
        f"<tr><td bgcolor=#f4f4f4><b>{escape(comment.name)}</b>: {escape(comment.text)} "
        f"<font size=2>[{escape(words.reply)}]</font></td></tr>"
        for comment in page.comments
    )
    return f"""<b>{escape(words.related)}</b><table width="100%">{_teasers(page.related)}</table>
<table bgcolor=#ddeeff width="100%"><tr><td><b>{escape(words.newsletter_title)}</b><br>
{escape(words.newsletter_text)} [{escape(words.subscribe)}]</td></tr></table>
<b>{escape(words.comments)}</b><table width="100%">{"".join(comments)}</table>"""


def _body(page: ArticlePage) -> str:
    """Return the pieces joined: a line break follows text, none follows a block."""
    parts = [f'<center><img src="{page.image}" width=480></center>']
    for piece in page.story.body:
        markup = _piece(piece, page)
        parts.append(markup + BREAK if piece.kind in {"paragraph", "heading"} else markup)
    return "".join(parts)


def _piece(piece: Piece, page: ArticlePage) -> str:
    text = escape(piece.lines[0])
    return {
        "paragraph": INDENT + text,
        "heading": f"<b>{text}</b>",
        "quote": f"<center><i>{text}</i></center><br>",
        "list": f"<ul>{elements('li', piece.lines)}</ul>",
        "table": f"<table border=1 align=center cellpadding=4>{rows(piece.lines)}</table><br>",
        "image": f"""<table align=center width=480><tr><td><img src="{page.image}" width=480></td></tr>
<tr><td align=center><font size=2 color=#666666>{text}</font></td></tr></table>""",
    }[piece.kind]


def _duplicate(page: ArticlePage, label: str) -> str:
    return f' | <a href="{page.duplicate}">{escape(label)}</a>' if page.duplicate else ""


def _teasers(teasers: Sequence[Teaser]) -> str:
    return "\n".join(
        f'<tr><td>· <a href="{escape(teaser.url)}">{escape(teaser.headline)}</a><br>'
        f"<font size=2>{escape(teaser.summary)} ({escape(teaser.date)})</font></td></tr>"
        for teaser in teasers
    )


def _masthead(around: Surroundings, words: Furniture) -> str:
    return f"""<tr><td colspan=2 bgcolor=#ffffcc><font size=2>{escape(words.cookie_text)}
[{escape(words.accept)}] [{escape(words.refuse)}]</font></td></tr>
<tr><td colspan=2 bgcolor=#990000><font color=#ffffff size=5>{escape(around.site_name)}</font>
<font color=#ffffff size=2>{escape(words.slogan)}</font></td></tr>
<tr><td colspan=2 bgcolor=#eeeeee><a href="{around.home}">{escape(words.home)}</a>
{anchors(around.sections, " | ")} | {" | ".join(map(escape, words.nav))}</td></tr>"""


def _shell(title: str, head: str, content: str, around: Surroundings) -> str:
    words = around.furniture
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html lang="{around.language}">
<head><meta http-equiv="Content-Type" content="text/html; charset={around.charset}">
<title>{escape(title)}</title>
<link rel="alternate" type="{around.feed_type}" href="{around.feed}">
{head}</head>
<body bgcolor=#ffffff>
<table width=960 align=center cellspacing=0 cellpadding=6>
{_masthead(around, words)}
<tr valign=top><td width=690>
{content}
</td>
<td width=240 bgcolor=#fafafa><b>{escape(words.most_read)}</b><br>
<font size=2>{anchors(around.most_read, "<br>")}</font><br><br>
{"<br>".join(map(escape, words.advertisement))}</td></tr>
<tr><td colspan=2 align=center bgcolor=#eeeeee><font size=2>{"<br>".join(map(escape, words.footer))}<br>
{anchors(around.pages, " | ")}</font></td></tr>
</table>
</body>
</html>
"""


LAYOUT = Layout(article_page, listing_page, note_page)
