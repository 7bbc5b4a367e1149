"""The exact edit distance of two trees: the fewest elements to insert, delete or rename.

By APTED (Pawlik & Augsten, "Tree edit distance: Robust and memory-efficient", Information Systems 56, 2016), the
successor of the RTED that the thesis used, from the package `apted`. Quadratic in memory, up to cubic in time, and in
Python: for small trees.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_NODES = 250
"""Trees of more nodes are not compared exactly: two of this size take two seconds, twice as large ten times that."""


class TemplateUnavailable(ImportError):  # noqa: N818 - the name says that it is an error
    """A package that `template` needs is not installed; the message says what brings it."""

    def __init__(self, package: str) -> None:
        super().__init__(f"needs {package}: pip install 'newsextract[template]'", name=package)


@dataclass(eq=False)
class Node:
    """A node of a tree as APTED reads it."""

    name: str
    children: list[Node] = field(default_factory=list)


def as_nodes(tags: Sequence[str], parents: Sequence[int]) -> list[Node]:
    """Return the nodes of a tree given in document order, joined; the first is the root."""
    nodes = [Node(tag) for tag in tags]
    for node, parent in zip(nodes, parents, strict=True):
        if parent >= 0:
            nodes[parent].children.append(node)
    return nodes


def edit_mapping(one: Node, other: Node) -> list[tuple[Node | None, Node | None]]:
    """Return which node becomes which, in the cheapest edit; None stands for one that is inserted or deleted.

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
