"""What the sources of metadata share: the page and clues to what it is about, their findings, and refusals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeAlias

from newsextract.article import Article, Author, Breadcrumb, LiveUpdate, UsageRights
from newsextract.article_parts import Audio, Video
from newsextract.page.lazy import cached_property
from newsextract.page.outline import names_of
from newsextract.reading.metadata.chinese_names import Credits, read_credits
from newsextract.reading.metadata.comparing import (
    RAW_RATIO,
    absolute,
    agrees,
    fold,
    is_home,
    is_same_page,
    visible_text,
)
from newsextract.reading.metadata.json_ld import read_scripts, text_of, types_of
from newsextract.reading.metadata.titles import (
    Heading,
    best_heading,
    heading_text,
    places_near,
    site_keys,
    start_of_story,
    without_affixes,
)
from newsextract.reading.metadata.written_dates import is_day_first, is_foreign

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.html import HtmlElement

    from newsextract.page.page import Page
    from newsextract.reading.metadata.json_ld import Graph
    from newsextract.reading.notices import Notice


# The values of metadata reading: what a source finds, a check's refusal, and the merged result.
#
# Sources only find raw candidates for each field, the best first. The checks named in `precedence` decide which of
# them are usable, whatever their source.

Raw: TypeAlias = (
    str
    | tuple[str, ...]
    | tuple[Author, ...]
    | tuple[Breadcrumb, ...]
    | tuple[LiveUpdate, ...]
    | tuple[Video | Audio, ...]
    | tuple[UsageRights, ...]
)
"""A candidate as the page writes it: one text, or a tuple of texts, authors, breadcrumbs, entries, videos or rights."""

# ruff: noqa: N815 - fields are named like the article's.


@dataclass(frozen=True, slots=True)
class Findings:
    """What one source says about one page."""

    candidates: Mapping[str, Sequence[Raw]] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()
    types: frozenset[str] = frozenset()
    """The schema.org types seen on the page."""
    confidence: float | None = None
    """From 0 to 1 if the source guesses; `None` if it reads."""


Source: TypeAlias = Callable[["Clues"], Findings]


@dataclass(frozen=True, slots=True)
class Refused:
    """A candidate that is not usable, with the reason; `None` if it does not deserve a warning."""

    reason: Notice | None = None


Check: TypeAlias = Callable[[Raw, "Clues"], object]
"""A function from a candidate to its value, or to a `Refused`."""

Weigher: TypeAlias = Callable[[Iterable[tuple[str, Raw, object]]], Iterator[tuple[str, Raw, object]]]
"""A function over the (source, candidate, value or refusal) of all sources of a field; the first value wins."""


@dataclass
class Metadata(Article):
    """An article with only its metadata filled in, and what helps to judge the kind of page."""

    url: str | None = None
    languageConfidence: float | None = None
    """From 0 to 1 if the language was detected, else `None`."""
    schemaTypes: frozenset[str] = frozenset()
    """The schema.org types that the page's JSON-LD declares: a hint of the kind of page."""
    ogType: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    """The source of each filled field; several, joined by commas, if they complete one another."""
    warnings: tuple[Notice, ...] = ()
    """What was refused or could not be read, and why."""


# Tell elements in the page's margins (asides, footers, teasers, comments) from those of the article.

_TAGS = frozenset(("aside", "nav", "footer"))
_NAMES = re.compile(
    r"related|recommend|teaser|sidebar|widget|comment|reply|popular|trending|latest|most-?read|carousel|promo"
    r"|more-|newsletter|navbar|prev-|next-|card",
    re.IGNORECASE,
)
"""Class names of teasers and of readers' comments."""

PAGE_TAGS = frozenset(("html", "head", "body", "main"))
"""Elements that also hold the article: their classes name page options, not their content."""

_MAX_LEVELS = 15
"""Ancestors looked at: a margin has fewer wrappers inside it than this."""


def is_in_margin(el: HtmlElement) -> bool:
    """Return whether the element is in an aside, a footer, a teaser or a comment."""
    for _, above in zip(range(_MAX_LEVELS), el.iterancestors(), strict=False):
        tag = above.tag
        if tag in _TAGS:
            # An article's footer belongs to it; the page's footer belongs to the site.
            return not (tag == "footer" and next(above.iterancestors("article"), None) is not None)
        if tag not in PAGE_TAGS and _is_marginal(names_of(above)):
            return True
    return False


@lru_cache(maxsize=1_024)  # elements of a page share ancestors, pages of a site share class names
def _is_marginal(names: str) -> bool:
    return _NAMES.search(names) is not None


# What several sources share: one scan of the tree, and clues to what the page is about.

_SCANNED_TAGS = ("script", "meta", "link", "title", "h1", "time", "nav", "ol", "ul", "a")
_MAX_META = 1_000
"""Tags read at most: more are generated in bulk, and the article's come first."""
_MAX_META_CHARS, _MAX_CONTENT_CHARS = 1_000_000, 20_000
"""Characters read of all meta tags, and of one."""
_MAX_SAME = 100
"""Meta tags read for one name: images or keywords repeat it."""
_MAX_TITLE_CHARS = 500
"""Longer titles and headings are cut: they are texts."""
_MAX_TITLES = 5
"""Titles read from one meta tag: the first are the page's own."""
_MAX_HEADINGS = 50
"""First-level headings looked at: a page has one, a list of articles one for each article."""
_MAX_LINK_ELEMENTS = 200
"""Elements searched for a heading's link."""
_MAX_SITE_NAMES = 50
_MAX_ADDRESSES = 5
"""URLs read from one meta tag or link."""
_MAX_REL_CHARS = 100
_CHINESE = re.compile(r"(?!.*[\u3040-\u30ff\uac00-\ud7af])(?:[^\u3400-\u9fff]*[\u3400-\u9fff]){4}", re.DOTALL)
"""What a title in Chinese is like: neither kana nor hangul, and not just one foreign word."""
_SITE_NAMES = ("og:site_name", "application-name", "apple-mobile-web-app-title", "twitter:site", "publisher")
_SITES = frozenset(("WebSite", "NewsMediaOrganization"))


class Clues:
    """A page, and what sources share about it; each clue is computed on first use."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @cached_property
    def numbers(self) -> Mapping[str, Sequence[int]]:
        """The numbers of the elements of the scanned tags, in page order."""
        return {tag: self.page.outline.tagged(tag) for tag in _SCANNED_TAGS}

    @cached_property
    def elements(self) -> Mapping[str, Sequence[HtmlElement]]:
        """The elements of the scanned tags, in page order."""
        elements = self.page.outline.elements
        return {tag: [elements[number] for number in numbers] for tag, numbers in self.numbers.items()}

    @cached_property
    def meta(self) -> Mapping[str, Sequence[str]]:
        """The non-blank contents of the meta tags by lower-cased name; links under `link:` and their `rel`."""
        found: dict[str, list[str]] = {}
        for name, content in chain(self._named_contents(), self._links()):
            same = found.setdefault(name, [])
            if len(same) < _MAX_SAME:
                same.append(content)
        if lang := (self.page.tree.get("lang") or self.page.tree.get("xml:lang") or "").strip():
            found["html:lang"] = [lang]
        return found

    def _named_contents(self) -> Iterator[tuple[str, str]]:
        remaining = _MAX_META_CHARS
        for el in self.elements["meta"][:_MAX_META]:
            content = (el.get("content") or el.get("value") or "")[:_MAX_CONTENT_CHARS]
            name = el.get("property") or el.get("name") or el.get("itemprop") or el.get("http-equiv")
            if content and name and not content.isspace() and remaining > 0:
                yield name.strip().lower(), content
                remaining -= len(content)

    def _links(self) -> Iterator[tuple[str, str]]:
        for el in self.elements["link"][:_MAX_META]:
            if href := el.get("href", "").strip():
                for rel in el.get("rel", "")[:_MAX_REL_CHARS].lower().split():
                    yield f"link:{rel}", href

    @cached_property
    def title(self) -> str:
        """The text of `<title>`, or an empty string."""
        titles = (visible_text(el, _MAX_TITLE_CHARS) for el in self.elements["title"][:_MAX_HEADINGS])
        return next(filter(None, titles), "")[:_MAX_TITLE_CHARS]

    @cached_property
    def linked_data(self) -> Graph:
        """The page's JSON-LD."""
        return read_scripts(self.elements["script"])

    @cached_property
    def site_keys(self) -> frozenset[str]:
        """The names of the site, to compare with parts of titles."""
        publishers = (
            text_of(node.get("publisher") if "publisher" in node else node.get("name"), "name") or ""
            for node in self.linked_data.nodes
            if "publisher" in node or types_of(node) & _SITES
        )
        stated = (name for tag in _SITE_NAMES for name in self.meta.get(tag, ()))
        names = filter(None, chain(stated, publishers, self._feed_titles))
        first = (fold(name[:_MAX_TITLE_CHARS]) for name in islice(names, _MAX_SITE_NAMES))
        return site_keys(first, self.page.url)

    @property
    def _feed_titles(self) -> Iterator[str]:
        """The site's name in the titles of its feeds: "The Daily Plain » Comments"."""
        for el in self.elements["link"][:_MAX_META]:
            if el.get("title") and "xml" in el.get("type", ""):
                name, separator, _ = fold(el.get("title", "")[:_MAX_TITLE_CHARS]).partition(" » ")
                if separator:
                    yield name

    def bare(self, title: str) -> str:
        """Return a title without the name of the site."""
        return without_affixes(title, self.site_keys)

    @cached_property
    def language(self) -> str | None:
        """The language that the page declares, as an ISO 639 code; dates are read in it."""
        tags = (tag for name in ("html:lang", "content-language", "og:locale") for tag in self.meta.get(name, ()))
        codes = (tag.strip().lower().replace("_", "-").partition("-")[0] for tag in tags)
        return next((code for code in codes if code and code != "utf"), None)  # some state "utf-8"

    @cached_property
    def credits(self) -> Credits | None:
        """Who is named in the credits of a Chinese page, or `None` for a page in another language."""
        if self.language not in ("zh", "en", None) or not _CHINESE.match(self.title):
            return None
        return read_credits(self.page.outline.table.texts)

    @cached_property
    def date_language(self) -> str | None:
        """The language whose months the page's dates name, or `None` for any widespread one.

        English is the default of many templates: letters in the title that it does not use refute it.
        """
        if self.language not in ("en", None) or not is_foreign(self.title):
            return self.language
        from newsextract.reading.metadata.language import detect, running_text  # noqa: PLC0415 - it imports us

        text = running_text(self)
        found = detect(text) or detect(f"{self.title} {text}")
        return found[0] if found else None

    @cached_property
    def is_day_first(self) -> bool:
        """Whether 4/5/2023 means the fourth of May on this page."""
        return is_day_first(self)

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The texts of the first-level headings, except those that name the site."""
        return tuple(text for _, text in self._headings)

    @cached_property
    def _headings(self) -> Sequence[tuple[int, str]]:
        names = {fold(name[:_MAX_TITLE_CHARS]) for name in self.meta.get("og:site_name", ())[:_MAX_SITE_NAMES]}
        first = zip(self.numbers["h1"], self.elements["h1"][:_MAX_HEADINGS], strict=False)
        own = ((number, heading_text(el, _MAX_TITLE_CHARS)) for number, el in first if not self._leads_home(el))
        return [(number, text) for number, text in own if text and text not in names]

    @cached_property
    def heading(self) -> Heading | None:
        """The visible headline with its place, or `None`: the heading that `og:title` or `<title>` confirms."""
        stated = [self.bare(title) for title in (*self.titles_in("og:title"), self.title) if title]
        return best_heading(self.page.outline, self._headings, stated)

    @cached_property
    def near_heading(self) -> Sequence[tuple[int, str]]:
        """The headline's text and those around it, each after its distance in blocks, the nearest first."""
        texts = self.page.outline.table.texts
        own = [(0, " ".join(texts[self.heading.first : self.heading.stop]))] if self.heading else []
        return [*own, *((distance, texts[number]) for distance, number in self.places_near)]

    @cached_property
    def places_near(self) -> Sequence[tuple[int, int]]:
        """The numbers of the blocks around the headline, each after its distance, the nearest first.

        Where no headline is found, these are the blocks around the beginning of the story.
        """
        place = self.heading or start_of_story(self.page.outline)
        return places_near(self.page.outline, place) if place else ()

    @cached_property
    def classed(self) -> Sequence[tuple[HtmlElement, str]]:
        """The elements with a class, and their classes; without `PAGE_TAGS`, whose classes name page options."""
        outline = self.page.outline
        placed = zip(outline.elements, outline.tags, strict=True)
        return [(el, names) for el, tag in placed if (names := el.get("class")) and tag not in PAGE_TAGS]

    def _leads_home(self, el: HtmlElement) -> bool:
        """Return whether a heading holds, or is inside, a link to the home page: then it is a logo."""
        link = next((inner for inner in islice(el.iter(), _MAX_LINK_ELEMENTS) if inner.tag == "a"), None)
        link = next(el.iterancestors("a"), None) if link is None else link
        url = None if link is None else absolute(link.get("href", ""), self.page.base_url)
        own = self.page.url
        return url is not None and is_home(url) and not (own and is_same_page(url, own))

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """All titles and headings of the page outside structured data."""
        stated = (*self.titles_in("og:title"), *self.titles_in("twitter:title"))
        return tuple(dict.fromkeys(filter(None, (*stated, self.title, *self.headings))))

    def titles_in(self, name: str) -> Sequence[str]:
        """Return the folded contents of the first meta tags of a name."""
        raw = self.meta.get(name, ())[:_MAX_TITLES]
        return [fold(title[: RAW_RATIO * _MAX_TITLE_CHARS])[:_MAX_TITLE_CHARS] for title in raw]

    @cached_property
    def addresses(self) -> tuple[str, ...]:
        """The page's own URLs: the fetched one, the canonical one and `og:url`."""
        stated = (url for name in ("link:canonical", "og:url") for url in self.meta.get(name, ())[:_MAX_ADDRESSES])
        found = (absolute(url, self.page.base_url) for url in (self.page.url or "", *stated))
        return tuple(dict.fromkeys(filter(None, found)))

    def is_own_address(self, url: str) -> bool:
        """Return whether a URL is one of the page's own."""
        return any(is_same_page(url, own) for own in self.addresses)

    def is_headline(self, text: str) -> bool:
        """Return whether the text agrees with one of the page's own titles."""
        return any(text == title or agrees(text, title) for title in self.titles)
