"""Read each field of an article from schema.org nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeAlias

from newsextract.article import Author, Breadcrumb, LiveUpdate
from newsextract.reading.metadata.access import locked_parts, stated_access
from newsextract.reading.metadata.article_media import declared_media
from newsextract.reading.metadata.authors.person_names import DeclaredPerson
from newsextract.reading.metadata.findings import Findings, Raw
from newsextract.reading.metadata.live_blog import listed_updates
from newsextract.reading.metadata.schema.schema_article import choose_nodes, rank_of
from newsextract.reading.metadata.schema.schema_nodes import Graph, as_list, text_of, texts_of, types_of

if TYPE_CHECKING:
    from newsextract.reading.metadata.page_clues import Clues
    from newsextract.reading.metadata.schema.schema_nodes import Node

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
    "liveBlogUpdates": listed_updates,
}


def read_json_ld(clues: Clues) -> Findings:
    """Return the metadata in the page's JSON-LD: the most complete source, and the best maintained."""
    data = clues.linked_data
    findings = read_graph(data.graph, clues)
    return Findings(findings.candidates, (*data.warnings, *findings.warnings), findings.types)


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
            chars += sum(map(_chars, (raw,) if isinstance(raw, str) else raw))
        if len(distinct) >= _MAX_CANDIDATES or chars > _MAX_CHARS:
            return


def _chars(part: object) -> int:
    return len(part.articleBody if isinstance(part, LiveUpdate) else part if isinstance(part, str) else "")


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
