"""Other versions of a page that it links: AMP, and one for printing. They often have the text where the page has none.

AMP pages name their original by `rel=canonical`, and originals name them by `rel=amphtml`: "Make your pages
discoverable", amp.dev. For print there is only HTML's `rel=alternate media=print`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.page.urls import clean_url, same_owner, url_key
from newsextract.reading.notices import NoArticle, Notice, NoticeCode, PageState
from newsextract.reading.pagination import PageLinks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from newsextract.page.page import Page

_MOST = 200
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
    links = PageLinks.of_tree(page.tree).links[:_MOST]
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
