"""Read a post that a page embeds as a quote: its author, its text, its date and its link.

The sites of posts give their users a `blockquote` to paste, which their script turns into a frame. It has a class that
says so, or its URL in an attribute, or the script behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.article_parts import Embed
from newsextract.page.html_elements import names_of
from newsextract.page.media.frame_urls import page_of, provider_of, web_url
from newsextract.page.urls.clean_urls import clean_url
from newsextract.page.urls.registrable_domains import same_owner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from newsextract.page.blocks import Block, Outline

_NAMED_SO = re.compile(r"embed|tweet|instagram|tiktok|twitter|toot(?!er|l)|skeet", re.IGNORECASE)
"""Classes of the quotes that are meant to become posts."""
_ADDRESS_NAMES = re.compile(r"permalink|^data-(?:[\w-]+-)?(?:href|url)$")
"""Attributes that hold the URL of a post for a script."""
_SCRIPT = re.compile(r"embed|widget", re.IGNORECASE)
_SIGNATURE = re.compile(r"^\s*[—–―-]{1,2}\s*(?=\S)")
_HANDLE = re.compile(r"\(\s*(@[\w.-]{1,60}(?:@[\w.-]{1,60})?)\s*\)")
_IN_PATH = re.compile(r"/(@[\w.-]{1,60})(?=/)|/(?!i/)([\w.-]{1,60})/status(?:es)?/\d")
_MAX_LINKS, _MAX_BLOCKS = 40, 60
"""Read of one post: those of a whole thread are fewer."""
_MAX_TEXT_CHARS, _MAX_AUTHOR_CHARS = 5_000, 120
_MAX_ATTRIBUTES = 50


@dataclass(frozen=True, slots=True)
class _Link:
    url: str
    text: str


class Posts:
    """The embedded posts of a page."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.anchors = outline.tagged("a")

    def read(self, element: int) -> Embed | None:
        """Return the post that a quote embeds, or `None` if the quote is no embedded post; `datePublished` is raw."""
        quote, base = self.outline.elements[element], self.outline.base_url
        is_named = _NAMED_SO.search(names_of(quote)) is not None
        stated = _stated(quote, base)
        cited = stated or web_url(base, quote.get("cite", ""))
        script = _script_behind(quote)
        if not (is_named or stated or script):
            return None
        links = self._links(element)
        url = cited or _own_link(links, base)
        if url is None or same_owner(url, base or ""):
            return None
        is_scripted = script is not None and (same_owner(script, url) or _SCRIPT.search(script) is not None)
        return self._post(element, clean_url(url) or url, links) if is_named or stated or is_scripted else None

    def _links(self, element: int) -> Sequence[_Link]:
        first = bisect_left(self.anchors, element)
        stop = bisect_left(self.anchors, self.outline.stops[element], first)
        found = []
        for anchor in self.anchors[max(first, stop - _MAX_LINKS) : stop]:
            url = web_url(self.outline.base_url, self.outline.elements[anchor].get("href", ""))
            if url:
                start, end = self.outline.runs_of(anchor)
                found.append(_Link(url, " ".join("".join(self.outline.runs[start : min(end, start + 20)]).split())))
        return found

    def _post(self, element: int, url: str, links: Sequence[_Link]) -> Embed:
        blocks = list(self._blocks(element))
        signed = next((block for block in reversed(blocks) if _SIGNATURE.match(block.text)), None)
        own = [link for link in links if clean_url(link.url) == url]
        date = own[-1].text if own else None
        author = _signature(signed.text, date) if signed else None
        handle = next((found[1] for block in reversed(blocks) if (found := _HANDLE.search(block.text))), None)
        named = (link.text for link in links if link.text.startswith(("@", "u/")) and " " not in link.text)
        author = author or handle or next(named, None) or author_in(url)
        said = [block.text for block in blocks if block is not signed and block.link_density < 1]
        text = "\n".join(line for line in said if not (handle and handle in line))[:_MAX_TEXT_CHARS]
        return Embed(url, provider_of(url), author[:_MAX_AUTHOR_CHARS] if author else None, date, text or None)

    def _blocks(self, element: int) -> Iterator[Block]:
        start, stop = self.outline.runs_of(element)
        first, last = self.outline.table.starts.searchsorted((start, stop)).tolist()
        yield from self.outline.blocks_at(range(first, min(last, first + _MAX_BLOCKS)))


def _stated(quote: HtmlElement, base: str | None) -> str | None:
    """Return the URL that an attribute for scripts has, of the quote or of the element that wraps it."""
    parent = quote.getparent()
    named = [(str(name), str(value)) for name, value in islice(quote.attrib.items(), _MAX_ATTRIBUTES)]
    wrapping = [("data-href", parent.get("data-href", ""))] if parent is not None else []
    urls = (web_url(base, value) for name, value in (*named, *wrapping) if _ADDRESS_NAMES.search(name))
    return next((page_of(url) for url in urls if url), None)


def _own_link(links: Sequence[_Link], base: str | None) -> str | None:
    """Return the link of the post: on the site of the last link that leads away, the one with the deepest path."""
    away = [link.url for link in links if not same_owner(link.url, base or "")]
    if not away:
        return None
    same = [url for url in away if same_owner(url, away[-1])]
    return max(reversed(same), key=lambda url: urlsplit(url).path.rstrip("/").count("/"))


def author_in(url: str) -> str | None:
    """Return the account that a URL of a post names, or `None`.

    >>> author_in("https://social.example/@anna/12345"), author_in("https://social.example/anna/status/12345")
    ('@anna', '@anna')
    """
    found = _IN_PATH.search(url)
    return (found[1] or f"@{found[2]}") if found else None


def _script_behind(quote: HtmlElement) -> str | None:
    """Return the URL of the script directly behind a quote, alone in a paragraph or not."""
    following = quote.getnext()
    if following is not None and following.tag == "p" and len(following) == 1:
        following = following[0]
    is_script = following is not None and following.tag == "script"
    return web_url("https:", following.get("src", "")) if is_script and following is not None else None


def _signature(text: str, date: str | None) -> str | None:
    """Return the author of a signature with its date.

    >>> _signature("— Anna (@anna) June 3, 2020", "June 3, 2020")
    'Anna (@anna)'
    """
    author = _SIGNATURE.sub("", text)
    if date:
        author = author.removesuffix(date)
    return author.strip(" ,|·") or None
