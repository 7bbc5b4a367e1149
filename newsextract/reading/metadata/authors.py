"""Read authors: find bylines on the page, check names, and decide between the declared and the visible ones."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from newsextract.article import Author
from newsextract.page.text import letters_of, unmarked
from newsextract.reading.metadata.bylines import (
    PARTICLES,
    PLACES,
    is_institution,
    is_introduced,
    is_known_organization,
    is_organization,
    split_byline,
    without_brackets,
    without_introduction,
)
from newsextract.reading.metadata.chinese_names import IS_HAN, first_names, is_chinese_outlet
from newsextract.reading.metadata.clues import PAGE_TAGS, Findings, Refused, is_in_margin
from newsextract.reading.metadata.comparing import absolute, fold, visible_text
from newsextract.reading.metadata.titles import MIN_STORY_CHARS, elements_near
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from lxml.html import HtmlElement

    from newsextract.page.blocks import Outline
    from newsextract.reading.metadata.clues import Clues, Raw


# Read authors' names from bylines: drop what is not a name, mark organisations, prefer persons.

MAX_NAME_CHARS = 100
"""Longer author fields are biographies."""

_MAX_WORDS = 6
"""The longest name in words, with titles and particles."""

_ADDRESS = re.compile(
    r"https?:|www\.|^@\w+$|^[^\s/]+\.[^\s/]+/\S*$|^/\S+$|,\s*(?-i:[A-Z]{1,2}\d{1,2}\b)", re.IGNORECASE
)
"""The URL of a page, or the address of a house with its postcode."""
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
    r"""^(?:\w*admin(?:istrator)?|root|user(?:\s?name)?|editors?|editorial|(?:the|no)?\s?authors?|autor|autorin|auteur|link\d*|veröffentlicht|publié|publicado
    |webmaster|anonymous|anónimo|anônimo|unknown|guest|none|null|nan|undefined|default|stand
    |written\s?by|by|posted(?:\s(?:on|by|in))?|published(?:\s(?:on|by))?|publiziert\sam|login|about|contributors?
    |super\s?user|publisher|contact\sus|cc.by.*|creative\scommons.*|moderator|wordpress|share|follow|comments?|updated|reviewed|more|home|blog
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
    if not raw or _ADDRESS.search(raw):
        return ()
    if author.type == "Organization" or is_known_organization(raw, site_keys):
        return (Author(raw, raw, author.url, "Organization"),)
    if is_institution(whole := without_introduction(raw)):
        return (Author(whole, raw, author.url, "Organization"),)
    is_declared = isinstance(author, DeclaredPerson)
    is_whole = is_declared and _LISTED.search(raw) is None
    parts = [without_brackets(without_introduction(raw))] if is_whole else split_byline(raw, language)
    if _DOMAIN.search(parts[0] if parts else ""):
        parts = list(filter(is_full_name, parts))  # after a site, single words are places
    if language == "zh" and not is_declared:
        parts = list(chain.from_iterable(map(_chinese_names, parts)))
    names = dict.fromkeys(spelled(name) for name in parts if is_name(name))
    types = [is_organization(name, site_keys, is_declared=is_declared) for name in names]
    url = author.url if len(names) == 1 else None
    return tuple(
        Author(name, raw, url, "Organization" if is_one else "Person")
        for name, is_one in zip(names, types, strict=True)
        # Beside an agency, a single word is the place it reports from.
        if is_one or not any(types) or is_full_name(name)
    )


def _chinese_names(part: str) -> list[str]:
    """Return the persons in a part of a Chinese byline, or the outlet; what is neither is no name."""
    is_kept = not IS_HAN.match(part) or is_chinese_outlet(part)
    return first_names(part)[0] or ([part] if is_kept else [])


def is_full_name(text: str) -> bool:
    """Return whether a name has several words and no lower-case beginning, or is in a script without spaces.

    >>> is_full_name("Ann Lee"), is_full_name("Profile"), is_full_name("王小明")
    (True, False, True)
    """
    name = text.strip()
    return (" " in name and not name[0].islower()) or _UNSPACED.fullmatch(name) is not None


def spelled(name: str) -> str:
    """Return a name as people write it: capitals in title case, a user name as words.

    >>> spelled("ANN O'HARA"), spelled("BBC"), spelled("ayeesha-walsh")
    ("Ann O'Hara", 'BBC', 'Ayeesha Walsh')
    """
    if _HANDLE.fullmatch(name):
        return re.sub(r"[-_.]", " ", name).title()
    if not name.isupper() or " " not in name:
        return name
    if not _TURKISH.search(name):
        return name.title()
    return " ".join(word[0] + word[1:].replace("I", "ı").replace("İ", "i").lower() for word in name.split())


def is_name(text: str) -> bool:
    """Return whether a text may be somebody's name.

    >>> is_name("Ann Lee"), is_name("admin"), is_name("in Politics"), is_name("12 May"), is_name("freeman1984")
    (True, False, False, False, True)
    """
    if not 1 < len(text) <= MAX_NAME_CHARS or len(text.split()) > _MAX_WORDS:
        return False
    if any(sign in text for sign in ":?!：？！。") or _ANONYMOUS.match(text) or _LEFTOVER.search(text):
        return False
    if _DOMAIN.search(text) or _is_phrase(text) or text.casefold() in PLACES:
        return False
    return all(any(map(str.isalpha, word)) or not any(map(str.isdigit, word)) for word in text.split()) and any(
        map(str.isalpha, text)
    )


def _is_phrase(text: str) -> bool:
    """Return whether a text has common words, as a sentence or a label has.

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
        language = clues.language if clues.credits is None else "zh"
        for one in read_names(author, clues.site_keys, language):
            if clues.credits is not None and one.name in clues.credits.helpers:
                continue
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


# Settle who wrote an article where the page declares others than its byline names.
#
# Publishing systems declare everybody who touched the text, or the account that sent it; the line under the headline
# names the authors.


def settled(declared: list[Author], clues: Clues, *, is_sure: bool) -> list[Author]:
    """Return the authors by the bylines near the headline if these are believed, else those declared.

    If the nearest byline names some of those declared, they and those whom the other bylines name are the authors, as
    they are declared but for their accents. Else its persons are if they are those declared and others, if an account
    or a given name is declared, if the line is right below the headline, or if the declaration is not `is_sure`.
    """
    signed = [(each, check_authors(each.authors, clues)) for each in signatures_near(clues) if not each.is_review]
    signatures = [(each, authors) for each, authors in signed if not isinstance(authors, Refused)]
    nearest = signatures[0][0] if signatures else None
    persons = [
        one for _, authors in signatures[:1] for one in authors if one.type == "Person" and is_full_name(one.name)
    ]
    if nearest is None or not persons:
        return declared
    keys, known = set(map(_key, persons)), set(map(_key, declared))
    names = {_key(one): one for _, authors in reversed(signatures) for one in authors}
    if keys <= known:
        return [_accented(one, names[_key(one)]) for one in declared if _key(one) in names]
    if all(" " not in one.name.strip() for one in declared) or (known < keys and _AND.search(nearest.line)):
        return persons
    is_longer = any(key.startswith(other) for key in keys for other in known)  # with what follows a name in the line
    is_own = nearest.distance in _RIGHT_BELOW and known.isdisjoint(names)
    return declared if is_longer or (is_sure and not is_own) else persons


def _key(author: Author) -> str:
    return unmarked(normalize("NFD", letters_of(author.name)))


def _accented(declared: Author, signed: Author) -> Author:
    """Return a declared author, with the name in the byline if this is the same but for its accents."""
    is_same = declared.name.isascii() and unmarked(normalize("NFD", signed.name)) == declared.name
    return replace(declared, name=signed.name, nameRaw=signed.nameRaw) if is_same else declared


# Read authors from lines without mark-up: "By Ann Lee" near the headline, "Written by Ann Lee" elsewhere.

_MAX_CHARS = 90
"""The longest byline; a longer line is a sentence."""

_CREDIT = re.compile(
    r"photo|foto|image|picture|bild|credit|getty|unsplash|shutterstock|alamy|illustration|stock|imago|©|фото|图|写真|사진",
    re.IGNORECASE,
)
"""Words of photo credits, which name somebody who is not the author."""

_REVIEW = re.compile(r"(?:medically )?(?:reviewed|fact[- ]checked|edited|updated|translated)\b", re.IGNORECASE)
"""What somebody did to the text who is no author if another signs it."""
_RIGHT_BELOW = range(1, 5)
"""The blocks below a headline where its own byline stands; further ones may be of other articles."""
_AND = re.compile(r"\s(?:and|und|et|y|e|en|og|och|i|и|&)\s", re.IGNORECASE)

_BY_ONE = re.compile(r"(?:by|von|par|por)\s\S+(?:$|\s?[·|,•]|\s(?:am|on|le|el)\s\D{0,12}\d)", re.IGNORECASE)
"""A signature of one word: "by ibby", "von Anna am 4. Mai 2023"."""

_BY = r"(?:by|von|par|por|da|di|door|av|af|przez)"
_WRITTEN = (
    r"(?:written|posted|authored|verfasst|geschrieben|erstellt|eingestellt|gepostet|gespeichert|publi[ée]|écrit|rédigé"
    r"|publicado|escrito|redactado|pubblicato|scritto|geschreven|geplaatst|skrevet|skriven|napsal[a]?|napisał[a]?)"
)
_AUTHOR = (
    r"(?:authors?|autor(?:in|en|es|a|e|i|ka)?|auteure?s?|autrice|författare|forfatter|kirjoittaja|szerző|yazar|συντάκτης"
    r"|автор[ыи]?|penulis|tác giả|نویسنده|الكاتب|लेखक)"
)
_TEXT = "(?:words|texte?|testo|texto|tekst|текст)"
_SIGNED = re.compile(
    rf"(?:(?:this|the) (?:post|article|story|piece) (?:was |is )?|dieser (?:artikel|beitrag|text) wurde )?{_WRITTEN}"
    rf"(?: (?:(?:am|on|le|el|il|op|den) )?[\w./: ]{{0,30}})? {_BY}(?:\s?:)?\s(?=\w)|ein beitrag von\s"
    rf"|(?:{_AUTHOR}|{_TEXT}(?:\s?(?:&|und|and|e|et|y|/)\s?\w+)?|作者|记者|記者|撰文|文)\s?[:：]\s?(?=\w)"
    rf"|{_TEXT} {_BY}\s(?=\w)|(?:datum|date|fecha|data|am)\b.{{0,40}}?\b{_AUTHOR}\s?:\s?(?=\w)"
    rf"|{_AUTHOR}\s(?=[^\W\d_a-zа-я])",
    re.IGNORECASE,
)
"""How a line begins that names the author, somewhere on the page."""
_OTHER_LABEL = re.compile(r"\s(?:quelle|source|fuente|fonte|foto\w*|photos?|bild\w*)\s?:", re.IGNORECASE)


class Signature(NamedTuple):
    """The authors whom a line introduces ("By …"), and its distance in blocks below the headline."""

    authors: tuple[Author, ...]
    line: str
    distance: int

    @property
    def is_review(self) -> bool:
        """Whether the line names who reviewed or edited the text."""
        return _REVIEW.match(self.line) is not None


def signatures_near(clues: Clues) -> list[Signature]:
    """Return the signatures around the headline, the nearest first, and last those of reviewers."""
    texts = clues.page.outline.table.texts
    near = [place for place in clues.places_near if 2 < len(texts[place[1]]) <= _MAX_CHARS]
    found = [Signature(tuple(map(Author, clues.credits.reporters)), "", 0)] if clues.credits else []
    for distance, number in near:
        if is_introduced(texts[number]) and is_introduced(line := _spaced(clues, number)) and not _CREDIT.search(line):
            names = split_byline(line)
            is_ours = distance in _RIGHT_BELOW and len(names) == 1 and _BY_ONE.match(line) is not None
            authors = tuple(Author(name) for name in names if is_full_name(name) or is_ours)
            found.append(Signature(authors, line, distance))
    return sorted((each for each in found if each.authors), key=lambda each: each.is_review)


def read_signed(clues: Clues) -> Findings:
    """Return the names in the lines that say who wrote the text, anywhere on the page but in its margins."""
    outline = clues.page.outline
    found: list[tuple[Author, ...]] = []
    for number, line in enumerate(outline.table.texts):
        is_signed = len(line) <= _MAX_CHARS and _SIGNED.match(line) is not None
        if is_signed and (label := _SIGNED.match(spaced := _spaced(clues, number))):
            names = split_byline(_OTHER_LABEL.split(spaced[label.end() :])[0], clues.language)
            names = [name for name in names if is_name(name) and not any(map(str.isdigit, name))]  # no account
            if names and not is_in_margin(outline.elements[outline.table.owners[number]]):
                found.append(tuple(map(Author, names)))
    return Findings({"authors": found})


def _spaced(clues: Clues, number: int) -> str:
    """Return the text of a block with spaces where only elements separate words."""
    table = clues.page.outline.table
    return fold(" ".join(clues.page.outline.runs[table.starts[number] : table.stops[number]]))


# Read authors from the visible page: by links, classes and properties, near the headline first.

_PROFILES = (
    *("/author", "/autor", "/auteur", "/autheur", "/avtor", "/yazar", "/writer", "/reporter", "/redakt", "/firma"),
    *("/journalist", "/columnist", "/contributor", "/periodista", "/profil", "/staff", "/by/"),
)
"""Parts of the URLs of authors' pages, in several languages."""

_MARKED = re.compile(r"uthor|utor|uteur|yline|y-line|riter|eporter|ournalist|\bfn\b")
_SURE_PROFILE = re.compile("/(?:author|autor|auteur)")
_PROFILE = re.compile("|".join(_PROFILES))
_ACCOUNT = re.compile(r"/(?:oauth|passport|login|regist(?:er|ration)|sign-?(?:in|up)|create-account)\b")
"""Parts of the URLs where readers sign in, which are otherwise like those of profiles."""
_MAX_SIGNED = 80
"""Elements looked at: lists of teasers have hundreds of bylines."""
_MAX_MARKED_CHARS = 100
"""A longer byline is a biography."""
_NEAR = 15
"""The most blocks between the headline and its byline."""

_KINDS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\brel=author",
        r"(author|autor|auteur|by-?line|writer|reporter|journalist)[-_]{0,3}(full|display)?[-_]{0,3}(name|link)|\bfn\b",
        r"(^|[\s_-])(by-?line|author|autor|auteur|writer|reporter|journalist)s?($|\s)",
        r"by-?line|author(?!i)|autor(?!i)|auteur|reporter|journalist",
        rf"href=\S*(?:{'|'.join(_PROFILES)})\S*[^/\s]",
    )
)
"""Patterns that mark a byline, from the surest to the vaguest, for labels in lower case: patterns that ignore case take
twenty times as long."""
_MAX_LABEL_CHARS = 300
"""Characters of an attribute that the patterns search: classes and profile URLs are short."""
_SURE_KINDS = 2
"""The patterns that suffice alone; with the others, a single word is a label rather than a name."""
_MIN_TITLE_CHARS = 8
"""The shortest link that is the title of an article: Chinese ones are short."""
_MAX_AUTHORS = 12
"""A longer list names everybody who writes for the site."""


def read_bylines(clues: Clues) -> Findings:
    """Return the bylines near the headline, else those elsewhere in the article, the best marked first."""
    found = list(_signatures(_near(clues), lambda _: True))
    if not found:
        found = list(_signatures(_everywhere(clues), lambda el: not is_in_margin(el)))
    return Findings({"authors": found})


def _is_of_other(el: HtmlElement) -> bool:
    """Return whether an author's link is in a list of other articles: its item also has an article's link."""
    item = next(el.iterancestors("li"), None)
    others = islice(item.iter("a"), _MAX_AUTHORS) if item is not None else ()
    return any(len(_text(one)) >= _MIN_TITLE_CHARS and not _is_marked(one) for one in others if one is not el)


def _near(clues: Clues) -> list[HtmlElement]:
    """Return the marked elements around the headline."""
    if clues.heading is None:
        return []
    outline = clues.page.outline
    around = ((number, outline.elements[number]) for number in elements_near(outline, clues.heading, _NEAR))
    marked = ((number, el) for number, el in around if _is_marked(el) and el.tag not in PAGE_TAGS)
    return [el for number, el in marked if not _is_mentioned(outline, number)][:_MAX_SIGNED]


def _is_mentioned(outline: Outline, number: int) -> bool:
    """Return whether an element is a link to somebody's profile in a paragraph of the story."""
    el = outline.elements[number]
    if el.tag != "a" or el.get("rel") == "author" or _SURE_PROFILE.search(el.get("href", "")):
        return False
    table = outline.table
    block = bisect_right(table.starts, outline.run_starts[number]) - 1
    return len(table.texts[block]) - 2 * int(table.link_chars[block]) >= MIN_STORY_CHARS


def _everywhere(clues: Clues) -> list[HtmlElement]:
    """Return all elements marked as an author's; other profile links mean little away from the headline."""
    distinct = {names for _, names in clues.classed}
    marked = set(filter(_MARKED.search, distinct))
    links = [clues.page.outline.elements[number] for number in clues.page.outline.tagged("a")]
    signed = [el for el in links if el.get("rel") == "author" or _SURE_PROFILE.search(el.get("href", ""))]
    return [*signed[:_MAX_SIGNED], *[el for el, names in clues.classed if names in marked][:_MAX_SIGNED]]


def _is_marked(el: HtmlElement) -> bool:
    names, href = el.get("class"), el.get("href")
    return (
        (names is not None and _MARKED.search(names) is not None)
        or (href is not None and _PROFILE.search(href) is not None)
        or el.get("rel") == "author"
    )


def _signatures(
    elements: Sequence[HtmlElement], is_ours: Callable[[HtmlElement], bool]
) -> Iterator[tuple[Author, ...]]:
    """Yield by each kind of mark the first author that it marks and those named in the same place, if not too many."""
    labelled = [(el, _labels(el)) for el in elements]
    for number, kind in enumerate(_KINDS):
        texts = {el: _text(el) for el, labels in labelled if kind.search(labels)}
        found = [el for el, text in texts.items() if 2 <= len(text) <= _MAX_MARKED_CHARS]
        signing = (el for el in found if number < _SURE_KINDS or _is_signed(texts[el]))
        first = next(filter(is_ours, signing), None)
        if first is not None:
            beside = [el for el in found if _place(el) is _place(first)]
            authors = {texts[el]: Author(texts[el], url=el.get("href")) for el in beside}
            if len(authors) <= _MAX_AUTHORS and not (len(authors) > 1 and any(map(_is_of_other, beside))):
                yield tuple(authors.values())


def _text(el: HtmlElement) -> str:
    return visible_text(el, _MAX_MARKED_CHARS, separator=" ")


@lru_cache(maxsize=256)  # several kinds may mark the same byline
def _is_signed(text: str) -> bool:
    """Return whether a text introduces names, or holds a full one."""
    return is_introduced(text) or any(map(is_full_name, split_byline(text)))


def _place(el: HtmlElement) -> HtmlElement | None:
    """Return the element that holds a byline: the list or line around the links of all authors."""
    above = el.getparent()
    return above.getparent() if above is not None and above.tag in {"li", "span"} else above


def _labels(el: HtmlElement) -> str:
    kind, name, rel, href = (el.get(key, "")[:_MAX_LABEL_CHARS] for key in ("class", "id", "rel", "href"))
    labels = f"{kind} {name} rel={rel}".lower()
    return labels if _ACCOUNT.search(href) else f"{labels} href={href.lower()}"
