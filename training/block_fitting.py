"""Fit both block classifiers and the scores of names to labelled pages.

The second classifier learns from the first one's answers on pages it has not seen: the sites are split into `FOLDS`,
and a first classifier trained without a fold judges it. Scores of names are learned the same way. The classifier that
is returned was trained on all pages.

Many pages are trained on without some of their names, so that no name alone decides: sites that nobody has annotated
have other names.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar
from zlib import crc32

import numpy as np

from newsextract.reading.extraction.block_classifier.layout import running
from newsextract.reading.extraction.block_classifier.model import BlockClassifier, in_context, inputs_of
from newsextract.reading.extraction.block_classifier.names import NameScores, terms_of
from training.boosting import FIRST, SECOND, boost, constant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from newsextract.reading.extraction.block_classifier.features import Described
    from training.block_examples import Example

    Floats = NDArray[np.float64]


MIN_SITES = 5
"""Sites that a name must be found on to get a score: on fewer, it is a site's own."""
_PRIOR_SITES = 3.0
_PRIOR_SHARE = 0.4
"""The usual share of content in a page's words; a prior that weighs as much as `_PRIOR_SITES` sites."""
_SLIGHT = 0.05

Shares = dict[str, float]
"""For each term on a page: the share of content in the words inside elements of that name."""


def content_shares(example: Example) -> Shares:
    """Return the content share of each term on one page."""
    layout = example.described.layout
    known = np.where(example.labels >= 0, example.words, 0.0)
    words, content = running(known), running(known * example.labels.clip(0))
    places: dict[str, list[int]] = defaultdict(list)
    for number, (element, tag) in enumerate(zip(layout.elements, layout.tags, strict=True)):
        for term in (*terms_of(element), f"<{tag}>"):
            places[term].append(number)
    first, last = layout.first.tolist(), layout.last.tolist()
    shares: Shares = {}
    for term, numbers in places.items():
        inside = of_content = 0.0
        reached = 0
        for number in numbers:  # in page order, so that nested elements count once
            start, stop = max(first[number], reached), last[number]
            if stop > start:
                inside += words[stop] - words[start]
                of_content += content[stop] - content[start]
                reached = stop
        if inside:
            shares[term] = of_content / inside
    return shares


def learn_names(examples: Iterable[Example], shares: Mapping[int, Shares]) -> NameScores:
    """Return the scores of the terms that enough sites use; every site counts once.

    The score is the log-odds of the mean share of content, less those of `_PRIOR_SHARE`. `shares` are those of the
    examples by `id()`.
    """
    by_site: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        by_site[example.site].append(example)
    total: dict[str, float] = defaultdict(float)
    sites: dict[str, int] = defaultdict(int)
    for pages in by_site.values():
        found: dict[str, list[float]] = defaultdict(list)
        for page in pages:
            for term, share in shares[id(page)].items():
                found[term].append(share)
        for term, values in found.items():
            total[term] += sum(values) / len(values)
            sites[term] += 1
    scores = {term: _score(total[term], count) for term, count in sites.items() if count >= MIN_SITES}
    return NameScores(
        {term: score for term, score in sorted(scores.items()) if abs(score) >= _SLIGHT or term[0] == "="}
    )


def _score(total: float, sites: int) -> float:
    mean = (total + _PRIOR_SITES * _PRIOR_SHARE) / (sites + _PRIOR_SITES)
    score = math.log(mean / (1 - mean)) - math.log(_PRIOR_SHARE / (1 - _PRIOR_SHARE))
    return float(np.float32(round(score, 3)))


FORGOTTEN = {0.0: 0.5, 0.3: 0.38, 1.0: 0.12}
"""Shares of a page's terms that are forgotten in the training, and on how many of the pages."""
BALANCE = -0.5
"""Pages weigh the size of their corpus to this power: a corpus weighs as the root of its pages, and none dominates."""


def partly_named(scores: NameScores, example: Example, terms: Iterable[str]) -> NameScores:
    """Return the scores of the terms of a page without those that are forgotten, the same on every machine."""
    chance = np.random.default_rng(crc32(example.id.encode()))
    share = chance.choice(list(FORGOTTEN), p=list(FORGOTTEN.values()))
    known = sorted(term for term in terms if term in scores.scores)
    is_kept = chance.random(len(known)) >= share
    return NameScores({term: scores.scores[term] for term, kept in zip(known, is_kept, strict=True) if kept})


def page_weights(examples: Sequence[Example]) -> list[float]:
    """Return the weight of each page, by the number of its corpus' pages."""
    pages = Counter(example.corpus for example in examples)
    return [pages[example.corpus] ** BALANCE for example in examples]


FOLDS = 3
_SALT = "inner"

UNTRAINED = constant(0.5)
"""Trees that always return 0.5, used until the real ones are trained."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """The inputs of a fit: the examples' shares of names, and the features to leave out, for ablations."""

    shares: Mapping[int, Shares]
    blind: tuple[str, ...] = ()
    """Families of features that are left out."""
    has_context: bool = True
    """Whether there is a second classifier; otherwise the first one decides."""

    def fit(self, examples: Sequence[Example]) -> BlockClassifier:
        """Return the classifier fitted to these examples."""
        samples = [example.sample() for example in examples]
        held_out = [example.fold(FOLDS, _SALT) for example in examples]
        described: list[Described] = [example.described for example in examples]
        for fold in range(FOLDS):
            others = [example for example, place in zip(examples, held_out, strict=True) if place != fold]
            scores = learn_names(others, self.shares)
            for number in (number for number, place in enumerate(held_out) if place == fold):
                example = examples[number]
                named = example.described.named(partly_named(scores, example, self.shares[id(example)]))
                described[number] = self.seen(named)
        labels = _stack(example.labels[rows].clip(0, 1) for example, (rows, _) in zip(examples, samples, strict=True))
        pages = zip(samples, page_weights(examples), strict=True)
        weights = _stack(weights * of_page for (_, weights), of_page in pages)
        rows: NDArray[np.float32] = _stack(
            page.features[chosen] for page, (chosen, _) in zip(described, samples, strict=True)
        )
        first = boost(rows, labels, weights, FIRST)
        second = UNTRAINED
        if self.has_context:
            folds = np.repeat(held_out, [len(chosen) for chosen, _ in samples])
            in_turn = [boost(rows[folds != k], labels[folds != k], weights[folds != k], FIRST) for k in range(FOLDS)]
            rows = _stack(
                in_context(page, in_turn[fold].probabilities(page.features))[chosen]
                for page, fold, (chosen, _) in zip(described, held_out, samples, strict=True)
            )
            second = boost(rows, labels, weights, SECOND)
        names = learn_names(examples, self.shares)
        return BlockClassifier(names, first, second, UNTRAINED, inputs_of(described[0]))

    def fingerprint(self, examples: Sequence[Example]) -> str:
        """Return a name for what `fit` would return: it follows from the pages, features and parameters."""
        recipe = (FIRST, SECOND, FORGOTTEN, BALANCE, MIN_SITES, FOLDS, self.blind, self.has_context)
        seen = sha256(repr(recipe).encode())
        for example in examples:
            shares = sorted(self.shares[id(example)].items())
            seen.update(repr((example.corpus, example.id, example.site, example.is_article, shares)).encode())
            for array in (example.described.features, example.labels, example.words):
                seen.update(np.ascontiguousarray(array).tobytes())
        return seen.hexdigest()[:12]

    def seen(self, described: Described) -> Described:
        """Return the blocks without the features that are left out."""
        if not self.blind:
            return described
        features = described.features.copy()
        for family in self.blind:
            features[:, described.families[family]] = 0
        return replace(described, features=features)

    def judge(self, model: BlockClassifier, example: Example) -> tuple[Described, Floats]:
        """Return the blocks of an example as the model describes them, and their probabilities."""
        described = example.described.named(model.names)
        seen = self.seen(described)
        if not self.has_context:
            return described, model.first.probabilities(seen.features)
        return described, model.judge(seen)


_T = TypeVar("_T", np.float32, np.float64)


def _stack(arrays: Iterable[NDArray[_T]]) -> NDArray[_T]:
    return np.concatenate(list(arrays))
