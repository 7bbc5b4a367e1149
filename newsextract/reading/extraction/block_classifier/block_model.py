"""The trained classifier of blocks: from a page to the probability of each block that it belongs to the article."""

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

from newsextract.page.page import Page
from newsextract.reading.extraction.block_classifier.block_features import describe
from newsextract.reading.extraction.block_classifier.boosted_trees import ObliviousTrees, packed, unpacked
from newsextract.reading.extraction.block_classifier.confidence import SIGNS
from newsextract.reading.extraction.block_classifier.context_features import KEPT, context_columns, in_context
from newsextract.reading.extraction.block_classifier.element_names import NameScores

if TYPE_CHECKING:
    from typing import IO

    from numpy.typing import NDArray

    from newsextract.reading.extraction.block_classifier.block_features import Described

    Floats = NDArray[np.float64]

WEIGHTS = "weights.npz"
_UNREADABLE = (OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, BadZipFile, zlib.error)
_STAGES = ("first", "second", "confidence")


class BadWeights(ValueError):  # noqa: N818 - the name says that it is an error
    """The file holds no weights, or those of another version of the features."""


@dataclass(frozen=True)
class BlockClassifier:
    """Two ensembles of trees, one on each block and one on each block among the others, and one on the outcome."""

    names: NameScores
    first: ObliviousTrees
    second: ObliviousTrees
    confidence: ObliviousTrees
    inputs: tuple[str, ...]
    """The names of all that the three were trained on, see `inputs_of`."""

    def read(self, page: Page) -> tuple[Described, Floats]:
        """Return the blocks of a page with their features and probabilities; the page must have a block."""
        described = describe(page, self.names)
        return described, self.judge(described)

    def judge(self, described: Described) -> Floats:
        """Return the probability of each block."""
        first = self.first.probabilities(described.features)
        return self.second.probabilities(in_context(described, first))


def inputs_of(described: Described) -> tuple[str, ...]:
    """Return the names of all that the trees are given, in order."""
    context = context_columns(described, np.zeros(len(described.features)))
    return (*described.names, *context, *KEPT, *SIGNS)


def save(model: BlockClassifier, path: Path) -> None:
    """Write the weights, the same bytes for the same weights."""
    terms = sorted(model.names.scores)
    arrays: dict[str, NDArray[np.generic]] = {
        "terms": np.frombuffer("\n".join(terms).encode(), np.uint8),
        "scores": np.array([model.names.scores[term] for term in terms], np.float32),
        "inputs": np.frombuffer(json.dumps(model.inputs).encode(), np.uint8),
    }
    for stage in _STAGES:
        arrays |= packed(getattr(model, stage), stage)
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load(path: str = "") -> BlockClassifier:
    """Return the classifier that a file holds, else the one that comes with the package; it is kept.

    Raises:
        BadWeights: the file cannot be read, or holds something else.
    """
    return _load_file(str(Path(path).resolve())) if path else _load_own()


@cache
def _load_own() -> BlockClassifier:
    with (files("newsextract.reading.extraction.block_classifier") / WEIGHTS).open("rb") as file:
        return _read(file)


@cache
def _load_file(path: str) -> BlockClassifier:
    try:
        with Path(path).open("rb") as file:
            return _read(file)
    except _UNREADABLE as error:
        raise BadWeights(f"{path} holds no weights of the block classifier: {error}") from error


def _read(file: IO[bytes]) -> BlockClassifier:
    with np.load(file, allow_pickle=False) as arrays:
        terms = arrays["terms"].tobytes().decode().splitlines()
        scores = dict(zip(terms, arrays["scores"].tolist(), strict=True))
        inputs = tuple(json.loads(arrays["inputs"].tobytes()))
        stages = {stage: unpacked(arrays, stage) for stage in _STAGES}
    if inputs != inputs_of(describe(Page("<p>Any</p>"), NameScores({}))):
        raise BadWeights("they were made for other features than this version's: train again with `make model`")
    return BlockClassifier(NameScores(scores), inputs=inputs, **stages)
