"""Variants of a story as other papers print it: shortened, reordered, with another lead, inside a longer piece.

For testing the linking of copies: the retellings of a story are its copies; another story on the same subject is not,
although names, numbers and phrases are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from newsextract.tools.demo.demo_stories import Assignment, write_story
from newsextract.tools.demo.newsroom import dice
from newsextract.tools.demo.vocabulary import load_vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from newsextract.tools.demo.demo_stories import Story
    from newsextract.tools.demo.vocabulary import Vocabulary

_DATE = datetime(2026, 5, 20)  # noqa: DTZ001 - stories are dated in their town's own time
_AGENCY = {"en": "PORT CALDER (Calder Press) -", "fr": "SAINT-AUBIN (Agence Calder) -", "zh": "（卡尔德社电）"}
_BYLINE = {"en": "By Nora Whitlock, staff writer", "fr": "Par notre correspondante", "zh": "记者 陈明"}
_BOX = {
    "en": "Correction: an earlier version of this article misspelled a name. We apologise for the error.",
    "fr": "Rectificatif : une version précédente de cet article comportait une erreur dans un nom. Nos excuses.",
    "zh": "更正：本文早前版本中有一处姓名有误，特此致歉。",
}


@dataclass(frozen=True)
class Telling:
    """A text, and the story that it tells."""

    story: str
    """Tellings with the same name are copies of each other."""
    form: str
    """`original`, `other` or the name of the variation."""
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text, one paragraph per line."""
        return "\n".join(self.lines)


@dataclass(frozen=True)
class _Source:
    """The input of a retelling: the story, another on its subject, one on another subject, and a language."""

    lines: tuple[str, ...]
    other: tuple[str, ...]
    stranger: tuple[str, ...]
    language: str
    joiner: str
    rng: Random


def tellings(words: str, subjects: int | None = None) -> Iterator[Telling]:
    """Yield stories of a demo site's language, each with its copies and another article on the same subject."""
    vocabulary = load_vocabulary(words)
    for number, subject in enumerate(vocabulary.subjects[:subjects]):
        lines, other = (_lines(vocabulary, number, variant) for variant in (0, 1))
        stranger = _lines(vocabulary, (number + 1) % len(vocabulary.subjects), 2)
        source = _Source(lines, other, stranger, vocabulary.language, vocabulary.joiner, dice(f"{words}/{number}"))
        yield Telling(f"{subject.thing}/0", "original", lines)
        yield Telling(f"{subject.thing}/1", "other", other)
        for name, retell in RETELLINGS.items():
            yield Telling(f"{subject.thing}/0", name, retell(source))


def retell(form: str, story: Story, stranger: Story, vocabulary: Vocabulary, rng: Random) -> tuple[str, ...]:
    """Return the text of a story in one of the forms, made with another story on another subject."""
    lines, strange = (tuple(line for piece in each.body for line in piece.lines) for each in (story, stranger))
    return RETELLINGS[form](_Source(lines, strange, strange, vocabulary.language, vocabulary.joiner, rng))


def _lines(vocabulary: Vocabulary, number: int, variant: int) -> tuple[str, ...]:
    place = vocabulary.places[number % len(vocabulary.places)]
    assignment = Assignment(number, vocabulary.subjects[number], variant % 2, place, _DATE, _DATE)
    # The third ones are copies of nothing: they have their own random generator.
    story = write_story(vocabulary, assignment, dice(f"{vocabulary.language}/{number}/{variant}"))
    return tuple(line for piece in story.body for line in piece.lines)


def _shortened(source: _Source) -> tuple[str, ...]:
    return source.lines[: max(len(source.lines) * 2 // 5, 2)]


def _cut_inside(source: _Source) -> tuple[str, ...]:
    return source.lines[:1] + tuple(line for line in source.lines[1:] if source.rng.random() < 0.6) + source.lines[-1:]


def _another_lead(source: _Source) -> tuple[str, ...]:
    return source.other[:1] + source.lines[1:]


def _reordered(source: _Source) -> tuple[str, ...]:
    rest = list(source.lines[1:])
    source.rng.shuffle(rest)
    return (*source.lines[:1], *rest)


def _with_agency(source: _Source) -> tuple[str, ...]:
    language = source.language
    first = source.joiner.join((_AGENCY[language], source.lines[0]))
    return (_BYLINE[language], first, *source.lines[1:], _BOX[language])


def _quotes_changed(source: _Source) -> tuple[str, ...]:
    kinds = str.maketrans({"“": '"', "”": '"', "«": '"', "»": '"', "’": "'", "—": "-", "–": "-"})
    return tuple(line.translate(kinds) for line in source.lines)


def _words_changed(source: _Source) -> tuple[str, ...]:
    """Drop one word in twenty-five, or one character in Chinese, like an editor who tightens a text."""
    units: Callable[[str], list[str]] = str.split if source.joiner else list
    glue = " " if source.joiner else ""
    return tuple(glue.join(unit for unit in units(line) if source.rng.random() > 0.04) for line in source.lines)


def _inside_a_longer_one(source: _Source) -> tuple[str, ...]:
    middle = len(source.stranger) // 2
    return (*source.stranger[:middle], *_shortened(source), *source.stranger[middle:])


RETELLINGS: dict[str, Callable[[_Source], tuple[str, ...]]] = {
    "shortened": _shortened,
    "cut inside": _cut_inside,
    "another lead": _another_lead,
    "reordered": _reordered,
    "with agency, byline and correction": _with_agency,
    "inside a longer one": _inside_a_longer_one,
    "quotes changed": _quotes_changed,
    "words changed": _words_changed,
    "the same once more": lambda source: source.lines,
}
"""The variations of a story, by name."""
