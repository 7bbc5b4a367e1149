"""Settle who wrote an article where the page declares others than its byline names.

Publishing systems declare everybody who touched the text, or the account that sent it; the line under the headline
names the authors.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING
from unicodedata import normalize

from newsextract.page.text_forms import letters_of, unmarked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.article import Author


def settled(
    declared: Sequence[Author], signatures: Sequence[Sequence[Author]], *, is_sure: bool
) -> list[Author] | None:
    """Return the authors by the bylines, the nearest of which comes first, or `None` if all those declared are.

    If the nearest byline names some of those declared, they and those whom the other bylines name are the authors, as
    they are declared but for their accents. Else its persons are if an account or a given name is declared, or if the
    declaration is not `is_sure`.

    >>> from newsextract.article import Author
    >>> ann, bo, account = Author("Ann Lee"), Author("Bo Chen"), Author("annl")
    >>> settled([ann, bo], [[ann]], is_sure=True) == [ann], settled([ann], [[bo]], is_sure=True) is None
    (True, True)
    >>> settled([account], [[ann]], is_sure=True) == [ann], settled([ann, bo], [[bo], [ann]], is_sure=True) == [ann, bo]
    (True, True)
    """
    persons = [one for one in chain.from_iterable(signatures[:1]) if one.type == "Person"]
    if not persons:
        return None
    keys, known = set(map(_key, persons)), set(map(_key, declared))
    if keys <= known:
        signed = {_key(one): one for one in chain.from_iterable(reversed(signatures))}
        return [_accented(one, signed[_key(one)]) for one in declared if _key(one) in signed]
    if all(" " not in one.name.strip() for one in declared):
        return persons
    is_longer = any(key.startswith(other) for key in keys for other in known)  # with what follows a name in the line
    return None if is_sure or is_longer else persons


def _key(author: Author) -> str:
    return unmarked(normalize("NFD", letters_of(author.name)))


def _accented(declared: Author, signed: Author) -> Author:
    """Return a declared author, with the name in the byline if this is the same but for its accents."""
    is_same = declared.name.isascii() and unmarked(normalize("NFD", signed.name)) == declared.name
    return replace(declared, name=signed.name, nameRaw=signed.nameRaw) if is_same else declared
