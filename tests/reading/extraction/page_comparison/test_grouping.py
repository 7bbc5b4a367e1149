from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from newsextract.reading.extraction.page_structure import MAX_SAMPLE, distance_matrix, group_pages
from newsextract.reading.extraction.tree_distance import Profile, distance, profile

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.page.page import Page

pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'newsextract[template]'")


def profiles_of(pages: list[Page]) -> list[Profile]:
    return [profile(page.outline.tags, page.outline.parents) for page in pages]


def test_pages_of_a_layout_are_a_group_and_a_page_alone_is_an_outlier(pages: Callable[..., list[Page]]) -> None:
    found = group_pages(profiles_of(pages(9, 5, with_front=True)), distance)
    assert len(set(found.groups[:9])) == len(set(found.groups[9:14])) == 1
    assert len(set(found.groups)) == 3
    assert found.outliers == (14,)
    assert found.silhouette > 0.8


def test_every_page_is_paired_with_the_pivot_and_the_pivot_with_another(pages: Callable[..., list[Page]]) -> None:
    found = group_pages(profiles_of(pages(9, 5)), distance)
    assert len(found.pivots) == 2
    for page, pair in enumerate(found.pairs):
        assert pair is not None
        assert pair != page
        assert found.groups[pair] == found.groups[page]
        assert pair in found.pivots or page in found.pivots


def test_two_runs_agree(pages: Callable[..., list[Page]]) -> None:
    profiles = profiles_of(pages(70, 20, with_front=True))
    one, other = group_pages(profiles, distance), group_pages(profiles, distance)
    assert (one.groups, one.pivots, one.pairs) == (other.groups, other.pivots, other.pairs)
    assert (one.points == other.points).all()


def test_many_pages_join_the_pivots_of_a_sample(pages: Callable[..., list[Page]]) -> None:
    made = pages(80, 40)
    assert len(made) > MAX_SAMPLE
    found = group_pages(profiles_of(made), distance)
    assert set(found.groups[:80]).isdisjoint(found.groups[80:])
    assert not found.outliers
    assert np.isfinite(found.points).all()
    assert found.distances.shape == (len(found.sample), len(found.sample)) == (MAX_SAMPLE, MAX_SAMPLE)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_pages_are_grouped_too(pages: Callable[..., list[Page]], count: int) -> None:
    found = group_pages(profiles_of(pages(count)), distance)
    assert len(found.groups) == len(found.pairs) == count


def test_pages_without_a_difference_are_one_group() -> None:
    same = profile(["html", "body", "p"], [-1, 0, 1])
    found = group_pages([same] * 12, distance)
    assert set(found.groups) == {0}
    assert not found.outliers


def test_a_matrix_is_symmetric_with_nothing_on_its_diagonal(pages: Callable[..., list[Page]]) -> None:
    found = distance_matrix(profiles_of(pages(4, 2)), distance)
    assert (found == found.T).all()
    assert not found.diagonal().any()
    assert ((found >= 0) & (found <= 1)).all()
