"""schema.org nodes of any syntax: mappings with a `@type`.

Any value may be a string, a number, a list, a node or null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

Node: TypeAlias = Mapping[str, object]

_MAX_NODES = 5_000
"""Nodes read at most from a page: article pages have tens, shops and event calendars hundreds."""

_MAX_VALUES = 20_000
"""Values kept at one level of nesting: a limit against hostile lists of lists."""

MAX_TEXTS = 200
"""Texts read at most from one value: authors, images, keywords."""

_MAX_DEPTH = 12
"""Levels of nesting followed: a page whose graph includes its site and its authors' employers needs seven."""


class Graph:
    """All nodes of a page, with lookup of references by `@id`."""

    def __init__(self, values: Iterable[object]) -> None:
        self.nodes: Sequence[Node] = tuple(_walk(values))
        self._by_id: dict[str, Node] = {}
        self._texts: dict[tuple[int, tuple[str, ...]], list[str]] = {}
        for node in self.nodes:
            name = node.get("@id")
            # Nodes are often mentioned by reference before or after their description: the longest counts.
            if isinstance(name, str) and len(node) > len(self._by_id.get(name, ())):
                self._by_id[name] = node

    def resolve(self, node: Node) -> Node:
        """Return the node that a bare reference names, or else the node itself."""
        name = node.get("@id")
        if isinstance(name, str) and len(node) <= 2:
            return self._by_id.get(name, node)
        return node

    def texts(self, value: object, *keys: str) -> Sequence[str]:
        """Return up to `MAX_TEXTS` texts in a value, or in the node that it refers to.

        Each node is read once, however many values refer to it.
        """
        node = self.resolve(value) if isinstance(value, dict) else value
        if node is value:
            return list(islice(texts_of(value, *keys), MAX_TEXTS))
        place = id(node), keys
        if place not in self._texts:
            self._texts[place] = list(islice(texts_of(node, *keys), MAX_TEXTS))
        return self._texts[place]


def _walk(values: Iterable[object]) -> Iterator[Node]:
    """Yield the nodes level by level, so that top-level ones come before nested ones."""
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
    """Return a list unchanged, any other value as a list of one, and null as an empty list."""
    if isinstance(value, list):
        return cast("list[object]", value)
    return [] if value is None else [value]


def text_of(value: object, *keys: str) -> str | None:
    """Return the first non-blank text in a value, or `None`; in nodes, look under these keys.

    >>> text_of([{"@value": ""}, {"@value": "Rain"}])
    'Rain'
    """
    return next(texts_of(value, *keys), None)


def texts_of(value: object, *keys: str, depth: int = 4) -> Iterator[str]:
    """Yield every non-blank text in a value, its lists, and these keys of its nodes."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, bool | int | float):
        yield str(value)
    elif depth and isinstance(value, list):
        for each in value[:MAX_TEXTS]:
            yield from texts_of(each, *keys, depth=depth - 1)
    elif depth and isinstance(value, dict):
        # The first key with a text stands for the node: other keys repeat it in other words.
        for key in ("@value", *keys):
            if found := list(islice(texts_of(value.get(key), *keys, depth=depth - 1), MAX_TEXTS)):
                yield from found
                return
