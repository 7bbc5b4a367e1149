"""What somebody looks for, and how each database is asked for it.

Only words made of letters and digits go into a query: whatever else is typed cannot be taken for syntax.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.storage.schema.full_text_index import beginning, cut, padded
from newsextract.storage.schema.search_words import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_PART = re.compile(r'["“”„«»]([^"“”„«»]*)["“”„«»]?(\*?)|([^\s"“”„«»]+)')
_MOST_TERMS = 64
"""More than anybody means: what else is pasted is left out."""


@dataclass(frozen=True)
class Term:
    """Words that must stand next to each other, in this order; of the last one the beginning may be enough."""

    words: tuple[str, ...]
    is_prefix: bool = False


def parse(query: str) -> tuple[Term, ...]:
    """Return the terms of a query, all of which must be found: words, `"phrases"`, and beginnings, `word*`.

    >>> parse('L’Élysée "prime  minister" gouv*')
    (Term(words=('l', 'elysee'), is_prefix=False), Term(words=('prime', 'minister'), is_prefix=False), \
Term(words=('gouv',), is_prefix=True))
    >>> parse('") OR * :')
    (Term(words=('or',), is_prefix=False),)
    """
    terms = []
    for phrase, star, word in _PART.findall(query):
        found = tuple(tokens(phrase or word))
        if found:
            terms.append(Term(found, bool(star) or word.endswith("*")))
    return tuple(dict.fromkeys(terms))[:_MOST_TERMS]


def sqlite_query(terms: Sequence[Term]) -> str:
    """Return the terms in the language of FTS5.

    >>> sqlite_query(parse('"prime minister" gouv*'))
    '"prime minister" AND "gouv"*'
    """
    return " AND ".join(f'"{" ".join(term.words)}"' + "*" * term.is_prefix for term in terms)


def postgresql_query(terms: Sequence[Term]) -> str:
    """Return the terms as a `tsquery`.

    >>> postgresql_query(parse('"prime minister" gouv*'))
    "('prime' <-> 'minister') & ('gouv':*)"
    """
    phrases = (" <-> ".join(f"'{cut(word)}'" for word in term.words) + ":*" * term.is_prefix for term in terms)
    return " & ".join(f"({phrase})" for phrase in phrases)


def mysql_query(terms: Sequence[Term]) -> str:
    """Return the terms in MariaDB's boolean mode, which knows no phrases that end with the beginning of a word.

    >>> mysql_query(parse('"prime minister" gouv* "the new pres"*'))
    '+"prime minister" +gouv* +"the new" +pres*'
    """
    return " ".join(_mysql_term(term) for term in terms)


def _mysql_term(term: Term) -> str:
    *before, last = term.words
    if not term.is_prefix:
        return f'+"{" ".join(map(padded, term.words))}"'
    phrase = f'+"{" ".join(map(padded, before))}" ' if before else ""
    return f"{phrase}+{beginning(last)}*"


QUERIES: dict[str, Callable[[Sequence[Term]], str]] = {
    "sqlite": sqlite_query,
    "postgresql": postgresql_query,
    "mysql": mysql_query,
}


def matches(term: Term, words: Sequence[str], at: int) -> bool:
    """Tell whether the term stands in a text's words at a place.

    >>> matches(parse("gouv*")[0], ["le", "gouvernement"], 1)
    True
    """
    found = words[at : at + len(term.words)]
    if len(found) < len(term.words) or tuple(found[:-1]) != term.words[:-1]:
        return False
    return found[-1].startswith(term.words[-1]) if term.is_prefix else found[-1] == term.words[-1]
