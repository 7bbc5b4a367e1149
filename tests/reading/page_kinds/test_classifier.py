"""The weights: found in the package, the same bytes each time, and refused where they do not fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from newsextract.page.page import Page
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.kind_features import features_of
from newsextract.reading.kinds import WEIGHTS, load, require_fit, save
from newsextract.reading.metadata.precedence import read_metadata
from newsextract.reading.trained_models.boosted_trees import BadWeights

if TYPE_CHECKING:
    from pathlib import Path


def names() -> tuple[str, ...]:
    page = Page("<p>It rained all day on the plain, and nobody said a word about it.</p>")
    return features_of(page, create_extractor("everything").extract(page), read_metadata(page)).names


def test_the_package_brings_weights_for_its_features() -> None:
    model = load()
    require_fit(model, names())
    assert model.typical.shape == (2, len(model.inputs))


def test_the_chances_add_up(tmp_path: Path) -> None:
    save(load(), tmp_path / "weights.npz")
    model = load(str(tmp_path / "weights.npz"))
    assert model.chances(model.typical).sum(axis=1) == pytest.approx([1, 1])
    other, article = model.chances(model.typical)[:, 0].tolist()
    assert other < 0.5 < article


def test_the_same_weights_are_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "a.npz", tmp_path / "b.npz"
    save(load(), first)
    save(load(str(first)), second)
    assert first.read_bytes() == second.read_bytes()
    assert len(WEIGHTS.packaged.read_bytes()) < 1_000_000


def test_weights_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    broken = tmp_path / "weights.npz"
    broken.write_bytes(b"PK no weights")
    for path in (broken, tmp_path / "absent.npz"):
        with pytest.raises(BadWeights, match=path.name):
            load(str(path))


def test_weights_for_other_features_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadWeights, match="make kinds"):
        require_fit(load(), ("length",))
    save(replace(load(), typical=np.zeros((2, 1), np.float32)), tmp_path / "few.npz")
    with pytest.raises(BadWeights, match="make kinds"):
        load(str(tmp_path / "few.npz"))
