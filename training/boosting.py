"""Boost trees with CatBoost, and convert them to our form."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from newsextract.reading.extraction.block_classifier.selection import log_odds
from newsextract.reading.trained_models.boosted_trees import ObliviousTrees

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from importlib.resources.abc import Traversable

    from numpy.typing import NDArray


SEED = 1
THREADS = 2
"""Fixed, as sums of floats depend on how threads split them."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parameters of an ensemble, named as in CatBoost."""

    iterations: int
    depth: int = 6
    learning_rate: float = 0.1
    rsm: float = 0.3
    """Share of the features that each level may choose from."""
    l2_leaf_reg: float = 6.0
    loss_function: str = "CrossEntropy"


FIRST = Recipe(300)
SECOND = Recipe(150, depth=5, learning_rate=0.08, rsm=0.5)
CONFIDENCE = Recipe(120, depth=3, learning_rate=0.08, rsm=0.5, l2_leaf_reg=20.0)


def boost(
    rows: NDArray[np.float32], labels: NDArray[np.float64], weights: NDArray[np.float64], recipe: Recipe
) -> ObliviousTrees:
    """Return the trees that predict labels between 0 and 1; the same for the same input."""
    if labels.min() == labels.max():  # nothing else to learn, and CatBoost would refuse
        return constant(float(labels[0]))
    from catboost import CatBoost, Pool  # noqa: PLC0415 - of the extra `train`

    booster = CatBoost(
        {
            **asdict(recipe),
            "random_seed": SEED,
            "thread_count": THREADS,
            "bootstrap_type": "Bernoulli",
            "subsample": 0.7,
            "border_count": 64,
            "boosting_type": "Plain",
            "leaf_estimation_iterations": 1,
            "allow_writing_files": False,
            "verbose": 0,
        }
    )
    booster.fit(Pool(rows, label=labels, weight=weights / weights.mean()))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trees.json"
        booster.save_model(str(path), format="json")
        return _trees(json.loads(path.read_text()))


def constant(probability: float) -> ObliviousTrees:
    """Return trees that always give the same value.

    >>> constant(0.5).probabilities(np.zeros((2, 3), np.float32)).tolist()
    [0.5, 0.5]
    """
    none = np.zeros((1, 1), np.intp), np.zeros((1, 1), np.float32), np.zeros((1, 2), np.float32)
    return ObliviousTrees(*none, float(log_odds(np.array(probability))))


def _trees(model: dict[str, Any]) -> ObliviousTrees:
    """Return the trees of CatBoost's JSON; a tree that stopped early is filled up with splits that are never true."""
    trees = model["oblivious_trees"]
    depth = max(len(tree["splits"] or ()) for tree in trees)
    features = np.zeros((depth, len(trees)), np.intp)
    borders = np.full((depth, len(trees)), np.inf, np.float32)
    leaves = np.zeros((len(trees), 1 << depth), np.float32)
    for number, tree in enumerate(trees):
        for level, split in enumerate(tree["splits"] or ()):
            features[level, number] = split["float_feature_index"]
            borders[level, number] = split["border"]
        leaves[number, : len(tree["leaf_values"])] = tree["leaf_values"]
    scale, (bias,) = model["scale_and_bias"]
    return ObliviousTrees(features, borders, leaves * np.float32(scale), float(bias))


# The common parts of the training commands: options, requirements and progress reports.


def add_weights_option(parser: argparse.ArgumentParser, packaged: Traversable) -> None:
    """Add `--weights`, by default those that come with the package."""
    told = "write the weights there (default: into the package)"
    parser.add_argument("--weights", type=Path, default=Path(str(packaged)), metavar="FILE", help=told)


def read_options(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None, names: Sequence[str], packages: Iterable[str]
) -> argparse.Namespace | None:
    """Return the options of a training on corpora of these names, or `None` after printing what is missing."""
    parser.add_argument(
        "corpora", type=Path, metavar="CORPORA", help="a folder with NAME.jsonl.xz of " + ", ".join(names)
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (default: one a processor)"
    )
    options = parser.parse_args(arguments)
    problem = missing_for(options.corpora, names, packages)
    if not problem and "weights" in options and not options.weights.parent.is_dir():
        problem = f"there is no folder {options.weights.parent} to write the weights to"
    if problem:
        print(problem, file=sys.stderr)  # noqa: T201
        return None
    return options


def missing_for(corpora: Path, names: Iterable[str], packages: Iterable[str]) -> str | None:
    """Return a message on missing packages, or else on missing corpora; `None` if nothing is missing."""
    if absent := [name for name in packages if importlib.util.find_spec(name) is None]:
        return f"training needs {', '.join(absent)}: pip install 'newsextract[train]'"
    absent = [f"{name}.jsonl.xz" for name in names if not (corpora / f"{name}.jsonl.xz").exists()]
    return f"training needs annotated corpora, and {corpora} has no {', '.join(absent)}" if absent else None


def teller() -> Callable[[str], None]:
    """Return a function that prints a line with the minutes since this call."""
    started = time.monotonic()

    def tell(line: str) -> None:
        print(f"{(time.monotonic() - started) / 60:5.1f} min  {line}", flush=True)  # noqa: T201

    return tell


def fill_card(path: Path, template: str, values: Mapping[str, str]) -> None:
    """Write a model card: a template of this folder with a value for each `{name}`."""
    text = (files("training") / template).read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
