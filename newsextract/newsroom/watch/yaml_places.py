"""Finds the place of a string's character in its YAML file, past quotation marks, escapes and indents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from newsextract.sites.site_list.yaml_tree import Path

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the fast one needs libyaml

_UNITS = {'"': re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\s|.)|\S"), "'": re.compile(r"''|\S")}
"""What stands for one character in a quoted string; elsewhere every character but a space stands for itself."""
_PLAIN = re.compile(r"\S")
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
"""An anchor or tag before the text."""
_SPACES = re.compile(r"\\[\sntvfr _NLP]")
"""Escapes of spaces and line ends."""


def place_in(text: str, path: Path, position: int) -> tuple[int, int] | None:
    r"""Return line and column, from 1, of a character of the string at a path; `None` if unknown.

    >>> place_in('a:\n  - >\n    one\n    two', ("a", 0), 4)
    (4, 5)
    """
    node = _node(yaml.compose(text, Loader=_LOADER), path)
    if not isinstance(node, yaml.ScalarNode) or node.start_mark is None or node.end_mark is None:
        return None
    at = _index(text[: node.end_mark.index], node, position)
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _node(node: yaml.Node | None, path: Path) -> yaml.Node | None:
    for step in path:
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            node = node.value[step]
        elif isinstance(node, yaml.MappingNode):
            node = next((value for key, value in node.value if key.value == step), None)
        else:
            return None
    return node


def _index(text: str, node: yaml.ScalarNode, position: int) -> int:
    """Return the index in the file with as many non-space characters before it as in the string."""
    assert node.start_mark is not None  # noqa: S101 - whoever calls it has looked
    start = node.start_mark.index
    properties = _PROPERTIES.match(text, start)
    start = properties.end() if properties else start
    if node.style in ("|", ">"):
        start = text.index("\n", start)  # a comment may follow the sign
    elif node.style in ("'", '"'):
        start, text = start + 1, text[:-1]
    units = [unit for unit in _UNITS.get(node.style or "", _PLAIN).finditer(text, start) if not _SPACES.match(unit[0])]
    before = len("".join(node.value[:position].split()))
    if before < len(units):
        return units[before].start()
    return units[-1].end() if units else start
