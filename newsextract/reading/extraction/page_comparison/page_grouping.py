"""Group the pages of one site by structure, and pair each with another.

Deturck 2015, section 4.3: the distance matrix is laid out in two dimensions (classical scaling after Torgerson, then
less stress), k-means groups the points, k by the silhouette coefficient; a page alone in its group is an outlier, the
page nearest to the centroid is the pivot, and every other page of the group is paired with it. Layout and groups come
from scikit-learn, in the extra `template`; they are seeded, so that two runs agree, which the thesis's did not.

Above `MAX_SAMPLE` pages a sample is grouped and every other page joins the group of the pivot nearest to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from newsextract.reading.extraction.page_comparison.edit_mapping import TemplateUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_T = TypeVar("_T")

MAX_SAMPLE = 60
"""Pages that are grouped by all their distances; the thesis had 50 a site."""
MAX_GROUPS = 10
"""Groups tried; a site has fewer kinds of page than that."""
SEED = 2015
"""Fixed, so that two runs over the same pages agree."""
_STARTS = 10
"""Starts of k-means; the best result counts."""
_SAME = 1e-9
"""Smaller distances are zero except for rounding."""


@dataclass(frozen=True)
class Grouping:
    """The pages of a site in their groups; pages are numbers, in the order given."""

    points: NDArray[np.float64]
    """The position of each page in two dimensions: n rows of two."""
    groups: tuple[int, ...]
    """The group of each page, from 0."""
    pivots: tuple[int, ...]
    """The page nearest to the centroid of each group."""
    pairs: tuple[int | None, ...]
    """The page of its own group that each is compared with; `None` for an outlier."""
    sample: tuple[int, ...]
    """The pages that were grouped by all their distances."""
    distances: NDArray[np.float64]
    """Those distances, a row and a column for each page of the sample."""
    silhouette: float
    """The mean silhouette coefficient of the sample, from -1 to 1; 0 for a single group."""

    @property
    def outliers(self) -> tuple[int, ...]:
        """The pages alone in their group."""
        return tuple(page for page, pair in enumerate(self.pairs) if pair is None)

    def members(self, group: int) -> tuple[int, ...]:
        """Return the pages of a group."""
        return tuple(page for page, its in enumerate(self.groups) if its == group)


def group_pages(structures: Sequence[_T], distance: Callable[[_T, _T], float], seed: int = SEED) -> Grouping:
    """Return the groups of some pages of one site, given the structure of each and the distance of two, from 0 to 1.

    Raises:
        TemplateUnavailable: scikit-learn is missing.
    """
    count = len(structures)
    sample = _sample(count, seed)
    distances = distance_matrix([structures[page] for page in sample], distance)
    points = scaled(distances)
    labels, silhouette = clustered(points, seed)
    pivots = [int(sample[place]) for place in _pivots(points, labels)]
    groups, layout = np.zeros(count, np.int64), np.zeros((count, 2))
    groups[sample], layout[sample] = labels, points
    for page in sorted(set(range(count)) - set(sample.tolist())):
        groups[page] = np.argmin([distance(structures[page], structures[pivot]) for pivot in pivots])
        layout[page] = _placed([distance(structures[page], structures[other]) for other in sample], points)
    pairs = tuple(_pair(page, int(groups[page]), groups, pivots, layout) for page in range(count))
    members = tuple(sample.tolist())
    return Grouping(layout, tuple(groups.tolist()), tuple(pivots), pairs, members, distances, silhouette)


def distance_matrix(structures: Sequence[_T], distance: Callable[[_T, _T], float]) -> NDArray[np.float64]:
    """Return all distances between n structures: an array of n rows of n, symmetric, 0 on the diagonal."""
    found = np.zeros((len(structures), len(structures)))
    for row, one in enumerate(structures):
        for column in range(row):
            found[row, column] = found[column, row] = distance(one, structures[column])
    return found


def scaled(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return n points in the plane whose distances are close to these n x n distances.

    Torgerson's classical scaling, improved by SMACOF's descent of the stress: no chance in either.
    """
    count = len(distances)
    if count < 2 or distances.max() < _SAME:
        return np.zeros((count, 2))
    centring = np.eye(count) - 1 / count
    values, vectors = np.linalg.eigh(-centring @ distances**2 @ centring / 2)
    # An eigenvector's sign is arbitrary: its largest component is made positive.
    vectors = vectors[:, -2:] * np.sign(vectors[np.abs(vectors[:, -2:]).argmax(axis=0), [-2, -1]])
    start = vectors * np.sqrt(np.maximum(values[-2:], 0))
    try:
        from sklearn.manifold import smacof  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise TemplateUnavailable("scikit-learn") from error
    points: NDArray[np.float64] = smacof(distances, init=start, n_init=1, normalized_stress=False)[0]
    return points


def clustered(points: NDArray[np.float64], seed: int = SEED) -> tuple[NDArray[np.int64], float]:
    """Return the group of each point, and the silhouette coefficient that chose the number of groups."""
    try:
        from sklearn.cluster import KMeans  # noqa: PLC0415 - an extra
        from sklearn.metrics import silhouette_score  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise TemplateUnavailable("scikit-learn") from error
    best, best_score = np.zeros(len(points), np.int64), 0.0
    places = len(np.unique(points.round(9), axis=0))
    for k in range(2, min(MAX_GROUPS, places, len(points) - 1) + 1):
        labels = KMeans(k, n_init=_STARTS, random_state=seed).fit_predict(points)
        score = float(silhouette_score(points, labels))
        if score > best_score + _SAME:
            best, best_score = labels.astype(np.int64), score
    return best, best_score


def _sample(count: int, seed: int) -> NDArray[np.int64]:
    if count <= MAX_SAMPLE:
        return np.arange(count)
    return np.sort(np.random.default_rng(seed).choice(count, MAX_SAMPLE, replace=False))


def _pivots(points: NDArray[np.float64], labels: NDArray[np.int64]) -> list[int]:
    """Return, for each group, the index of the point nearest to its centroid."""
    found = []
    for group in range(int(labels.max(initial=0)) + 1):
        members = np.flatnonzero(labels == group)
        away = np.linalg.norm(points[members] - points[members].mean(axis=0), axis=1)
        found.append(int(members[away.argmin()]))
    return found


def _placed(distances: Sequence[float], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a point for a page outside the sample: beside the nearest page of the sample."""
    nearest: NDArray[np.float64] = points[int(np.argmin(distances))]
    return nearest


def _pair(
    page: int, group: int, groups: NDArray[np.int64], pivots: Sequence[int], points: NDArray[np.float64]
) -> int | None:
    """Return the pivot, or for the pivot itself the page of its group nearest to it."""
    if pivots[group] != page:
        return pivots[group]
    others = np.flatnonzero(groups == group)
    others = others[others != page]
    if not len(others):
        return None
    return int(others[np.linalg.norm(points[others] - points[page], axis=1).argmin()])
