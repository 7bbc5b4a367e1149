"""Read authors' names from bylines: drop what is not a name, mark organisations, prefer persons."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

from newsextract.article import Author
from newsextract.reading.metadata.authors.byline_introductions import without_introduction
from newsextract.reading.metadata.authors.byline_parsing import PARTICLES, split_byline, without_role
from newsextract.reading.metadata.authors.organizations import is_institution, is_known_organization, is_organization
from newsextract.reading.metadata.findings import Refused
from newsextract.reading.metadata.page_urls import absolute
from newsextract.reading.metadata.text_folding import fold
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues

MAX_NAME_CHARS = 100
"""Longer author fields are biographies."""

_MAX_WORDS = 6
"""The longest name in words, with titles and particles."""
_MAX_ORGANIZATION_WORDS = 12

_ADDRESS = re.compile(r"https?:|www\.|^@\w+$|^[^\s/]+\.[^\s/]+/\S*$|^/\S+$", re.IGNORECASE)
_DOMAIN = re.compile(r"\S+@\S+\.\w+|\w\.(?:com|org|net|html?|info)\b|\w{3,}\.[a-z]{2}$", re.IGNORECASE)
_LEFTOVER = re.compile(
    r"^(?-i:in|on|at|the|for|and|to|of|der|die|das|am|le|la|les|page\.\w+)\b|^\W+$"
    r"|\b(?:says|sagt|said|schreibt|dit|dice|read|view|follow|bio|biography|more|updated|comments?|kommentar\w*)$",
    re.IGNORECASE,
)
_LISTED = re.compile(r"[,;/|&、，·•]|\s[-–—]\s|\s(?:and|und|et)\s|\d|\S+\s\S+\s\S+\s\S")
"""Marks of several names written into one declared name: separators, or more than three words."""
_TURKISH = re.compile("[İıĞğŞş]")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af·]{2,10}")
_HANDLE = re.compile(r"[a-z]{2,}(?:[-_.][a-z]{2,}){1,2}")
"""A user name made of a name: `ayeesha-walsh`."""

_ANONYMOUS = re.compile(
    r"""^(?:\w*admin(?:istrator)?|root|user(?:\s?name)?|editors?|editorial|(?:the|no)?\s?authors?|autor|autorin|auteur|link
    |webmaster|anonymous|unknown|guest|none|null|nan|undefined|default|stand
    |written\s?by|by|posted(?:\s(?:on|by|in))?|published(?:\s(?:on|by))?|publiziert\sam|login|about|contributors?
    |superuser|moderator|wordpress|share|follow|comments?|updated|reviewed|more|home|blog
    |january|february|march|april|may|june|july|august|september|october|november|december
    |jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|januar|februar|märz|mai|juni|juli|oktober|dezember)$""",
    re.IGNORECASE | re.VERBOSE,
)
"""User names, labels and months that publishing systems print in place of a name."""


class DeclaredPerson(Author):
    """An author whose name the page's structured data declares to be that of one person."""


def read_names(author: Author, site_keys: Collection[str] = (), language: str | None = None) -> tuple[Author, ...]:
    """Return the authors in a signature, or an empty tuple; organisations are marked.

    >>> [one.name for one in read_names(Author("By Ann Lee and Bo Chen"))]
    ['Ann Lee', 'Bo Chen']
    >>> [one.type for one in read_names(Author("Reuters"))]
    ['Organization']
    """
    raw = unicodedata.normalize("NFC", fold(author.name))
    if _ADDRESS.search(raw):
        return ()
    is_declared = isinstance(author, DeclaredPerson)
    is_outlet = author.type == "Organization" or (is_declared and "," not in raw and is_institution(raw))
    if is_outlet or is_known_organization(raw, site_keys):
        return (Author(raw, raw, author.url, "Organization"),) if is_name_of_organization(raw) else ()
    is_whole = is_declared and _LISTED.search(raw) is None
    parts = [without_role(without_introduction(raw))] if is_whole else split_byline(raw, language)
    names = dict.fromkeys(spelled(name) for name in parts if is_name(name))
    types = [is_organization(name, site_keys, is_declared=is_declared) for name in names]
    url = author.url if len(names) == 1 else None
    return tuple(
        Author(name, raw, url, "Organization" if is_one else "Person")
        for name, is_one in zip(names, types, strict=True)
        # Beside an agency, a single word is the place it reports from.
        if is_one or not any(types) or is_full_name(name)
    )


def is_full_name(text: str) -> bool:
    """Tell whether a name has several words and no lower-case beginning, or is in a script without spaces.

    >>> is_full_name("Ann Lee"), is_full_name("Profile"), is_full_name("王小明")
    (True, False, True)
    """
    name = text.strip()
    return (" " in name and not name[0].islower()) or _UNSPACED.fullmatch(name) is not None


def spelled(name: str) -> str:
    """Return a name as people write it: capitals in title case, a user name as words.

    >>> spelled("ANN O'HARA"), spelled("BBC"), spelled("ayeesha-walsh")
    ("Ann O'Hara", 'BBC', 'Ayeesha Walsh')
    >>> spelled("İSMAİL ŞAHİN")
    'İsmail Şahin'
    """
    if _HANDLE.fullmatch(name):
        return re.sub(r"[-_.]", " ", name).title()
    if not name.isupper() or " " not in name:
        return name
    if not _TURKISH.search(name):
        return name.title()
    return " ".join(word[0] + word[1:].replace("I", "ı").replace("İ", "i").lower() for word in name.split())


def is_name(text: str) -> bool:
    """Tell whether a text may be somebody's name.

    >>> is_name("Ann Lee"), is_name("admin"), is_name("in Politics"), is_name("12 May"), is_name("freeman1984")
    (True, False, False, False, True)
    """
    if not 1 < len(text) <= MAX_NAME_CHARS or len(text.split()) > _MAX_WORDS:
        return False
    if any(sign in text for sign in ":?!") or _ANONYMOUS.match(text) or _LEFTOVER.search(text):
        return False
    if _DOMAIN.search(text) or _is_phrase(text):
        return False
    return all(any(map(str.isalpha, word)) or not any(map(str.isdigit, word)) for word in text.split()) and any(
        map(str.isalpha, text)
    )


def is_name_of_organization(text: str) -> bool:
    """Tell whether a text may be the name of an organisation, which may be a domain or have common words.

    >>> is_name_of_organization("STERN.de"), is_name_of_organization("Інститут фізики"), is_name_of_organization("12")
    (True, True, False)
    """
    is_short = 1 < len(text) <= MAX_NAME_CHARS and len(text.split()) <= _MAX_ORGANIZATION_WORDS
    return is_short and any(map(str.isalpha, text)) and not _ANONYMOUS.match(text) and "@" not in text


def _is_phrase(text: str) -> bool:
    """Tell whether a text has common words, as a sentence or a label has.

    >>> _is_phrase("View more posts"), _is_phrase("Marna van der Merwe"), _is_phrase("ann lee")
    (True, False, False)
    """
    common = [word for word in text.split() if word.islower() and word not in PARTICLES]
    return text[0].isupper() and (len(common) >= 2 or (len(common) == 1 and len(text.split()) == 2))


def check_authors(raw: Raw, clues: Clues) -> tuple[Author, ...] | Refused:
    """Return the persons, or the organisations if there are none, with absolute URLs."""
    signatures = [one for one in raw if isinstance(one, Author)]
    usable = [one for one in signatures if len(fold(one.name)) <= MAX_NAME_CHARS]
    named: dict[str, Author] = {}
    for author in usable:
        for one in read_names(author, clues.site_keys, clues.language):
            named.setdefault(one.name, replace(one, url=absolute(one.url or "", clues.page.base_url)))
    if not named:
        is_long = len(usable) < len(signatures)
        return Refused(Notice(NoticeCode.TOO_LONG, most=MAX_NAME_CHARS) if is_long else Notice(NoticeCode.NO_NAME))
    persons = tuple(one for one in named.values() if one.type == "Person")
    return persons or tuple(named.values())


def prefer_persons(found: Iterable[tuple[str, Raw, object]]) -> Iterator[tuple[str, Raw, object]]:
    """Yield candidates without persons last: another source may know who wrote the article."""
    last = []
    for name, raw, value in found:
        if isinstance(value, tuple) and not any(one.type == "Person" for one in value):
            last.append((name, raw, value))
        else:
            yield name, raw, value
    yield from last
