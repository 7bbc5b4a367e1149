"""Trains the page classifier and writes its model card.

First, for the figures, classifiers are trained without a fifth of the sites and judged on the pages that they have not
seen; and classifiers trained without a corpus are judged on that. The former outcomes calibrate the probabilities. Then
the classifier for use is trained on all.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.reading.kinds import WEIGHTS, save
from training.fold_judging import error
from training.page_card import CardFigures, write_card
from training.page_examples import CORPORA, read_page_examples
from training.page_fitting import fit
from training.page_scores import (
    FEW,
    THRESHOLDS,
    calibrate,
    calibrated,
    held_out,
    left_out,
    recall,
    reliability,
    scores,
)
from training.training_command import add_weights_option, read_options, teller

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.page_scores import PageOutcome

_NEEDED = ("catboost", "tldextract")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, judge, write; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.kinds", description=__doc__)
    add_weights_option(parser, WEIGHTS.packaged)
    parser.add_argument("--card", type=Path, metavar="FILE", help="write the model card there")
    options = read_options(parser, arguments, CORPORA, _NEEDED)
    if options is None:
        return 2
    _train(options.corpora, options.weights, options.card, options.jobs)
    return 0


def _train(corpora: Path, weights: Path, card: Path | None, jobs: int) -> None:
    tell = teller()
    examples = read_page_examples([corpora / f"{name}.jsonl.xz" for name in CORPORA], jobs)
    tell(f"{len(examples)} pages read")
    raw, raw_blind = held_out(examples, tell)
    outcomes, blind = calibrated(raw), calibrated(raw_blind, raw)
    for line in summary(outcomes, blind):
        tell(line)
    model = calibrate(fit(examples), raw)
    save(model, weights)
    size = weights.stat().st_size
    tell(f"{weights.name}: {size:,} bytes")
    if card:
        unknown = calibrated(left_out(examples, tell), raw)
        write_card(card, CardFigures(outcomes, blind, unknown, model, size))


def summary(outcomes: Sequence[PageOutcome], blind: Sequence[PageOutcome]) -> list[str]:
    """Return the figures that tell whether a training went well."""
    lines = []
    for name, judged in (("with URLs", outcomes), ("without", blind)):
        for article_from in THRESHOLDS:
            found = scores(judged, article_from)
            few = found.among(FEW)
            told = f"precision {found.precision:.3f}, recall {found.recall:.3f}, F1 {found.f1:.4f}; {few.f1:.4f} of few"
            lines.append(f"articles against the rest, {name}, from {article_from}: {told}")
    columns = dict.fromkeys(outcome.example.column for outcome in outcomes if outcome.example.is_article)
    for column in columns:
        own = [outcome for outcome in outcomes if outcome.example.column == column and outcome.example.is_article]
        lines.append(
            f"recall of {column}: " + ", ".join(f"{recall(own, limit):.3f} from {limit}" for limit in THRESHOLDS)
        )
    return [*lines, f"probabilities off by {error(reliability(outcomes)):.3f} in the mean over tenths"]


if __name__ == "__main__":
    sys.exit(main())
