"""Builds a query's tree from the parser's, and checks the words that the grammar lets through."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from lark import Token, Transformer

from newsextract.page.word_folding import words
from newsextract.sites.site_list.language_names import is_language, primary
from newsextract.storage.schema.searched_fields import VALUE_FIELDS
from newsextract.storage.search.query_tree import (
    EVERYWHERE,
    FIELD_NAMES,
    PREFIX,
    And,
    Near,
    Not,
    Or,
    Term,
    terms,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.storage.search.query_tree import Query

DEFAULT_DISTANCE, MAX_DISTANCE = 10, 100
"""Words between the operands of NEAR: without a number, and at most; a hundred are two paragraphs."""
_LEAST_PREFIX_CHARS = 2
"""A prefix of one letter would match everything."""

_QUOTES = '"“”„«»'
_STAR_AT_END = "* stands only at the end of a word, for the rest of it"
_ODD_WORDS = (
    (re.compile(r"[-!]\w"), "what must not be there is written NOT"),
    (re.compile(r"\|\|?$"), "alternatives are joined by OR"),
    (re.compile(r"[&+]+$"), "what must be there as well is joined by AND, or by nothing"),
    (re.compile(r"\*|.*\*."), _STAR_AT_END),
    (re.compile(r".*\w\?\w"), "? stands for nothing; * at the end of a word stands for its rest"),
)
"""Syntax of other query languages that this one lacks: reported as an error, not misread."""
_SUGGESTED = {name: name for name in FIELD_NAMES} | {
    "title": "headline", "text": "body", "content": "body", "summary": "description", "tag": "keyword",
    "category": "section", "source": "publisher", "domain": "site", "host": "site",
}  # fmt: skip
"""The field to suggest for a name: its own, or one that other programs have for it."""
_HOST = re.compile(r"[\w-]+(\.[\w-]+)*(:\d+)?")


class QueryError(ValueError):
    """A query is invalid; `position` is where, in characters of its text, counted from 0."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


class Builder(Transformer[Token, Any]):
    """Transforms the parser's tree from its leaves up; the methods are named as in the grammar."""

    def __init__(self, definitions: Mapping[str, Query] | None) -> None:
        super().__init__(visit_tokens=False)
        self.definitions = definitions

    def any_of(self, operands: list[Query]) -> Query:
        """Join alternatives."""
        return Or(tuple(operands))

    def all_of(self, operands: list[Query]) -> Query:
        """Join required operands."""
        return And(tuple(operands))

    def negated(self, parts: list[Any]) -> Query:
        """Negate a clause."""
        return Not(parts[1])

    def near(self, parts: list[Any]) -> Query:
        """Join operands that must be close to each other."""
        operands, marks = parts[::2], parts[1::2]
        wrong = next((index for index, operand in enumerate(operands) if not _has_places(operand)), None)
        if wrong is not None:
            mark = marks[max(0, wrong - 1)]
            raise QueryError("NEAR joins words, phrases, and (one OR another) of them", mark.start_pos)
        fields = {term.field for operand in operands for term in terms(operand)}
        if len(fields) > 1:
            raise QueryError("NEAR joins what is in one field; write headline:(pont NEAR bridge)", marks[0].start_pos)
        return Near(tuple(operands), tuple(_distance(mark) for mark in marks))

    def group(self, parts: list[Any]) -> Query:
        """Restrict the expression in brackets to a field, if one is named."""
        return self._placed(parts[0], parts[1])

    def definition(self, parts: list[Any]) -> Query:
        """Replace a name by its definition."""
        name = str(parts[1])[1:]
        if self.definitions is None:
            raise QueryError(f"{parts[1]}: only rules have definitions; in quotes, it is a word", parts[1].start_pos)
        if name not in self.definitions:
            known = ", ".join(f"${each}" for each in self.definitions) or "none above it"
            raise QueryError(f"${name} is not defined; under definitions: there is {known}", parts[1].start_pos)
        return self._placed(parts[0], self.definitions[name])

    def term(self, parts: list[Any]) -> Query:
        """Return the term for a word or phrase."""
        field = _field(parts[0])
        return _value(field, parts[1]) if field in VALUE_FIELDS else Term(_words(parts[1]), field)

    def _placed(self, name: Token | None, query: Query) -> Query:
        field = _field(name)
        if name is None:
            return query
        if field in VALUE_FIELDS:
            raise QueryError(f"{name} takes one value; write ({name}a OR {name}b)", name.start_pos or 0)
        if any(term.field for term in terms(query)):
            raise QueryError(f"there is a field in what {name} stands before already", name.start_pos or 0)
        return within(query, field)


def _has_places(query: Query) -> bool:
    """Return whether a query matches at positions of the text."""
    if isinstance(query, Or):
        return all(_has_places(operand) for operand in query.operands)
    return isinstance(query, Term) and query.field not in VALUE_FIELDS


def _distance(mark: Token) -> int:
    number = mark.partition("/")[2]
    if "/" not in mark:
        return DEFAULT_DISTANCE
    if not number.isdecimal() or not number.isascii() or len(number) > 4 or int(number) > MAX_DISTANCE:
        raise QueryError(
            f"{mark}: expected a number of words from 0 to {MAX_DISTANCE}, as in NEAR/5", mark.start_pos or 0
        )
    return int(number)


def _field(name: Token | None) -> str:
    if name is None:
        return EVERYWHERE
    written = name[:-1].lower()
    if written not in FIELD_NAMES:
        near = get_close_matches(written, _SUGGESTED, n=1)
        told = f"did you mean {_SUGGESTED[near[0]]}:?" if near else f"there are {', '.join(FIELD_NAMES)}"
        raise QueryError(f"{name} is no field; {told} (in quotes, it is a word)", name.start_pos or 0)
    return FIELD_NAMES[written]


def _words(token: Token) -> tuple[str, ...]:
    at = token.start_pos or 0
    is_word = token.type == "WORD"
    found = tuple(words(token))
    wrong = next((told for odd, told in _ODD_WORDS if is_word and odd.match(token)), None)
    if wrong:
        raise QueryError(f"{token}: {wrong}", at)
    if not found:
        raise QueryError(f"{token} has no letter and no digit to look for", at)
    if not token.endswith(PREFIX):
        return found
    if len(found) == 1 and len(found[0]) < _LEAST_PREFIX_CHARS and found[0].isascii():
        raise QueryError(f"{token} is too short: write {_LEAST_PREFIX_CHARS} letters or more before *", at)
    return *found[:-1], found[-1] + PREFIX


def _value(field: str, token: Token) -> Term:
    written = token.strip(_QUOTES).strip()
    if field == "language":
        if not is_language(written):
            raise QueryError(f"{token} is no code of a language; write one such as fr, en or pt", token.start_pos or 0)
        return Term((primary(written) or "",), field)
    host = host_of(written)
    if host is None:
        raise QueryError(f"{token} is no site; write its host, such as lemonde.fr", token.start_pos or 0)
    return Term((host,), field)


def host_of(written: str) -> str | None:
    """Return the host that a rule names, as articles have it; `None` if it is not a host.

    >>> host_of("https://www.LeMonde.fr/"), host_of("le monde")
    ('lemonde.fr', None)
    """
    host = re.sub(r"^https?://", "", written.lower()).rstrip("/").removeprefix("www.")
    return host if _HOST.fullmatch(host) else None
