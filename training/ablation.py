"""Measures what the second classifier and each family of features contribute.

Every line is a training without one of them, judged like the model card's on folds that share no site. The families are
taken from the first classifier alone, as the second would make up for some of the loss and hide it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from training.__main__ import CORPORA, NEEDED
from training.block_examples import read_examples
from training.block_fitting import Fitting, content_shares
from training.fold_judging import COLUMNS, by_column, by_site, held_out, snippets
from training.model_card import table
from training.training_command import read_options, teller

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = """# Ablation of the block classifier

Mean token F1 and snippets found on pages not trained on, folds disjoint by site: with the first classifier alone, then
also without one family of its features. The first line of the [model card](model-card.md)'s results shows both
classifiers together on the same folds. Written by `make ablation`.

"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Train without each of them in turn, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m training.ablation", description=__doc__)
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the table there")
    options = read_options(parser, arguments, CORPORA, NEEDED)
    if options is None:
        return 2
    examples = read_examples([options.corpora / f"{name}.jsonl.xz" for name in CORPORA], options.jobs)
    shares = {id(example): content_shares(example) for example in examples}
    trials = {"first classifier alone": Fitting(shares, has_context=False)}
    for family in examples[0].described.families:
        trials[f"without {family}"] = Fitting(shares, (family,), has_context=False)
    rows = []
    tell = teller()
    for name, fitting in trials.items():
        outcomes = held_out(by_site(examples), fitting, lambda _: None)
        columns = by_column(outcomes)
        found = [columns[column] for column in COLUMNS if column in columns]
        values = [f"{value:.3f}" for value in found] + [f"{columns['mean']:.4f}"]
        rows.append([name, *values, *(f"{share:.1%}" for share in snippets(outcomes))])
        tell(" ".join(rows[-1]))
    present = [column for column in COLUMNS if column in columns]
    text = HEAD + table(("token F1", *present, "mean", "wanted", "unwanted"), rows) + "\n"
    if options.table:
        options.table.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
