"""Undo what frameworks do to data on its way to the page: JSON inside strings, references, values with type tags.

- devalue (Nuxt 3, SvelteKit) and turbo-stream (Remix): one flat list whose objects hold the places of their values.
- Apollo: `{"__ref": "Article:1"}` stands for the entry of that name, wherever it is.
- React's server components: `$1a` stands for a row.
- Astro: `[0, value]` and `[1, [values]]` are pairs of a type and a value.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING
from urllib.parse import unquote

from newsextract.reading.hydration.flight_rows import REFERENCE
from newsextract.reading.hydration.literal_scanner import MAX_DEPTH, Budget
from newsextract.reading.hydration.page_values import LEAST_CHARS, read_json

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_NODES = 300_000
"""Values looked at of one page; references can make a small text into a very large tree."""
_TYPE_TAGS = 11
"""Astro's tags are smaller."""
_LEAST_FLAT = 3
_WRAPPERS = frozenset(
    ("Reactive", "ShallowReactive", "Ref", "ShallowRef", "Date", "Set", "EmptyRef", "EmptyShallowRef")
)
_REFERENCES = ("__ref", "$ref")


def unfolded(value: object, budget: Budget, nodes: Budget) -> object:
    """Return a value as the plain tree that the page's scripts work with; what exceeds the bounds is `None`.

    Both budgets are of a whole page: `budget` of the characters of JSON inside strings, `nodes` of values.
    """
    entries: dict[str, object] = {}
    _index(value, entries, 0)
    return _Unfolding(entries, budget, nodes).tree(value, 0)


def _index(value: object, entries: dict[str, object], depth: int) -> None:
    """Edit `entries`: add what references may name, rows and the entries of normalised caches."""
    if depth > 8:
        return
    if isinstance(value, dict):
        for key, each in value.items():
            if (isinstance(each, dict) and ":" in key) or key.startswith("$"):
                entries[key] = each
            _index(each, entries, depth + 1)


class _Unfolding:
    def __init__(self, entries: Mapping[str, object], budget: Budget, nodes: Budget) -> None:
        self.entries = entries
        self.budget = budget
        self.nodes = nodes
        self.open: set[str] = set()
        """The references that are being followed: a story may refer to its author, who refers to the story."""

    def tree(self, value: object, depth: int) -> object:
        if depth > MAX_DEPTH or not self.nodes.has_one_more():
            return None
        if isinstance(value, str):
            return self.text(value, depth)
        if isinstance(value, list):
            flat = _revived(value, self.nodes)
            return [self.tree(each, depth + 1) for each in value] if flat is value else self.tree(flat, depth + 1)
        return self.mapping(value, depth) if isinstance(value, dict) else value

    def mapping(self, value: Mapping[str, object], depth: int) -> object:
        name = next((value[key] for key in _REFERENCES if key in value), None)
        if isinstance(name, str) and len(value) <= 2:
            return self.entry(name, depth)
        return {key: self.tree(each, depth + 1) for key, each in _without_tags(value).items()}

    def text(self, text: str, depth: int) -> object:
        if len(text) < 12 and REFERENCE.fullmatch(text):
            return self.entry("$" + text.lstrip("$L@"), depth)
        if len(text) < LEAST_CHARS:
            return text
        decoded = _decoded(text)
        found = read_json(decoded, self.budget) if decoded[:1] in ("{", "[") else None
        return self.tree(found[0], depth + 1) if found and found[1] >= len(decoded.rstrip()) else text

    def entry(self, name: str, depth: int) -> object:
        if name in self.open or name not in self.entries:
            return None
        self.open.add(name)
        found = self.tree(self.entries[name], depth + 1)
        self.open.discard(name)
        return found


def _decoded(text: str) -> str:
    """Return the JSON that is percent-encoded or in Base64 in a text, else the text."""
    start = text.lstrip()
    if start.startswith(("%7B", "%5B", "%7b", "%5b")):
        return unquote(start)
    if start.startswith(("eyJ", "W3si")):
        try:
            return base64.b64decode(start, validate=True).decode()
        except (binascii.Error, ValueError):
            return text
    return start


def _revived(value: list[object], nodes: Budget) -> object:
    """Return the tree that a flat list stands for, or the list itself if it is none."""
    if len(value) < _LEAST_FLAT or not _is_flat(value):
        return value
    return _Revival(value, nodes).at(0, 0)


def _is_flat(value: list[object]) -> bool:
    first = value[0]
    if isinstance(first, list) and len(first) == 2 and isinstance(first[0], str) and first[0] in _WRAPPERS:
        return _is_place(first[1], value)
    if isinstance(first, dict) and first:
        return all(_is_place(each, value) for each in first.values()) and any(isinstance(each, str) for each in value)
    return False


def _is_place(number: object, value: list[object]) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and -7 <= number < len(value)


class _Revival:
    def __init__(self, values: list[object], nodes: Budget) -> None:
        self.values = values
        self.nodes = nodes
        self.open: set[int] = set()

    def at(self, place: object, depth: int) -> object:
        if not isinstance(place, int) or not 0 <= place < len(self.values):
            return None  # negative places are undefined, NaN and the like
        if place in self.open or depth > MAX_DEPTH or not self.nodes.has_one_more():
            return None
        self.open.add(place)
        found = self.revived(self.values[place], depth)
        self.open.discard(place)
        return found

    def revived(self, value: object, depth: int) -> object:
        if isinstance(value, dict):
            return {self.key(key): self.at(each, depth + 1) for key, each in value.items()}
        if isinstance(value, list):
            if value and isinstance(value[0], str):
                return self.tagged(value, depth)
            return [self.at(each, depth + 1) for each in value]
        return value

    def tagged(self, value: list[object], depth: int) -> object:
        if value[0] == "Date" or len(value) < 2:
            return value[-1] if len(value) > 1 else None
        return self.at(value[1], depth + 1)

    def key(self, key: str) -> str:
        """Return a key; turbo-stream writes the places of keys, too, as `_12`."""
        if key[:1] == "_" and key[1:].isdecimal() and len(key) < 8 and int(key[1:]) < len(self.values):
            return str(self.values[int(key[1:])])
        return key


def _without_tags(value: Mapping[str, object]) -> Mapping[str, object]:
    """Return an object of Astro's pairs without their tags, and any other as it is."""
    if value and all(map(_is_tagged, value.values())):
        return {key: _untagged(each, 0) for key, each in value.items()}
    return value


def _is_tagged(value: object) -> bool:
    if not isinstance(value, list) or not 0 < len(value) <= 2 or isinstance(value[0], bool):
        return False
    return isinstance(value[0], int) and 0 <= value[0] <= _TYPE_TAGS


def _untagged(pair: object, depth: int) -> object:
    if not _is_tagged(pair) or depth > MAX_DEPTH or not isinstance(pair, list):
        return None
    value = pair[1] if len(pair) > 1 else None
    if isinstance(value, list):
        return [_untagged(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {key: _untagged(each, depth + 1) for key, each in value.items()}
    return value
