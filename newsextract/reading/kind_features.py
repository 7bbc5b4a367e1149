"""Compute the features by which the kind of a page is judged: one row of numbers, those of its URL first.

No feature uses the words of the text, so that they work in any language. Words are searched in URLs, with lists for
many languages, and in the names of elements, which are English everywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page import characters as classes
from newsextract.page.characters import read_characters
from newsextract.page.lazy import cached_property
from newsextract.page.links import article_likeness
from newsextract.page.outline import codes_of, translation
from newsextract.page.urls import read_address, split_url
from newsextract.reading.extraction.threads import FORUM_NAMES, FORUM_PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from newsextract.page.blocks import Block, Outline
    from newsextract.page.characters import Characters
    from newsextract.page.outline import Booleans, Integers
    from newsextract.page.page import Page
    from newsextract.page.urls import Kind as AddressKind
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata.clues import Metadata

    Floats = NDArray[np.float64]


# Features from the page's declarations: structured data, OpenGraph, the `<head>`, and metadata.

TYPES = {
    "article": ("Article", "Posting", "Report"),
    "list": ("CollectionPage", "ItemList", "SearchResultsPage", "ProfilePage"),
    "product": ("Product", "Offer", "AggregateRating"),
    "forum": ("DiscussionForumPosting", "QAPage", "Question", "Answer", "Comment"),
    "guide": ("HowTo", "FAQPage", "Recipe", "TechArticle"),
    "house": ("LocalBusiness", "Service", "AboutPage", "ContactPage", "PostalAddress"),
    "event": ("Event", "Place", "Course", "JobPosting", "SoftwareApplication", "Book"),
    "page": ("WebPage", "ItemPage"),
    "site": ("WebSite", "SearchAction"),
    "person": ("Person",),
}
"""Groups of schema.org types, by the end of their names."""

OG_TYPES = {
    "article": ("article", "news", "blog"),
    "website": ("website", "page"),
    "product": ("product", "og:product", "store"),
}

GENERATORS = {
    "manual": ("sphinx", "docusaurus", "mkdocs", "gitbook", "javadoc", "doxygen", "mediawiki"),
    "forum": FORUM_PROGRAMS,
    "shop": ("shopify", "woocommerce", "magento", "prestashop", "opencart"),
    "press": ("wordpress", "drupal", "ghost", "blogger", "movable type", "joomla"),
}
"""Programs that mostly make one kind of page."""

_STATED = {
    "article:published_time": "time", "article:section": "section", "article:tag": "keywords",
    "article:author": "author", "author": "author", "product:price:amount": "price", "og:price:amount": "price",
    "news_keywords": "keywords", "keywords": "keywords",
}  # fmt: skip
_LINKED = {
    "next": "next", "prev": "next", "amphtml": "amp", "shortlink": "short", "alternate": "alternate",
    "canonical": "canonical",
}  # fmt: skip
_HEAD_ELEMENTS = 400
"""Elements searched for those of the `<head>`."""

_STRUCTURED = frozenset(("json_ld", "meta_tags", "microdata"))
_BY_EYE, _DECLARED = 1.0, 2.0
"""The values of a date or an author found in the text, as on pages of any kind, and in structured data."""


def of_types(metadata: Metadata, around: Iterable[HtmlElement]) -> dict[str, float]:
    """Return the types that the page declares: in JSON-LD, around its main content, and in OpenGraph."""
    types = set(metadata.schemaTypes)
    for element in around:
        types.update(name.rstrip("/").rpartition("/")[2] for name in (element.get("itemtype") or "").split())
    found = {f"type_{group}": float(any(name.endswith(ends) for name in types)) for group, ends in TYPES.items()}
    own = (metadata.ogType or "").lower()
    kinds = {f"og_{group}": float(own.startswith(starts)) for group, starts in OG_TYPES.items()}
    return found | kinds | {"og_missing": float(not own)}


def of_head(outline: Outline) -> dict[str, float]:
    """Return what the other meta tags and links of the head declare."""
    names = dict.fromkeys((*_STATED.values(), *_LINKED.values()))
    found = {f"head_{name}": 0.0 for name in names} | {f"made_{name}": 0.0 for name in GENERATORS}
    for element in _in_head(outline, "meta"):
        name = (element.get("property") or element.get("name") or "").lower()
        if name in _STATED:
            found[f"head_{_STATED[name]}"] = 1.0
        elif name == "generator":
            program = (element.get("content") or "").lower()
            found |= {f"made_{kind}": 1.0 for kind, words in GENERATORS.items() if any(map(program.count, words))}
    for element in _in_head(outline, "link"):
        for rel in (element.get("rel") or "").lower().split():
            if rel in _LINKED:
                found[f"head_{_LINKED[rel]}"] = 1.0
    return found


def _in_head(outline: Outline, tag: str) -> Iterator[HtmlElement]:
    return (outline.elements[number] for number in outline.tagged(tag) if number < _HEAD_ELEMENTS)


def of_metadata(metadata: Metadata) -> dict[str, float]:
    """Return which metadata fields the page fills, and from which kind of source."""
    sources = metadata.sources
    return {
        "date_source": _worth(sources.get("datePublished")),
        "author_source": _worth(sources.get("authors")),
        "is_modified": float(metadata.dateModified is not None),
        "authors": float(min(len(metadata.authors or ()), 3)),
        "headline_chars": float(len(metadata.headline or "")),
        "headline_is_heading": float(sources.get("headline") == "heading"),
        "description_chars": float(len(metadata.description or "")),
        "keywords": float(len(metadata.keywords or ())),
        "breadcrumbs": float(len(metadata.breadcrumbs or ())),
        "has_main_image": float(metadata.mainImage is not None),
        "has_access": float(metadata.isAccessibleForFree is not None),
        "has_publisher": float(metadata.publisher is not None),
    }


def _worth(source: str | None) -> float:
    return (_DECLARED if source in _STRUCTURED else _BY_EYE) if source else 0.0


# Features from a page's markup: its elements, and their class names and ids.

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
COUNTED = (
    *HEADINGS, "article", "time", "form", "input", "button", "select", "textarea", "pre", "code", "table", "td", "img",
    "video", "audio", "iframe", "figure", "li", "ul", "dl", "nav", "section", "p", "blockquote", "aside", "a", "main",
)  # fmt: skip
"""Elements that some kinds of pages have more of. Tags in the head are not counted: they tell only the page's age."""
_NUMBER_OF = {tag: n for n, tag in enumerate((*COUNTED, "div", "span", "body", "html", "tr"), start=1)}
tag_number = _NUMBER_OF.__getitem__
_NUMBERS = translation(_NUMBER_OF)

NAMED: dict[str, tuple[str, ...]] = {
    "price": ("price", "cart", "sku"),
    "product": ("product",),
    "comment": ("comment", "reply"),
    "author": ("author", "byline"),
    "member": ("avatar", "username", "member"),
    "thread": ("thread", "topic", "forum"),
    "card": ("card", "teaser", "tile"),
    "paging": ("paginat", "pager"),
    "code": ("highlight", "code", "toc"),
    "call": ("cta", "hero", "testimonial", "btn", "button"),
    "headline": ("headline", "article"),
}
"""Parts of class names; these are English on sites of all languages."""

AROUND: dict[str, tuple[str, ...]] = {
    "story": ("article", "story", "post", "entry"),
    "message": ("message", "thread", "forum", "topic"),
    "comment": ("comment", "reply"),
    "manual": ("doc", "markdown", "wiki", "help"),
    "product": ("product", "description"),
    "folded": ("faq", "accordion", "tab", "collaps"),
}
"""Parts of the names of elements around the main content."""

BODY: dict[str, tuple[str, ...]] = {
    "single": ("single", "article", "story", "node-type", "post-template"),
    "many": ("archive", "category", "tag-", "home", "search", "section", "front", "index", "list", "author"),
    "page": ("page-template", "page-id", "landing"),
    "shop": ("product", "shop", "store", "collection", "cart"),
    "forum": FORUM_NAMES,
    "manual": ("doc", "wiki", "api"),
}
"""Parts of the names of `<html>` and `<body>`, which content management systems name after the template."""


def of_tags(outline: Outline) -> dict[str, float]:
    """Return the logarithm of the number of elements for each counted tag."""
    counts = np.log1p(np.bincount(_NUMBERS[outline.arrays.codes], minlength=len(COUNTED) + 1)).tolist()
    return {f"tag_{tag}": count for tag, count in zip(COUNTED, counts[1:], strict=False)}


def of_names(outline: Outline) -> dict[str, float]:
    """Return how often class names near the text contain each group's words, and whether the page's own names do."""
    parents = np.maximum(outline.arrays.parents, 0)
    above = parents[outline.table.owners]
    elements = outline.elements
    classes = dict.fromkeys([elements[number].get("class") for number in np.unique([above, parents[above]]).tolist()])
    named = " ".join(filter(None, classes)).lower()
    counts = np.log1p([sum(map(named.count, words)) for words in NAMED.values()]).tolist()
    body = next(iter(outline.tagged("body")), 0)
    named_so = dict(zip((f"named_{group}" for group in NAMED), counts, strict=True))
    return named_so | _found((elements[0], elements[body]), BODY, "body")


def _found(elements: Iterable[HtmlElement], groups: Mapping[str, tuple[str, ...]], prefix: str) -> dict[str, float]:
    """Return whether the names of some elements contain the words of each group."""
    names = " ".join(f"{element.get('class') or ''} {element.get('id') or ''}" for element in elements).lower()
    return {f"{prefix}_{group}": float(any(word in names for word in words)) for group, words in groups.items()}


# Features from a page's text: how it is spread over the page, what is kept as main content, and how that reads.

UNKNOWN = -1.0
"""A value below all that a page can have."""
HEADLINE_SIZE = 20
"""A link with fewer letters is a menu entry."""
LONG_SIZE = 60
"""A block with at least as many letters outside links is reading text."""
_LINK_SHARE = 0.9
_LEVELS = 3
"""Levels looked at around reading text, from the parent of the block's element on."""
_ODD = 1_000_003
_PRICES, _QUESTIONS = "$€£¥₹₽", "?？؟"
_PLAIN_TAGS = ("p", "li", "td", "pre", "div")
_NAMED = {
    "upper": classes.UPPER, "digits": classes.DIGIT, "stops": classes.STOP, "commas": classes.COMMA,
    "colons": classes.COLON, "closers": classes.CLOSER, "symbols": classes.SYMBOL,
}  # fmt: skip
_PLACES = ("among_share", "among_headlines", "among_left", "left_share", "begins", "ends")


@dataclass(frozen=True)
class Texts:
    """The blocks of a page as columns; sizes are in letters, see `Characters.sizes`."""

    outline: Outline
    tags: NDArray[np.uint8]
    """The number of each element's tag: from 1 for `h1` on, 0 for tags that are not counted."""
    characters: Characters
    sizes: Floats
    links: Booleans
    """Whether a block is nothing but a link."""
    plain: Floats
    """The part of each size outside links."""

    @property
    def is_long(self) -> Booleans:
        """Whether a block is reading text."""
        return self.plain >= LONG_SIZE

    @property
    def is_headline(self) -> Booleans:
        """Whether a block is a link longer than a menu entry."""
        return self.links & (self.sizes >= HEADLINE_SIZE)

    @property
    def is_heading(self) -> Booleans:
        """Whether a block's element is a heading."""
        own = self.tags[self.outline.table.owners]
        return (own > 0) & (own <= len(HEADINGS))


def read_texts(outline: Outline) -> Texts:
    """Return the blocks of a page, which must have at least one."""
    tags, characters = _NUMBERS[outline.arrays.codes], outline.characters
    shares = outline.table.link_chars / characters.lengths
    return Texts(outline, tags, characters, characters.sizes, shares >= _LINK_SHARE, characters.sizes * (1 - shares))


def of_page(texts: Texts) -> dict[str, float]:
    """Return how much of the text is links, headlines and paragraphs, and how many headlines are alike."""
    sizes, links, headings = texts.sizes, texts.links, texts.is_heading
    headlines, long = texts.is_headline, texts.is_long
    total = max(sizes.sum(), 1.0)
    joined = "\n".join(texts.outline.table.texts)
    targets = (texts.outline.elements[link].get("href") or "" for link in texts.outline.tagged("a"))
    counts = {
        "page_phones": sum(target.startswith("tel:") for target in targets), "page_size": total,
        "page_blocks": len(sizes), "page_links": links.sum(), "page_longest": sizes.max(),
        "page_mean_size": total / len(sizes), "headlines": headlines.sum(), "headings": headings.sum(),
        "headlines_alike": _most_alike(texts, headlines), "long": long.sum(),
        "page_prices": sum(map(joined.count, _PRICES)), "page_questions": sum(map(joined.count, _QUESTIONS)),
    }  # fmt: skip
    return dict(zip(counts, np.log1p(list(counts.values())).tolist(), strict=True)) | {
        "page_link_share": 1 - float(texts.plain.sum() / total),
        "page_short_share": float((sizes < HEADLINE_SIZE).mean()),
        "headlines_share": float(sizes[headlines].sum() / total),
        "headings_share": float(sizes[headings].sum() / total),
        "headings_linked": float((headings & links).sum() / max(headings.sum(), 1)),
        "long_share": float(sizes[long].sum() / total),
        "headlines_per_long": float(np.log1p(headlines.sum()) - np.log1p(long.sum())),
    }


def _most_alike(texts: Texts, chosen: Booleans) -> int:
    """Return how many of the chosen blocks are nested in the same tags, at most."""
    around = texts.outline.table.owners[chosen]
    parents = np.maximum(texts.outline.arrays.parents, 0)
    numbers = texts.tags.astype(np.int64)
    signature = numbers[around]
    for _ in range(_LEVELS + 1):
        around = parents[around]
        signature = signature * _ODD + numbers[around]
    return max(Counter(signature.tolist()).values(), default=0)


def of_flow(texts: Texts) -> dict[str, float]:
    """Return how concentrated the reading text is: an article has one element around it, forum posts one each."""
    chosen = texts.is_long.nonzero()[0]
    sizes, around = texts.plain[chosen], texts.outline.table.owners[chosen]
    parents = np.maximum(texts.outline.arrays.parents, 0)
    total, count = max(float(sizes.sum()), 1.0), max(len(chosen), 1)
    found = {"flow_gap": float(np.median(np.diff(chosen))) if len(chosen) > 1 else 0.0}
    for level in range(1, _LEVELS + 1):
        around = parents[around]
        inside = np.bincount(around, minlength=1)
        found |= {
            f"flow_best_{level}": float(np.bincount(around, sizes, minlength=1).max()) / total,
            f"flow_most_{level}": float(np.log1p(inside.max())),
            f"flow_parents_{level}": float((inside > 0).sum()) / count,
            f"flow_runs_{level}": float((np.diff(around) != 0).sum() + 1) / count,
        }
    return found


def of_kept(texts: Texts, extraction: Extraction) -> dict[str, float]:
    """Return features of the main content: its size, its elements, and how it reads."""
    blocks = extraction.blocks
    characters, tags, link_chars = _columns(texts, blocks)
    sizes = characters.sizes
    total = max(float(sizes.sum()), 1.0)
    signs = (characters.counts.sum(0) / total).tolist()
    is_stopped = characters.last == classes.STOP
    is_heading = (tags > 0) & (tags <= len(HEADINGS))
    link_shares = link_chars / characters.lengths
    return {
        "kept_size": float(np.log1p(total)),
        "kept_blocks": float(np.log1p(len(blocks))),
        "kept_share": total / max(float(texts.sizes.sum()), 1.0),
        "kept_link_share": float((sizes * link_shares).sum()) / total,
        "kept_mean_size": float(np.log1p(total / len(blocks))),
        "kept_longest_share": float(sizes.max()) / total,
        "kept_sentences": float(sizes[is_stopped].sum()) / total,
        "kept_stopped": float(is_stopped.mean()),
        "kept_long": float((sizes >= LONG_SIZE).mean()),
        "kept_headings": float(is_heading.mean()),
        **{f"kept_in_{tag}": float(sizes[tags == tag_number(tag)].sum()) / total for tag in _PLAIN_TAGS},
        **{f"kept_{name}": signs[kind] for name, kind in _NAMED.items()},
    }


def _columns(texts: Texts, blocks: tuple[Block, ...]) -> tuple[Characters, NDArray[np.uint8], Integers]:
    """Return the characters of these blocks, the numbers of their tags, and their characters inside links."""
    table, starts = texts.outline.table, [block.start for block in blocks]
    if all(block.outline is texts.outline for block in blocks):
        kept = table.starts.searchsorted(starts).clip(0, len(table.starts) - 1)
        if table.starts[kept].tolist() == starts and table.stops[kept].tolist() == [block.stop for block in blocks]:
            return texts.characters.some(kept), texts.tags[table.owners[kept]], table.link_chars[kept]
    # An extractor may cut blocks, and the body may come from the page's JSON-LD.
    characters = read_characters([block.text for block in blocks])
    tags = _NUMBERS[codes_of([block.tag for block in blocks])]
    return characters, tags, np.array([block.link_chars for block in blocks])


def of_place(texts: Texts, blocks: tuple[Block, ...]) -> dict[str, float]:
    """Return the place of the kept text on the page: in one stretch, or between headlines and other text."""
    table = texts.outline.table
    if blocks[0].outline is not texts.outline:  # the body comes from the page's JSON-LD
        return dict.fromkeys(_PLACES, UNKNOWN)
    first, last = (int(table.starts.searchsorted(block.start)) for block in (blocks[0], blocks[-1]))
    kept = table.starts.searchsorted([block.start for block in blocks])
    count = len(table.starts)
    plain = np.where(texts.links, 0.0, texts.sizes)
    among = max(float(plain[first : last + 1].sum()), 1.0)
    held, total = float(plain[kept.clip(0, count - 1)].sum()), max(float(plain.sum()), 1.0)
    headlines = float(texts.is_headline[first : last + 1].sum())
    values = among / total, headlines / len(blocks), 1 - held / among, 1 - held / total, first / count, last / count
    return dict(zip(_PLACES, values, strict=True))


# Features from the shape of the main content: what interrupts it, what stands above it, and which elements are in it.
#
# The posts of a thread are parted by short blocks: a name that is a link, a date, a number. Sections of a service or a
# manual are parted by headings, an article's paragraphs by little; it has a date below its headline, and quotes people.

LABEL_SIZE = 40
"""A block with fewer letters can be a name, a date or a number."""
_LEAD_SIZE = 60
"""A line with date and author has fewer letters."""
_LEAD_BLOCKS = 50
"""The most blocks between headline and text that are told apart."""
_QUOTES, _DASHES, _CALLS = '"“”„«»「」『』', "—–", "!！¡"
_PER_CHARS = 1000
_DATE = re.compile(r"\b\d{1,4}[./\-年]\s?\d{1,2}[./\-月]\s?\d{1,4}|(?<!\d)(?:19|20)\d\d(?!\d)")
_INSIDE = ("button", "form", "input", "img", "figure", "code", "pre", "time", "li", "h2", "h3", "table")
_GAPS = ("gaps", "gap_share", "gap_numbers", "gap_links", "gap_both", "gap_headings", "gap_wide")
_LEAD = ("lead_distance", "lead_date", "lead_number", "lead_link")
_READING = ("heading_every", "heading_size", "kept_median", "kept_spread")


def of_shape(texts: Texts, blocks: tuple[Block, ...]) -> dict[str, float]:
    """Return the features of the main content's shape; those of its place are `UNKNOWN` if it is from JSON-LD."""
    text = "\n".join(block.text for block in blocks)
    signs = {"kept_quotes": _QUOTES, "kept_dashes": _DASHES, "kept_calls": _CALLS}
    found = {name: _PER_CHARS * sum(map(text.count, some)) / max(len(text), 1) for name, some in signs.items()}
    if blocks[0].outline is not texts.outline:
        names = (*_GAPS, *_LEAD, *_READING, *(f"inside_{tag}" for tag in _INSIDE))
        return found | dict.fromkeys(names, UNKNOWN)
    starts = texts.outline.table.starts
    kept = starts.searchsorted([block.start for block in blocks], side="right") - 1
    first, last = int(kept[0]), int(kept[-1])
    long = first + (texts.plain[first : last + 1] >= LONG_SIZE).nonzero()[0]
    headings = texts.is_heading
    has_number = (texts.characters.counts[:, classes.DIGIT] > 0) & (texts.sizes < LABEL_SIZE)
    return (
        found
        | _of_gaps(long, has_number & ~headings, texts.links, headings)
        | _of_lead(texts, int(long[0]) if len(long) else first, has_number)
        | _of_reading(texts, kept, headings)
        | _of_inside(texts, first, last)
    )


def _of_gaps(long: Integers, numbers: Booleans, links: Booleans, headings: Booleans) -> dict[str, float]:
    """Return how often other blocks part the reading text, and the share of these gaps that have each kind of block."""
    sizes = np.diff(long) - 1
    gaps = (sizes > 0).nonzero()[0]
    count = len(gaps)
    starts, stops = long[gaps] + 1, long[gaps + 1]
    before = [np.append(0, chosen.cumsum()) for chosen in (numbers, links, headings)]
    holds = [each[stops] > each[starts] for each in before]
    shares = (holds[0], holds[1], holds[0] & holds[1], holds[2], sizes[gaps] > 1)
    values = (float(found.sum()) / max(count, 1) for found in shares)
    return dict(zip(_GAPS, (float(np.log1p(count)), count / max(len(long), 1), *values), strict=True))


def _of_lead(texts: Texts, first_long: int, has_number: Booleans) -> dict[str, float]:
    """Return what stands between the first heading and the text: a date, a number, a link, and how far it is."""
    table = texts.outline.table
    heads = (texts.tags[table.owners] == tag_number("h1")).nonzero()[0]
    if not len(heads):
        return dict.fromkeys(_LEAD, UNKNOWN)
    head = int(heads[0])
    distance = min(max(first_long - head, 0), _LEAD_BLOCKS)
    between = slice(head + 1, head + max(distance, 1))
    is_dated = _DATE.search("\n".join(text for text in table.texts[between] if len(text) < _LEAD_SIZE)) is not None
    values = float(distance), float(is_dated), float(has_number[between].any()), float(texts.links[between].any())
    return dict(zip(_LEAD, values, strict=True))


def _of_reading(texts: Texts, kept: Integers, headings: Booleans) -> dict[str, float]:
    """Return how much text a heading has, how long headings are, and how long and how even the paragraphs are."""
    inside = slice(int(kept[0]), int(kept[-1]) + 1)
    every = texts.plain[inside].sum() / max(headings[inside].sum(), 1)
    long = texts.plain[kept[texts.is_long[kept]]]
    middle, spread = (float(np.median(long)), float(long.std() / long.mean())) if len(long) else (0.0, 0.0)
    size = texts.sizes[headings].mean() if headings.any() else 0.0
    return dict(zip(_READING, (float(np.log1p(every)), float(size), float(np.log1p(middle)), spread), strict=True))


def _of_inside(texts: Texts, first: int, last: int) -> dict[str, float]:
    """Return the logarithm of the number of elements of some tags between the first and the last block kept."""
    owners, stops = texts.outline.table.owners, texts.outline.arrays.stops
    tags = texts.tags[int(owners[first]) : int(stops[owners[last]])]
    counts = np.log1p(np.bincount(tags, minlength=256)).tolist()
    return {f"inside_{tag}": counts[tag_number(tag)] for tag in _INSIDE}


def of_posts(extraction: Extraction) -> dict[str, float]:
    """Return how many posts a thread has, and how many of them are signed and dated."""
    posts, count = extraction.posts, max(len(extraction.posts), 1)
    signed, dated = (sum(getattr(post, name) is not None for post in posts) for name in ("author", "datePublished"))
    return {"posts": float(np.log1p(len(posts))), "posts_signed": signed / count, "posts_dated": dated / count}


# Features from a page's URL.

WORDS: Mapping[str, frozenset[str]] = {
    "shop": frozenset(
        "product products produkt produkte producto productos produit produits produto prodotto prodotti produkty "
        "tovar p dp pd item items shop store tienda boutique negozio loja sklep magasin winkel buy sku 商品 产品 товар "
        "منتج".split()
    ),
    "forum": frozenset(
        "forum forums foro foros foren board boards thread threads topic topics t viewtopic showthread discussion "
        "discussions question questions q community communities comunidad bbs 论坛 форум منتدى showtopic forumdisplay "
        "discuss ask answer answers qa conversation conversations comments frage fragen pregunta preguntas sujet "
        "sujets hilo hilos tema temas thema konu konular diskussion diskussionen discussione discussioni debate "
        "vlakno vraag 问答 帖子 тема вопрос вопросы".split()
    ),
    "manual": frozenset(
        "doc docs documentation dokumentation documentacion manual manuals handbuch guide guides reference api sdk "
        "wiki help hilfe aide ayuda tutorial tutorials learn library latest stable master 文档 документация man "
        "manpages quickstart get-started getting-started introduction developer developers kb knowledge-base "
        "knowledgebase support faq faqs howto how-to spec specs concepts installation install user-guide userguide "
        "lecture lectures chapter chapters anleitung anleitungen guia guias guida kilavuz przewodnik podrecznik "
        "manuel soporte assistance 帮助 教程 справка".split()
    ),
    "service": frozenset(
        "service services servicio servicios leistungen leistung servizi servicos uslugi pricing prices solutions "
        "solution platform features feature product-overview plans enterprise industries clients portfolio 服务 услуги "
        "خدمات use-cases what-we-do capabilities offerings programs program programmes course courses class classes "
        "training degree degrees admissions tuition department departments consulting calculator calculators "
        "locations testimonials why-us contact about book-now quote demo preise precios tarifs prezzi precos cennik "
        "kurse cursos cours corsi diensten dienstleistungen tjanster ydelser hizmetler hizmetlerimiz palvelut sluzby "
        "szolgaltatasok prestations usluge".split()
    ),
    "story": frozenset(
        "news blog blogs article articles story stories post posts opinion analysis sport sports politics world "
        "nachrichten noticias nouvelles actualite actualites notizie noticia wiadomosci novosti nieuws haber 新闻 "
        "новости أخبار newsroom actus actualidad attualita aktualnosci haberler berita".split()
    ),
}
"""Common labels of host names and whole path segments, a number at their end aside, in many languages."""

_NUMBERING = "0123456789-_."
"""The end of a segment such as `thread-268`."""

_VISIBLE = ("slug_words", "has_date", "has_id", "is_document", "has_query", "is_paged")
_ADDRESS_GROUPS: tuple[AddressKind, ...] = ("listing", "endless", "house", "article")


def of_address(url: str | None) -> dict[str, float]:
    """Return the features of a URL; all are `UNKNOWN` for `None` or a URL without a host.

    >>> set(of_address("about:blank").values())
    {-1.0}
    """
    host = split_url(url or "").hostname
    if not url or not host:
        return dict.fromkeys(of_address("https://a.example/"), UNKNOWN)
    address = read_address(url)
    segments = address.segments
    last = segments[-1] if segments else ""
    named = {*segments, *(segment.rstrip(_NUMBERING) for segment in segments), *host.split(".")[:-1]}
    found: dict[str, float] = {
        "url_likeness": article_likeness(url),
        "url_is_home": not segments and not address.has_query,
        "url_last_chars": len(last),
        "url_last_digits": sum(map(str.isdigit, last)),
        "url_below_article": address.is_below("article"),
        "url_depth": len(segments),
        **{f"url_{name}": getattr(address, name) for name in _VISIBLE},
        **{f"url_{kind}": address.names(kind) for kind in _ADDRESS_GROUPS},
    }
    return found | {f"url_{kind}": float(not words.isdisjoint(named)) for kind, words in WORDS.items()}


@dataclass(frozen=True)
class PageFeatures:
    """The features of one page, by family and name."""

    families: Mapping[str, Mapping[str, float]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(chain.from_iterable(self.families.values()))

    @cached_property
    def row(self) -> NDArray[np.float32]:
        """The values, in order."""
        return np.array([*chain.from_iterable(family.values() for family in self.families.values())], np.float32)

    @property
    def places(self) -> dict[str, slice]:
        """The slice of the row for each family."""
        stops = list(accumulate(map(len, self.families.values())))
        return dict(zip(self.families, map(slice, [0, *stops], stops), strict=False))


def features_of(page: Page, extraction: Extraction, metadata: Metadata) -> PageFeatures:
    """Return the features of a page with a non-empty extraction.

    A page without a URL is judged by its canonical one. A page that shows no text, as before its scripts run, is judged
    by the text in its JSON-LD.
    """
    outline = page.outline
    texts = read_texts(outline if outline.table.texts else extraction.blocks[0].outline)
    longest = max(extraction.blocks, key=lambda block: len(block.text))
    around = [longest.outline.elements[number] for number in longest.outline.lineage(longest.owner)]
    parts = [element for element in around if element.tag not in ("body", "html")]
    return PageFeatures({
        "address": of_address(page.url or metadata.canonicalUrl),
        "declared": {**of_types(metadata, around), **of_head(outline), **of_metadata(metadata)},
        "names": {**of_names(outline), **_found(parts, AROUND, "around")},
        "tags": of_tags(outline),
        "text": {**of_page(texts), **of_flow(texts), **of_kept(texts, extraction)},
        "place": of_place(texts, extraction.blocks),
        "shape": of_shape(texts, extraction.blocks),
        "posts": of_posts(extraction),
    })  # fmt: skip
