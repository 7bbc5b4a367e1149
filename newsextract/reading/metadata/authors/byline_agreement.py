"""Settle who wrote an article where the page declares others than its byline names.

Publishing systems declare everybody who touched the text, or the account that sent it; the line under the headline
names the authors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import normalize

from newsextract.page.text_forms import letters_of, unmarked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.article import Author


def settled(declared: Sequence[Author], signed: Sequence[Author], *, is_sure: bool) -> list[Author] | None:
    """Return the persons of the byline where they are to be believed, or `None` where the declared ones are.

    They are if they are some of those declared, or the same with their accents, or if an account or a given name is
    declared, or if the declaration is not `is_sure`.

    >>> from newsextract.article import Author
    >>> ann, bo, account = Author("Ann Lee"), Author("Bo Chen"), Author("annl")
    >>> settled([ann, bo], [ann], is_sure=True) == [ann], settled([ann], [bo], is_sure=True) is None
    (True, True)
    >>> settled([account], [ann], is_sure=True) == [ann], settled([Author("Ann")], [ann], is_sure=True) == [ann]
    (True, True)
    """
    persons = [one for one in signed if one.type == "Person"]
    if not persons or {one.name for one in persons} == {one.name for one in declared}:
        return None
    keys, known = _keys(persons), _keys(declared)
    if keys == known:
        return persons if all(one.name.isascii() for one in declared) else None
    if keys < known or all(" " not in one.name.strip() for one in declared):
        return persons
    is_longer = any(key.startswith(other) for key in keys for other in known)  # with what follows a name in the line
    return None if is_sure or is_longer else persons


def _keys(authors: Sequence[Author]) -> set[str]:
    return {unmarked(normalize("NFD", letters_of(one.name))) for one in authors}
