from __future__ import annotations

import random
from collections import Counter

import pytest

from newsextract.reading.extraction.tree_distance import distance, profile

T1 = ["a", "a", "e", "b", "b", "c"], [-1, 0, 1, 1, 0, 0]
T2 = ["a", "a", "e", "b", "b", "x"], [-1, 0, 1, 1, 0, 0]
"""The trees a(a(e, b), b, c) and a(a(e, b), b, x): 13 pq-grams each, of which 9 are shared."""


def naive(tags: list[str], parents: list[int], p: int = 2, q: int = 3) -> Counter[tuple[str, ...]]:
    """The definition, taken literally."""
    found: Counter[tuple[str, ...]] = Counter()
    for node in range(len(tags)):
        stem: list[str] = []
        above = node
        for _ in range(p):
            stem.insert(0, tags[above] if above >= 0 else "*")
            above = parents[above] if above >= 0 else -1
        children = [tags[child] for child in range(len(tags)) if parents[child] == node]
        row = ["*"] * (q - 1) + children + ["*"] * (q - 1) if children else ["*"] * q
        for start in range(len(row) - q + 1):
            found[(*stem, *row[start : start + q])] += 1
    return found


def some_tree(noise: random.Random, count: int) -> tuple[list[str], list[int]]:
    parents, path = [-1], [0]
    for node in range(1, count):
        del path[noise.randrange(1, len(path) + 1) :]
        parents.append(path[-1])
        path.append(node)
    return noise.choices("abc", k=count), parents


def test_gives_the_distance_of_the_paper_example() -> None:
    one, other = profile(*T1), profile(*T2)
    assert (one.size, other.size) == (13, 13)
    assert distance(one, other) == pytest.approx(1 - 2 * 9 / 26)
    assert distance(one, one) == 0


@pytest.mark.parametrize(("p", "q"), [(1, 1), (2, 3), (3, 2)])
def test_counts_what_the_definition_counts(p: int, q: int) -> None:
    noise = random.Random(5)  # noqa: S311 - a made-up tree
    for _ in range(30):
        trees = [some_tree(noise, noise.randrange(1, 25)) for _ in range(2)]
        bags = [naive(*tree, p, q) for tree in trees]
        one, other = (profile(*tree, p, q) for tree in trees)
        assert sorted(one.counts.tolist()) == sorted(bags[0].values())
        expected = 1 - 2 * (bags[0] & bags[1]).total() / (bags[0].total() + bags[1].total())
        assert distance(one, other) == pytest.approx(expected)


def test_a_single_element_is_a_tree() -> None:
    assert profile(["html"], [-1]).size == 1
    assert distance(profile(["html"], [-1]), profile(["p"], [-1])) == 1
