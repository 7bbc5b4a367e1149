"""Trained models: boosted oblivious trees, and the files of their weights, packaged or trained by somebody.

Trees are evaluated with numpy for many rows at once. An oblivious tree asks the same question of all nodes of a level
(Kohavi & Li, "Oblivious Decision Trees, Graphs, and Top-Down Pruning", IJCAI 1995; as in CatBoost), so the answers of a
row are the bits of its leaf's number: no branch is taken, and an ensemble is one comparison and one look-up in a table.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar
from zipfile import BadZipFile

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.resources.abc import Traversable

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.generic]]

_ROWS_AT_ONCE = 128
"""So many at a time stay in the processor's cache; more are slower, and would fill the memory on a huge page."""

Model = TypeVar("Model")

_UNREADABLE = (OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, BadZipFile, zlib.error)
_PARTS = ("features", "borders", "leaves", "bias")


@dataclass(frozen=True, slots=True)
class ObliviousTrees:
    """T trees of depth D, at most 8, over rows of features."""

    features: NDArray[np.intp]
    """D x T: the feature that each level of each tree asks for."""
    borders: NDArray[np.float32]
    """D x T: the answer is yes above this."""
    leaves: NDArray[np.float32]
    """T x 2 ** D; the answer of level d is bit d of the leaf's number."""
    bias: float

    def probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the probability of each row, 0 to 1."""
        return 1 / (1 + np.exp(-self.raw(rows)))

    def raw(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sum of the leaves of each row."""
        found = np.empty(len(rows))
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            chunk = slice(start, start + _ROWS_AT_ONCE)
            found[chunk] = self._raw(rows[chunk])
        return found

    def _raw(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        depth, count = self.features.shape
        asked = rows.T.take(self.features.ravel(), axis=0)
        answers = (asked > self.borders.ravel()[:, None]).view(np.uint8).reshape(depth, count, -1)
        numbers = answers[-1]
        for answer in answers[-2::-1]:
            numbers += numbers
            numbers += answer
        places = numbers + (np.arange(count) << depth)[:, None]
        leaves = self.leaves.ravel().take(places)
        # A single column would be added up in pairs, several are row by row.
        sums = leaves.sum(0, dtype=np.float64) if len(rows) > 1 else leaves.cumsum(dtype=np.float64)[-1:]
        total: NDArray[np.float64] = sums + self.bias
        return total


class BadWeights(ValueError):  # noqa: N818 - the name says that it is an error
    """The file holds no weights, or those of another version of the features."""


class WeightFile(Generic[Model]):
    """Reads one kind of weights: checks each file once, and keeps the model that was made of it.

    `name` is the file that comes with the package, `title` what messages call the model, and `build` makes the model of
    the file's arrays, or raises `BadWeights`.
    """

    def __init__(self, name: str, title: str, build: Callable[[Arrays], Model]) -> None:
        self.packaged: Traversable = files("newsextract.reading.trained_models") / name
        self.loaded: dict[str, Model] = {}
        self._title, self._build = title, build

    def load(self, path: str = "") -> Model:
        """Return the model that a file holds, else the one that comes with the package, which may lie in a zip file.

        Raises:
            BadWeights: the file cannot be read, or holds something else.
        """
        place = str(Path(path).resolve()) if path else ""
        if place not in self.loaded:
            source = Path(place) if place else self.packaged
            try:
                with source.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                    self.loaded[place] = self._build(arrays)
            except _UNREADABLE as error:
                raise BadWeights(f"{source} holds no weights of {self._title}: {error}") from error
        return self.loaded[place]


def write_weights(path: Path, arrays: Arrays, inputs: tuple[str, ...], trees: Mapping[str, ObliviousTrees]) -> None:
    """Write a model's own arrays, the names of its inputs and its trees: the same bytes for the same weights."""
    everything = {**arrays, "inputs": np.frombuffer(json.dumps(inputs).encode(), np.uint8)}
    for stage, ensemble in trees.items():
        everything |= {
            f"{stage}_features": ensemble.features.astype(np.uint16),
            f"{stage}_borders": ensemble.borders,
            f"{stage}_leaves": ensemble.leaves,
            f"{stage}_bias": np.array(ensemble.bias),
        }
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **everything)


def inputs_in(arrays: Arrays) -> tuple[str, ...]:
    """Return the names of what a model's trees were trained on."""
    return tuple(json.loads(arrays["inputs"].tobytes()))


def trees_in(arrays: Arrays, stage: str) -> ObliviousTrees:
    """Return the trees of one stage of a model; raises `KeyError` where there are none."""
    features, borders, leaves, bias = (arrays[f"{stage}_{part}"] for part in _PARTS)
    return ObliviousTrees(features.astype(np.intp), borders.astype(np.float32), leaves.astype(np.float32), float(bias))
