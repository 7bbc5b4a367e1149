"""The thesis's first method: weigh elements by the tokens that differ in the edit mapping of two pages.

Deturck 2015, section 4.4.1 and annex, algorithms 2 to 5. Every token becomes a leaf under the element that holds it;
the tree edit mapping says which token becomes which. An element weighs as many tokens as differ under it; its
differential is what it weighs more than its heaviest child; times its depth, since the useful content lies low, the
largest differential marks the body. For comparison only: the mapping is exact, and so for small pages.

The mapping is the fewest elements to insert, delete or rename, by APTED (Pawlik & Augsten, "Tree edit distance: Robust
and memory-efficient", Information Systems 56, 2016), the successor of the RTED that the thesis used, from the package
`apted`. It is quadratic in memory, up to cubic in time, and in Python.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.reading.extraction.page_comparison.zones import PageZones


MAX_NODES = 600
"""Tokens and elements of a page; the mapping of two pages of this size takes about five seconds."""


class TemplateUnavailable(ImportError):  # noqa: N818 - the name says that it is an error
    """A package that `template` needs is not installed; the message says how to install it."""

    def __init__(self, package: str) -> None:
        super().__init__(f"needs {package}: pip install 'newsextract[template]'", name=package)


@dataclass(eq=False)
class Node:
    """A node of a tree as APTED reads it."""

    name: str
    children: list[Node] = field(default_factory=list)


def as_nodes(tags: Sequence[str], parents: Sequence[int]) -> list[Node]:
    """Return the linked nodes of a tree given in document order; the first is the root."""
    nodes = [Node(tag) for tag in tags]
    for node, parent in zip(nodes, parents, strict=True):
        if parent >= 0:
            nodes[parent].children.append(node)
    return nodes


def edit_mapping(one: Node, other: Node) -> list[tuple[Node | None, Node | None]]:
    """Return which node becomes which in the cheapest edit; `None` stands for an insertion or deletion.

    Raises:
        TemplateUnavailable: the package is missing.
    """
    return [(here or None, there or None) for here, there in _apted(one, other).compute_edit_mapping()]


def _apted(one: Node, other: Node) -> Any:
    try:
        from apted import APTED  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise TemplateUnavailable("apted") from error
    return APTED(one, other)


@dataclass(eq=False)
class TokenTree:
    """A page as a tree whose leaves are tokens; its elements are those of the outline that hold text, by number."""

    nodes: dict[int, Node]
    """The node of each element, in document order."""
    parents: dict[int, int]
    """The parent of each element, -1 for the root."""
    holders: dict[int, int]
    """The element that holds each token, by the identity of the token's node."""

    @property
    def size(self) -> int:
        """How many nodes the tree has."""
        return len(self.nodes) + len(self.holders)

    @property
    def root(self) -> Node:
        """The node of the first element."""
        return next(iter(self.nodes.values()))

    @property
    def is_small(self) -> bool:
        """Whether its edit mapping can be computed in reasonable time."""
        return len(self.nodes) > 0 and self.size <= MAX_NODES


def token_tree(page: PageZones) -> TokenTree:
    """Return the elements of a page that hold text, with their tokens as leaves; each holds its tokens first."""
    outline = page.outline
    kept = [el for el, start in enumerate(outline.run_starts) if outline.run_stops[el] > start]
    places = {element: place for place, element in enumerate(kept)}
    parents = {element: outline.parents[element] for element in kept}
    above = [places.get(parent, -1) for parent in parents.values()]
    nodes = dict(zip(kept, as_nodes([outline.tags[el] for el in kept], above), strict=True))
    holders: dict[int, int] = {}
    for holder, tokens in zip(outline.holders, page.tokens, strict=True):
        leaves = [Node(f"={token}") for token in tokens]  # no tag begins like this
        nodes[holder].children.extend(leaves)
        holders.update(dict.fromkeys(map(id, leaves), holder))
    return TokenTree(nodes, parents, holders)


def weights(tree: TokenTree, pairs: Sequence[tuple[Node | None, Node | None]], side: int = 0) -> dict[int, int]:
    """Return how many tokens of a tree differ under each element (algorithms 2 and 3).

    `pairs` are an edit mapping, `side` says which of a pair is of this tree.
    """
    found = dict.fromkeys(tree.nodes, 0)
    for pair in pairs:
        here, there = pair[side], pair[1 - side]
        if here is not None and id(here) in tree.holders and (there is None or there.name != here.name):
            found[tree.holders[id(here)]] += 1
    for element in reversed(tree.nodes):  # children after parents in document order
        if tree.parents[element] in found:
            found[tree.parents[element]] += found[element]
    return found


def differentials(tree: TokenTree, weight: dict[int, int]) -> dict[int, int]:
    """Return by how many tokens each element outweighs its heaviest child (algorithm 5)."""
    heaviest = dict.fromkeys(tree.nodes, 0)
    for element, parent in tree.parents.items():
        if parent in heaviest:
            heaviest[parent] = max(heaviest[parent], weight[element])
    return {element: weight[element] - heaviest[element] for element in tree.nodes}


def essential_element(page: PageZones, pair: PageZones) -> int | None:
    """Return the element with the largest differential times depth; `None` if nothing differs or a page is too large.

    Raises:
        TemplateUnavailable: the package `apted` is missing.
    """
    tree, other = token_tree(page), token_tree(pair)
    if not (tree.is_small and other.is_small):
        return None
    weight = weights(tree, edit_mapping(tree.root, other.root))
    depths: dict[int, int] = {}
    for element, parent in tree.parents.items():
        depths[element] = depths.get(parent, 0) + 1
    found = differentials(tree, weight)
    best = max(found, key=lambda element: found[element] * depths[element])
    return best if found[best] > 0 else None
