"""Score the names of elements: what classes and ids say about the text inside.

A class, an id or an `itemprop` is a few words: `article-body`, `relatedPosts`, `comment_list`; see `meaningful_names`
for those that are none. Each whole name and each word has a score, learned from the corpora: the log-odds that text
inside an element so named is the article's, against the odds of any text, averaged over sites. A whole name that is
known counts as such; of others the scores of the words are added up.
"""

from __future__ import annotations

from functools import cached_property
from itertools import repeat
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from newsextract.reading.extraction.block_classifier.block_layout import TAGS
from newsextract.reading.extraction.block_classifier.meaningful_names import words_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

_ATTRIBUTES = (("class", ""), ("id", ""), ("itemprop", "i:"))
_MAX_NAMES = 10
"""Names read from one attribute: utility classes come by the dozen, and the meaningful ones come first."""
_MAX_REMEMBERED = 20_000
_MAX_REMEMBERED_CHARS = 4_000_000

Said = tuple[float, float, float]
"""The sum of the scores of some names, the highest score or 0, and the lowest score or 0."""


def terms(name: str, prefix: str = "") -> list[str]:
    """Return the terms that a name is looked up by: the whole, then its words. A prefix tells the attribute.

    >>> terms("relatedPosts-2"), terms("articleBody", "i:")
    (['=related-posts', 'related', 'posts'], ['=i:article-body', 'i:article', 'i:body'])
    """
    whole = words_in(name)
    return [f"={prefix}{whole}", *(prefix + word for word in whole.split("-"))] if whole else []


def terms_of(element: HtmlElement) -> set[str]:
    """Return the terms of all the names that an element has."""
    return {
        term
        for attribute, prefix in _ATTRIBUTES
        for name in element.get(attribute, "").split()[:_MAX_NAMES]
        for term in terms(name, prefix)
    }


class _Vocabulary:
    """The scores for the names in one attribute, with a cache of the values met so far."""

    def __init__(self, scores: Mapping[str, float], prefix: str) -> None:
        skipped = len(prefix)
        own = {term: score for term, score in scores.items() if term.lstrip("=").startswith(prefix)}
        self.wholes = {term[1 + skipped :]: score for term, score in own.items() if term[0] == "="}
        self.words = {term[skipped:]: score for term, score in own.items() if term[0] != "="}
        self._lock = Lock()
        self.forget()

    def forget(self) -> None:
        """Empty the cache, so that it does not grow with the pages seen."""
        self.places: dict[str | None, int] = {None: 0}
        self.names: dict[str, float] = {}
        self.chars = 0
        self.table = np.zeros((1024, 3))  # the first row stands for a missing attribute

    def name(self, name: str) -> float:
        """Return the score of a name: its own, or else the sum of its words' scores."""
        whole = words_in(name)
        score = self.wholes.get(whole)
        return sum(map(self.words.get, whole.split("-"), repeat(0.0))) if score is None else score

    def rows(self, values: Sequence[str | None]) -> NDArray[np.float64]:
        """Return the scores of these values, a row for each."""
        with self._lock:  # one classifier serves all threads of a process
            if len(self.places) > _MAX_REMEMBERED or self.chars > _MAX_REMEMBERED_CHARS:
                self.forget()
            if new := list(set(values).difference(self.places)):  # looks up the few new ones only
                self._remember([value or "" for value in new])
            places = self.places
            rows: NDArray[np.float64] = self.table[[places[value] for value in values]]
            return rows

    def _remember(self, new: Sequence[str]) -> None:
        first, stop = len(self.places), len(self.places) + len(new)
        self.places.update(zip(new, range(first, stop), strict=True))
        self.chars += sum(map(len, new))
        while len(self.table) < stop:
            self.table = np.concatenate((self.table, np.zeros_like(self.table)))
        self.table[first:stop] = [self.value(value) for value in new]

    def value(self, value: str) -> Said:
        """Return the combined scores of the names in one value."""
        total = highest = lowest = 0.0
        names = self.names
        for name in value.split()[:_MAX_NAMES]:
            score = names.get(name)
            if score is None:
                score = names[name] = self.name(name)
            total += score
            if score > highest:
                highest = score
            elif score < lowest:
                lowest = score
        return total, highest, lowest


class NameScores:
    """The scores of names and tags."""

    def __init__(self, scores: Mapping[str, float]) -> None:
        """Take the scores of terms; those of tags are written `<p>`."""
        self.scores = scores
        self._vocabularies = [_Vocabulary(scores, prefix) for _, prefix in _ATTRIBUTES]

    def table(self, elements: Sequence[HtmlElement], classes: Sequence[str | None]) -> NDArray[np.float64]:
        """Return the scores of the names of M elements, M x 3; those of their classes are known already."""
        said = self._vocabularies[0].rows(classes)
        for (attribute, _), vocabulary in zip(_ATTRIBUTES[1:], self._vocabularies[1:], strict=True):
            values = [element.get(attribute) for element in elements]
            present = [number for number, value in enumerate(values) if value]
            if present:
                added = vocabulary.rows([values[number] for number in present])
                said[present, 0] += added[:, 0]
                said[present, 1] = np.maximum(said[present, 1], added[:, 1])
                said[present, 2] = np.minimum(said[present, 2], added[:, 2])
        return said

    def classes(self, classes: Sequence[str | None]) -> NDArray[np.float64]:
        """Return the sums of the scores in these class attributes."""
        return self._vocabularies[0].rows(classes)[:, 0]

    @cached_property
    def tags(self) -> NDArray[np.float64]:
        """The scores of the tags by their number in the layout."""
        return np.array([0.0, *(self.scores.get(f"<{tag}>", 0.0) for tag in TAGS)])
