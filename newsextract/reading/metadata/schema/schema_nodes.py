"""schema.org nodes, whatever syntax they were written in: mappings with a `@type`.

Nothing is taken for granted: every value may be a string, a number, a list, a node or null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

Node: TypeAlias = Mapping[str, object]

_MAX_NODES = 5_000
"""Nodes read at most on a page: article pages have tens, shops and event calendars hundreds."""

_MAX_VALUES = 20_000
"""Values kept at one level of nesting: a ceiling for hostile lists of lists."""

MAX_TEXTS = 200
"""Texts read at most from one value: authors, images, keywords."""

_MAX_DEPTH = 12
"""Levels of nesting followed: a page of a site in a graph with its authors' employers needs seven."""


class Graph:
    """All the nodes of a page, and the way from a reference to the node it names."""

    def __init__(self, values: Iterable[object]) -> None:
        self.nodes: Sequence[Node] = tuple(_walk(values))
        self._by_id: dict[str, Node] = {}
        self._texts: dict[tuple[int, tuple[str, ...]], list[str]] = {}
        for node in self.nodes:
            name = node.get("@id")
            # A node is often mentioned in passing before or after it is described.
            if isinstance(name, str) and len(node) > len(self._by_id.get(name, ())):
                self._by_id[name] = node

    def resolve(self, node: Node) -> Node:
        """Return the node that a mere reference stands for, else the node itself."""
        name = node.get("@id")
        if isinstance(name, str) and len(node) <= 2:
            return self._by_id.get(name, node)
        return node

    def texts(self, value: object, *keys: str) -> Sequence[str]:
        """Return the first texts in a value, or in the node that it refers to.

        A node is read once for all that refer to it: references multiply what a page says.
        """
        node = self.resolve(value) if isinstance(value, dict) else value
        if node is value:
            return list(islice(texts_of(value, *keys), MAX_TEXTS))
        place = id(node), keys
        if place not in self._texts:
            self._texts[place] = list(islice(texts_of(node, *keys), MAX_TEXTS))
        return self._texts[place]


def _walk(values: Iterable[object]) -> Iterator[Node]:
    """Yield the nodes level by level, so that a page's own come before the nested."""
    level = list(values)
    count = 0
    for _ in range(_MAX_DEPTH):
        below: list[object] = []
        for value in level:
            if isinstance(value, dict):
                yield value
                count += 1
                below.extend(child for child in value.values() if isinstance(child, dict | list))
            elif isinstance(value, list):
                below.extend(child for child in value if isinstance(child, dict | list))
            if count >= _MAX_NODES:
                return
        level = below[:_MAX_VALUES]


def types_of(node: Node) -> frozenset[str]:
    """Return the node's types without their vocabulary.

    >>> types_of({"@type": ["http://schema.org/NewsArticle"]})
    frozenset({'NewsArticle'})
    """
    types = node.get("@type")
    if isinstance(types, str):
        return frozenset((_bare(types),))
    return frozenset(_bare(name) for name in as_list(types) if isinstance(name, str))


def _bare(type_name: str) -> str:
    """Return the last part of a type's name.

    >>> _bare("schema:Article"), _bare("https://schema.org/Article")
    ('Article', 'Article')
    """
    if type_name.isalpha():
        return type_name
    return type_name.strip().rstrip("/").replace("#", "/").replace(":", "/").rpartition("/")[2]


def as_list(value: object) -> list[object]:
    """Return the value as a list: itself, of one, or empty for null."""
    if isinstance(value, list):
        return cast("list[object]", value)
    return [] if value is None else [value]


def text_of(value: object, *keys: str) -> str | None:
    """Return the first text in a value: itself, or that of a node's key.

    >>> text_of([{"@value": ""}, {"@value": "Rain"}])
    'Rain'
    """
    return next(texts_of(value, *keys), None)


def texts_of(value: object, *keys: str, depth: int = 4) -> Iterator[str]:
    """Yield every non-blank text in a value, looking into lists and the given keys of nodes."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, bool | int | float):
        yield str(value)
    elif depth and isinstance(value, list):
        for each in value[:MAX_TEXTS]:
            yield from texts_of(each, *keys, depth=depth - 1)
    elif depth and isinstance(value, dict):
        # One key answers for a node: the others say the same in other words.
        for key in ("@value", *keys):
            if found := list(islice(texts_of(value.get(key), *keys, depth=depth - 1), MAX_TEXTS)):
                yield from found
                return
