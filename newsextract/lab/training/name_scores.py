"""Learning the scores of names from labelled pages."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from newsextract.reading.extraction.block_classifier.block_layout import running
from newsextract.reading.extraction.block_classifier.element_names import NameScores, terms_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from newsextract.lab.training.block_examples import Example

MIN_SITES = 5
"""Sites on which a name must be met before it says anything: below, it is a site's own."""
_PRIOR_SITES = 3.0
_PRIOR_SHARE = 0.4
"""Share of a page's words that is content, as a rule; as many sites as above are added that say so."""
_SLIGHT = 0.05

Shares = dict[str, float]
"""Of each term on a page: the share of content in the words inside elements so named."""


def content_shares(example: Example) -> Shares:
    """Return what one page says of the terms in it."""
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
        for number in numbers:  # in the order of the page, so that what is nested counts once
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
