"""The weights that come with the package, and files of others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from newsextract.page.page import Page
from newsextract.reading.extraction.block_classifier.features import describe
from newsextract.reading.extraction.block_classifier.model import WEIGHTS, inputs_of, load, save
from newsextract.reading.extraction.contract import BadExtractorOption, create_extractor
from newsextract.reading.trained_models.boosted_trees import BadWeights

if TYPE_CHECKING:
    from pathlib import Path

STORY = "<p>The bridge was closed in May, after engineers had found cracks in two of its pillars.</p>"


def test_the_weights_fit_the_features_and_take_less_than_a_megabyte() -> None:
    described, probabilities = load().read(Page(f"<article>{STORY * 3}</article>"))
    assert described.features.shape == (3, len(described.names))
    assert inputs_of(described) == load().inputs
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    assert len(WEIGHTS.packaged.read_bytes()) < 1_000_000


def test_weights_are_the_same_bytes_each_time_and_come_back_the_same(tmp_path: Path) -> None:
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    save(load(), one)
    save(load(str(one)), two)
    assert one.read_bytes() == two.read_bytes()
    page = Page(f"<body><ul><li><a href=/>Home</a></ul>{STORY * 4}</body>")
    assert np.array_equal(load(str(two)).read(page)[1], load().read(page)[1])


def test_a_file_that_holds_no_weights_is_an_error_that_names_it(tmp_path: Path) -> None:
    broken = tmp_path / "broken.npz"
    whole = WEIGHTS.packaged.read_bytes()
    for content in (b"no archive", whole[:9000], whole[:5000] + b"xyz" * 100 + whole[5300:], b"\x93NUMPY"):
        broken.write_bytes(content)
        WEIGHTS.loaded.clear()
        with pytest.raises(BadWeights, match=r"broken\.npz holds no weights"):
            load(str(broken))
    with pytest.raises(BadExtractorOption, match=r"auto.*nowhere\.npz"):
        create_extractor("auto", weights=str(tmp_path / "nowhere.npz"))


def test_weights_for_other_features_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.npz"
    save(replace(load(), inputs=("size",)), other)
    with pytest.raises(BadExtractorOption, match=r"other\.npz.*make model"):
        create_extractor("auto", weights=str(other))


def test_features_of_every_block_are_finite_numbers_even_of_odd_pages() -> None:
    odd = (
        "<p>x</p>", "<title></title>.", "<article></article><h1>Only</h1>", "<table><td>1<td>2</table>",
        "新" * 5000, "<a href=/>link</a>" * 300, "<figure><figcaption>c</figcaption></figure>",
    )  # fmt: skip
    for source in odd:
        described = describe(Page(source), load().names)
        assert np.isfinite(described.features).all(), source
        assert len(set(described.names)) == described.features.shape[1]
