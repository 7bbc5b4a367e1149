r"""Read JavaScript literals that are nearly JSON, without running anything.

Unquoted keys, single quotes, template strings, trailing commas, comments, `undefined`, `!0`, `void 0`, `\x3C`. A call
such as `new Date(…)` is its first argument, a name is a `Name`, for whoever knows what it stands for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
