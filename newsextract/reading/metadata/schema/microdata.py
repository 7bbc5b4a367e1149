"""Read microdata: schema.org in the attributes of visible elements.

Its items become the same nodes as in JSON-LD, and are read in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lxml import etree

from newsextract.reading.metadata.findings import Findings
from newsextract.reading.metadata.schema.schema_fields import read_graph
from newsextract.reading.metadata.schema.schema_nodes import Graph
from newsextract.reading.metadata.text_folding import visible_text

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from newsextract.reading.metadata.page_clues import Clues

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


def read(clues: Clues) -> Findings:
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
        owner = _owner(el, nodes, orphan)
        if el.get("itemscope") is not None:
            node = nodes[el] = _new_node(el)
            if owner is orphan or not el.get("itemprop"):
                items.append(node)
        names = [name for name in el.get("itemprop", "").split()[:_MAX_NAMES] if name.lower() not in _SKIPPED]
        if names:
            value = nodes.get(el) or _value(el)
            for name in names:
                _add(owner, name, value)
    return items


def _new_node(el: HtmlElement) -> dict[str, object]:
    node: dict[str, object] = {"@type": el.get("itemtype", "").split()[:_MAX_NAMES]}
    if name := el.get("itemid"):
        node["@id"] = name
    return node


def _owner(
    el: HtmlElement, nodes: dict[HtmlElement, dict[str, object]], orphan: dict[str, object]
) -> dict[str, object]:
    """Return the item that has the element as a property."""
    return next((nodes[above] for above in el.iterancestors() if above in nodes), orphan)


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
