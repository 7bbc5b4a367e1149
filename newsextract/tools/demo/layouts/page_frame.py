"""The input of a layout: the links, teasers and comments around a page, with their URLs."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from newsextract.tools.demo.demo_stories import TABLE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from newsextract.tools.demo.demo_stories import DemoArticle, Story
    from newsextract.tools.demo.vocabulary import Furniture


@dataclass(frozen=True)
class Link:
    """A label and its URL."""

    label: str
    url: str


@dataclass(frozen=True)
class Teaser:
    """A story as teasers on other pages show it."""

    headline: str
    summary: str
    url: str
    date: str
    image: str


@dataclass(frozen=True)
class Comment:
    """A reader's comment."""

    name: str
    text: str


@dataclass(frozen=True)
class Surroundings:
    """Everything on a page that is not its story."""

    furniture: Furniture
    site_name: str
    language: str
    charset: str
    home: str
    feed: str
    feed_type: str
    sections: tuple[Link, ...]
    pages: tuple[Link, ...]
    """About and contact."""
    most_read: tuple[Teaser, ...]
    """Links with tracking parameters."""


@dataclass(frozen=True)
class ArticlePage:
    """A story with its place on the site."""

    story: Story
    truth: DemoArticle
    date: str
    """The time of publication, as the page writes it."""
    section: Link
    image: str
    related: tuple[Teaser, ...]
    comments: tuple[Comment, ...]
    duplicate: str | None
    """URL of the print or light version; `None` if there is none."""
    pages: tuple[str, ...] = ()
    """URLs of all pages of a story that has several."""
    number: int = 1
    """The position of this page among them."""


@dataclass(frozen=True)
class Listing:
    """A page of teasers: a section or the home page."""

    title: str
    url: str
    teasers: tuple[Teaser, ...]
    newer: str | None = None
    older: str | None = None
    extras: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Note:
    """A page of text that is not an article."""

    title: str
    url: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class Layout:
    """A layout: one way to write each kind of page."""

    article: Callable[[ArticlePage, Surroundings], str]
    listing: Callable[[Listing, Surroundings], str]
    note: Callable[[Note, Surroundings], str]


def anchor(link: Link) -> str:
    """Return the link as an HTML anchor.

    >>> anchor(Link("Arts & crafts", "/arts"))
    '<a href="/arts">Arts &amp; crafts</a>'
    """
    return f'<a href="{escape(link.url)}">{escape(link.label)}</a>'


def anchors(links: Iterable[Link | Teaser], between: str = "\n") -> str:
    """Return the links as HTML anchors with something between them."""
    plain = (Link(link.headline, link.url) if isinstance(link, Teaser) else link for link in links)
    return between.join(anchor(link) for link in plain)


def elements(name: str, texts: Iterable[str]) -> str:
    r"""Return each text in an element of this name, one per line.

    >>> elements("li", ["a<b", "c"])
    '<li>a&lt;b</li>\n<li>c</li>'
    """
    return "\n".join(f"<{name}>{escape(text)}</{name}>" for text in texts)


def byline(page: ArticlePage, around: Surroundings) -> str:
    """Return the line that names the authors."""
    return escape(around.furniture.byline.format(authors=", ".join(page.story.authors)))


def with_place_linked(text: str, page: ArticlePage) -> str:
    """Return a paragraph as HTML, its first mention of the town linked to the section."""
    place = escape(page.story.place)
    return escape(text).replace(place, anchor(Link(page.story.place, page.section.url)), 1)


def pager(page: Listing, around: Surroundings) -> str:
    """Return links to the pages before and after, where there are any."""
    turns = ((around.furniture.previous, page.newer), (around.furniture.next, page.older))
    return anchors((Link(label, url) for label, url in turns if url), " ")


def rows(cells: Sequence[str]) -> str:
    """Return the cells of a table as rows."""
    starts = range(0, len(cells), TABLE_COLUMNS)
    return "".join(f"<tr>{elements('td', cells[start : start + TABLE_COLUMNS])}</tr>" for start in starts)
