"""What several pages say together: who agrees with whom, and on which pages they differ most."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any

from newsextract.tools.comparing.voting import RULE, strength

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MOST_PAGES = 10
"""Pages listed as those on which extractors differ most."""


def summarise(pages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the summary of the results of `compare`, which all have the same extractors in the same order.

    Agreement is counted on the pages on which both have a vote.
    """
    names = [row["name"] for row in pages[0]["extractors"]]
    rows = [_row(pages, number, name) for number, name in enumerate(names)]
    pairs = [pair for pair in (_pair(pages, *two) for two in combinations(range(len(names)), 2)) if pair["pages"]]
    pairs.sort(key=lambda pair: -pair["f1"])
    differing = [
        {"page": number, "unanimity": page["unanimity"], "words": _disputed_words(page)}
        for number, page in enumerate(pages)
        if page["unanimity"] is not None
    ]
    differing.sort(key=lambda one: (one["unanimity"], -one["words"]))
    return {
        "extractors": rows,
        "pairs": pairs,
        "unanimity": _mean(one["unanimity"] for one in differing),
        "differing": differing[:MOST_PAGES],
        "opening": _opening(rows),
        "rule": RULE,
    }


def _row(pages: Sequence[Mapping[str, Any]], number: int, name: str) -> dict[str, Any]:
    own = [page["extractors"][number] for page in pages]
    return {
        "name": name,
        "votes": sum(not row["no_vote"] for row in own),
        "majority": _mean(row["majority"] for row in own if row["majority"] is not None),
        "ms": _mean(row["ms"] for row in own if row["error"] is None),
        "failures": sum(row["error"] is not None for row in own),
        # Without the figures, which differ from page to page.
        "reasons": Counter(row["no_vote"].partition(":")[0] for row in own if row["no_vote"]).most_common(),
    }


def _pair(pages: Sequence[Mapping[str, Any]], one: int, other: int) -> dict[str, Any]:
    shared = [page["pairs"][one][other] for page in pages if {one, other} <= set(page["voters"])]
    return {"one": one, "other": other, "pages": len(shared), "f1": _mean(shared) or 0.0}


def _disputed_words(page: Mapping[str, Any]) -> int:
    return sum(dispute["words"] for dispute in page["disputed"])


def _opening(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the numbers of the two extractors to begin with: `auto` and the strongest other, those that vote first."""
    order = sorted(
        range(len(rows)),
        key=lambda number: (
            -min(rows[number]["votes"], 1),
            -strength(rows[number]["name"], rows[number]["majority"] or 0),
        ),
    )
    return order[:2]


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return round(fmean(found), 4) if found else None
