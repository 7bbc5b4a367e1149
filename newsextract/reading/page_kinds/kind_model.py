"""The trained classifier of pages: from features to the probabilities of article, listing and anything else."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from newsextract.reading.extraction.block_classifier.boosted_trees import ObliviousTrees, packed, unpacked

if TYPE_CHECKING:
    from typing import IO

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Rows = NDArray[np.float32]

WEIGHTS = "weights.npz"
_UNREADABLE = (OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, BadZipFile, zlib.error)
_STAGES = ("article", "listing")


class BadWeights(ValueError):  # noqa: N818 - the name says that it is an error
    """The file holds no weights, or those of another version of the features."""


@dataclass(frozen=True)
class PageClassifier:
    """Two ensembles of trees: one tells articles from the rest, one listings from the rest of the rest."""

    article: ObliviousTrees
    listing: ObliviousTrees
    typical: Rows
    """2 x features: the medians of pages that are no articles, and of articles; what reasons are measured against."""
    inputs: tuple[str, ...]
    """The names of the features that it was trained on."""

    def chances(self, rows: Rows) -> Floats:
        """Return the probabilities of article, listing and other for each row; they add up to 1."""
        article, listing = self.article.probabilities(rows), self.listing.probabilities(rows)
        return np.array([article, (1 - article) * listing, (1 - article) * (1 - listing)]).T


def save(model: PageClassifier, path: Path) -> None:
    """Write the weights, the same bytes for the same weights."""
    arrays: dict[str, NDArray[np.generic]] = {
        "typical": model.typical,
        "inputs": np.frombuffer(json.dumps(model.inputs).encode(), np.uint8),
    }
    for stage in _STAGES:
        arrays |= packed(getattr(model, stage), stage)
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load(path: str = "") -> PageClassifier:
    """Return the classifier that a file holds, else the one that comes with the package; it is kept.

    Raises:
        BadWeights: the file cannot be read, or holds something else.
    """
    return _load_file(str(Path(path).resolve())) if path else _load_own()


@cache
def _load_own() -> PageClassifier:
    with (files("newsextract.reading.page_kinds") / WEIGHTS).open("rb") as file:
        return _read(file)


@cache
def _load_file(path: str) -> PageClassifier:
    try:
        with Path(path).open("rb") as file:
            return _read(file)
    except _UNREADABLE as error:
        raise BadWeights(f"{path} holds no weights of the classifier of pages: {error}") from error


def _read(file: IO[bytes]) -> PageClassifier:
    with np.load(file, allow_pickle=False) as arrays:
        inputs = tuple(json.loads(arrays["inputs"].tobytes()))
        typical = arrays["typical"].astype(np.float32)
        stages = {stage: unpacked(arrays, stage) for stage in _STAGES}
    if typical.shape != (2, len(inputs)):
        raise BadWeights("typical pages and features do not fit: train again with `make kinds`")
    return PageClassifier(typical=typical, inputs=inputs, **stages)


def require_fit(model: PageClassifier, names: tuple[str, ...]) -> None:
    """Raise `BadWeights` unless the classifier was trained on these features."""
    if model.inputs != names:
        raise BadWeights("they were made for other features than this version's: train again with `make kinds`")
