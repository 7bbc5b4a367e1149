"""The query language of watch rules and search: its tree, and the parser that makes it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedToken, VisitError

from newsextract.page.word_folding import words
from newsextract.sites.site import is_language, primary
from newsextract.storage.word_index import VALUE_FIELDS, WORD_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


# The tree of a query; as text, it is an equivalent query with everything spelled out.

PREFIX = "*"
"""The mark at the end of a prefix; no folded word contains it."""

EVERYWHERE = ""
"""The field of a term without one: headline, description and body."""

FIELD_NAMES = {name: name for name in (*WORD_FIELDS, *VALUE_FIELDS)} | {"lead": "description", "lang": "language"}
"""The names allowed before the colon, and their fields."""


def key_in(field: str, word: str) -> str:
    """Return the key of a word in one field; the leading colon distinguishes it from plain words."""
    return f":{field}:{word}"


@dataclass(frozen=True)
class Term:
    """Adjacent words, the last one a prefix if it ends in `*`; or a value of a field."""

    words: tuple[str, ...]
    field: str = EVERYWHERE

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys, possibly with a prefix, that a document must have for it to match.

        >>> Term(("prime", "minist*"), "headline").keys, Term(("pont",), "body").keys
        ((':headline:prime', ':headline:minist*'), ('pont',))
        """
        return self.words if self.field in ("", "body") else tuple(key_in(self.field, word) for word in self.words)

    def __str__(self) -> str:
        text = " ".join(self.words).removesuffix(PREFIX)
        star = PREFIX if self.words[-1].endswith(PREFIX) else ""
        prefix = f"{self.field}:" if self.field else ""
        return f'{prefix}"{text}"{star}' if len(self.words) > 1 else f"{prefix}{text}{star}"


@dataclass(frozen=True, slots=True)
class Near:
    """Operands in one field, in any order; `distances` is the number of words allowed between each and the next."""

    operands: tuple[Query, ...]
    """Terms, or alternatives of terms."""
    distances: tuple[int, ...]

    def __str__(self) -> str:
        text = _inner(self.operands[0])
        for distance, operand in zip(self.distances, self.operands[1:], strict=True):
            text += f" NEAR/{distance} {_inner(operand)}"
        return text


@dataclass(frozen=True, slots=True)
class And:
    """All operands must match."""

    operands: tuple[Query, ...]

    def __str__(self) -> str:
        return " AND ".join(_inner(operand) for operand in self.operands)


@dataclass(frozen=True, slots=True)
class Or:
    """At least one operand must match."""

    operands: tuple[Query, ...]

    def __str__(self) -> str:
        return " OR ".join(_inner(operand) for operand in self.operands)


@dataclass(frozen=True, slots=True)
class Not:
    """The operand must not match."""

    operand: Query

    def __str__(self) -> str:
        return f"NOT {_inner(self.operand)}"


Query: TypeAlias = Term | Near | And | Or | Not


def _inner(query: Query) -> str:
    return str(query) if isinstance(query, Term) else f"({query})"


def is_negative(query: Query) -> bool:
    """Return whether a query matches articles that have none of its words, so that there is nothing to look up.

    >>> is_negative(And((Term(("a",)), Not(Term(("b",)))))), is_negative(Or((Term(("a",)), Not(Term(("b",))))))
    (False, True)
    """
    if isinstance(query, And):
        return all(is_negative(operand) for operand in query.operands)
    if isinstance(query, Or):
        return any(is_negative(operand) for operand in query.operands)
    return isinstance(query, Not)


def terms(query: Query) -> Iterator[Term]:
    """Yield the terms of a query from left to right, negated ones included."""
    if isinstance(query, Term):
        yield query
    else:
        for operand in (query.operand,) if isinstance(query, Not) else query.operands:
            yield from terms(operand)


def within(query: Query, field: str) -> Query:
    """Return the query with all its terms restricted to a field."""
    if isinstance(query, Term):
        return replace(query, field=field)
    if isinstance(query, Not):
        return Not(within(query.operand, field))
    return replace(query, operands=tuple(within(operand, field) for operand in query.operands))


# Builds a query's tree from the parser's, and checks the words that the grammar lets through.

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
        near = get_close_matches(written, FIELD_NAMES, n=1)
        told = f"did you mean {near[0]}:?" if near else f"there are {', '.join(FIELD_NAMES)}"
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


# `AND`, `OR`, `NOT` and `NEAR` are operators in capitals only, so that `and` and `or` are words. NEAR binds closest,
# then NOT, then AND, which may be left out, then OR.

_ENDS = r'\s()"“”„«»'
"""Characters that end a word."""
_AHEAD = f"(?=[{_ENDS}]|$)"

GRAMMAR = rf"""
?start: either
?either: both | both (_OR both)+ -> any_of
?both: clause | clause (_AND? clause)+ -> all_of
?clause: NOT clause -> negated
       | operand
       | operand (NEAR operand)+ -> near
operand: [FIELD] "(" either ")" -> group
       | [FIELD] (WORD | PHRASE) -> term
       | [FIELD] DEFINITION -> definition

_AND.4: /AND{_AHEAD}/
_OR.4: /OR{_AHEAD}/
NOT.4: /NOT{_AHEAD}/
NEAR.4: /NEAR(\/[^{_ENDS}]*)?{_AHEAD}/
FIELD.3: /[^\W\d_]+:(?!\/\/)/
DEFINITION.3: /\$[^{_ENDS}]*/
PHRASE.2: /["“”„«»][^"“”„«»]*["“”„«»]\*?/
WORD: /[^{_ENDS}]+/
%ignore /\s+/
"""

MAX_DEPTH = 10
"""Nesting of brackets, and NOTs in a row; people lose count at five, and SQLite takes few dozens of its own."""
MAX_TERMS = 2000
"""Words and phrases of one query, with definitions expanded."""
_BRACKET = re.compile(r'["“”„«»][^"“”„«»]*["“”„«»]?|[()]')
"""A bracket, or a phrase, which may contain brackets."""
_NOTS = re.compile(rf"(?:NOT[\s(]+){{{MAX_DEPTH + 1}}}")
_LAST_TOKEN = re.compile(r"([^\s()]+|[()])\s*$")
_OPERAND = "a word, a phrase or '('"
_OPERAND_OR_NOT = "a word, a phrase, NOT or '('"


@cache
def tables() -> Lark:
    """Return the parser; building it takes some milliseconds."""
    return Lark(GRAMMAR, parser="lalr", lexer="basic", maybe_placeholders=True)


def parse_query(text: str, definitions: Mapping[str, Query] | None = None) -> Query:
    """Return the tree of a query; `$name` stands for one of the definitions, where there may be some.

    >>> str(parse_query('(pont OR bridge*) "structure métallique" AND NOT headline:sport'))
    '(pont OR bridge*) AND "structure metallique" AND (NOT headline:sport)'

    Raises:
        QueryError: it is invalid, or would match nearly every article.
    """
    _check_brackets(text)
    query = _parsed(text, definitions)
    if is_negative(query):
        raise QueryError(
            "the query, or one of its alternatives, says only what must not be there; "
            "write what is looked for as well: pont NOT sport",
            max(0, text.find("NOT")),
        )
    if sum(1 for _ in terms(query)) > MAX_TERMS:
        raise QueryError(f"more than {MAX_TERMS:,} words and phrases", 0)
    return query


def _parsed(text: str, definitions: Mapping[str, Query] | None) -> Query:
    try:
        query: Query = Builder(definitions).transform(tables().parse(text))
    except UnexpectedCharacters as error:
        at = error.pos_in_stream or 0
        raise QueryError(f"this {text[at]} is never closed; a phrase ends with a second quotation mark", at) from error
    except UnexpectedToken as error:
        raise _explained(error, text) from error
    except VisitError as error:
        raise error.orig_exc from None
    return query


def _check_brackets(text: str) -> None:
    """Raise `QueryError` for brackets and NOTs that are nested too deep."""
    if len(_open_brackets(text)) > MAX_DEPTH:
        raise QueryError(f"brackets in brackets, more than {MAX_DEPTH} deep", 0)
    if found := _NOTS.search(text):
        raise QueryError(f"NOT more than {MAX_DEPTH} times in a row", found.start())


def _open_brackets(text: str) -> list[int]:
    """Return the positions of the brackets that are still open at the end, or as soon as too many are."""
    opened: list[int] = []
    for match in _BRACKET.finditer(text):
        if match[0] == "(":
            opened.append(match.start())
        elif match[0] == ")" and opened:
            opened.pop()
        if len(opened) > MAX_DEPTH:
            break
    return opened


def _explained(error: UnexpectedToken, text: str) -> QueryError:
    token, expected = error.token, error.expected
    is_end = token.type == "$END"
    at = len(text.rstrip()) if is_end else token.start_pos or 0
    before = _LAST_TOKEN.search(text[:at])
    if is_end and "RPAR" in expected:
        return QueryError("expected ')': this '(' is never closed", _open_brackets(text)[-1])
    if token.type == "RPAR" and "$END" in expected:
        return QueryError("this ')' closes nothing", at)
    wanted = _OPERAND_OR_NOT if "NOT" in expected else _OPERAND
    after = f" after {before[1]}" if before else ""
    found = "" if is_end else f", not {token.strip()}"
    hint = "; NEAR stands between: pont NEAR/5 bridge*" if token.type == "NEAR" else ""
    return QueryError(f"expected {wanted}{after}{found}{hint}", at)
