"""The words of a demo site, two JSON files per language, and the sentences that they make.

Templates hold `[one|other]` alternatives, `{2-9}` numbers and `{place}` slots: see `Phrasebook`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, fields
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from random import Random


@dataclass(frozen=True)
class Subject:
    """An event in a town, with one story for each of its headlines."""

    section: int
    thing: str
    it: str
    org: str
    keywords: tuple[str, ...]
    headlines: tuple[str, ...]
    summaries: tuple[str, ...]
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Vocabulary:
    """The material for the stories of one language."""

    language: str
    publisher: str
    joiner: str
    """Separates two sentences; empty in scripts without spaces."""
    introduction: str
    """How a person is introduced, with `{name}` and `{role}`."""
    zone_hours: int
    date: str
    months: tuple[str, ...]
    weekdays: tuple[str, ...]
    sections: tuple[tuple[str, str], ...]
    """URL part and visible name of each section."""
    authors: tuple[str, ...]
    places: tuple[str, ...]
    districts: tuple[str, ...]
    people: Mapping[str, tuple[str, ...]]
    """The possible speakers for each voice, as `name|role`."""
    tables: tuple[tuple[str, ...], ...]
    paragraph_chars: tuple[int, int]
    banks: Mapping[str, tuple[str, ...]]
    subjects: tuple[Subject, ...]


@dataclass(frozen=True)
class Furniture:
    """The words around the stories of one language: everything here is boilerplate."""

    byline: str
    slogan: str
    cookie_text: str
    accept: str
    refuse: str
    home: str
    nav: tuple[str, ...]
    share: tuple[str, ...]
    print: str
    related: str
    most_read: str
    read_also: str
    advertisement: tuple[str, ...]
    comments: str
    reply: str
    commenters: tuple[str, ...]
    remarks: tuple[str, ...]
    newsletter_title: str
    newsletter_text: str
    subscribe: str
    footer: tuple[str, ...]
    next: str
    previous: str
    latest: str
    about_title: str
    about: tuple[str, ...]
    contact_title: str
    contact: tuple[str, ...]
    members_title: str
    members: tuple[str, ...]
    archive: str
    lost: str

    @property
    def phrases(self) -> tuple[str, ...]:
        """Every phrase that must never be extracted as part of a story."""
        values = (getattr(self, field.name) for field in fields(self) if field.name != "byline")
        return tuple(phrase for value in values for phrase in ((value,) if isinstance(value, str) else value))


def load_vocabulary(name: str) -> Vocabulary:
    """Read the story words of a language."""
    words = _read(f"{name}.json")
    words["subjects"] = tuple(Subject(**subject) for subject in words["subjects"])
    return Vocabulary(**words)


def load_furniture(name: str) -> Furniture:
    """Read the boilerplate words of a language."""
    return Furniture(**_read(f"{name}_noise.json"))


def _read(file_name: str) -> dict[str, Any]:
    text = resources.files(__package__).joinpath(file_name).read_text(encoding="utf-8")
    return {key: _frozen(value) for key, value in json.loads(text).items()}


def _frozen(value: object) -> object:
    """Return lists as tuples, at any depth."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value


ALTERNATIVES = re.compile(r"\[([^\[\]]*)\]")
SLOT = re.compile(r"\{(\w+)(?:-(\d+))?\}")


@dataclass
class Phrasebook:
    """Draws the sentences of one story, none of them twice."""

    rng: Random
    banks: Mapping[str, tuple[str, ...]]
    slots: Mapping[str, str]
    people: Mapping[str, str]
    """For each voice, its `name|role`."""
    introduction: str
    districts: Iterator[str]
    """An endless iterator, so that a sentence with two slots gets two different values."""
    drawn: set[str] = field(default_factory=set)
    introduced: set[str] = field(default_factory=set)

    def draw(self, bank: str) -> str | None:
        """Return a sentence of the bank that has not been used yet; `None` if all have."""
        left = [template for template in self.banks[bank] if template not in self.drawn]
        if not left:
            return None
        template = self.rng.choice(left)
        self.drawn.add(template)
        return self.fill(template)

    def fill(self, template: str) -> str:
        """Return the template with its alternatives chosen and its slots filled."""
        chosen = ALTERNATIVES.sub(lambda found: self.rng.choice(found[1].split("|")), template)
        return SLOT.sub(self._slot, chosen)

    def _slot(self, found: re.Match[str]) -> str:
        name, upper = found[1], found[2]
        if upper:
            return str(self.rng.randint(int(name), int(upper)))
        if name == "district":
            return next(self.districts)
        if name in self.people:
            return self._mention(name)
        return self.fill(self.slots[name])

    def _mention(self, voice: str) -> str:
        name, role = self.people[voice].split("|")
        if voice in self.introduced:
            return name
        self.introduced.add(voice)
        return self.introduction.format(name=name, role=role)


def capitalised(sentence: str) -> str:
    """Return the sentence with its first letter in upper case.

    >>> capitalised("the plan of McAdam")
    'The plan of McAdam'
    """
    return sentence[:1].upper() + sentence[1:]
