"""Files of weights: those that come with the package, and others of the same kind that somebody trained."""

from __future__ import annotations

import json
import zlib
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar
from zipfile import BadZipFile

import numpy as np

from newsextract.reading.trained_models.boosted_trees import ObliviousTrees

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.resources.abc import Traversable

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.generic]]

Model = TypeVar("Model")

_UNREADABLE = (OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, BadZipFile, zlib.error)
_PARTS = ("features", "borders", "leaves", "bias")


class BadWeights(ValueError):  # noqa: N818 - the name says that it is an error
    """The file holds no weights, or those of another version of the features."""


class WeightFile(Generic[Model]):
    """Reads one kind of weights: checks each file once, and keeps the model that was made of it.

    `name` is the file that comes with the package, `title` what messages call the model, and `build` makes the model of
    the file's arrays, or raises `BadWeights`.
    """

    def __init__(self, name: str, title: str, build: Callable[[Arrays], Model]) -> None:
        self.name = name
        self.loaded: dict[str, Model] = {}
        self._title = title
        self._build = build

    @property
    def packaged(self) -> Traversable:
        """The file that comes with the package, which may lie in a zip file."""
        return files("newsextract.reading.trained_models") / self.name

    def load(self, path: str = "") -> Model:
        """Return the model that a file holds, else the one that comes with the package.

        Raises:
            BadWeights: the file cannot be read, or holds something else.
        """
        place = str(Path(path).resolve()) if path else ""
        if place not in self.loaded:
            self.loaded[place] = self._read(place)
        return self.loaded[place]

    def _read(self, place: str) -> Model:
        source = Path(place) if place else self.packaged
        try:
            with source.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                return self._build(arrays)
        except _UNREADABLE as error:
            raise BadWeights(f"{source} holds no weights of {self._title}: {error}") from error


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
