"""The names in a signature, as they are compared.

A signature may name several: it is taken apart at `;`, `|`, `,`, `&` and at "and", "und", "et", "y". Degrees and
generations (two to five capitals with or without dots, PhD, Jr, Sr) are no names, whether they stand alone or follow
one; in a signature that is all capitals nothing tells them from names, so there they go only alone between commas.
What comes first in a signature is a name, and what introduces it ("By", "Von") is none of it. Names are equal when
their words are, whatever their case.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.page.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable

_SEPARATOR = re.compile(r"\s*[;|,&]\s*(?:(?:and|und|et|y)\s+)?|\s+(?:and|und|et|y)\s+", re.IGNORECASE)
_INTRODUCTION = re.compile(r"^\s*(?:by|von|par|por)[\s:]+", re.IGNORECASE)
_CREDENTIAL = re.compile(r"(?:(?:[A-Z]\.?){2,5}|Ph\.?D\.?|[JS]r\.?)[®™]?$")


def names_in(signatures: Iterable[str]) -> frozenset[str]:
    """Return the distinct names in some signatures, ready to be compared.

    >>> sorted(names_in(["By Ann Lee, PhD and BO Chen; Cy Dee MD"]))
    ['ann lee', 'bo chen', 'cy dee']
    >>> sorted(names_in(["BBC"])), sorted(names_in(["Lee, M.D.", "RALPH RUSSO, BO CHEN, MD"]))
    (['bbc'], ['bo chen', 'lee', 'ralph russo'])
    """
    return frozenset(key for signature in signatures for name in _split(signature) if (key := name_key(name)))


def name_key(name: str) -> str:
    """Return what equal names have in common.

    >>> name_key("Ann O'Hara-Lee")
    'ann o hara lee'
    """
    return " ".join(words(name.casefold()))


def _split(signature: str) -> list[str]:
    parts = [part for part in _SEPARATOR.split(_INTRODUCTION.sub("", signature)) if part.strip()]
    # An agency signs with capitals too; what comes first is a name.
    named = parts[:1] + [part for part in parts[1:] if not _is_credentials(part, is_shouted=signature.isupper())]
    return [_bare(part) for part in named]


def _is_credentials(part: str, *, is_shouted: bool) -> bool:
    """Tell whether a part of a signature is nothing but degrees.

    >>> _is_credentials("M.D. FACLM", is_shouted=False), _is_credentials("BO CHEN", is_shouted=True)
    (True, False)
    """
    tokens = part.split()
    return not (is_shouted and len(tokens) > 1) and all(map(_CREDENTIAL.fullmatch, tokens))


def _bare(name: str) -> str:
    """Return a name without the degrees behind it.

    >>> _bare("Shelby Loos DVM M.D."), _bare("RALPH D. RUSSO")
    ('Shelby Loos', 'RALPH D. RUSSO')
    """
    tokens = name.split()
    while len(tokens) > 1 and not name.isupper() and _CREDENTIAL.fullmatch(tokens[-1]):
        tokens.pop()
    return " ".join(tokens)
