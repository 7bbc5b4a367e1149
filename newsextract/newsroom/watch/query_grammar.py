"""The grammar of the query language.

`AND`, `OR`, `NOT` and `NEAR` are operators in capitals only, so that `and` and `or` are words. NEAR binds closest, then
NOT, then AND, which may be left out, then OR.
"""

from __future__ import annotations

from functools import cache

from lark import Lark

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


@cache
def tables() -> Lark:
    """Return the parser; building it takes some milliseconds."""
    return Lark(GRAMMAR, parser="lalr", lexer="basic", maybe_placeholders=True)
