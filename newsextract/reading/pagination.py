"""The other pages of one article: its next page by the URL, versions that it links, and how their texts are joined."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Self

from newsextract.page.lazy import cached_property
from newsextract.page.rendering import renderer
from newsextract.page.text import words
from newsextract.page.urls import clean_url, page_number, same_owner, url_key
from newsextract.reading.extraction.contract import Extraction
from newsextract.reading.notices import NoArticle, Notice, NoticeCode, PageState
from newsextract.reading.rules import ruled_next_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement

    from newsextract.page.blocks import Block
    from newsextract.page.page import Page
    from newsextract.page.rendering.document import BodyContent
    from newsextract.reading.extraction.contract import Extractor
    from newsextract.reading.rules import SiteRules


# Find the next page of an article with several pages, by its URL.
#
# `rel=next` also leads from a section to its second page, from one article to the next, and from picture to picture.
# The URLs of one article's pages differ only in a page number: `/2`, `/seite-2`, `-2.html`, `_2.html` or `?page=2`.

_NUMBERED = re.compile(r"(?:\w+ )?(\d{1,3})", re.UNICODE)
"""The text of a link in a pagination: `2`, `Page 2`."""

_MOST = 1_000
"""Links of each kind that are looked at: articles declare one next page, and link to it two or three times."""

_MOST_AROUND = 50
"""Elements around a link whose names are looked at."""

_OTHER_TEXTS = re.compile(r"comment|kommentar|reply|replies|gallery", re.IGNORECASE)
"""Names of parts below an article that have pages of their own."""


def next_page(tree: HtmlElement, base_url: str, url: str, first: str) -> str | None:
    """Return the URL of the next page of the article that begins at `first`, or `None` after the last.

    `rel=next` is believed when it leads to the next number, or to `1` from a first page without a number: some count
    from 0. Links are believed when their text is the next number too.
    """
    number = page_number(url, first)
    wanted = {1, 2} if number is None else {number + 1}
    anchors = tuple(tree.iter("a"))
    for href in islice(_declared((*tree.iter("link"), *anchors)), _MOST):
        found = clean_url(href, base_url)
        if found and page_number(found, first) in wanted and found != clean_url(url):
            return found
    after = max(wanted)
    links = (clean_url(href, base_url) for href in islice(_numbered(anchors, after), _MOST))
    return next((link for link in links if link and page_number(link, first) == after), None)


def first_page(tree: HtmlElement, base_url: str, url: str) -> str | None:
    """Return the URL of the article of which this is a later page by its canonical link, or `None`."""
    hrefs = (el.get("href", "") for el in tree.iter("link") if "canonical" in el.get("rel", "").lower().split())
    canonical = clean_url(next(hrefs, ""), base_url)
    number = page_number(url, canonical) if canonical else None
    return canonical if (number or 0) > 1 else None


def _declared(links: Iterable[HtmlElement]) -> Iterator[str]:
    for el in links:
        rel = el.get("rel")
        if rel and "next" in rel.lower().split() and (href := el.get("href", "").strip()):
            yield href


def _numbered(anchors: Iterable[HtmlElement], number: int) -> Iterator[str]:
    digits = str(number)
    for el in anchors:
        href = el.get("href", "")
        text = el.text or ""
        if digits not in href or (digits not in text and text.isascii() and not len(el)):
            continue
        shown = _NUMBERED.fullmatch(" ".join(_text_of_link(el).split()))
        if shown and int(shown[1]) == number and not _is_in_other_text(el):
            yield href.strip()


def _text_of_link(el: HtmlElement) -> str:
    if not len(el):
        return el.text or ""
    if next(el.iterdescendants("a"), None) is not None:
        return ""  # links nest in broken pages only, and to read each with all inside it would take for ever
    return "".join(map(str, el.itertext("*")))


def _is_in_other_text(el: HtmlElement) -> bool:
    """Return whether the element, or one around it, is named after what has pages of its own."""
    around = (el, *islice(el.iterancestors(), _MOST_AROUND))
    return any(_OTHER_TEXTS.search(f"{each.get('id', '')} {each.get('class', '')}") for each in around)


# Join the pages of one article into one extraction: their blocks in order, without what a further page repeats.

MIN_REPEAT_CHARS = 30
"""A repeated body text of at least this length is a standfirst or a box; shorter ones, such as questions of an
interview or names of its speakers, may well occur twice."""

MIN_SHARE_OF_FIRST = 0.8
"""Share of the first page's words that all of the article on one page has at least; the others were around the text."""


@dataclass(frozen=True, repr=False)
class JoinedExtraction(Extraction):
    """The extraction of several pages; as doubtful as the most doubtful of them."""

    pages: tuple[Extraction, ...] = ()

    def showing(self, content: BodyContent) -> Self:
        """Return the same extraction with no more tables, links and images than these."""
        pages = tuple(page.showing(content) for page in self.pages)
        blocks = tuple(block for page in pages for block in page.blocks)
        return replace(self, blocks=blocks, content=content, pages=pages)

    @cached_property
    def html(self) -> str:
        """The pages in order; images without a caption, videos and embeds of an earlier page are left out."""
        shown: set[str] = set()
        written = []
        for page in self.pages:
            found = page.illustrations
            written.append(renderer.html(page.blocks, shown, self.content, found))
            shown.update(picture.url for picture in found.images)
            shown.update(medium.item.url for medium in found.media)
        return "".join(written)

    @property
    def by_page(self) -> tuple[Extraction, ...]:
        """The extraction of each page."""
        return self.pages

    @cached_property
    def markdown(self) -> str:
        """The pages in order."""
        return "\n\n".join(page.markdown for page in self.pages)

    @cached_property
    def confidence(self) -> float:
        """The lowest confidence of the pages."""
        return min((page.confidence for page in self.pages), default=0.0)


def join_pages(page: Page, extraction: Extraction, extractor: Extractor, rules: SiteRules | None = None) -> Extraction:
    """Return the joined extraction of a page and its further pages, or `extraction` if it has none."""
    if page.continued and page.continued[0].hints.is_single_page:
        return _single(extraction, page.continued[0], extractor)
    warnings = list(_unjoined(page, rules))
    if not page.continued:
        return replace(extraction, warnings=(*extraction.warnings, *warnings)) if warnings else extraction
    earlier, found = _Earlier(), [extraction]
    earlier.note(page, extraction)
    for number, further in enumerate(page.continued, start=2):
        its = extractor.extract(further)
        found.append(replace(its, blocks=tuple(block for block in its.blocks if not earlier.has(block))))
        earlier.note(further, its)
        if not found[-1]:
            warnings.append(Notice(NoticeCode.NOTHING_NEW, page=number))
    kept = tuple(filter(None, found))
    return JoinedExtraction(
        extractor=extraction.extractor,
        blocks=tuple(block for each in kept for block in each.blocks),
        estimate=min((each.estimate for each in kept if each.estimate is not None), default=None),
        sources=extraction.sources,
        warnings=tuple(dict.fromkeys([*(warning for each in found for warning in each.warnings), *warnings])),
        pages=kept,
    )


def _single(extraction: Extraction, single: Page, extractor: Extractor) -> Extraction:
    """Return what the page with all of an article has; what the first has, `extraction`, if it is of another text."""
    found = extractor.extract(single)
    first, whole = (Counter(words(some.text)) for some in (extraction, found))
    if not found or (first & whole).total() < MIN_SHARE_OF_FIRST * first.total():
        notice = Notice(NoticeCode.RULE_NOT_WHOLE, url=single.url)
        return replace(extraction, warnings=(*extraction.warnings, notice))
    return replace(found, warnings=tuple(dict.fromkeys((*extraction.warnings, *found.warnings))))


def _unjoined(page: Page, rules: SiteRules | None) -> Iterator[Notice]:
    """Yield a warning if the last page links to a further one that was not fetched."""
    last = (page, *page.continued)[-1]
    if page.url and last.url:
        found = next_page(last.tree, last.base_url or "", last.url, page.url)
        if url := ruled_next_page(last, page.url, rules, found):
            yield Notice(NoticeCode.NOT_JOINED, url=url)


class _Earlier:
    """The texts of earlier pages."""

    def __init__(self) -> None:
        self.kept: set[str] = set()
        self.around: set[str] = set()

    def note(self, page: Page, extraction: Extraction) -> None:
        """Add the texts of a page: those of the body, and those around it that are not links, headline included."""
        texts = {block.text for block in extraction.blocks if block.tag != "h1"}
        self.kept |= texts
        # Without links: a table of contents on the first page contains the headings of the others.
        self.around |= {block.text for block in page.blocks if block.link_density < 0.5} - texts

    def has(self, block: Block) -> bool:
        """Return whether the block repeats a text of an earlier page."""
        return block.text in self.around or (block.text in self.kept and len(block.text) >= MIN_REPEAT_CHARS)


# Other versions of a page that it links: AMP, and one for printing. They often have the text where the page has none.
#
# AMP pages name their original by `rel=canonical`, and originals name them by `rel=amphtml`: "Make your pages
# discoverable", amp.dev. For print there is only HTML's `rel=alternate media=print`.

_MOST_LINKED = 200
"""Elements `link` that are looked at."""


@dataclass(frozen=True, slots=True)
class LinkedVersions:
    """The versions that a page links."""

    addresses: tuple[str, ...]
    """On hosts of the page's owner, the most promising first; at most one of each kind."""
    originals: tuple[str, ...]
    """What these versions may call their original: keys of the page's address and of its canonical one."""


def linked_versions(page: Page) -> LinkedVersions:
    """Return the versions that a page links, without itself."""
    url, base = page.url or "", page.base_url or ""
    links = islice(page.tree.iter("link"), _MOST_LINKED)
    found: dict[str, str] = {}
    for kind, href in (named for el in links for named in _named(el)):
        address = clean_url(href, base)
        if address and same_owner(address, url):
            found.setdefault(kind, address)
    own = {url_key(address): None for address in (url, found.get("canonical")) if address}
    others = {url_key(address): address for kind in ("amp", "print") if (address := found.get(kind))}
    return LinkedVersions(tuple(address for key, address in others.items() if key not in own), tuple(own))


def require_version(page: Page, canonical: str | None) -> None:
    """Raise `NoArticle` if a linked version says by its canonical address that it is one of another page."""
    if page.hints.version_address and canonical and url_key(canonical) not in page.hints.originals:
        raise NoArticle(PageState.OTHER, Notice(NoticeCode.VERSION_OF_ANOTHER, url=canonical))


def _named(link: HtmlElement) -> Iterator[tuple[str, str]]:
    href, rel = (link.get("href") or "").strip(), (link.get("rel") or "").lower().split()
    if href and "amphtml" in rel:
        yield "amp", href
    if href and "canonical" in rel:
        yield "canonical", href
    if href and "alternate" in rel and (link.get("media") or "").strip().lower() == "print":
        yield "print", href
