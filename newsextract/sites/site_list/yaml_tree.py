"""YAML as plain values that remember their lines, without YAML's surprises.

Bare `no`, `1:30` and `2026-11-01` stay text, where YAML 1.1 makes `False`, ninety and a date of them; numbers, `true`,
`false` and `null` have their usual meaning. A repeated key is an error. Aliases and `<<` work, but what they expand to
is limited; tags are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 20
"""Nesting of tables and lists; a list of sites needs six."""

MAX_VALUES = 500_000
"""As many as a file of the allowed size can hold; more come from aliases of aliases."""

Path: TypeAlias = tuple[str | int, ...]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the fast one needs libyaml

_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "true": True, "false": False}
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"[+-]?\d{1,18}\.\d{0,18}")
_MERGE = "<<"


class YamlError(ValueError):
    """The text is not YAML, or too large; `line` and `column` count from 1, and are `None` if unknown."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


@dataclass(slots=True)
class Node:
    """A value and its line; for a table, also the lines of its keys."""

    value: Any
    """A plain value, a list of nodes, or a dictionary of them by key."""
    line: int
    key_lines: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """A value made of dictionaries, lists and plain values, and the line of each by its path."""

    value: Any
    lines: dict[Path, int]

    def line(self, path: Path) -> int:
        """Return the line of a path, or of its nearest parent that is in the file."""
        while path not in self.lines:
            path = path[:-1]
        return self.lines[path]


def read_yaml(text: str) -> Document:
    r"""Return the content of a text with one YAML document; the value of an empty one is `None`.

    >>> document = read_yaml("a:\n  - no\n  - 1:30\nb: 7")
    >>> document.value, document.line(("a", 1)), document.line(("b",))
    ({'a': ['no', '1:30'], 'b': 7}, 3, 4)

    Raises:
        YamlError: it is not YAML, or expands to too much.
    """
    try:
        root = _Composer(yaml.parse(text, Loader=_LOADER)).compose()
    except yaml.MarkedYAMLError as error:
        raise _explained(error, text) from error
    except yaml.YAMLError as error:
        position = getattr(error, "position", 0)
        reason = getattr(error, "reason", None) or str(error)
        raise YamlError(f"unreadable character: {reason}", text.count("\n", 0, position) + 1) from error
    lines: dict[Path, int] = {(): root.line}
    return Document(_plain(root, (), lines), lines)


def _explained(error: yaml.MarkedYAMLError, text: str) -> YamlError:
    mark = error.problem_mark or error.context_mark
    message = ", ".join(filter(None, (error.problem, error.context))) or "no YAML"
    if mark is None:
        return YamlError(message)
    line = (text.splitlines() or [""])[: mark.line + 1][-1]
    if "\t" in line[: len(line) - len(line.lstrip())]:
        message = f"a tab indents this line; YAML wants spaces ({message})"
    return YamlError(message, mark.line + 1, mark.column + 1)


class _Composer:
    """Builds nodes from the parser's events; an alias is the node that it names."""

    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self.events = events
        self.anchors: dict[str, Node | None] = {}
        self.merged = 0
        """Fields that `<<` took over; a short file can take over the same ones again and again."""

    def compose(self) -> Node:
        root = Node(None, 1)
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise YamlError("a second document begins here; a file holds one", _line(event))
                root = self._node(next(self.events), 0)
        return root

    def _node(self, event: yaml.Event, depth: int) -> Node:
        line = _line(event)
        if depth > MAX_DEPTH:
            raise YamlError(f"nested more than {MAX_DEPTH} deep", line)
        if isinstance(event, yaml.AliasEvent):
            return self._aliased(str(event.anchor), line)
        if getattr(event, "tag", None) not in (None, "!"):
            raise YamlError(f"the tag {event.tag} is not read here; write plain values", line)  # type: ignore[attr-defined]
        anchor = getattr(event, "anchor", None)
        if anchor:
            self.anchors[anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            node = Node(_scalar(event), line)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = Node([self._node(each, depth + 1) for each in self._until(yaml.SequenceEndEvent)], line)
        else:
            node = self._table(line, depth)
        if anchor:
            self.anchors[anchor] = node
        return node

    def _aliased(self, anchor: str, line: int) -> Node:
        if anchor not in self.anchors:
            raise YamlError(f"*{anchor} names nothing above it; &{anchor} would", line)
        node = self.anchors[anchor]
        if node is None:
            raise YamlError(f"*{anchor} is inside of what it names", line)
        return node

    def _until(self, end: type[yaml.Event]) -> Iterator[yaml.Event]:
        while not isinstance(event := next(self.events), end):
            yield event

    def _table(self, line: int, depth: int) -> Node:
        table = Node({}, line)
        merged: list[Node] = []
        for event in self._until(yaml.MappingEndEvent):
            key_line = _line(event)
            if not isinstance(event, yaml.ScalarEvent):
                raise YamlError("a list, table or alias cannot be the name of a field", key_line)
            key, value = event.value, self._node(next(self.events), depth + 1)
            if key == _MERGE and event.implicit[0]:
                merged += _tables(value, key_line)
            elif key in table.value:
                raise YamlError(f"{key!r} is given twice, first in line {table.key_lines[key]}", key_line)
            else:
                table.value[key], table.key_lines[key] = value, key_line
        for other in merged:
            self.merged += len(other.value)
            if self.merged > MAX_VALUES:
                raise YamlError(f"more than {MAX_VALUES:,} values, merged ones unfolded", line)
            for key in other.value:
                if key not in table.value:
                    table.value[key], table.key_lines[key] = other.value[key], other.key_lines[key]
        return table


def _line(event: yaml.Event) -> int:
    assert event.start_mark is not None  # noqa: S101 - what a parser yields has a place
    return int(event.start_mark.line) + 1


def _tables(value: Node, line: int) -> list[Node]:
    nodes = value.value if isinstance(value.value, list) else [value]
    if not all(isinstance(node.value, dict) for node in nodes):
        raise YamlError("<< takes a table, as in <<: *name", line)
    return nodes


def _scalar(event: yaml.ScalarEvent) -> Any:
    written = event.value
    if not event.implicit[0]:  # in quotes, or a block of text
        return written
    if written.lower() in _WORDS:
        return _WORDS[written.lower()]
    if _INTEGER.fullmatch(written):
        return int(written)
    return float(written) if _DECIMAL.fullmatch(written) else written


def _plain(node: Node, path: Path, lines: dict[Path, int]) -> Any:
    if len(lines) > MAX_VALUES:
        raise YamlError(f"more than {MAX_VALUES:,} values, aliases unfolded", node.line)
    if len(path) > MAX_DEPTH:
        raise YamlError(f"nested more than {MAX_DEPTH} deep, aliases unfolded", node.line)
    if isinstance(node.value, list):
        for index, item in enumerate(node.value):
            lines[*path, index] = item.line
        return [_plain(item, (*path, index), lines) for index, item in enumerate(node.value)]
    if isinstance(node.value, dict):
        lines.update({(*path, key): line for key, line in node.key_lines.items()})
        return {key: _plain(item, (*path, key), lines) for key, item in node.value.items()}
    return node.value
