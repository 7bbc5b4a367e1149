"""Generates stories from a vocabulary: the same seed gives the same story. Each has its truth."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Literal

from newsextract.tools.demo.vocabulary import Phrasebook, capitalised

if TYPE_CHECKING:
    from datetime import datetime
    from random import Random

    from newsextract.tools.demo.vocabulary import Subject, Vocabulary

PieceKind = Literal["paragraph", "heading", "quote", "list", "table", "image"]

TABLE_COLUMNS = 3

PLAN = (
    "lead", "detail", "quote", "figures", "background", "reaction",
    "detail", "quote", "background", "figures", "reaction",
)  # fmt: skip

RECIPES = {
    "lead": ("lead", "fact", "detail", "detail", "detail"),
    "detail": ("fact", "detail", "detail", "detail", "detail"),
    "quote": ("quote", "detail", "quote", "reaction", "reaction"),
    "figures": ("figures", "figures", "fact", "figures", "figures"),
    "background": ("background",) * 5,
    "reaction": ("reaction", "reaction", "quote", "reaction", "reaction"),
    "outlook": ("outlook",) * 5,
}

EXTRAS: tuple[PieceKind, ...] = ("heading", "list", "quote", "table", "image")


@dataclass(frozen=True)
class Piece:
    """One part of a story's body: a table holds its cells row by row, an image its caption."""

    kind: PieceKind
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """An article before it is laid out on a page."""

    number: int
    subject: Subject
    place: str
    headline: str
    summary: str
    body: tuple[Piece, ...]
    authors: tuple[str, ...]
    published: datetime
    modified: datetime
    first_headline: str = ""
    """What its URL was made of, if the headline has changed since."""


@dataclass(frozen=True)
class Assignment:
    """What an article will be about, before it is written."""

    number: int
    subject: Subject
    variant: int
    place: str
    published: datetime
    modified: datetime


def write_story(vocabulary: Vocabulary, assignment: Assignment, rng: Random) -> Story:
    """Return the story for an assignment and a random generator."""
    subject, variant = assignment.subject, assignment.variant
    book = open_phrasebook(vocabulary, assignment, rng)
    return Story(
        number=assignment.number,
        subject=subject,
        place=assignment.place,
        headline=capitalised(book.fill(subject.headlines[variant])),
        summary=capitalised(book.fill(subject.summaries[variant])),
        body=_body(vocabulary, book),
        authors=tuple(rng.sample(vocabulary.authors, rng.choice((1, 1, 2)))),
        published=assignment.published,
        modified=assignment.modified,
    )


def open_phrasebook(vocabulary: Vocabulary, assignment: Assignment, rng: Random) -> Phrasebook:
    """Return the phrasebook of one story: its speakers, its place and its subject."""
    subject = assignment.subject
    return Phrasebook(
        rng=rng,
        banks={**vocabulary.banks, "fact": subject.facts},
        slots={
            "thing": subject.thing,
            "it": subject.it,
            "org": subject.org,
            "place": assignment.place,
            "weekday": vocabulary.weekdays[assignment.published.weekday()],
        },
        people={voice: rng.choice(names) for voice, names in vocabulary.people.items()},
        introduction=vocabulary.introduction,
        districts=cycle(rng.sample(vocabulary.districts, len(vocabulary.districts))),
    )


def _body(vocabulary: Vocabulary, book: Phrasebook) -> tuple[Piece, ...]:
    length = book.rng.randint(4, 12)
    kinds = (*PLAN[: length - 1], "outlook")
    extras = book.rng.sample(EXTRAS, book.rng.choice((0, 1, 1, 2, 3)))
    places = dict(zip(book.rng.sample(range(1, length), len(extras)), extras, strict=True))
    pieces: list[Piece] = []
    for index, kind in enumerate(kinds):
        if index in places:
            pieces.append(_extra(places[index], vocabulary, book))
        pieces.append(Piece("paragraph", (_paragraph(vocabulary, book, kind),)))
    return tuple(pieces)


def _paragraph(vocabulary: Vocabulary, book: Phrasebook, kind: str) -> str:
    enough_chars = book.rng.randint(*vocabulary.paragraph_chars)
    text = ""
    for bank in RECIPES[kind]:
        sentence = book.draw(bank)
        if sentence is None:
            continue
        text = vocabulary.joiner.join(filter(None, (text, capitalised(sentence))))
        if len(text) >= enough_chars:
            break
    return text


def _extra(kind: PieceKind, vocabulary: Vocabulary, book: Phrasebook) -> Piece:
    if kind == "table":
        return Piece(kind, _table(vocabulary, book))
    bank = {"heading": "headings", "list": "list_items", "quote": "pull_quotes", "image": "captions"}[kind]
    wanted = book.rng.randint(3, 5) if kind == "list" else 1
    lines = filter(None, (book.draw(bank) for _ in range(wanted)))
    return Piece(kind, tuple(lines))


def _table(vocabulary: Vocabulary, book: Phrasebook) -> tuple[str, ...]:
    head = book.rng.choice(vocabulary.tables)
    areas = book.rng.sample(vocabulary.places, book.rng.randint(3, 5))
    rows = (cell for area in areas for cell in (area, book.fill("{110-990}"), book.fill("{110-990}")))
    return (*head, *rows)


@dataclass(frozen=True)
class DemoArticle:
    """The truth about one article page."""

    url: str
    """The canonical URL."""
    headline: str
    description: str
    """Occurs in the page's metadata and in teasers, never in its body."""
    paragraphs: tuple[str, ...]
    """The body in page order: paragraphs, sub-headings, list items, quotes and table cells."""
    captions: tuple[str, ...]
    authors: tuple[str, ...]
    date_published: str
    """ISO 8601 with the offset of the site's zone."""
    date_modified: str
    language: str
    section: str
    publisher: str
    keywords: tuple[str, ...]
    image: str
    """URL of the main picture."""

    @property
    def text(self) -> str:
        """The body, one paragraph per line."""
        return "\n".join(self.paragraphs)
