"""The words of a demo site, two JSON files per language: one for its stories, one for what surrounds them.

Templates hold `[one|other]` alternatives, `{2-9}` numbers and `{place}` slots: see `phrases`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


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
