"""Read what the page declares for machines: JSON-LD, microdata and meta tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeAlias, cast

from lxml import etree

from newsextract.article import Author, Breadcrumb, LiveUpdate
from newsextract.reading.metadata.authors import DeclaredPerson
from newsextract.reading.metadata.clues import Clues, Findings, Raw
from newsextract.reading.metadata.comparing import visible_text
from newsextract.reading.metadata.json_ld import Graph, as_list, choose_nodes, rank_of, text_of, texts_of, types_of
from newsextract.reading.metadata.live_blog import listed_updates
from newsextract.reading.metadata.media import declared_media
from newsextract.reading.metadata.rights import locked_parts, stated_access, stated_license

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement

    from newsextract.page.page import Page
    from newsextract.reading.metadata.json_ld import Node


# Read each field of an article from schema.org nodes.

Reader: TypeAlias = Callable[["Node", Graph], Iterable[Raw]]

_ORGANIZATIONS = frozenset(
    ("Organization", "NewsMediaOrganization", "Corporation", "LocalBusiness", "Brand", "WebSite")
)

_MAX_LISTED = 200
"""Authors, images, keywords or breadcrumbs read at most from one list."""

_MAX_CANDIDATES = 50
"""Candidates kept for a field: a usable one is among the first, even in long lists of logos or tags."""

_MAX_CHARS = 100_000
"""Characters of a field's candidates after which no more are read."""

_KEYWORD_KEYS = ("name", "termCode")
_IMAGE_KEYS = ("url", "contentUrl", "@id")
_LANGUAGE_KEYS = ("alternateName", "name")


def _at(*keys: str, inner: tuple[str, ...] = ("name",)) -> Reader:
    """Return a reader that yields each text under some keys, the best key first."""

    def read(node: Node, graph: Graph) -> Iterator[Raw]:
        for key in keys:
            texts = (graph.texts(value, *inner) for value in as_list(node.get(key))[:_MAX_LISTED])
            yield from islice(chain.from_iterable(texts), _MAX_LISTED)

    return read


def _all_at(*keys: str, inner: tuple[str, ...]) -> Reader:
    """Return a reader that yields all texts under a key as one candidate."""
    readers = [_at(key, inner=inner) for key in keys]

    def read(node: Node, graph: Graph) -> Iterator[Raw]:
        for reader in readers:
            if found := tuple(text for text in reader(node, graph) if isinstance(text, str)):
                yield found

    return read


def _headline(node: Node, _graph: Graph) -> Iterator[Raw]:
    # The name of a web page ends with the site's name; the name of a video is not the headline.
    keys = ("headline", "name") if rank_of(node) == 0 else ("headline",)
    for key in keys:
        yield from texts_of(node.get(key))


def _authors(node: Node, graph: Graph) -> Iterator[Raw]:
    for key in ("author", "creator"):
        if found := tuple(islice(_signatures(node.get(key), graph), _MAX_LISTED)):
            yield found


def _signatures(value: object, graph: Graph) -> Iterator[Author]:
    for each in as_list(value):
        if isinstance(each, dict):
            node = graph.resolve(each)
            types = types_of(node)
            names = list(islice(texts_of(node.get("name"), "name"), _MAX_LISTED))
            url = text_of(node.get("url"), "@id") if len(names) == 1 else None
            for name in names:
                yield (
                    Author(name, url=url, type="Organization")
                    if types & _ORGANIZATIONS
                    else (DeclaredPerson if "Person" in types else Author)(name, url=url)
                )
        else:
            yield from (Author(name) for name in texts_of(each) if isinstance(each, str))


_READERS: Mapping[str, Reader] = {
    "headline": _headline,
    "description": _at("description", "abstract"),
    "datePublished": _at("datePublished", "dateCreated", "uploadDate", inner=()),
    "dateModified": _at("dateModified", inner=()),
    "authors": _authors,
    "publisher": _at("publisher", "sourceOrganization", "copyrightHolder", "provider"),
    "inLanguage": _at("inLanguage", inner=_LANGUAGE_KEYS),
    "section": _at("articleSection"),
    "keywords": _all_at("keywords", inner=_KEYWORD_KEYS),
    "mainImage": _at("image", "thumbnailUrl", inner=_IMAGE_KEYS),
    "images": _all_at("image", "thumbnailUrl", inner=_IMAGE_KEYS),
    "canonicalUrl": _at("url", "mainEntityOfPage", inner=("@id", "url")),
    "isAccessibleForFree": stated_access,
    "paywalledParts": locked_parts,
    "usageRights": stated_license,
    "liveBlogUpdates": listed_updates,
}


def read_json_ld(clues: Clues) -> Findings:
    """Return the metadata in the page's JSON-LD: the most complete source, and the best maintained."""
    findings = read_graph(clues.linked_data, clues)
    return replace(findings, warnings=(*clues.linked_data.warnings, *findings.warnings))


def read_graph(graph: Graph, clues: Clues) -> Findings:
    """Return the candidates from the nodes about this page's article, field by field."""
    nodes, warnings = choose_nodes(graph, clues)
    candidates = {
        field: found
        for field, read in _READERS.items()
        if (found := list(_first(raw for node in nodes for raw in read(node, graph))))
    }
    if trail := _breadcrumbs(graph):
        candidates["breadcrumbs"] = [trail]
    types = frozenset().union(*map(types_of, graph.nodes))
    return Findings(candidates | declared_media(nodes, graph, types), tuple(warnings), types)


def _first(found: Iterable[Raw]) -> Iterator[Raw]:
    """Yield the first distinct candidates: nodes with shared references repeat them many times."""
    chars = 0
    distinct: set[Raw] = set()
    for raw in islice(found, _MAX_LISTED):
        if raw not in distinct:
            distinct.add(raw)
            yield raw
            parts = (raw,) if isinstance(raw, str) else raw
            texts = (part.articleBody if isinstance(part, LiveUpdate) else part for part in parts)
            chars += sum(len(text) for text in texts if isinstance(text, str))
        if len(distinct) >= _MAX_CANDIDATES or chars > _MAX_CHARS:
            return


def _breadcrumbs(graph: Graph) -> tuple[Breadcrumb, ...]:
    """Return the breadcrumbs of the page's first list that has any, by position, or an empty tuple."""
    for node in graph.nodes:
        if "BreadcrumbList" in types_of(node):
            items = as_list(node.get("itemListElement"))[:_MAX_LISTED]
            steps = [item for item in items if isinstance(item, dict)]
            if trail := tuple(_step(step, graph) for step in sorted(steps, key=_position)):
                return trail
    return ()


def _position(step: Node) -> int:
    position = text_of(step.get("position")) or ""
    return int(position) if position.isdecimal() and len(position) < 4 else 0


def _step(step: Node, graph: Graph) -> Breadcrumb:
    item = step.get("item")
    target = graph.resolve(item) if isinstance(item, dict) else {"@id": item}
    name = text_of(step.get("name")) or text_of(target.get("name"))
    return Breadcrumb(name, text_of(target.get("@id")) or text_of(target.get("url")) or text_of(step.get("url")))


def article_body(page: Page) -> str | None:
    """Return the article's body from the page's JSON-LD, as text or HTML, or `None`."""
    clues = Clues(page)
    nodes, _ = choose_nodes(clues.linked_data, clues)
    bodies = (text_of(node.get("articleBody")) for node in nodes if rank_of(node) == 0)
    return next(filter(None, bodies), None)


# Read microdata: schema.org in the attributes of visible elements.
#
# Its items become the same nodes as in JSON-LD, and are read in the same way.

_MARKED = etree.XPath("descendant-or-self::*[@itemprop or @itemscope]")
"""Both in one predicate: to join what two paths find takes libxml2 quadratic time."""
_MAX_MARKED = 1_000
"""Elements read at most: a long list of comments or products is not the article."""
_MAX_VALUE_CHARS = 1_000
"""Longer values are bodies, not metadata."""
_MAX_NAMES = 10
"""Properties, or types, read from one element."""
_VALUE_ATTRIBUTES = ("content", "datetime", "href", "src", "data")
_SKIPPED = frozenset(("articlebody", "text", "reviewbody", "comment", "recipeinstructions"))
"""Properties that hold the story or its comments: long, and not metadata."""


def read_microdata(clues: Clues) -> Findings:
    """Return the metadata in the page's microdata about its article."""
    if "itemprop" not in clues.page.decoded.text:
        return Findings()  # searching the text costs a tenth of searching the tree
    marked = cast("list[HtmlElement]", _MARKED(clues.page.tree))[:_MAX_MARKED]
    if not marked:
        return Findings()
    findings = read_graph(Graph(_items(marked)), clues)
    return Findings(findings.candidates, findings.warnings)


def _items(marked: list[HtmlElement]) -> list[object]:
    """Return the outermost items, and one more with the properties outside any item."""
    orphan: dict[str, object] = {"@type": "WebPage"}
    items: list[object] = [orphan]
    nodes: dict[HtmlElement, dict[str, object]] = {}
    for el in marked:
        owner = next((nodes[above] for above in el.iterancestors() if above in nodes), orphan)
        if el.get("itemscope") is not None:
            node = nodes[el] = {"@type": el.get("itemtype", "").split()[:_MAX_NAMES]}
            if el.get("itemid"):
                node["@id"] = el.get("itemid")
            if owner is orphan or not el.get("itemprop"):
                items.append(node)
        names = [name for name in el.get("itemprop", "").split()[:_MAX_NAMES] if name.lower() not in _SKIPPED]
        if names:
            value = nodes.get(el) or _value(el)
            for name in names:
                _add(owner, name, value)
    return items


def _add(node: dict[str, object], name: str, value: object) -> None:
    """Edit the node: add a value to a property; a second value makes it a list."""
    if name not in node:
        node[name] = value
    elif isinstance(known := node[name], list):
        known.append(value)
    else:
        node[name] = [known, value]


def _value(el: HtmlElement) -> str:
    stated = (el.get(name) for name in _VALUE_ATTRIBUTES if not (name == "href" and el.tag == "a"))
    return next(filter(None, stated), None) or visible_text(el, _MAX_VALUE_CHARS)


# Meta tags: OpenGraph, Twitter, Dublin Core, and the names that publishing systems invented.

NAMES: Mapping[str, tuple[str, ...]] = {
    field: tuple(names.split())
    for field, names in {
        "headline": """
            og:title headline parsely-title sailthru.title citation_title dcterms.title dc.title twitter:title title
            """,
        "description": """
            og:description description twitter:description sailthru.description dcterms.description dc.description
            dcterms.abstract
            """,
        "datePublished": """
            article:published_time article:published og:article:published_time og:published_time datepublished
            parsely-pub-date sailthru.date citation_publication_date citation_online_date citation_date
            dcterms.issued dc.date.issued dcterms.date dc.date dcterms.created dc.date.created
            cxenseparse:recs:publishtime article.published publish_date publish-date published_date publication_date
            publication-date published pubdate datecreated date
            """,
        "dateModified": """
            article:modified_time article:modified og:article:modified_time og:updated_time datemodified
            dcterms.modified dc.date.modified article.updated lastmod last-modified revised
            """,
        "authors": """
            parsely-author sailthru.author citation_author dcterms.creator dc.creator author article:author
            og:article:author article:author_name cxenseparse:author byl byline creator
            """,
        "publisher": "og:site_name dcterms.publisher dc.publisher publisher application-name",
        "inLanguage": """
            inlanguage html:lang og:locale content-language dcterms.language dc.language citation_language language
            """,
        "section": """
            article:section og:article:section og:section parsely-section articlesection article.section
            prism.section section sections cse_sectionname article:category category
            """,
        "keywords": """
            news_keywords article:tag og:article:tag parsely-tags sailthru.tags keywords citation_keywords dc.subject
            """,
        "mainImage": "og:image og:image:url og:image:secure_url twitter:image link:image_src",
        "images": "og:image og:image:url og:image:secure_url twitter:image link:image_src",
        "videos": "og:video og:video:url og:video:secure_url",
        "audios": "og:audio og:audio:url og:audio:secure_url",
        "canonicalUrl": "link:canonical og:url",
        "isAccessibleForFree": "isaccessibleforfree article:content_tier",
    }.items()
}
"""The names of the meta tags for each field, the best first."""

_TOGETHER = frozenset(("keywords", "images", "videos", "audios"))
"""Fields whose repeated tags form one list; those of other fields are alternatives."""


def read_meta_tags(clues: Clues) -> Findings:
    """Return the values of the page's meta tags, in the order of `NAMES`."""
    meta = clues.meta
    candidates: dict[str, list[Raw]] = {}
    for field, names in NAMES.items():
        found = [tuple(meta[name]) for name in names if name in meta]
        if field == "authors":
            candidates[field] = [tuple(map(Author, texts)) for texts in found]
        else:
            candidates[field] = [*found] if field in _TOGETHER else list(chain.from_iterable(found))
    return Findings(candidates)
