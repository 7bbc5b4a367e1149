"""What several sources look at: one scan of the tree, and the clues that tell what the page is about."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from newsextract.metadata.addresses import absolute, is_home, is_same_page
from newsextract.metadata.texts import agrees, fold, visible_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.html import HtmlElement

    from newsextract.page import Page

_SCANNED_TAGS = ("script", "meta", "link", "title", "h1", "time", "nav", "ol", "ul")
_MAX_META = 1_000
"""Tags read at most: beyond are generated floods, and the article's come first."""
_MAX_HEADLINE_CHARS = 500
_NAME_ATTRIBUTES = ("property", "name", "itemprop", "http-equiv")


class Clues:
    """A page, and what sources share about it; each clue is found on first use."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @cached_property
    def elements(self) -> Mapping[str, Sequence[HtmlElement]]:
        """The elements of the scanned tags, in the order of the page."""
        found: dict[str, list[HtmlElement]] = {tag: [] for tag in _SCANNED_TAGS}
        for el in self.page.tree.iter(*_SCANNED_TAGS):
            found[str(el.tag)].append(el)
        return found

    @cached_property
    def meta(self) -> Mapping[str, Sequence[str]]:
        """The non-blank contents of the meta tags by lower-cased name, with links as `link:canonical`."""
        found: dict[str, list[str]] = {}
        for el in self.elements["meta"][:_MAX_META]:
            content = el.get("content") or el.get("value")
            name = next(filter(None, map(el.get, _NAME_ATTRIBUTES)), None)
            if content and name and not content.isspace():
                found.setdefault(name.strip().lower(), []).append(content)
        for el in self.elements["link"]:
            if href := el.get("href", "").strip():
                for rel in el.get("rel", "").lower().split():
                    found.setdefault(f"link:{rel}", []).append(href)
        if lang := (self.page.tree.get("lang") or self.page.tree.get("xml:lang") or "").strip():
            found["html:lang"] = [lang]
        return found

    @cached_property
    def title(self) -> str:
        """The text of `<title>`, empty when there is none."""
        titles = (visible_text(el, _MAX_HEADLINE_CHARS) for el in self.elements["title"])
        return next(filter(None, titles), "")

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The texts of the first-level headings, but for those that name the site."""
        site_names = {fold(name) for name in self.meta.get("og:site_name", ())}
        own = (el for el in self.elements["h1"] if not self._leads_home(el))
        texts = (visible_text(el, _MAX_HEADLINE_CHARS) for el in own)
        return tuple(text for text in texts if text and text not in site_names)

    def _leads_home(self, el: HtmlElement) -> bool:
        """Tell whether a heading is, holds or stands in the link to the home page: a logo."""
        link = next(el.iter("a"), None)
        link = next(el.iterancestors("a"), None) if link is None else link
        url = None if link is None else absolute(link.get("href", ""), self.page.base_url)
        own = self.page.url
        return url is not None and is_home(url) and not (own and is_same_page(url, own))

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """Everything the page itself gives for a headline outside structured data."""
        og_titles = [*self.meta.get("og:title", ()), *self.meta.get("twitter:title", ())]
        return tuple(dict.fromkeys(filter(None, (*map(fold, og_titles), self.title, *self.headings))))

    @cached_property
    def addresses(self) -> tuple[str, ...]:
        """The addresses under which the page presents itself."""
        stated = [*self.meta.get("link:canonical", ()), *self.meta.get("og:url", ())]
        found = (absolute(url, self.page.base_url) for url in (self.page.url or "", *stated))
        return tuple(dict.fromkeys(filter(None, found)))

    def is_headline(self, text: str) -> bool:
        """Tell whether the text agrees with one of the page's own titles."""
        return any(text == title or agrees(text, title) for title in self.titles)
