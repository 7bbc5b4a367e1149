"""Read authors from lines without mark-up: "By Ann Lee" near the headline, "Written by Ann Lee" elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.article import Author
from newsextract.reading.metadata.authors.byline_introductions import is_introduced
from newsextract.reading.metadata.authors.byline_parsing import split_byline
from newsextract.reading.metadata.authors.person_names import is_full_name, is_name
from newsextract.reading.metadata.findings import Findings
from newsextract.reading.metadata.margins import is_in_margin
from newsextract.reading.metadata.text_folding import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.reading.metadata.page_clues import Clues

_MAX_CHARS = 90
"""The longest byline; a longer line is a sentence."""

_CREDIT = re.compile(
    r"photo|foto|image|picture|bild|credit|getty|unsplash|shutterstock|alamy|illustration|stock|imago|©|фото|图|写真|사진",
    re.IGNORECASE,
)
"""Words of photo credits, which name somebody who is not the author."""

_BY = r"(?:by|von|par|por|da|di|door|av|af|przez)"
_WRITTEN = (
    r"(?:written|posted|authored|verfasst|geschrieben|erstellt|eingestellt|gepostet|gespeichert|publi[ée]|écrit|rédigé"
    r"|publicado|escrito|redactado|pubblicato|scritto|geschreven|geplaatst|skrevet|skriven|napsal[a]?|napisał[a]?)"
)
_AUTHOR = (
    r"(?:authors?|autor(?:in|en|es|a|e|i|ka)?|auteure?s?|autrice|författare|forfatter|kirjoittaja|szerző|yazar|συντάκτης"
    r"|автор[ыи]?|penulis|tác giả|نویسنده|الكاتب|लेखक)"
)
_SIGNED = re.compile(
    rf"(?:(?:this|the) (?:post|article|story|piece) (?:was |is )?|dieser (?:artikel|beitrag|text) wurde )?{_WRITTEN}"
    rf"(?: (?:(?:am|on|le|el|il|op|den) )?[\w./: ]{{0,30}})? {_BY}\s(?=\w)|ein beitrag von\s"
    rf"|(?:{_AUTHOR}|words|text|texte|testo|texto|tekst|текст|作者|记者|記者|撰文|文)\s?[:：]\s?(?=\w)"
    rf"|{_AUTHOR}\s(?=[^\W\d_a-zа-я])",
    re.IGNORECASE,
)
"""How a line begins that names the author, somewhere on the page."""


def signatures_near(clues: Clues) -> list[tuple[Author, ...]]:
    """Return the authors in the lines around the headline that introduce names ("By …"), the nearest first."""
    texts = clues.page.outline.table.texts
    lines = (number for _, number in clues.places_near if _is_short(clues, number) and is_introduced(texts[number]))
    return [signature for number in lines if (signature := _introduced(_spaced(clues, number)))]


def read_signed(clues: Clues) -> Findings:
    """Return the names in the lines that say who wrote the text, anywhere on the page but in its margins."""
    return Findings({"authors": list(_signed(clues))})


def _is_short(clues: Clues, number: int) -> bool:
    return 2 < len(clues.page.outline.table.texts[number]) <= _MAX_CHARS


def _spaced(clues: Clues, number: int) -> str:
    """Return the text of a block with spaces where only elements separate words."""
    table = clues.page.outline.table
    return fold(" ".join(clues.page.outline.runs[table.starts[number] : table.stops[number]]))


def _introduced(text: str) -> tuple[Author, ...]:
    if _CREDIT.search(text) or not is_introduced(text):
        return ()
    return tuple(Author(name) for name in split_byline(text) if is_full_name(name))


def _signed(clues: Clues) -> Iterator[tuple[Author, ...]]:
    outline = clues.page.outline
    for number, line in enumerate(outline.table.texts):
        if len(line) <= _MAX_CHARS and _SIGNED.match(line):
            names = split_byline(_spaced(clues, number), clues.language)
            names = [name for name in names if is_name(name) and not any(map(str.isdigit, name))]  # no account
            if names and not is_in_margin(outline.elements[outline.table.owners[number]]):
                yield tuple(map(Author, names))
