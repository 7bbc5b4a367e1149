"""A layout of nested divs: no article element, microdata in meta tags, a box in the middle of the story."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from newsextract.tools.demo.layouts.page_frame import (
    Layout,
    Link,
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

BOX_AFTER_PARAGRAPHS = 2

STYLE = """
*{box-sizing:border-box}body{margin:0;font:16px/1.55 Arial,sans-serif;background:#eee}a{color:#902}
.page{width:1000px;margin:auto;background:#fff;padding:0 20px}.nav a,.nav span,.pied a{margin-right:14px}
.col-g{float:left;width:660px}.col-d{float:right;width:270px;font-size:13px}.fin{clear:both}
.bandeau{background:#333;color:#fff;padding:10px;font-size:13px}
.encart,.lettre{background:#f3e9e2;padding:8px;margin:12px 0}
.txt,.para{margin:0 0 14px}.inter{font-weight:bold;font-size:19px;margin:18px 0 8px}.visuel img{width:100%}
.citation{font:italic 20px Georgia,serif;margin:18px 30px}.legende,.meta,.fil{font-size:12px;color:#666}
.tableau td{border:1px solid #bbb;padding:3px 12px}
.msg{border-top:1px dotted #999;font-size:14px;padding:6px 0}"""


def article_page(page: ArticlePage, around: Surroundings) -> str:
    """Return an article page."""
    truth, words = page.truth, around.furniture
    return _shell(
        f"{truth.headline} - {truth.section} - {around.site_name}",
        _article_head(page),
        f"""<div class="fil"><a href="{around.home}">{escape(words.home)}</a>
&gt; {anchor(page.section)}</div>
<div class="bloc" itemscope itemtype="http://schema.org/NewsArticle">
{_microdata(page)}
<div class="bloc-titre"><h1 class="titre" itemprop="headline">{escape(truth.headline)}</h1></div>
<div class="meta"><span class="signature">{byline(page, around)}</span>
<span class="date">{escape(page.date)}</span></div>
<div class="partage">{elements("span", words.share)}</div>
<div class="visuel"><img src="{page.image}" alt=""></div>
<div class="contenu"><div class="contenu-int">
{_body(page, words.read_also)}
</div></div>
{_duplicate(page, words.print)}
</div>
{_after(page, words)}""",
        around,
    )


def listing_page(page: Listing, around: Surroundings) -> str:
    """Return a page of teasers."""
    return _shell(
        f"{page.title} - {around.site_name}",
        f'<link rel="canonical" href="{escape(page.url)}">',
        f"""<div class="bloc"><div class="bloc-titre"><h1>{escape(page.title)}</h1></div>
{_teasers(page.teasers)}</div>
<div class="pages">{pager(page, around)}</div><div class="plus">{anchors(page.extras, " | ")}</div>""",
        around,
    )


def note_page(page: Note, around: Surroundings) -> str:
    """Return a page of plain text."""
    content = f'<div class="bloc"><h1>{escape(page.title)}</h1>{elements("div", page.paragraphs)}</div>'
    return _shell(f"{page.title} - {around.site_name}", "", content, around)


def _after(page: ArticlePage, words: Furniture) -> str:
    return f"""<div class="pub">{escape(words.advertisement[1])}</div>
<div class="bloc"><div class="bloc-titre">{escape(words.related)}</div>{_teasers(page.related)}</div>
<div class="lettre"><div>{escape(words.newsletter_title)}</div><div>{escape(words.newsletter_text)}</div>
<div class="bouton">{escape(words.subscribe)}</div></div>
<div class="forum"><div class="bloc-titre">{escape(words.comments)}</div>
{_comments(page.comments, words.reply)}</div>"""


def _article_head(page: ArticlePage) -> str:
    truth = page.truth
    return f"""<meta name="description" content="{escape(truth.description)}">
<meta name="keywords" content="{escape(", ".join(truth.keywords))}">
<meta name="author" content="{escape(", ".join(truth.authors))}">
<meta property="og:title" content="{escape(truth.headline)}">
<meta property="og:image" content="{page.image}">
<meta property="og:site_name" content="{escape(truth.publisher)}">
<link rel="canonical" href="{truth.url}">"""


def _microdata(page: ArticlePage) -> str:
    truth = page.truth
    properties = (
        ("datePublished", truth.date_published),
        ("dateModified", truth.date_modified),
        ("articleSection", truth.section),
        ("inLanguage", truth.language),
        *(("author", name) for name in truth.authors),
    )
    return "\n".join(f'<meta itemprop="{name}" content="{escape(text)}">' for name, text in properties)


def _body(page: ArticlePage, read_also: str) -> str:
    pieces = [_piece(piece, page, is_odd=bool(index % 2)) for index, piece in enumerate(page.story.body)]
    box = f"""<div class="encart"><div class="encart-titre">{escape(read_also)}</div>
<div>{anchors(page.related[:1])}</div></div>"""
    pieces.insert(BOX_AFTER_PARAGRAPHS, box)
    return "\n".join(pieces)


def _piece(piece: Piece, page: ArticlePage, *, is_odd: bool) -> str:
    text = with_place_linked(piece.lines[0], page)
    caption = f'<div class="legende">{escape(piece.lines[0])}</div>'
    return {
        # Two editing tools have left their marks on this site.
        "paragraph": f'<div class="para">{text}</div>' if is_odd else f'<div class="txt"><p>{text}</p></div>',
        "heading": f'<div class="inter">{escape(piece.lines[0])}</div>',
        "quote": f'<div class="citation"><span>{escape(piece.lines[0])}</span></div>',
        "list": f'<div class="puces"><ul>{elements("li", piece.lines)}</ul></div>',
        "table": f'<div class="tableau"><table>{rows(piece.lines)}</table></div>',
        "image": f'<div class="visuel"><img src="{page.image}" alt="">{caption}</div>',
    }[piece.kind]


def _duplicate(page: ArticlePage, label: str) -> str:
    return f'<div class="outils"><a href="{page.duplicate}">{escape(label)}</a></div>' if page.duplicate else ""


def _teasers(teasers: Sequence[Teaser]) -> str:
    return "\n".join(
        f'<div class="accroche"><div>{anchor(Link(teaser.headline, teaser.url))}</div>'
        f'<div>{escape(teaser.summary)}</div><div class="meta">{escape(teaser.date)}</div></div>'
        for teaser in teasers
    )


def _comments(comments: Sequence[Comment], reply: str) -> str:
    return "\n".join(
        f'<div class="msg"><div class="pseudo">{escape(comment.name)}</div><div>{escape(comment.text)}</div>'
        f'<div class="repondre">{escape(reply)}</div></div>'
        for comment in comments
    )


def _masthead(around: Surroundings, words: Furniture) -> str:
    return f"""<div class="bandeau"><div>{escape(words.cookie_text)}</div>
{elements("span", (words.accept, words.refuse))}</div>
<div class="page">
<div class="entete"><a href="{around.home}"><b>{escape(around.site_name)}</b></a>
<i>{escape(words.slogan)}</i></div>
<div class="nav">{anchors(around.sections)} {elements("span", words.nav)}</div>"""


def _shell(title: str, head: str, content: str, around: Surroundings) -> str:
    words = around.furniture
    return f"""<!DOCTYPE html>
<html lang="{around.language}">
<head><meta charset="{around.charset}"><title>{escape(title)}</title>
<link rel="alternate" type="{around.feed_type}" title="{escape(around.site_name)}" href="{around.feed}">
{head}
<style>{STYLE}</style></head>
<body>
{_masthead(around, words)}
<div class="col-g">
{content}
</div>
<div class="col-d"><div class="bloc-titre">{escape(words.most_read)}</div>
<div>{anchors(around.most_read, "</div><div>")}</div></div>
<div class="fin"></div>
<div class="pied">{elements("div", words.footer)}{anchors(around.pages)}</div>
</div>
</body>
</html>
"""


LAYOUT = Layout(article_page, listing_page, note_page)
