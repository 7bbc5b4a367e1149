"""The values that a page gives to its scripts, as plain trees: JSON, JavaScript literals and frameworks' own forms."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.html import HtmlElement

    from newsextract.page.page import Page


# Read JavaScript literals that are nearly JSON, without running anything.
#
# Unquoted keys, single quotes, template strings, trailing commas, comments, `undefined`, `!0`, `void 0`, `\x3C`. A call
# such as `new Date(…)` is its first argument, a name is a `Name`, for whoever knows what it stands for.

MAX_DEPTH = 150
"""Brackets inside one another: rich text has some dozens."""
_MAX_DIGITS = 18
"""Longer numbers stay texts: they are identifiers, and reading 100,000 digits takes long."""
_FILLER = re.compile(r"[\s\ufeff]+|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/")
_SOLID = frozenset(chr(code) for code in range(33, 127)) - {"/"}
"""Signs that no filler begins with."""
_PLAIN = {quote: re.compile(rf"[^{quote}\\]*+") for quote in "\"'`"}
_NUMBER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|(?:\d++\.?|\.\d)\d*+(?:[eE][-+]?\d++)?)n?")
_NAME = re.compile(r"[A-Za-z_$][\w$]*+(?:\.[A-Za-z_$][\w$]*+)*+")
_HEX = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}")
_OCTAL = re.compile(r"[0-3]?[0-7]{1,2}")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "\n": ""}
_CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None, "undefined": None, "NaN": None}
_TRUTHS: dict[str, object] = {"!0": True, "!1": False}
_STATEMENTS = frozenset(("function", "class", "return", "var", "let", "const", "if", "for", "while", "async", "typeof"))


class NotLiteral(ValueError):  # noqa: N818 - the name says that it is an error
    """The text is no literal at this place, or the budget is used up."""


class Name(str):
    """A name in a literal, such as a parameter of the function around it."""

    __slots__ = ()


@dataclass
class Budget:
    """The characters, or values, that may still be read of one page."""

    chars: int
    is_spent: bool = False
    """Whether something was not read for lack of them."""

    def take(self, chars: int) -> None:
        """Use up some characters.

        Raises:
            NotLiteral: no more are left.
        """
        self.chars -= chars or 1
        if self.chars < 0:
            self.is_spent = True
            raise NotLiteral

    def has_one_more(self) -> bool:
        """Use up one; return whether it was left."""
        self.chars -= 1
        self.is_spent |= self.chars < 0
        return self.chars >= 0


def read_literal(text: str, start: int, budget: Budget) -> tuple[object, int]:
    r"""Return the value of the literal that begins at `start`, and where it ends.

    >>> read_literal("{a: 'x\\x3Cb>', b: [1, !0,], c: void 0}", 0, Budget(100))[0]
    {'a': 'x<b>', 'b': [1, True], 'c': None}

    Raises:
        NotLiteral: there is no literal.
    """
    return _Scanner(text, budget).value(start, 0)


def read_arguments(text: str, start: int, budget: Budget) -> tuple[list[object], int]:
    """Return the arguments of a call whose bracket opens at `start`, and where it ends.

    Raises:
        NotLiteral: one of them is no literal.
    """
    return _Scanner(text, budget).sequence(start, ")", 0)


class _Scanner:
    def __init__(self, text: str, budget: Budget) -> None:
        self.text = text
        self.budget = budget

    def value(self, start: int, depth: int) -> tuple[object, int]:
        start = self.skip(start)
        sign = self.text[start : start + 1]
        if depth > MAX_DEPTH:
            raise NotLiteral
        self.budget.take(1)
        if sign == "{":
            return self.mapping(start, depth)
        if sign == "[":
            return self.sequence(start, "]", depth)
        if sign and sign in _PLAIN:
            return self.string(start)
        if found := _NUMBER.match(self.text, start):
            self.budget.take(found.end() - start)
            return _number(found[0]), found.end()
        if (truth := self.text[start : start + 2]) in _TRUTHS:
            return _TRUTHS[truth], start + 2
        return self.named(start, depth)

    def skip(self, start: int) -> int:
        if self.text[start : start + 1] in _SOLID:
            return start  # most often; the pattern costs several times as much
        while found := _FILLER.match(self.text, start):
            self.budget.take(found.end() - start)
            start = found.end()
        return start

    def mapping(self, start: int, depth: int) -> tuple[object, int]:
        values: dict[str, object] = {}
        place = self.skip(start + 1)
        while self.text[place : place + 1] != "}":
            key, place = self.key(place)
            place = self.skip(place)
            if self.text[place : place + 1] == ":":
                values[key], place = self.value(place + 1, depth + 1)
            else:  # `{a}` is `{a: a}`
                values[key] = Name(key)
            place = self.after_comma(place, "}")
        return values, place + 1

    def key(self, start: int) -> tuple[str, int]:
        if self.text[start : start + 1] in ('"', "'"):
            return self.string(start)
        found = _NAME.match(self.text, start) or _NUMBER.match(self.text, start)
        if not found:
            raise NotLiteral
        self.budget.take(found.end() - start)
        return found[0], found.end()

    def sequence(self, start: int, closing: str, depth: int) -> tuple[list[object], int]:
        values: list[object] = []
        place = self.skip(start + 1)
        while self.text[place : place + 1] != closing:
            if self.text[place : place + 1] == ",":  # a hole
                values.append(None)
                place = self.skip(place + 1)
                continue
            value, place = self.value(place, depth + 1)
            values.append(value)
            place = self.after_comma(place, closing)
        return values, place + 1

    def after_comma(self, start: int, closing: str) -> int:
        place = self.skip(start)
        sign = self.text[place : place + 1]
        if sign == ",":
            return self.skip(place + 1)
        if sign != closing or not sign:
            raise NotLiteral
        return place

    def string(self, start: int) -> tuple[str, int]:
        quote = self.text[start]
        parts: list[str] = []
        place = start + 1
        while found := _PLAIN[quote].match(self.text, place):
            self.budget.take(found.end() - place)
            parts.append(found[0])
            place = found.end()
            sign = self.text[place : place + 1]
            if sign == quote:
                return _joined("".join(parts)), place + 1
            if not sign:
                break
            part, place = self.escape(place + 1)
            parts.append(part)
        raise NotLiteral

    def escape(self, start: int) -> tuple[str, int]:
        if found := _HEX.match(self.text, start):
            code = int(found[1] or found[2] or found[3], 16)
            return (chr(code) if code <= 0x10FFFF else ""), found.end()
        if found := _OCTAL.match(self.text, start):
            return chr(int(found[0], 8)), found.end()
        sign = self.text[start : start + 1]
        return _ESCAPES.get(sign, sign), start + 1

    def named(self, start: int, depth: int) -> tuple[object, int]:
        found = _NAME.match(self.text, start)
        if not found or found[0] in _STATEMENTS:
            raise NotLiteral
        name, place = found[0], found.end()
        self.budget.take(len(name))
        if name in _CONSTANTS:
            return _CONSTANTS[name], place
        if name == "void":
            return None, self.value(place, depth + 1)[1]
        if name == "new":
            return self.named(self.skip(place), depth + 1)
        place = self.skip(place)
        if self.text[place : place + 1] == "(":
            values, place = self.sequence(place, ")", depth + 1)
            return (values[0] if values else None), place
        return Name(name), place


def _number(text: str) -> object:
    if len(text) > _MAX_DIGITS or text[:2].lower() == "0x" or text.endswith("n"):
        return text
    return float(text) if any(sign in text for sign in ".eE") else int(text)


def whole(text: str) -> int | str:
    """Return a whole number; a long one stays a text."""
    return int(text) if len(text) <= _MAX_DIGITS else text


def _joined(text: str) -> str:
    """Return the text with its surrogate pairs joined, and without halves of pairs."""
    if text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")


# The rows that React's server components send: `1a:{"title":…}`, and `1b:T4c,` before a text of 0x4c bytes.
#
# A string `$1a` or `$L1a` stands for another row; see packages/react-client in React's repository.

_ROW = re.compile(rb"\s*([0-9a-f]{1,8}):(?:T([0-9a-f]{1,8}),)?")
_MAX_ROWS = 10_000
REFERENCE = re.compile(r"\$[L@]?([0-9a-f]{1,8})")


def read_rows(stream: str, budget: Budget) -> dict[str, object]:
    """Return the values of the rows, each under `$` and its number in hexadecimal digits."""
    rows: dict[str, object] = {}
    content = stream.encode(errors="ignore")
    budget.chars -= len(content)
    if budget.chars < 0:
        return rows
    place = 0
    while len(rows) < _MAX_ROWS and (found := _ROW.match(content, place)):
        key = f"${found[1].decode()}"
        if found[2]:
            place = found.end() + int(found[2], 16)
            rows[key] = content[found.end() : place].decode(errors="ignore")
            continue
        end = content.find(b"\n", found.end())
        place = end + 1 if end >= 0 else len(content)
        try:
            rows[key] = json.loads(content[found.end() : place], parse_int=whole)
        except (ValueError, RecursionError):
            continue  # a row that imports a module, or one that is cut off: it holds no text
    return rows


# The values that a page gives to its scripts: JSON elements, assignments, arguments of calls, and attributes.

MAX_CHARS = 10_000_000
"""Characters of JSON read of one page: a tenth of a second. The largest states of news sites have some millions."""
MAX_LITERAL_CHARS = 2_000_000
"""Characters of JavaScript literals, which are read by our own scanner: about a second."""
LEAST_CHARS = 200
"""Shorter values hold no article."""
_MAX_SCRIPTS = 300
_MAX_ELEMENTS = 20_000
"""Elements whose attributes are looked at."""
_MAX_STARTS = 5_000
"""Places of one page that may begin a value."""
_MAX_STATEMENTS = 200_000
"""Characters of a function before its `return`; it is looked for from each of the places."""
_START = re.compile(r"(?:[=(,:?]|\breturn\b)\s*+(?=[\[{(\"'`])")
_ASSIGNED = re.compile(r"([\w$]+)[\"'\]\s]*$")
_FUNCTION = re.compile(r"\(\s*+(?:function\s*+)?\(([\w$,\s]*+)\)\s*+(?:=>\s*+)?[{(]")
_CALL = re.compile(r"[\s;})]*+(?=\()")
_DECODER = json.JSONDecoder(strict=False, parse_int=whole)


def page_values(page: Page, json_budget: Budget, literal_budget: Budget) -> Iterator[tuple[str, object]]:
    """Yield the values of a page that may hold an article, each after the name of its place."""
    outline = page.outline
    scripts = (outline.elements[number] for number in outline.tagged("script"))
    chunks: list[str] = []
    for script in islice(scripts, _MAX_SCRIPTS):
        text = script.text or ""
        if (len(text) < LEAST_CHARS and "__next_f" not in text) or "ld+json" in (script.get("type") or "").lower():
            continue
        for name, value in _of_script(script, text, json_budget, literal_budget):
            if isinstance(value, list) and len(value) == 2 and value[0] == 1 and isinstance(value[1], str):
                chunks.append(value[1])  # a piece of a stream that goes on in the next script
            else:
                yield name, value
    if chunks:
        yield "flight rows", read_rows("".join(chunks), json_budget)
    for el in islice(outline.elements, _MAX_ELEMENTS):
        yield from _of_attributes(el, json_budget)


def read_json(text: str, budget: Budget, start: int = 0) -> tuple[object, int] | None:
    """Return the JSON value that begins at `start`, and where it ends; `None` if there is none."""
    if budget.chars < len(text) - start:
        budget.is_spent = True
        return None
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as broken:
        budget.chars -= broken.pos - start
    except (ValueError, RecursionError):
        budget.chars -= len(text) - start
    else:
        budget.chars -= end - start
        return value, int(end)
    return None


def _of_script(script: HtmlElement, text: str, json_budget: Budget, literals: Budget) -> Iterator[tuple[str, object]]:
    kind = (script.get("type") or "").lower()
    name = script.get("id") or ("JSON script" if "json" in kind else "script")
    stripped = text.strip().removeprefix("<!--").removesuffix("-->").strip()
    if "&q;" in stripped:
        stripped = _transferred(stripped)
    if stripped[:1] in "{[" and (found := read_json(stripped, json_budget)):
        yield name, found[0]
        return
    if not kind or "script" in kind or kind == "module":
        yield from _assigned(text, json_budget, literals)


def _transferred(text: str) -> str:
    """Return Angular's transfer state with its own escapes replaced."""
    for escape, sign in (("&q;", '"'), ("&s;", "'"), ("&l;", "<"), ("&g;", ">"), ("&a;", "&")):
        text = text.replace(escape, sign)
    return text


def _assigned(text: str, json_budget: Budget, literals: Budget) -> Iterator[tuple[str, object]]:
    """Yield the long values that a script assigns, or calls something with."""
    place = 0
    for _ in range(_MAX_STARTS):
        found = _START.search(text, place)
        if not found:
            return
        start = place = found.end()
        read = _value_at(text, start, json_budget, literals)
        if not read:
            continue
        value, place = read
        if place - start >= LEAST_CHARS or isinstance(value, list):
            before = _ASSIGNED.search(text[max(found.start() - 60, 0) : found.start()])
            yield (before[1] if before else "script"), value


def _value_at(text: str, start: int, json_budget: Budget, literals: Budget) -> tuple[object, int] | None:
    try:
        if text[start] == "(":
            return _called(text, start, literals)
        if text[start] in "{[" and (found := read_json(text, json_budget, start)):
            return found
        return read_literal(text, start, literals)
    except NotLiteral:
        return None


def _called(text: str, start: int, budget: Budget) -> tuple[object, int] | None:
    """Return what a function returns that is called where it is defined: `(function(a){return {…a…}}(…))`."""
    found = _FUNCTION.match(text, start)
    if not found:
        return None
    place = found.end()
    if text[place - 1] == "{":
        returned = text.find("return", place, place + _MAX_STATEMENTS)
        if returned < 0:
            return None
        place = returned + len("return")
    value, place = read_literal(text, place, budget)
    call = _CALL.match(text, place)
    if not call:
        return None
    values, place = read_arguments(text, call.end(), budget)
    names = [name.strip() for name in found[1].split(",")]
    return _bound(value, dict(zip(names, values, strict=False))), place


def _bound(value: object, names: Mapping[str, object]) -> object:
    """Return a value with its names replaced by what they stand for."""
    if isinstance(value, Name):
        return names.get(value)
    if isinstance(value, dict):
        return {key: _bound(each, names) for key, each in value.items()}
    return [_bound(each, names) for each in value] if isinstance(value, list) else value


def _of_attributes(el: HtmlElement, budget: Budget) -> Iterator[tuple[str, object]]:
    for name, text in el.items():
        if len(text) >= LEAST_CHARS and text.lstrip()[:1] in "{[" and (found := read_json(text.lstrip(), budget)):
            yield name, found[0]


# Undo what frameworks do to data on its way to the page: JSON inside strings, references, values with type tags.
#
# - devalue (Nuxt 3, SvelteKit) and turbo-stream (Remix): one flat list whose objects hold the places of their values.
# - Apollo: `{"__ref": "Article:1"}` stands for the entry of that name, wherever it is.
# - React's server components: `$1a` stands for a row.
# - Astro: `[0, value]` and `[1, [values]]` are pairs of a type and a value.

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
