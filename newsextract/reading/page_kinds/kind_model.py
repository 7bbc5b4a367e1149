"""The trained classifier of pages: the probabilities of article, listing and other, and the reasons for them.

A reason is a sign that the page shows. To weigh a sign, its features get the typical values of the other side: the more
the score moves, the more the sign matters. Only phrases that are true of the page are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from newsextract.reading.trained_models.boosted_trees import BadWeights, WeightFile, inputs_in, trees_in, write_weights

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from newsextract.reading.page_kinds.page_features import PageFeatures
    from newsextract.reading.trained_models.boosted_trees import Arrays, ObliviousTrees

    Floats = NDArray[np.float64]
    Rows = NDArray[np.float32]

_STAGES = ("article", "listing")

MOST = 3
"""The most reasons given."""
_SLIGHT = 0.05
"""Log-odds by which a sign must move the score to be a reason."""
_URLS = ("url_",)

Values = Mapping[str, float]


@dataclass(frozen=True)
class PageClassifier:
    """Two ensembles of trees: one tells articles from all other pages, one listings from the remaining pages."""

    article: ObliviousTrees
    listing: ObliviousTrees
    typical: Rows
    """2 x features: the medians of other pages and of articles, with which reasons are weighed."""
    inputs: tuple[str, ...]
    """The names of the features it was trained on."""

    def chances(self, rows: Rows) -> Floats:
        """Return the probabilities of article, listing and other for each row; they add up to 1."""
        article, listing = self.article.probabilities(rows), self.listing.probabilities(rows)
        return np.array([article, (1 - article) * listing, (1 - article) * (1 - listing)]).T


def save(model: PageClassifier, path: Path) -> None:
    """Write the weights; equal weights give equal bytes."""
    write_weights(path, {"typical": model.typical}, model.inputs, {stage: getattr(model, stage) for stage in _STAGES})


def _built(arrays: Arrays) -> PageClassifier:
    inputs, typical = inputs_in(arrays), arrays["typical"].astype(np.float32)
    stages = {stage: trees_in(arrays, stage) for stage in _STAGES}
    if typical.shape != (2, len(inputs)):
        raise BadWeights("typical pages and features do not fit: train again with `make kinds`")
    return PageClassifier(typical=typical, inputs=inputs, **stages)


WEIGHTS = WeightFile("page_weights.npz", "the classifier of pages", _built)
load = WEIGHTS.load


def require_fit(model: PageClassifier, names: tuple[str, ...]) -> None:
    """Raise `BadWeights` unless the classifier was trained on these features."""
    if model.inputs != names:
        raise BadWeights("they were made for other features than this version's: train again with `make kinds`")


@dataclass(frozen=True, slots=True)
class Sign:
    """A phrase, prefixes of the names of its features, and a test whether it is true of a page."""

    phrase: str
    features: tuple[str, ...]
    holds: Callable[[Values], object]
    """Returns any value, used as true or false."""


_TYPES = ("type_", "og_", "body_", "head_price")
_SCATTER = ("flow_", "among_left", "left_share", "long_share")
_FORMS = ("tag_form", "tag_input", "tag_button", "tag_select", "tag_textarea", "page_prices", "named_price")

FOR = (
    Sign("says that it is an article", (*_TYPES, "head_"), lambda v: v["type_article"] or v["og_article"]),
    Sign("has a date", ("date_", "head_time", "tag_time"), lambda v: v["date_source"] > 1),
    Sign("names its author", ("author", "named_author", "head_author"), lambda v: v["author_source"] > 0),
    Sign("URL of an article", _URLS, lambda v: v["url_likeness"] > 0.6),
    Sign("running text", ("kept_",), lambda v: v["kept_sentences"] > 0.6),
    Sign("text in one piece", (*_SCATTER, "around_story"), lambda v: v["flow_best_1"] > 0.5 or v["flow_best_2"] > 0.6),
    Sign("few links", ("page_link", "headlines", "headings_linked"), lambda v: v["page_link_share"] < 0.4),
)
"""Signs of an article."""

AGAINST = (
    Sign("says that it is a list", _TYPES, lambda v: v["type_list"] or v["body_many"]),
    Sign("says that it is a product", _TYPES, lambda v: v["type_product"] or v["og_product"] or v["head_price"]),
    Sign("says that it is a discussion", (*_TYPES, "around_message"), lambda v: v["type_forum"] or v["body_forum"]),
    Sign("says that it is about the house", _TYPES, lambda v: v["type_house"]),
    Sign("made like a manual", ("made_", "tag_code", "tag_pre", "body_manual"), lambda v: v["made_manual"]),
    Sign("made like a forum", ("made_", "around_message"), lambda v: v["made_forum"] or v["around_message"]),
    Sign("URL of a listing", _URLS, lambda v: v["url_listing"] > 0 or v["url_endless"] > 0 or v["url_is_paged"] > 0),
    Sign("URL of a home page", _URLS, lambda v: v["url_is_home"] > 0),
    Sign("URL of a shop", _URLS, lambda v: v["url_shop"] > 0),
    Sign("URL of a forum", _URLS, lambda v: v["url_forum"] > 0),
    Sign("URL of a manual", _URLS, lambda v: v["url_manual"] > 0),
    Sign("URL of a service", _URLS, lambda v: v["url_service"] > 0 or v["url_house"] > 0),
    Sign("URL unlike an article's", _URLS, lambda v: 0 <= v["url_likeness"] < 0.4),
    Sign("texts with names and dates between", ("gap",), lambda v: v["gaps"] > 1 and v["gap_both"] > 0.5),
    Sign("headlines with teasers", ("among_", "headlines"), lambda v: v["among_headlines"] > 0.5),
    Sign("mostly links", ("page_link", "headlines", "kept_link_share"), lambda v: v["page_link_share"] > 0.6),
    Sign("prices", ("page_prices", "named_p"), lambda v: v["page_prices"] > 1 and v["named_price"] > 0),
    Sign("forms and buttons", _FORMS, lambda v: v["tag_button"] + v["tag_input"] + v["tag_select"] > 2),
    Sign(
        "code",
        ("tag_code", "tag_pre", "inside_code", "inside_pre", "kept_in_pre", "named_code"),
        lambda v: v["tag_code"] + v["tag_pre"] > 1,
    ),
    Sign("text in scattered pieces", _SCATTER, lambda v: v["long"] > 1 and v["flow_best_1"] < 0.5),
    Sign("little running text", ("kept_", "long"), lambda v: v["kept_sentences"] < 0.5 or v["kept_size"] < 6),
    Sign("neither date nor author", ("date_", "author", "head_"), lambda v: v["date_source"] + v["author_source"] == 0),
)
"""Signs of a page that is not an article."""


def reasons_for(model: PageClassifier, features: PageFeatures, *, is_article: bool) -> tuple[str, ...]:
    """Return the phrases of the signs that support the verdict, the weightiest first; at least one."""
    values = {name: value for family in features.families.values() for name, value in family.items()}
    signs = [sign for sign in (FOR if is_article else AGAINST) if sign.holds(values)]
    row = features.row
    rows = np.repeat(row[None], len(signs) + 1, axis=0)
    other_side = model.typical[0 if is_article else 1]
    for number, sign in enumerate(signs, start=1):
        changed = _places(model.inputs, sign.features)
        rows[number, changed] = other_side[changed]
    scores = model.article.raw(rows)
    moves = (scores[0] - scores[1:]) * (1 if is_article else -1)
    order = np.argsort(-moves, kind="stable").tolist()
    found = tuple(signs[number].phrase for number in order[:MOST] if moves[number] > _SLIGHT)
    return found or ("reads like an article" if is_article else "shows no sign of an article",)


@cache
def _places(inputs: tuple[str, ...], beginnings: tuple[str, ...]) -> list[int]:
    return [number for number, name in enumerate(inputs) if name.startswith(beginnings)]
