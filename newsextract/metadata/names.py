"""Authors' names: taken out of their bylines, told from everything else that stands there."""

from __future__ import annotations

import re

from newsextract.metadata.fields import Author
from newsextract.metadata.texts import fold

MAX_NAME_CHARS = 100
"""Longer author fields are biographies."""

_MAX_WORDS = 6
"""Longest name with its titles and particles, in words."""

_INTRODUCTION = re.compile(
    r"^.*?(?<![\w-])(?:by|par|von|por|door|av|af|autor|autorin|auteur|authors?|od|автор)(?:\s*:\s*|\s+)(?=\S)"
    r"|^(?:di|da|de|text|from|words)(?:\s*:\s*|\s+)(?=\S)",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*(?:[,;|/•·&]|\s(?:and|et|und|y|e|en|og|och|with)\s)\s*", re.IGNORECASE)
_TAIL = re.compile(
    r"\s*(?:\(.*|\s[-–—]\s.*|@.*|\b(?:on|at|says?|sagt|updated|published|posted)\b.*|\d.*)$", re.IGNORECASE
)
_TRIMMED = " .,:-–—→»«\"'“”*"
_ADDRESS = re.compile(r"https?:|www\.|^@\w+$|^[^\s/]+\.[^\s/]+/\S*$|^/\S+$", re.IGNORECASE)
_DOMAIN = re.compile(r"\S+@\S+\.\w+|\w\.(?:com|org|net|html?|de|fr|info)\b", re.IGNORECASE)
_CREDENTIAL = re.compile(r"^(?:[A-Z][A-Za-z]?\.?){1,5}$|^(?:Jr|Sr|Ph\.?D|I{2,3})\.?$")
_LEFTOVER = re.compile(r"^(?:in|on|at|the|for|and|to|of|der|die|das|am|le|la|les|page\.\w+)\b|^\W+$")
_ROLE = re.compile(
    r"\b(?:editor|reporter|writer|director|manager|correspondent|expert|contributor|journalist|marketing"
    r"|head of|department|redakteurin?|specialist|officer|producer|photographer|analyst|development)\b",
    re.IGNORECASE,
)
_ANONYMOUS = re.compile(
    r"""^(?:\w*admin(?:istrator)?|root|user|editors?|editorial|staff|(?:the|no)?\s?authors?|autor|autorin|auteur
    |redaktion|redazione|redacción|rédaction|webmaster|anonymous|unknown|guest|none|null|nan|undefined|default
    |written\s?by|by|posted(?:\s(?:on|by|in))?|published(?:\s(?:on|by))?|publiziert\sam|login|about|contributors?
    |superuser|moderator|newsroom|news|wordpress|share|follow|comments?|updated|reviewed|more|home|blog
    |january|february|march|april|may|june|july|august|september|october|november|december
    |jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|januar|februar|märz|mai|juni|juli|oktober|dezember)$""",
    re.IGNORECASE | re.VERBOSE,
)
"""Accounts, labels, and months: what publishing systems print where a name belongs."""


_PARTICLES = frozenset(
    (
        *("van", "von", "der", "den", "de", "del", "della", "di", "da", "du", "des", "la", "le", "el", "al"),
        *("bin", "ibn", "ben", "dos", "ter", "ten", "zu", "y", "e"),
    )
)
"""Words of a name that are not capitalised."""


def read_names(author: Author) -> tuple[Author, ...]:
    """Return the persons that a signature names, none when it names nobody.

    >>> [one.name for one in read_names(Author("By Ann Lee and Bo Chen"))]
    ['Ann Lee', 'Bo Chen']
    """
    raw = fold(author.name)
    if _ADDRESS.search(raw):
        return ()
    names = dict.fromkeys(name for name in split_names(raw) if is_name(name))
    url = author.url if len(names) == 1 else None
    return tuple(Author(name, raw, url) for name in names)


def split_names(byline: str) -> list[str]:
    """Return the names in a byline, without what introduces them and what follows.

    >>> split_names("Par Zoé Dupont, Léo Martin"), split_names("Ann Lee, PhD, editor")
    (['Zoé Dupont', 'Léo Martin'], ['Ann Lee'])
    >>> split_names("Lee, Ann")
    ['Ann Lee']
    """
    bare = _INTRODUCTION.sub("", byline.strip())
    parts = [part for part in _SEPARATOR.split(bare) if part]
    if len(parts) == 2 and "," in bare and not any(" " in part or _CREDENTIAL.match(part) for part in parts):
        return [f"{parts[1]} {parts[0]}"]
    return [name for name in (_trim(part) for part in _named(parts)) if name]


def _named(parts: list[str]) -> list[str]:
    """Return the parts that are names: after a full name, single words and roles describe it."""
    if not parts or " " not in parts[0]:
        return [part for part in parts if not _CREDENTIAL.match(part)] or parts
    return parts[:1] + [part for part in parts[1:] if " " in part and not _ROLE.search(part)]


def _trim(part: str) -> str:
    """Return a name without its place or date, a shouted one in title case.

    >>> _trim("ANN O'HARA"), _trim("BBC"), _trim("Ann Lee (London)")
    ("Ann O'Hara", 'BBC', 'Ann Lee')
    """
    name = _TAIL.sub("", part).strip(_TRIMMED)
    return name.title() if name.isupper() and " " in name else name


def is_name(text: str) -> bool:
    """Tell whether a text may be somebody's name.

    >>> is_name("Ann Lee"), is_name("admin"), is_name("in Politics"), is_name("12 May")
    (True, False, False, False)
    """
    if not 1 < len(text) <= MAX_NAME_CHARS or len(text.split()) > _MAX_WORDS:
        return False
    if _ANONYMOUS.match(text) or _LEFTOVER.match(text):
        return False
    if _DOMAIN.search(text) or _is_phrase(text):
        return False
    return any(char.isalpha() for char in text) and not any(char.isdigit() for char in text)


def _is_phrase(text: str) -> bool:
    """Tell whether a text is made of common words, as a sentence or a label is.

    >>> _is_phrase("View more posts"), _is_phrase("Marna van der Merwe"), _is_phrase("ann lee")
    (True, False, False)
    """
    common = [word for word in text.split() if word.islower() and word not in _PARTICLES]
    return text[0].isupper() and len(common) >= 2
