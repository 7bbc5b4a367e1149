"""Write spans as inline Markdown.

CommonMark reads `*` as emphasis only where the characters on both sides allow it ("flanking"), which depends on
punctuation, and on stars beside it. Where that is in doubt, as in `a**"b"**c` or between two Chinese characters and a
quotation mark, HTML's tags are written, which Markdown may hold anywhere.
"""

from __future__ import annotations

import re
import string
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.page.rendering.inline_spans import by_link, by_tag, text_of, trimmed
from newsextract.page.text_runs import LINE_BREAK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.page.rendering.inline_spans import Span

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~]|&(?=#?\w+;))")
_BACKTICKS = re.compile("`+")
_MARKS = {"em": "*", "strong": "**", "del": "~~"}
_IN_ANGLES = re.compile(r"[<>\\]")
_BARE_URL = re.compile(r"[^\s<>()\\\x00-\x1f\x7f]+")
_ENTITY = re.compile(r"&(?=#?\w+;)")


@dataclass(slots=True)
class _Token:
    """Markdown, or the start or end of a tag; `pair` is then the place of the other."""

    text: str
    tag: str = ""
    pair: int = -1


def write_inline(spans: Sequence[Span]) -> str:
    """Return the spans as inline Markdown; line breaks stay hard."""
    if len(spans) == 1 and not spans[0].tags and not spans[0].href:
        return escaped(spans[0].text)
    tokens: list[_Token] = []
    for href, group in by_link(spans):
        before, kept, after = trimmed(group) if href else ("", group, "")
        _add(tokens, escaped(before))
        if href and kept:
            _add(tokens, "[")
            _add_tagged(tokens, kept, 0)
            _add(tokens, f"]({destination(href)})")
        else:
            _add_tagged(tokens, kept, 0)
        _add(tokens, escaped(after))
    return "".join(_resolved(tokens))


def destination(url: str) -> str:
    """Return a URL as the target of a link, in angle brackets only where CommonMark needs them.

    >>> destination("https://a.example/b_c?d=1"), destination("https://a.example/(b)")
    ('https://a.example/b_c?d=1', 'https://a.example/(b)')
    >>> destination("https://a.example/b)c")
    '<https://a.example/b)c>'
    """
    safe = _ENTITY.sub("&amp;", url)
    if _BARE_URL.fullmatch(safe.replace("(", "").replace(")", "")) and _is_balanced(safe):
        return safe
    return f"<{_IN_ANGLES.sub(lambda found: f'%{ord(found[0]):02X}', safe)}>"


def fence(code: str, least: int) -> str:
    """Return backticks that are more than the code has in a row."""
    longest = max(map(len, _BACKTICKS.findall(code)), default=0)
    return "`" * max(least, longest + 1)


def escaped(text: str) -> str:
    """Return text whose characters mean nothing to Markdown; line breaks are hard ones."""
    return _SPECIAL.sub(r"\\\1", text).replace(LINE_BREAK, "\\\n")


def _is_balanced(url: str) -> bool:
    depth = 0
    for char in url:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return False
    return depth == 0


def _add(tokens: list[_Token], text: str) -> None:
    if not text:
        return
    if text[0] == "[" and tokens and tokens[-1].text.endswith("!"):
        tokens[-1].text = f"{tokens[-1].text[:-1]}\\!"  # else it would be an image
    tokens.append(_Token(text))


def _add_tagged(tokens: list[_Token], spans: Sequence[Span], depth: int) -> None:
    for tag, group in by_tag(spans, depth):
        if tag is None:
            _add(tokens, escaped(text_of(group)))
            continue
        before, kept, after = trimmed(group)
        _add(tokens, escaped(before))
        if tag == "code":
            _add(tokens, _code(text_of(kept)))
        elif kept:
            start = len(tokens)
            tokens.append(_Token("", tag))
            _add_tagged(tokens, kept, depth + 1)
            tokens[start].pair = len(tokens)
            tokens.append(_Token("", tag, start))
        _add(tokens, escaped(after))


def _code(text: str) -> str:
    """Return the text as a code span, fenced by more backticks than it contains in a row.

    >>> _code("a `b` c")
    '`` a `b` c ``'
    """
    if not text:
        return ""
    marks = fence(text, 1)
    pad = " " if "`" in text else ""
    return f"{marks}{pad}{text.replace(LINE_BREAK, ' ')}{pad}{marks}"


def _resolved(tokens: Sequence[_Token]) -> Iterator[str]:
    """Yield the tokens' text, those of tags as marks where these are safe, else as HTML."""
    for place, token in enumerate(tokens):
        if not token.tag:
            yield token.text
        elif _has_marks(tokens, min(place, token.pair), max(place, token.pair)):
            yield _MARKS[token.tag]
        else:
            yield f"</{token.tag}>" if token.pair < place else f"<{token.tag}>"


def _has_marks(tokens: Sequence[_Token], start: int, stop: int) -> bool:
    """Tell whether CommonMark surely reads marks here as the start and the end of the same emphasis."""
    if tokens[start].tag not in _MARKS:
        return False
    if _are_both(tokens, start - 1, start):
        return _has_marks(tokens, start - 1, stop + 1)
    first, last = (start + 2, stop - 2) if _are_both(tokens, start, start + 1) else (start + 1, stop - 1)
    if tokens[first].tag or tokens[last].tag:
        return False
    outside = [tokens[n] for n in (start - 1, stop + 1) if 0 <= n < len(tokens)]
    if any(token.tag in _MARKS for token in outside):
        return False
    before = (tokens[start - 1].text or ">")[-1] if start else " "
    after = (tokens[stop + 1].text or "<")[0] if stop + 1 < len(tokens) else " "
    return _may_touch(before, tokens[first].text[0]) and _may_touch(after, tokens[last].text[-1])


def _are_both(tokens: Sequence[_Token], outer: int, inner: int) -> bool:
    """Tell whether two tags enclose the same text as `***both***`."""
    is_whole = outer >= 0 and tokens[inner].tag != "" and tokens[outer].pair == tokens[inner].pair + 1
    return is_whole and {tokens[outer].tag, tokens[inner].tag} == {"em", "strong"}


def _may_touch(outside: str, inside: str) -> bool:
    """Tell whether marks between these characters belong to the inner one, by every version of CommonMark."""
    if outside.isspace() or outside in string.punctuation or unicodedata.category(outside)[0] == "P":
        return True
    return unicodedata.category(inside)[0] not in "PS"
