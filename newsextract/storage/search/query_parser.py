"""Parses queries: into a tree, or an error that says where it is and what was expected.

`AND`, `OR`, `NOT` and `NEAR` are operators in capitals only, so that `and` and `or` are words. NEAR binds closest, then
NOT, then AND, which may be left out, then OR.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from lark import Lark
from lark.exceptions import UnexpectedCharacters, UnexpectedToken, VisitError

from newsextract.storage.search.query_building import Builder, QueryError
from newsextract.storage.search.query_tree import is_negative, terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.storage.search.query_tree import Query

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

MAX_DEPTH = 50
"""Nesting of brackets, and NOTs in a row; people lose count at five."""
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
