"""Read the comments that JSON-LD declares with the article, and the answers inside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.article_parts import Comment
from newsextract.reading.metadata.comments.comment_threads import MAX_COMMENTS
from newsextract.reading.metadata.comments.visible_comments import MAX_AUTHOR_CHARS, MAX_TEXT_CHARS
from newsextract.reading.metadata.live_blog import lines
from newsextract.reading.metadata.schema.schema_article import choose_nodes
from newsextract.reading.metadata.schema.schema_nodes import as_list, text_of
from newsextract.reading.metadata.text_folding import fold

if TYPE_CHECKING:
    from newsextract.reading.metadata.page_clues import Clues
    from newsextract.reading.metadata.schema.schema_nodes import Graph, Node

_KEYS = ("comment", "comments")


def declared_comments(clues: Clues) -> list[Comment]:
    """Return the comments in the page's JSON-LD, each before its answers; `datePublished` is raw."""
    graph = clues.linked_data.graph
    nodes, _ = choose_nodes(graph, clues)
    comments: list[Comment] = []
    read: set[int] = set()
    # A stack, as answers may be nested without end: the next one is the last.
    waiting = [(node, None) for node in reversed(_below(nodes[0], graph))] if nodes else []
    stack: list[tuple[Node, int | None]] = [*waiting]
    while stack and len(comments) < MAX_COMMENTS:
        node, parent = stack.pop()
        if id(node) in read:
            continue  # nodes may refer to each other in a circle
        read.add(id(node))
        if comment := _comment(node, parent, 0 if parent is None else comments[parent].depth + 1):
            parent = len(comments)
            comments.append(comment)
        stack += [(answer, parent) for answer in reversed(_below(node, graph))]
    return comments


def _below(node: Node, graph: Graph) -> list[Node]:
    """Return the comments on a node."""
    listed = [value for key in _KEYS for value in as_list(node.get(key))[:MAX_COMMENTS]]
    return [graph.resolve(value) for value in listed if isinstance(value, dict)]


def _comment(node: Node, parent: int | None, depth: int) -> Comment | None:
    text = lines((text_of(node.get("text")) or text_of(node.get("description")) or "")[:MAX_TEXT_CHARS])
    if not text:
        return None
    name = fold((text_of(node.get("author"), "name") or text_of(node.get("creator"), "name") or "")[:1_000])
    date = text_of(node.get("dateCreated")) or text_of(node.get("datePublished"))
    return Comment(text, name if 0 < len(name) <= MAX_AUTHOR_CHARS else None, date, parent, depth)
