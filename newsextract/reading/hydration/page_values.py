"""The values that a page gives to its scripts: JSON elements, assignments, arguments of calls, and attributes."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING

from newsextract.reading.hydration.flight_rows import read_rows
from newsextract.reading.hydration.literal_scanner import Budget, Name, NotLiteral, read_arguments, read_literal, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.html import HtmlElement

    from newsextract.page.page import Page

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
