"""A page as it was fetched, and the read-only views of it that all readers share.

A crawl's process makes pages and its workers read them: each view imports what it needs.
"""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from newsextract.page.lazy import cached_property

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from newsextract.page.blocks import Block, Outline, Rule
    from newsextract.page.charset import Decoded


# What is known about a page besides its HTML: from feeds, HTTP headers, and its site's own files.

RIGHTS_HEADERS = ("x-robots-tag", "tdm-reservation", "tdm-policy", "content-usage", "content-signal")
KEPT_HEADERS = (*RIGHTS_HEADERS, "content-language", "link")
"""Headers about rights and language; the others are about the connection."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What a feed or news sitemap, the headers of the response and the site's own files say about a page."""

    title: str | None = None
    """The headline in the feed or news sitemap that led here."""
    date: str | None = None
    """The date of publication there, ISO 8601 with its offset."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """The headers of the response by lower-cased name; repeated ones joined by a comma, as in HTTP."""
    site_rights: Mapping[str, str] = field(default_factory=dict)
    """What the site's `robots.txt` and `tdmrep.json`, by these names, say about the use of this URL, line by line."""
    with_subscription: bool = False
    """Whether the page was fetched with a reader's own subscription, so that others may see less of it."""
    is_rendered: bool = False
    """Whether the HTML is what a browser made of the page."""
    version_address: str | None = None
    """Where the HTML is from, if that is another version of the page, which links it: AMP, or one for printing."""
    originals: tuple[str, ...] = ()
    """The keys of the addresses that such a version may call its original, by `url_key`."""
    is_single_page: bool = False
    """Whether it was fetched as all of an article of which another page is the first."""
    body: tuple[str, ...] = ()
    """The HTML of the elements that a spider has selected as the body."""


@dataclass(frozen=True, slots=True)
class FeedHints(Hints):
    """What a feed's entry says besides, where its text is read instead of a page."""

    modified: str | None = None
    """The date of the last change, ISO 8601."""
    authors: tuple[str, ...] = ()
    """As written."""
    summary: str | None = None
    """Without markup."""
    language: str | None = None
    """The language tag, as written."""
    keywords: tuple[str, ...] = ()
    """The categories."""


def html_of(selection: Any) -> tuple[str, ...]:
    """Return the HTML of a selection: of a parsel selector, a list of them, or of texts; nothing if it is empty."""
    if hasattr(selection, "getall"):
        selection = selection.getall()
    return tuple(filter(None, [selection] if isinstance(selection, str) else selection or ()))


NO_HINTS = Hints()


# ruff: noqa: PLC0415


MAX_BYTES = 20 * 1024 * 1024
"""A page larger than this is a dump, not an article."""

_NOT_HTML = (
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x7fELF", "a program"),
    (b"RIFF", "a media file"),
)
"""First bytes of what servers send as text/html by mistake."""

_SNIFFED_BYTES = 1024
_MAX_NUL_SHARE = 0.1
_CONTROLS = re.compile(rb"[\x01-\x08\x0b\x10-\x1a\x1c-\x1f]")
"""Bytes that no text has, by WHATWG's MIME sniffing; shifts to other charsets left out."""
_MAX_CONTROLS = 30
"""Such bytes among those that are sniffed; of random bytes a tenth are such."""


class PageError(ValueError):
    """A page that cannot be read; `reason` is a short phrase, the same for every page of its kind."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail

    def __reduce__(self) -> tuple[type[PageError], tuple[str, str]]:
        return type(self), (self.reason, self.detail)  # so that another process can raise it again


class NotHtml(PageError):  # noqa: N818 - the base class says that it is an error
    """The bytes are not HTML."""


class TooLarge(PageError):  # noqa: N818 - the base class says that it is an error
    """The page has more bytes than allowed."""


class Page:
    """A fetched page: its URL, its HTML, and what is derived from them, each computed on first use.

    Nobody edits `tree`. `html` is text, or the bytes of the response, whose charset is then found from the byte-order
    mark, `charset` (what the HTTP header said), `meta` and the bytes themselves, in this order. `extractor` names the
    one to read this page with, if it is not the crawl's. `continued` are the further pages of the article that begins
    here, in order.

    Raises:
        TypeError: `html` is neither text nor bytes, or `url` is not text.
        NotHtml: the bytes are a PDF, an image or another binary file.
        TooLarge: there are more than `max_bytes` of them (characters, for text).
    """

    def __init__(  # noqa: PLR0913 - all but the first two are rare, and by name
        self,
        html: str | bytes,
        url: str | None = None,
        *,
        charset: str | None = None,
        max_bytes: int = MAX_BYTES,
        extractor: str | None = None,
        hints: Hints = NO_HINTS,
        continued: tuple[Page, ...] = (),
    ) -> None:
        if not isinstance(html, str | bytes):
            raise TypeError(f"html is the text or the bytes of a page, not {_kind(html)}")
        if not isinstance(url, str | None):
            raise TypeError(f"url is the address of the page as text, or None, not {_kind(url)}")
        if len(html) > max_bytes:
            raise TooLarge("too large", f"{len(html):,} bytes, at most {max_bytes:,} are read")
        if isinstance(html, bytes):
            _refuse_binary(html, charset)
        self.html = html
        self.url = url
        self.extractor = extractor
        self.hints = hints
        self.continued = continued
        self._http_charset = charset
        self._max_bytes = max_bytes

    def __repr__(self) -> str:
        unit = "characters" if isinstance(self.html, str) else "bytes"
        return f"<Page {self.url or 'without url'}: {len(self.html):,} {unit}>"

    def __copy__(self) -> Page:
        view = object.__new__(type(self))
        view.__dict__.update(self.__dict__)
        return view

    def __reduce__(self) -> tuple[Any, ...]:
        # Trees cannot be pickled: another process gets what the page was made from, and derives the rest.
        return partial(Page, continued=self.continued, **self.arguments), (self.html,)

    @property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments that the page was made with, without its HTML and its further pages."""
        return {
            "url": self.url,
            "charset": self._http_charset,
            "max_bytes": self._max_bytes,
            "extractor": self.extractor,
            "hints": self.hints,
        }

    @cached_property
    def decoded(self) -> Decoded:
        """The text of the page, with its charset and what named that charset."""
        from newsextract.page.charset import Decoded, decode

        if isinstance(self.html, str):
            return Decoded(self.html.removeprefix("\ufeff"), "unicode", "text")
        return decode(self.html, self._http_charset)

    @cached_property
    def elements(self) -> list[HtmlElement]:
        """The elements of the parsed page without its dialogs, in its order; read-only by agreement."""
        from newsextract.page.dialogs import remove_dialogs

        tree = self._parsed()
        elements = list(tree.iter())  # while lxml's objects live, every other search finds them made
        return list(tree.iter()) if remove_dialogs(tree) else elements

    @property
    def tree(self) -> HtmlElement:
        """The root of the elements, an `html` element; read-only by agreement."""
        return self.elements[0]

    def has_dialogs(self) -> bool:
        """Tell whether dialogs were left out; this parses the page again, and is asked where nothing else was found."""
        from newsextract.page.dialogs import remove_dialogs

        return remove_dialogs(self._parsed())

    def _parsed(self) -> HtmlElement:
        from newsextract.page.parsing import parse

        decoded = self.decoded
        return parse(decoded.text if decoded.utf8 is None else decoded.utf8)

    @cached_property
    def base_url(self) -> str | None:
        """The URL that relative links resolve against: `<base href>`, else that of the HTML."""
        from newsextract.page.links import absolute_url

        own = self.hints.version_address or self.url
        for base in self.tree.iter("base"):
            if href := (base.get("href") or "").strip():
                return absolute_url(own, href) or own
        return own

    @cached_property
    def outline(self) -> Outline:
        """The elements and runs of text in document order, as parallel arrays."""
        from newsextract.page.blocks import segment

        return segment(self.elements, self.base_url)

    def take_views(self, other: Page) -> None:
        """Reuse what was derived from another page of the same HTML, URL and charset."""
        for name in ("decoded", "elements", "base_url", "outline"):
            if name in other.__dict__:
                self.__dict__[name] = other.__dict__[name]

    def masked(self, rule: Rule) -> Page:
        """Return the same page as seen through a mask; this page does not change."""
        from newsextract.page.blocks import mask

        view = copy(self)
        view.__dict__["outline"] = mask(self.outline, rule)
        return view

    def without_blocks(self, gone: NDArray[np.bool_]) -> Page:
        """Return the same page without some of its blocks; the others have their runs, but other numbers."""
        from newsextract.page.blocks import mask_blocks

        view = copy(self)
        view.__dict__["outline"] = mask_blocks(self.outline, gone)
        return view

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The text of the page, as runs that no block-level tag interrupts."""
        return self.outline.blocks


def _kind(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"


def _refuse_binary(body: bytes, charset: str | None) -> None:
    for magic, kind in _NOT_HTML:
        if body.startswith(magic):
            raise NotHtml("not HTML", kind)
    head = body[:_SNIFFED_BYTES]
    is_wide = head[:2] in (b"\xff\xfe", b"\xfe\xff") or (charset or "").lower().startswith(("utf-16", "utf-32"))
    is_binary = head.count(0) > _MAX_NUL_SHARE * len(head) or len(_CONTROLS.findall(head)) > _MAX_CONTROLS
    if is_binary and not is_wide:
        raise NotHtml("not HTML", "binary data")


# Make a page of what a caller hands over, and say what is wrong with it where that is no page.

_ADDRESS = re.compile(r"\s*https?://[^\s<>]+\s*", re.IGNORECASE)
_MAX_ADDRESS_CHARS = 2_000


def as_page(html: str | bytes | Page, url: str | None = None) -> Page:
    """Return a page as it is, or one of its HTML and URL.

    Raises:
        TypeError: `html` is neither of these, or `url` is not text.
        PageError: it is empty, the URL of a page instead of its text, a binary file, or too large.
    """
    if isinstance(html, Page):
        return html
    page = Page(html, url)
    if not html:
        raise PageError("empty", "html has no characters; it is the text or the bytes of a page")
    if isinstance(html, str) and len(html) <= _MAX_ADDRESS_CHARS and _ADDRESS.fullmatch(html):
        raise PageError(
            "not HTML", f"html is the text of a page, not its URL; fetch_article({html.strip()!r}) fetches it"
        )
    return page
