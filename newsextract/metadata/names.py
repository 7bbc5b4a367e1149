"""Authors' names: taken out of their bylines, told from everything else that stands there."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from newsextract.metadata.bylines import split_byline
from newsextract.metadata.organizations import is_known_organization, is_organization
from newsextract.metadata.texts import fold

if TYPE_CHECKING:
    from collections.abc import Collection

    from newsextract.metadata.fields import Author

MAX_NAME_CHARS = 100
"""Longer author fields are biographies."""

_MAX_WORDS = 6
"""Longest name with its titles and particles, in words."""

_ADDRESS = re.compile(r"https?:|www\.|^@\w+$|^[^\s/]+\.[^\s/]+/\S*$|^/\S+$", re.IGNORECASE)
_DOMAIN = re.compile(r"\S+@\S+\.\w+|\w\.(?:com|org|net|html?|info)\b|\w{3,}\.[a-z]{2}$", re.IGNORECASE)
_LEFTOVER = re.compile(
    r"^(?-i:in|on|at|the|for|and|to|of|der|die|das|am|le|la|les|page\.\w+)\b|^\W+$"
    r"|\b(?:says|sagt|said|schreibt|dit|dice|read|view|follow|bio|biography|more|updated|comments?|kommentar\w*)$",
    re.IGNORECASE,
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af·]{2,10}")
_HANDLE = re.compile(r"[a-z]{2,}(?:[-_.][a-z]{2,}){1,2}")
"""An account that is a name: `ayeesha-walsh`."""

_ANONYMOUS = re.compile(
    r"""^(?:\w*admin(?:istrator)?|root|user|editors?|editorial|(?:the|no)?\s?authors?|autor|autorin|auteur|link
    |webmaster|anonymous|unknown|guest|none|null|nan|undefined|default|stand
    |written\s?by|by|posted(?:\s(?:on|by|in))?|published(?:\s(?:on|by))?|publiziert\sam|login|about|contributors?
    |superuser|moderator|wordpress|share|follow|comments?|updated|reviewed|more|home|blog
    |january|february|march|april|may|june|july|august|september|october|november|december
    |jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|januar|februar|märz|mai|juni|juli|oktober|dezember)$""",
    re.IGNORECASE | re.VERBOSE,
)
"""Accounts, labels, and months: what publishing systems print where a name belongs."""

PARTICLES = frozenset(
    (
        *("van", "von", "der", "den", "de", "del", "della", "di", "da", "du", "des", "la", "le", "el", "al"),
        *("bin", "ibn", "ben", "dos", "ter", "ten", "zu", "zur", "zum", "af", "av", "y", "e", "und", "vom", "do"),
    )
)
"""Words of a name that are not capitalised."""


def read_names(author: Author, site_keys: Collection[str] = ()) -> tuple[Author, ...]:
    """Return who signs, none when a signature names nobody; organisations are marked.

    >>> from newsextract.metadata.fields import Author
    >>> [one.name for one in read_names(Author("By Ann Lee and Bo Chen"))]
    ['Ann Lee', 'Bo Chen']
    >>> [one.type for one in read_names(Author("Reuters"))]
    ['Organization']
    """
    raw = fold(author.name)
    if _ADDRESS.search(raw):
        return ()
    whole = author.type == "Organization" or is_known_organization(raw, site_keys)
    parts = [raw] if whole else split_byline(raw)
    names = dict.fromkeys(name if whole else spelled(name) for name in parts if is_name(name))
    url = author.url if len(names) == 1 else None
    return tuple(
        replace(author, name=name, nameRaw=raw, url=url, type="Organization")
        if whole or is_organization(name, site_keys)
        else replace(author, name=name, nameRaw=raw, url=url)
        for name in names
    )


def is_full_name(text: str) -> bool:
    """Tell whether a name has several words, capitalised where there are capitals, or is in a script without spaces.

    >>> is_full_name("Ann Lee"), is_full_name("Profile"), is_full_name("王小明")
    (True, False, True)
    """
    name = text.strip()
    return (" " in name and not name[0].islower()) or _UNSPACED.fullmatch(name) is not None


def spelled(name: str) -> str:
    """Return a name as people write it: a shouted one in title case, an account's in words.

    >>> spelled("ANN O'HARA"), spelled("BBC"), spelled("ayeesha-walsh")
    ("Ann O'Hara", 'BBC', 'Ayeesha Walsh')
    """
    if _HANDLE.fullmatch(name):
        return re.sub(r"[-_.]", " ", name).title()
    return name.title() if name.isupper() and " " in name else name


def is_name(text: str) -> bool:
    """Tell whether a text may be somebody's name.

    >>> is_name("Ann Lee"), is_name("admin"), is_name("in Politics"), is_name("12 May"), is_name("freeman1984")
    (True, False, False, False, True)
    """
    if not 1 < len(text) <= MAX_NAME_CHARS or len(text.split()) > _MAX_WORDS:
        return False
    if _ANONYMOUS.match(text) or _LEFTOVER.search(text):
        return False
    if _DOMAIN.search(text) or _is_phrase(text):
        return False
    return all(any(map(str.isalpha, word)) or not any(map(str.isdigit, word)) for word in text.split()) and any(
        map(str.isalpha, text)
    )


def _is_phrase(text: str) -> bool:
    """Tell whether a text is made of common words, as a sentence or a label is.

    >>> _is_phrase("View more posts"), _is_phrase("Marna van der Merwe"), _is_phrase("ann lee")
    (True, False, False)
    """
    common = [word for word in text.split() if word.islower() and word not in PARTICLES]
    return text[0].isupper() and (len(common) >= 2 or (len(common) == 1 and len(text.split()) == 2))
