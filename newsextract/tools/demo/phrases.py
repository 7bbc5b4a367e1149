"""Fills templates to sentences: alternatives, numbers, and people who are introduced once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from random import Random

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
