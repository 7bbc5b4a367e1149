"""The values that a page gives to its scripts, as the plain trees that these work with.

They are in JSON elements, assignments, arguments of calls and attributes. No script is run: JavaScript literals are
read by chompjs. Apollo's references are followed: `{"__ref": "Article:1"}` stands for the entry of that name.

Formats that only a server writes which also renders the page (React's rows, devalue, turbo-stream, Astro) are left
alone: of 5,800 pages none needed them, as their text is in the HTML.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.html import HtmlElement

    from newsextract.page.page import Page

MAX_DEPTH = 150
"""Brackets inside one another: rich text has some dozens."""
_MAX_JSON_CHARS = 10_000_000
"""Characters of JSON read of one page: a tenth of a second. The largest states of news sites have some millions."""
_MAX_LITERAL_CHARS = 2_000_000
"""Characters of JavaScript searched for the end of a literal: about a second."""
_MAX_NODES = 300_000
"""Values looked at of one page; references can make a small text into a very large tree."""
_LEAST_CHARS = 200
"""Shorter values hold no article."""
_MAX_STARTS = 5_000
"""Places of one page that may begin a value."""
_MAX_STATEMENTS = 200_000
"""Characters of a function before its `return`; it is looked for from each of the places."""
_MAX_DIGITS = 18
"""Longer numbers stay texts: they are identifiers, and reading 100,000 digits takes long."""

_START = re.compile(r"(?:[=(,:?]|\breturn\b)\s*+(?=[\[{(\"'`])")
_ASSIGNED = re.compile(r"([\w$]+)[\"'\]\s]*$")
_FUNCTION = re.compile(r"\(\s*+(?:function\s*+)?\(([\w$,\s]*+)\)\s*+(?:=>\s*+)?[{(]")
_SPACES = re.compile(r"\s*")
_CALL = re.compile(r"[\s;})]*+(?=\()")
_TOKEN = re.compile(
    r"\"(?:[^\"\\]++|\\.)*+\"|'(?:[^'\\]++|\\.)*+'|`(?:[^`\\]++|\\.)*+`|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/|[{}\[\]()]",
    re.DOTALL,
)
"""Strings, comments and brackets: what tells where a literal ends."""
_HEX = re.compile(r"(\\\\)|\\x([0-9a-fA-F]{2})")
_NEW_DATE = re.compile(r"new Date\(\s*[\"']?([^\"')]{1,60})[\"']?\s*\)")


def _whole(text: str) -> int | str:
    return int(text) if len(text) <= _MAX_DIGITS else text


_DECODER = json.JSONDecoder(strict=False, parse_int=_whole)


@dataclass
class _Budget:
    """What may still be read of one page."""

    left: int
    is_spent: bool = False
    """Whether something was not read for lack of it."""

    def allows(self, amount: int = 0) -> bool:
        """Return whether so much is left."""
        self.is_spent |= self.left < amount
        return self.left >= amount


@dataclass
class EmbeddedData:
    """The data of one page, read within bounds."""

    page: Page
    _json: _Budget = field(default_factory=lambda: _Budget(_MAX_JSON_CHARS))
    _inner_json: _Budget = field(default_factory=lambda: _Budget(_MAX_JSON_CHARS))
    _literals: _Budget = field(default_factory=lambda: _Budget(_MAX_LITERAL_CHARS))
    _nodes: _Budget = field(default_factory=lambda: _Budget(_MAX_NODES))

    @property
    def is_cut(self) -> bool:
        """Whether some of the data exceeds what is read of one page."""
        return any(each.is_spent for each in (self._json, self._inner_json, self._literals, self._nodes))

    def trees(self) -> Iterator[tuple[str, object]]:
        """Yield the values that may hold an article, each after the name of its place."""
        for place, value in self._values():
            if isinstance(value, (dict, list, str)):
                yield place, _Unfolding(value, self._inner_json, self._nodes).tree(value, 0)

    def _values(self) -> Iterator[tuple[str, object]]:
        outline = self.page.outline
        for script in (outline.elements[number] for number in outline.tagged("script")):
            text = script.text or ""
            if len(text) >= _LEAST_CHARS and "ld+json" not in (script.get("type") or "").lower():
                yield from self._of_script(script, text)
        for el in outline.elements:
            for name, text in el.items():
                is_data = len(text) >= _LEAST_CHARS and text.lstrip()[:1] in "{["
                if is_data and (found := _read_json(text.lstrip(), self._json)):
                    yield name, found[0]

    def _of_script(self, script: HtmlElement, text: str) -> Iterator[tuple[str, object]]:
        kind = (script.get("type") or "").lower()
        stripped = text.strip().removeprefix("<!--").removesuffix("-->").strip()
        if stripped[:1] in "{[" and (found := _read_json(stripped, self._json)):
            yield script.get("id") or ("JSON script" if "json" in kind else "script"), found[0]
        elif not kind or "script" in kind or kind == "module":
            yield from self._assigned(text)

    def _assigned(self, text: str) -> Iterator[tuple[str, object]]:
        """Yield the long values that a script assigns, or calls something with."""
        place = 0
        for _ in range(_MAX_STARTS):
            found = _START.search(text, place)
            if not found:
                return
            start = place = found.end()
            read = self._value_at(text, start)
            if not read:
                continue
            value, place = read
            if place - start >= _LEAST_CHARS:
                before = _ASSIGNED.search(text[max(found.start() - 60, 0) : found.start()])
                yield (before[1] if before else "script"), value

    def _value_at(self, text: str, start: int) -> tuple[object, int] | None:
        if text[start] == "(":
            return self._called(text, start)
        if text[start] in "{[" and (found := _read_json(text, self._json, start)):
            return found
        end = self._end(text, start)  # a shorter value holds no article, and most are
        return (None, end) if 0 < end < start + _LEAST_CHARS else self._literal(text, start, end)

    def _called(self, text: str, start: int) -> tuple[object, int] | None:
        """Return what a function returns that is called where it is defined: `(function(a){return {…a…}}(…))`."""
        function = _FUNCTION.match(text, start)
        if not function:
            return None
        place = function.end()
        if text[place - 1] == "{":
            place = text.find("return", place, place + _MAX_STATEMENTS) + len("return")
        start = _SPACES.match(text, place).end()  # type: ignore[union-attr]  # it matches nothing, too
        returned = self._literal(text, start, self._end(text, start))
        call = _CALL.match(text, returned[1]) if returned else None
        end = self._end(text, call.end()) if call else 0
        if not returned or not call or not end:
            return None
        arguments = _parsed(f"[{text[call.end() + 1 : end - 1]}]")
        names = [name.strip() for name in function[1].split(",")]
        bound = dict(zip(names, arguments, strict=False)) if isinstance(arguments, list) else {}
        return _bound(returned[0], bound), end

    def _literal(self, text: str, start: int, end: int) -> tuple[object, int] | None:
        """Return the value of the JavaScript literal that begins at `start`, and where it ends."""
        found = _parsed(f"[{text[start:end]}]") if end else None
        return (found[0], end) if isinstance(found, list) and found else None

    def _end(self, text: str, start: int) -> int:
        """Return where the string or the brackets that begin at `start` end; 0 if they do not."""
        depth = 0
        stop = start
        for token in _TOKEN.finditer(text, start, min(len(text), start + max(self._literals.left, 0))):
            if stop == start and token.start() != start:
                break
            stop = token.end()
            depth += (token[0] in ("{", "[", "(")) - (token[0] in ("}", "]", ")"))
            if not depth or depth > MAX_DEPTH:
                break
        else:
            stop = len(text)
        self._literals.left -= stop - start
        return stop if not depth and stop > start and self._literals.allows() else 0


def _read_json(text: str, budget: _Budget, start: int = 0) -> tuple[object, int] | None:
    """Return the JSON value that begins at `start`, and where it ends; `None` if there is none."""
    if not budget.allows(len(text) - start):
        return None
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as broken:
        budget.left -= broken.pos - start
    except (ValueError, RecursionError):
        budget.left -= len(text) - start
    else:
        budget.left -= end - start
        return value, int(end)
    return None


_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|(.))", re.DOTALL)
_JSON_ESCAPES = frozenset("\"'\\/bfnrtu")


def _parsed(literal: str) -> object:
    r"""Return the value of a JavaScript literal, in which names and calls are strings; `None` if it is broken.

    >>> _parsed(r"[{a: 'x\x3Cb>', b: [1, c,], d: new Date(1772435700)}]")
    [{'a': 'x<b>', 'b': [1, 'c'], 'd': '1772435700'}]
    >>> _parsed(r"{a: 'The bridge \- \u{1F600}'}")
    {'a': 'The bridge - 😀'}
    """
    from chompjs import parse_js_object  # noqa: PLC0415 - few pages need it

    plain = _HEX.sub(lambda found: found[1] or f"\\u00{found[2]}", literal) if "\\x" in literal else literal
    if "new Date" in plain:
        plain = _NEW_DATE.sub(r"'\1'", plain)
    for form in (plain, _ESCAPE.sub(_as_json, plain)):
        try:
            return parse_js_object(form, loader_kwargs={"strict": False, "parse_int": _whole})
        except (ValueError, RecursionError):
            continue
    return None


def _as_json(escape: re.Match[str]) -> str:
    """Return what JSON has for an escape of JavaScript."""
    if escape[1]:
        return chr(min(int(escape[1], 16), sys.maxunicode))
    return escape[0] if escape[2] in _JSON_ESCAPES else escape[2].strip("\n")


def _bound(value: object, names: Mapping[str, object]) -> object:
    """Return a value with its names replaced by what they stand for."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {key: _bound(each, names) for key, each in value.items()}
    return [_bound(each, names) for each in value] if isinstance(value, list) else value


class _Unfolding:
    """Makes the plain tree of one value; what exceeds the bounds is `None`."""

    def __init__(self, value: object, budget: _Budget, nodes: _Budget) -> None:
        self.entries: dict[str, object] = {}
        self.budget = budget
        self.nodes = nodes
        self.open: set[str] = set()
        """The references that are being followed: a story may refer to its author, who refers to the story."""
        self.index(value, 0)

    def index(self, value: object, depth: int) -> None:
        """Note what references may name: the entries of normalised caches."""
        if depth <= 8 and isinstance(value, dict):
            for key, each in value.items():
                if isinstance(each, dict) and ":" in key:
                    self.entries[key] = each
                self.index(each, depth + 1)

    def tree(self, value: object, depth: int) -> object:
        self.nodes.left -= 1
        if depth > MAX_DEPTH or not self.nodes.allows():
            return None
        if isinstance(value, str):
            return self.text(value, depth)
        if isinstance(value, list):
            return [self.tree(each, depth + 1) for each in value]
        if not isinstance(value, dict):
            return value
        if isinstance(name := value.get("__ref"), str) and len(value) <= 2:
            return self.entry(name, depth)
        return {key: self.tree(each, depth + 1) for key, each in value.items()}

    def text(self, text: str, depth: int) -> object:
        start = text.lstrip() if len(text) >= _LEAST_CHARS else ""
        found = _read_json(start, self.budget) if start[:1] in ("{", "[") else None
        return self.tree(found[0], depth + 1) if found and found[1] >= len(start.rstrip()) else text

    def entry(self, name: str, depth: int) -> object:
        if name in self.open or name not in self.entries:
            return None
        self.open.add(name)
        found = self.tree(self.entries[name], depth + 1)
        self.open.discard(name)
        return found
