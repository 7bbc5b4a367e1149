"""Whether an article is free to read, and which of its parts are not: schema.org's words and Facebook's tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.reading.metadata.findings import Refused
from newsextract.reading.metadata.schema.schema_nodes import as_list, texts_of
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues
    from newsextract.reading.metadata.schema.schema_nodes import Graph, Node

_FREE = {
    **dict.fromkeys(("true", "yes", "1", "1.0", "free"), True),
    **dict.fromkeys(("false", "no", "0", "0.0", "locked", "metered"), False),
}
"""The words for free access: booleans, schema.org's booleans, and Facebook's content tiers."""

_MAX_PARTS = 20
_MAX_SELECTOR_CHARS = 300
"""Longer selectors are style sheets."""


def read_free(text: str) -> bool | None:
    """Return whether a word means free access, or `None` if it says neither.

    >>> read_free("https://schema.org/False"), read_free("metered"), read_free("maybe")
    (False, False, None)
    """
    return _FREE.get(text.strip().lower().rpartition("/")[2])


def stated_access(node: Node, graph: Graph) -> Iterator[Raw]:
    """Yield what a node says about itself, then "False" if one of its parts is not free."""
    yield from texts_of(node.get("isAccessibleForFree"))
    if any(True for _ in _locked(node, graph)):
        yield "False"


def locked_parts(node: Node, graph: Graph) -> Iterator[Raw]:
    """Yield the CSS selectors of the parts that are not free, as one candidate."""
    if found := tuple(text for part in _locked(node, graph) for text in texts_of(part.get("cssSelector"))):
        yield found


def _locked(node: Node, graph: Graph) -> Iterator[Node]:
    parts = (graph.resolve(part) for part in as_list(node.get("hasPart"))[:_MAX_PARTS] if isinstance(part, dict))
    for part in {id(part): part for part in parts}.values():
        if any(read_free(text) is False for text in texts_of(part.get("isAccessibleForFree"))):
            yield part


def check_free(raw: Raw, _clues: Clues) -> bool | Refused:
    """Return whether the words mean free access."""
    is_free = read_free(raw) if isinstance(raw, str) else None
    return Refused(Notice(NoticeCode.NEITHER_TRUE_NOR_FALSE)) if is_free is None else is_free


def check_selectors(raw: Raw, _clues: Clues) -> tuple[str, ...] | Refused:
    """Return the distinct CSS selectors."""
    texts = (" ".join(text.split()) for text in raw if isinstance(text, str))
    found = tuple(dict.fromkeys(text for text in texts if 0 < len(text) <= _MAX_SELECTOR_CHARS))
    return found[:_MAX_PARTS] or Refused()


def weigh_access(found: Iterable[tuple[str, Raw, object]]) -> Iterator[tuple[str, Raw, object]]:
    """Yield the refusals, then the first usable statement; a later one that contradicts it becomes a refusal."""
    first: tuple[str, Raw, object] | None = None
    for name, raw, value in found:
        if isinstance(value, Refused):
            yield name, raw, value
        elif first is None:
            first = name, raw, value
        elif value != first[2]:
            yield name, raw, Refused(Notice(NoticeCode.CONTRADICTED, source=first[0], value=first[1]))
    if first:
        yield first
