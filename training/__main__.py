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
from training.blocks import VALIDATION, Fitting, content_shares, read_examples
from training.boosting import add_weights_option, read_options, teller
from training.judging import (
    COLUMNS,
    Figures,
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
    table,
    write_card,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.judging import Outcome

CORPORA = ("newspaper4k", "wcxb", "dragnet", "chaos", "daniel", "xmu", "trafilatura", "magic")
MAX_BYTES = 1_000_000
"""Limit on the size of the weights, which come with every installation."""
NEEDED = ("catboost", "rapidfuzz", "tldextract")


ABLATION_HEAD = """# Ablation of the block classifier

Mean token F1 and snippets found on pages not trained on, folds disjoint by site: with the first classifier alone, then
also without one family of its features. The first line of the [model card](model-card.md)'s results shows both
classifiers together on the same folds. Written by `make ablation`.

"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, judge, write; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    add_weights_option(parser, WEIGHTS.packaged)
    parser.add_argument("--card", type=Path, metavar="FILE", help="write the model card there")
    parser.add_argument("--without", default="", metavar="NAMES", help="corpora to leave out, and judge nothing")
    parser.add_argument(
        "--ablation", type=Path, metavar="FILE", help="write there what the parts are worth, and no weights"
    )
    options = read_options(parser, arguments, CORPORA, NEEDED)
    if options is None:
        return 2
    if options.ablation:
        _ablate(options)
        return 0
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
    weights, tell = options.weights, teller()
    examples = read_examples([options.corpora / f"{name}.jsonl.xz" for name in CORPORA], options.jobs)
    tell(f"{len(examples)} pages read")
    fitting = Fitting({id(example): content_shares(example) for example in examples})
    cross = held_out(by_site(examples), fitting, tell)
    tell(f"folds disjoint by site: {_line(cross)}")
    left_out = held_out(by_corpus(examples), fitting, tell)
    left_out += [outcome for outcome in cross if outcome.example.corpus in VALIDATION]
    tell(f"one corpus left out:    {_line(left_out)}")
    untaught = held_out(by_language(examples), fitting, tell)
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


def _ablate(options: argparse.Namespace) -> None:
    """Write the table of trainings without one part each, judged like the model card's on folds that share no site.

    The families are taken from the first classifier alone, as the second would make up for some of the loss.
    """
    examples = read_examples([options.corpora / f"{name}.jsonl.xz" for name in CORPORA], options.jobs)
    shares = {id(example): content_shares(example) for example in examples}
    trials = {"first classifier alone": Fitting(shares, has_context=False)}
    for family in examples[0].described.families:
        trials[f"without {family}"] = Fitting(shares, (family,), has_context=False)
    present, rows, tell = [], [], teller()
    for name, fitting in trials.items():
        outcomes = held_out(by_site(examples), fitting, lambda _: None)
        columns = by_column(outcomes)
        present = [column for column in COLUMNS if column in columns]
        values = [f"{columns[column]:.3f}" for column in present] + [f"{columns['mean']:.4f}"]
        rows.append([name, *values, *(f"{share:.1%}" for share in snippets(outcomes))])
        tell(" ".join(rows[-1]))
    found = table(("token F1", *present, "mean", "wanted", "unwanted"), rows)
    options.ablation.write_text(ABLATION_HEAD + found + "\n", encoding="utf-8")


def _line(outcomes: Sequence[Outcome]) -> str:
    columns = ", ".join(f"{name} {f1:.3f}" for name, f1 in by_column(outcomes).items())
    includes, excludes = snippets(outcomes)
    return f"{columns}; snippets wanted {includes:.3f}, unwanted {excludes:.3f}"


if __name__ == "__main__":
    sys.exit(main())
