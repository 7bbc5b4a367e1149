"""Trains the classifier of pages and writes its card: `python -m newsextract.lab.training.kinds CORPORA`.

First the honest part: classifiers are trained without a fifth of the sites, and judged on what they have not seen. From
those outcomes the probabilities are calibrated. Then the one for use is trained on all.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.lab.training.needs import missing_for
from newsextract.lab.training.page_card import CardFigures, write_card
from newsextract.lab.training.page_examples import CORPORA, read_page_examples
from newsextract.lab.training.page_fitting import fit
from newsextract.lab.training.page_scores import (
    HALF,
    calibrate,
    calibrated,
    calibration_error,
    held_out,
    recall,
    reliability,
    scores,
)
from newsextract.reading.page_kinds.kind_model import WEIGHTS, save
from newsextract.reading.page_kinds.page_kind import ARTICLE_FROM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.lab.training.page_scores import PageOutcome

_NEEDED = ("catboost", "tldextract")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, judge, write; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m newsextract.lab.training.kinds", description=__doc__)
    parser.add_argument("corpora", type=Path, help="a folder with NAME.jsonl.xz of " + ", ".join(CORPORA))
    parser.add_argument("--weights", type=Path, default=Path(str(WEIGHTS.packaged)))
    parser.add_argument("--card", type=Path, help="write the model card there")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that read pages")
    options = parser.parse_args(arguments)
    if problem := missing(options.corpora):
        print(problem, file=sys.stderr)  # noqa: T201
        return 2
    if not options.weights.parent.is_dir():
        print(f"there is no folder {options.weights.parent} to write the weights to", file=sys.stderr)  # noqa: T201
        return 2
    _train(options.corpora, options.weights, options.card, options.jobs)
    return 0


def missing(corpora: Path) -> str | None:
    """Return what is missing for a training, if anything."""
    return missing_for(corpora, CORPORA, _NEEDED)


def _train(corpora: Path, weights: Path, card: Path | None, jobs: int) -> None:
    started = time.monotonic()

    def tell(line: str) -> None:
        print(f"{(time.monotonic() - started) / 60:5.1f} min  {line}", flush=True)  # noqa: T201

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
        write_card(card, CardFigures(outcomes, blind, model, size))


def summary(outcomes: Sequence[PageOutcome], blind: Sequence[PageOutcome]) -> list[str]:
    """Return the figures that tell whether a training went well."""
    lines = []
    for name, judged in (("with addresses", outcomes), ("without", blind)):
        for article_from in (HALF, ARTICLE_FROM):
            found = scores(judged, article_from)
            told = f"precision {found.precision:.3f}, recall {found.recall:.3f}, F1 {found.f1:.4f}"
            lines.append(f"articles against the rest, {name}, from {article_from}: {told}")
    columns = dict.fromkeys(outcome.example.column for outcome in outcomes if outcome.example.is_article)
    for column in columns:
        own = [outcome for outcome in outcomes if outcome.example.column == column and outcome.example.is_article]
        lines.append(
            f"recall of {column}: {recall(own, HALF):.3f}, from {ARTICLE_FROM} {recall(own, ARTICLE_FROM):.3f}"
        )
    return [*lines, f"probabilities off by {calibration_error(reliability(outcomes)):.3f} in the mean over tenths"]


if __name__ == "__main__":
    sys.exit(main())
