"""The features of all blocks of a page in one matrix, the input of the first of the two classifiers.

About 160 columns in eight families. None looks at words or language: characters, structure, and the English names that
authors of pages everywhere give to elements.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, chain, compress
from typing import TYPE_CHECKING

import numpy as np

from newsextract.reading.extraction.block_classifier import place_features as place
from newsextract.reading.extraction.block_classifier import region_features as region
from newsextract.reading.extraction.block_classifier import text_features as text
from newsextract.reading.extraction.block_classifier.block_layout import lay_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from newsextract.page.blocks import Outline
    from newsextract.page.outline import Integers
    from newsextract.page.page import Page
    from newsextract.reading.extraction.block_classifier.block_layout import Features, Layout
    from newsextract.reading.extraction.block_classifier.element_names import NameScores

_HEAD_ELEMENTS = 500
"""Elements searched for the social-network title: about those of the page's head."""
_TITLE_CHARS = 500
_STEPS = (-2, -1, 1, 2)
_NEIGHBOURLY = (
    "size", "link_share", "stops", "ends_sentence", "tag", "share_1", "like_class_share", "gap_before",
)  # fmt: skip
_NEIGHBOURS = tuple(f"{name}{step:+d}" for step in _STEPS for name in _NEIGHBOURLY)
_MAINS = (("main", 0.4), ("most", 0.7))
"""Shares of the running text: features describe the smallest element that holds each."""


@dataclass(frozen=True, slots=True)
class Described:
    """N blocks with their features."""

    layout: Layout
    features: NDArray[np.float32]
    """N x len(`names`)."""
    places: Mapping[str, int]
    """The column of each feature by its name."""
    families: Mapping[str, slice]
    """The columns of each family."""
    groups: tuple[Integers, Integers]
    """The groups of blocks with the same markup, by tags and by classes."""
    shares: NDArray[np.float64]
    """The share of the page's running text in each element."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features, in order."""
        return tuple(self.places)

    def columns(self, names: Sequence[str]) -> NDArray[np.float32]:
        """Return these features, N x len(names)."""
        return self.features.T[[self.places[name] for name in names]].T

    def named(self, scores: NameScores) -> Described:
        """Return the same blocks with other scores for their names."""
        features = self.features.copy()
        features[:, self.families["names"]] = text.of_names(self.layout, scores, self.shares).values.T
        return replace(self, features=features)


def describe(page: Page, scores: NameScores) -> Described:
    """Return the features of a page's blocks; the page must have at least one."""
    layout = lay_out(page.outline)
    looks, weights = region.prose(layout)
    held = layout.inside(weights)
    shares: NDArray[np.float64] = held / max(weights.sum(), 1e-6)
    groups = region.alike(layout)
    families: dict[str, tuple[Features, ...]] = {
        "text": (text.of_characters(layout),),
        "tags": (text.of_tags(layout),),
        "names": (text.of_names(layout, scores, shares),),
        "place": (
            place.of_place(layout),
            place.of_headline(layout, title_of(page.outline)),
            place.of_articles(layout, shares),
        ),
        "regions": (
            region.of_ancestors(layout, looks, shares),
            *(region.of_container(layout, region.container(layout, held, share), name) for name, share in _MAINS),
        ),
        "repetition": (
            place.of_doubles(layout.texts),
            region.of_alike(layout, weights, groups[0], "like_tags"),
            region.of_alike(layout, weights, groups[1], "like_class"),
        ),
        "around": (region.of_surroundings(layout, weights),),
    }
    own = {family: tuple(part.names for part in parts) for family, parts in families.items()}
    places, slices = _columns(tuple(own.items()))
    first = np.concatenate([part.values for parts in families.values() for part in parts])
    beside = place.all_beside(first[[places[name] for name in _NEIGHBOURLY]], _STEPS)
    features = np.concatenate((first, beside), dtype=np.float32, casting="same_kind")
    return Described(layout, features.T, places, slices, groups, shares)


@cache
def _columns(
    families: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...],
) -> tuple[Mapping[str, int], Mapping[str, slice]]:
    """Return the column of each feature and the columns of each family, those of the neighbours included."""
    names = {family: tuple(chain.from_iterable(parts)) for family, parts in families} | {"neighbours": _NEIGHBOURS}
    stops = list(accumulate(map(len, names.values())))
    slices = map(slice, [0, *stops], stops)
    return {name: n for n, name in enumerate(chain.from_iterable(names.values()))}, dict(
        zip(names, slices, strict=False)
    )


def title_of(outline: Outline) -> str:
    """Return the titles that the page declares, in `title` and for social networks."""
    tags, elements = outline.tags[:_HEAD_ELEMENTS], outline.elements
    named = (elements[tags.index("title")].text or "")[:_TITLE_CHARS] if "title" in tags else ""
    for element in compress(elements, [tag == "meta" for tag in tags]):
        if element.get("property") == "og:title":
            return f"{named} {element.get('content', '')[:_TITLE_CHARS]}"
    return named
