"""Files of weights: cached once read, and named in the error if they cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsextract.reading import kinds as kind_model
from newsextract.reading.extraction.block_classifier import model as block_model
from newsextract.reading.trained_models.boosted_trees import BadWeights, WeightFile, inputs_in

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("model", [block_model, kind_model])
def test_the_packaged_weights_are_what_saving_them_would_write(model: Any, tmp_path: Path) -> None:
    written = tmp_path / "weights.npz"
    model.save(model.load(), written)
    assert written.read_bytes() == model.WEIGHTS.packaged.read_bytes()
    assert written.stat().st_size < 1_000_000
    assert model.load(str(written)).inputs == model.load().inputs


def test_each_file_is_read_once(tmp_path: Path) -> None:
    copied = tmp_path / "copied.npz"
    copied.write_bytes(kind_model.WEIGHTS.packaged.read_bytes())
    inputs = WeightFile("page_weights.npz", "these", inputs_in)
    first = inputs.load(str(copied))
    copied.unlink()
    assert inputs.load(str(copied)) is first
    assert inputs.load() is inputs.load()
    assert inputs.load() == first


def test_packaged_weights_that_are_missing_are_an_error_that_says_of_what() -> None:
    with pytest.raises(BadWeights, match=r"absent\.npz holds no weights of the model of nothing: .*No such file"):
        WeightFile("absent.npz", "the model of nothing", inputs_in).load()


def test_weights_of_another_model_are_refused() -> None:
    with pytest.raises(BadWeights, match="holds no weights of the block classifier"):
        block_model.load(str(kind_model.WEIGHTS.packaged))
