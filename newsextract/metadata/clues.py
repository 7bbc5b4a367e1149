"""What several sources look at: one scan of the tree, and the clues that tell what the page is about."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from newsextract.metadata.addresses import absolute, is_home, is_same_page
from newsextract.metadata.affixes import site_keys, site_names, without_affixes
from newsextract.metadata.heading_text import heading_text
from newsextract.metadata.linked_data import read_scripts
from newsextract.metadata.margins import PAGE_TAGS
from newsextract.metadata.placing import Heading, best_heading, texts_near
from newsextract.metadata.schema_nodes import text_of, types_of
from newsextract.metadata.texts import agrees, fold, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

    from newsextract.metadata.linked_data import LinkedData
    from newsextract.page import Page

_SCANNED_TAGS = ("script", "meta", "link", "title", "h1", "time", "nav", "ol", "ul")
_MAX_META = 1_000
"""Tags read at most: beyond are generated floods, and the article's come first."""
_MAX_HEADLINE_CHARS = 500
_SITES = frozenset(("WebSite", "NewsMediaOrganization"))
_NAME_ATTRIBUTES = ("property", "name", "itemprop", "http-equiv")


class Clues:
    """A page, and what sources share about it; each clue is found on first use."""

    def __init__(self, page: Page, shared_affixes: frozenset[str] = frozenset()) -> None:
        self.page = page
        self.shared_affixes = shared_affixes

    @cached_property
    def elements(self) -> Mapping[str, Sequence[HtmlElement]]:
        """The elements of the scanned tags, in the order of the page."""
        found: dict[str, list[HtmlElement]] = {tag: [] for tag in _SCANNED_TAGS}
        outline = self.page.outline
        for number in [number for number, tag in enumerate(outline.tags) if tag in found]:
            found[outline.tags[number]].append(outline.elements[number])
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
    def linked_data(self) -> LinkedData:
        """The page's JSON-LD."""
        return read_scripts(self.elements["script"])

    @cached_property
    def site_keys(self) -> frozenset[str]:
        """The names of the site, for comparing parts of titles with them."""
        publishers = (
            text_of(node.get("publisher") if "publisher" in node else node.get("name"), "name") or ""
            for node in self.linked_data.graph.nodes
            if "publisher" in node or types_of(node) & _SITES
        )
        names = (*site_names(self.meta), *map(fold, publishers), *self._feed_titles)
        return self.shared_affixes | site_keys(names, self.page.url)

    @property
    def _feed_titles(self) -> Iterator[str]:
        """What the names of the site's feeds begin with: "The Daily Plain » Comments"."""
        for el in self.elements["link"][:_MAX_META]:
            if el.get("title") and "xml" in el.get("type", ""):
                name, separator, _ = fold(el.get("title", "")).partition(" » ")
                if separator:
                    yield name

    def bare(self, title: str) -> str:
        """Return a title without the name of the site."""
        return without_affixes(title, self.site_keys)

    @cached_property
    def language(self) -> str | None:
        """The language that the page declares, as ISO 639 code; months and dates are read in it."""
        tags = (tag for name in ("html:lang", "content-language", "og:locale") for tag in self.meta.get(name, ()))
        tag = next(tags, "").strip().lower()
        return tag.replace("_", "-").partition("-")[0] or None

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The texts of the first-level headings, but for those that name the site."""
        return tuple(text for _, text in self._headings)

    @cached_property
    def _headings(self) -> Sequence[tuple[HtmlElement, str]]:
        names = {fold(name) for name in self.meta.get("og:site_name", ())}
        own = (el for el in self.elements["h1"] if not self._leads_home(el))
        texts = ((el, heading_text(el, _MAX_HEADLINE_CHARS)) for el in own)
        return [(el, text) for el, text in texts if text and text not in names]

    @cached_property
    def heading(self) -> Heading | None:
        """The headline as the reader sees it, with its place: the heading that the page's titles confirm."""
        stated = [self.bare(title) for title in self.stated_titles]
        return best_heading(self.page.outline, self._headings, stated)

    @cached_property
    def near_heading(self) -> Sequence[tuple[int, str]]:
        """The short texts around the headline with their distance to it in blocks, the nearest first."""
        return texts_near(self.page.outline, self.heading) if self.heading else ()

    @cached_property
    def stated_titles(self) -> tuple[str, ...]:
        """What the head of the page gives for a title."""
        return tuple(filter(None, (*map(fold, self.meta.get("og:title", ())), self.title)))

    @cached_property
    def classed(self) -> Sequence[tuple[HtmlElement, str]]:
        """The elements with a class, and their classes; those of the whole page and of its body speak of options."""
        named = ((el, el.get("class")) for el in self.page.outline.elements)
        return [(el, names) for el, names in named if names and el.tag not in PAGE_TAGS]

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
