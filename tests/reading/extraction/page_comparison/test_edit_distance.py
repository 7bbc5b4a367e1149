from __future__ import annotations

import random
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from newsextract.evaluation.corpora import GoldPage, read_corpus
from newsextract.page.page import Page
from newsextract.reading.extraction.tree_distance import (
    Node,
    TemplateUnavailable,
    as_nodes,
    distance,
    edit_mapping,
    profile,
    tree_distance,
    tree_of,
)
from tests.reading.extraction.page_comparison.test_pqgrams import some_tree

SHARED = Path(__file__).parents[4].parent / "shared"

LEAST_CORRELATION = 0.8
"""Spearman's rho. Pages of different sites are all far apart, and in what order is nearly chance."""


@pytest.fixture
def _apted() -> None:
    pytest.importorskip("apted", reason="apted is not installed: pip install 'newsextract[template]'")


def tree(*tags: str, parents: tuple[int, ...]) -> Node:
    return as_nodes(tags, parents)[0]


def edits(one: Node, other: Node) -> int:
    """Return how many elements the cheapest edit inserts, deletes or renames."""
    return sum((here and here.name) != (there and there.name) for here, there in edit_mapping(one, other))


@pytest.mark.usefixtures("_apted")
def test_counts_what_is_inserted_deleted_and_renamed() -> None:
    one = tree("div", "p", "p", parents=(-1, 0, 0))
    assert edits(one, one) == 0
    assert edits(one, tree("div", "p", "ul", parents=(-1, 0, 0))) == 1
    assert edits(one, tree("div", "section", "p", "p", parents=(-1, 0, 1, 1))) == 1
    assert edits(one, tree("div", parents=(-1,))) == 2


@pytest.mark.usefixtures("_apted")
def test_maps_what_stays_and_tells_what_does_not() -> None:
    one, other = tree("div", "p", "b", parents=(-1, 0, 0)), tree("div", "p", parents=(-1, 0))
    names = {(here and here.name, there and there.name) for here, there in edit_mapping(one, other)}
    assert names == {("div", "div"), ("p", "p"), ("b", None)}


def test_says_what_brings_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apted", None)
    with pytest.raises(TemplateUnavailable, match=r"needs apted: pip install 'newsextract\[template\]'"):
        edit_mapping(Node("a"), Node("b"))


@pytest.mark.usefixtures("_apted")
def test_the_distance_by_rows_is_that_of_the_mapping() -> None:
    noise = random.Random(7)  # noqa: S311 - made-up trees
    for _ in range(60):
        one, other = (some_tree(noise, noise.randrange(1, 25)) for _ in range(2))
        expected = edits(as_nodes(*one)[0], as_nodes(*other)[0])
        assert tree_distance(tree_of(*one), tree_of(*other)) == pytest.approx(expected / (len(one[0]) + len(other[0])))


def test_equal_trees_are_no_distance_apart_and_nothing_is_a_tree_too() -> None:
    one = tree_of("html body p p".split(), [-1, 0, 1, 1])
    assert tree_distance(one, one) == tree_distance(tree_of([], []), tree_of([], [])) == 0
    assert tree_distance(one, tree_of([], [])) == 1


@pytest.mark.corpus
@pytest.mark.usefixtures("_apted")
def test_pq_grams_rank_real_pages_as_the_exact_distance_does() -> None:
    if not (SHARED / "corpora").is_dir():
        pytest.skip("the corpora are not beside the repository")
    outlines = [page.outline for page in small_pages()]
    trees = [as_nodes(outline.tags, outline.parents)[0] for outline in outlines]
    profiles = [profile(outline.tags, outline.parents) for outline in outlines]
    sizes = [len(outline.tags) for outline in outlines]
    pairs = list(combinations(range(len(outlines)), 2))
    exact = [edits(trees[a], trees[b]) / (sizes[a] + sizes[b]) for a, b in pairs]
    quick = [distance(profiles[a], profiles[b]) for a, b in pairs]
    assert rank_correlation(exact, quick) >= LEAST_CORRELATION


def small_pages(max_elements: int = 125) -> list[Page]:
    """Pages of the corpora small enough for the exact distance, from as many sites as possible."""
    found: dict[tuple[str | None, int], Page] = {}
    for name in ("xmu", "daniel"):
        for gold in read_corpus(SHARED / "corpora" / f"{name}.jsonl.xz"):
            if isinstance(gold, GoldPage) and len(gold.html) < 60_000:
                page = Page(gold.html)
                if 30 < len(page.outline.tags) <= max_elements:
                    seen = sum(site == gold.site for site, _ in found)
                    found.setdefault((gold.site, seen), page)
    return [page for (_, place), page in sorted(found.items(), key=lambda item: str(item[0])) if place < 4]


def rank_correlation(one: list[float], other: list[float]) -> float:
    """Spearman's rho, equal values sharing the mean of their ranks."""
    here, there = (
        np.array([np.less(values, value).sum() + np.less_equal(values, value).sum() for value in values])
        for values in (one, other)
    )
    return float(np.corrcoef(here, there)[0, 1])
