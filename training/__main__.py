"""Trains the block classifier behind `auto` and writes its model card.

First, for the figures, classifiers are trained without a third of the sites, without a corpus and without a language,
and judged on the pages that they have not seen. The outcomes by site calibrate the confidence. Then the classifier for
use is trained on all.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.reading.extraction.block_classifier.model import WEIGHTS, load, save
from training.block_examples import VALIDATION, read_examples
from training.block_fitting import Fitting, content_shares
from training.fold_judging import (
    bins_of,
    by_column,
    by_corpus,
    by_language,
    by_site,
    error,
    estimates,
    fit_confidence,
    held_out,
    risk_over_coverage,
    snippets,
)
from training.model_card import Figures, write_card
from training.training_command import add_weights_option, read_options, teller

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.fold_judging import Outcome

CORPORA = ("newspaper4k", "wcxb", "dragnet", "chaos", "daniel", "xmu", "trafilatura", "magic")
MAX_BYTES = 1_000_000
"""Limit on the size of the weights, which come with every installation."""
NEEDED = ("catboost", "matplotlib", "rapidfuzz", "tldextract")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, judge, write; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    add_weights_option(parser, WEIGHTS.packaged)
    parser.add_argument("--card", type=Path, metavar="FILE", help="write the model card there, and its plot beside it")
    parser.add_argument("--without", default="", metavar="NAMES", help="corpora to leave out, and judge nothing")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep the figures' classifiers there, or take them from there"
    )
    options = read_options(parser, arguments, CORPORA, NEEDED)
    if options is None:
        return 2
    if options.without:
        _train_without(set(options.without.split(",")), options.corpora, options.weights, options.jobs)
    else:
        _train(options)
    return 0


def _train_without(without: set[str], corpora: Path, weights: Path, jobs: int) -> None:
    """Write weights trained without some corpora, to judge others on these; the confidence stays as it is."""
    names = [name for name in CORPORA if name not in {*without, *VALIDATION}]
    examples = [
        one for one in read_examples([corpora / f"{name}.jsonl.xz" for name in names], jobs) if one.is_trained_on
    ]
    model = Fitting({id(example): content_shares(example) for example in examples}).fit(examples)
    save(replace(model, confidence=load().confidence), weights)


def _train(options: argparse.Namespace) -> None:
    weights, keep, tell = options.weights, options.keep, teller()
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    examples = read_examples([options.corpora / f"{name}.jsonl.xz" for name in CORPORA], options.jobs)
    tell(f"{len(examples)} pages read")
    fitting = Fitting({id(example): content_shares(example) for example in examples})
    cross = held_out(by_site(examples), fitting, tell, keep)
    tell(f"folds disjoint by site: {_line(cross)}")
    left_out = held_out(by_corpus(examples), fitting, tell, keep)
    left_out += [outcome for outcome in cross if outcome.example.corpus in VALIDATION]
    tell(f"one corpus left out:    {_line(left_out)}")
    untaught = held_out(by_language(examples), fitting, tell, keep)
    tell(f"one language left out:  {_line(untaught)}")
    said, true = estimates(cross, VALIDATION)
    bins, risk = bins_of(said, true), risk_over_coverage(said, true)
    tell(f"confidence: off by {error(bins):.3f} in the mean over tenths of the pages, risk over coverage {risk:.4f}")
    model = fitting.fit([example for example in examples if example.is_trained_on])
    trainable = [outcome for outcome in cross if outcome.example.corpus not in VALIDATION]
    model = replace(model, confidence=fit_confidence(trainable))
    save(model, weights)
    size = weights.stat().st_size
    tell(f"{weights.name}: {size:,} bytes" + (f", more than {MAX_BYTES:,}" if size > MAX_BYTES else ""))
    if options.card:
        write_card(options.card, Figures(examples, cross, left_out, untaught, bins, risk, model, size))


def _line(outcomes: Sequence[Outcome]) -> str:
    columns = ", ".join(f"{name} {f1:.3f}" for name, f1 in by_column(outcomes).items())
    includes, excludes = snippets(outcomes)
    return f"{columns}; snippets wanted {includes:.3f}, unwanted {excludes:.3f}"


if __name__ == "__main__":
    sys.exit(main())
