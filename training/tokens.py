"""Trains the token classifier of `mss` with naive Bayes.

After Pasternack & Roth (WWW 2009). The tokens between the first and the last one of the article are in it, all others
are not. For the figures, classifiers are trained without a third of the sites and judged on those; the classifier for
use is trained on all.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from dataclasses import dataclass
from multiprocessing import get_context
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from newsextract.evaluation.contest import source_text
from newsextract.evaluation.measures import Text, is_judgeable
from newsextract.page.page import Page, PageError
from newsextract.reading.extraction.block_classifier.selection import best_segment
from newsextract.reading.extraction.mss import (
    MIN_SITES,
    WEIGHTS,
    TokenClassifier,
    Tokens,
    page_tokens,
    save,
)
from training.blocks import VALIDATION, Bags, CorpusPage, bags_of, gold_pages, site_of, text_labels
from training.boosting import add_weights_option, read_options, teller

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from newsextract.evaluation.corpora import GoldPage

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    Counts = tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]
    """Distinct features, and how often each occurs in articles and outside."""

CORPORA = ("newspaper4k", "wcxb", "dragnet", "chaos", "daniel", "xmu")
FOLDS = 3
MAX_TRIGRAMS = 70_000
"""What fits in a small file: those that say most are kept."""
_NEEDED = ("rapidfuzz", "tldextract")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, judge, write; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.tokens", description=__doc__)
    add_weights_option(parser, WEIGHTS.packaged)
    options = read_options(parser, arguments, CORPORA, _NEEDED)
    if options is None:
        return 2
    tell = teller()
    examples = read_token_examples([options.corpora / f"{name}.jsonl.xz" for name in CORPORA], options.jobs)
    tell(f"{len(examples)} pages read, {sum(len(example.is_in) for example in examples):,} tokens")
    trained_on = [example for example in examples if example.corpus not in VALIDATION]
    models = [fit([example for example in trained_on if example.fold(FOLDS) != fold]) for fold in range(FOLDS)]
    tell(f"unseen sites: {line((one, models[one.fold(FOLDS)].scores(one.tokens)) for one in examples)}")
    save(fit(trained_on), options.weights)
    tell(f"{options.weights.name}: {options.weights.stat().st_size:,} bytes")
    return 0


@dataclass(frozen=True, slots=True)
class TokenExample(CorpusPage):
    """A page as tokens, with its blocks' words for judging."""

    tokens: Tokens
    is_in: Mask
    """Whether each token is between the first and the last one of the article."""
    block_starts: NDArray[np.int64]
    """The run that each block starts with."""
    bags: Bags

    def f1(self, scores: Floats) -> float:
        """Return the token F1 of the blocks in the best stretch."""
        start, stop = best_segment(scores)
        if start == stop:
            return self.bags.f1(np.zeros(len(self.block_starts), bool))
        first = np.searchsorted(self.block_starts, self.tokens.runs[start], side="right") - 1
        places = np.arange(len(self.block_starts))
        return self.bags.f1((places >= first) & (self.block_starts <= self.tokens.runs[stop - 1]))


def read_token_examples(paths: Sequence[Path], processes: int) -> list[TokenExample]:
    """Return the articles of all corpora that show their gold, in order."""
    with get_context("fork").Pool(processes) as pool:
        golds = (gold for gold in gold_pages(paths) if gold.text and gold.page_type in (None, "article"))
        return [example for example in pool.imap(_example, golds, chunksize=8) if example is not None]


def _example(gold: GoldPage) -> TokenExample | None:
    text = gold.text or ""
    try:
        page = Page(gold.html, gold.url)
    except PageError:
        return None
    table, tokens = page.outline.table, page_tokens(page.outline)
    if not len(table.texts) or not is_judgeable(Text(text), Text(source_text(page))):
        return None
    bags = bags_of(table.texts, text)
    start, stop = best_segment((text_labels(table.texts, text) - 0.5) * bags.counts)
    ends = np.append(table.starts, len(page.outline.runs))
    is_in = (tokens.runs >= ends[start]) & (tokens.runs < ends[stop])
    # The tags before the first run are not the article's.
    is_in[: int(np.argmax(is_in))] = False
    starts = np.asarray(table.starts, np.int64)
    return TokenExample(gold.corpus, gold.id, site_of(gold), gold.language or "", tokens, is_in, starts, bags)


def counted(features: NDArray[np.uint32], is_in: Mask) -> Counts:
    """Return the distinct features, and how often each is in an article and outside."""
    distinct, places = np.unique(features, return_inverse=True)
    inside = np.bincount(places[is_in], minlength=len(distinct))
    return distinct, inside, np.bincount(places, minlength=len(distinct)) - inside


def fit(examples: Sequence[TokenExample], min_sites: int = MIN_SITES) -> TokenClassifier:
    """Return the classifier of some pages, with add-one smoothing."""
    labels = np.concatenate([example.is_in for example in examples])
    features, inside, outside = _common(examples, min_sites)
    totals = np.array([labels.sum(), (~labels).sum()])
    others = totals - (inside.sum(), outside.sum())
    kinds = len(features) + 1
    odds = _odds(inside, outside, totals, kinds)
    rare = float(_odds(others[:1], others[1:], totals, kinds)[0])
    gains = np.abs(odds - rare) * (inside + outside)
    chosen = np.sort(np.argsort(-gains, kind="stable")[:MAX_TRIGRAMS])
    tags, tags_in, tags_out = counted(np.concatenate([example.tokens.around for example in examples]), labels)
    return TokenClassifier(features[chosen], odds[chosen], tags, _odds(tags_in, tags_out, totals, len(tags)), rare)


def _odds(inside: NDArray[np.int64], outside: NDArray[np.int64], totals: NDArray[np.int64], kinds: int) -> Floats:
    shares = (np.log((counts + 1) / (total + kinds)) for counts, total in zip((inside, outside), totals, strict=True))
    first, second = shares
    odds: Floats = first - second
    return odds


def _common(examples: Sequence[TokenExample], min_sites: int) -> Counts:
    """Return the trigrams that are known on enough sites, with their counts."""
    by_site: dict[str, list[TokenExample]] = defaultdict(list)
    for example in examples:
        by_site[example.site].append(example)
    found = [
        counted(
            np.concatenate([example.tokens.trigrams for example in pages]),
            np.concatenate([example.is_in for example in pages]),
        )
        for pages in by_site.values()
    ]
    distinct, places, sites = np.unique(
        np.concatenate([features for features, _, _ in found]), return_inverse=True, return_counts=True
    )
    inside, outside = (
        np.bincount(places, np.concatenate([counts[side] for counts in found]), len(distinct)).astype(np.int64)
        for side in (1, 2)
    )
    known = sites >= min_sites
    return distinct[known], inside[known], outside[known]


def line(scored: Iterable[tuple[TokenExample, Floats]]) -> str:
    """Return the mean token F1 of pages, given the scores of their tokens, by corpus, and the mean of these."""
    found: dict[str, list[float]] = defaultdict(list)
    for example, scores in scored:
        found[example.column].append(example.f1(scores))
    means = {column: fmean(values) for column, values in found.items()}
    return ", ".join(f"{column} {mean:.3f}" for column, mean in means.items()) + f"; mean {fmean(means.values()):.4f}"


if __name__ == "__main__":
    sys.exit(main())
