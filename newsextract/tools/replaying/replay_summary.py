"""Sum up the comparisons of a replay: how many pages changed, in which fields, on which sites."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from newsextract.tools.replaying.article_comparison import FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.tools.replaying.article_comparison import Comparison

NO_ARTICLE = "no longer an article"


@dataclass
class Tally:
    """Counts over some pages."""

    pages: int = 0
    changed: int = 0
    ended: int = 0
    """Pages that are no longer articles."""
    unreadable: int = 0
    fields: dict[str, Counter[str]] = field(default_factory=dict)
    """By column: how often it became empty, longer, …."""
    scores: list[float] = field(default_factory=list)
    """The F1 of each body."""

    def add(self, comparison: Comparison) -> None:
        """Count a page."""
        self.pages += 1
        if comparison.unreadable is not None:
            self.unreadable += 1
            return
        self.changed += comparison.has_changed
        self.ended += comparison.end is not None
        self.scores.append(comparison.body_f1)
        for change in comparison.changes:
            self.fields.setdefault(change.field, Counter())[change.kind] += 1

    @property
    def mean_f1(self) -> float | None:
        """The mean F1 of the bodies; `None` if no page could be read."""
        return fmean(self.scores) if self.scores else None

    def count(self, name: str) -> int:
        """Return on how many pages a column changed."""
        return self.fields.get(name, Counter()).total()


@dataclass(frozen=True)
class Summary:
    """The counts of a replay, in all and by site."""

    comparisons: Sequence[Comparison]
    total: Tally
    by_site: dict[str, Tally]

    def largest(self, number: int) -> list[Comparison]:
        """Return the pages that changed most, those that lost their article first, then by the words of the body."""
        changed = [comparison for comparison in self.comparisons if comparison.has_changed]
        return sorted(changed, key=lambda one: (one.end is None, one.body_f1, -len(one.changes), one.url))[:number]


def summarize(comparisons: Sequence[Comparison]) -> Summary:
    """Return the summary of these comparisons."""
    total = Tally()
    by_site: dict[str, Tally] = {}
    for comparison in comparisons:
        total.add(comparison)
        by_site.setdefault(comparison.site, Tally()).add(comparison)
    return Summary(comparisons, total, dict(sorted(by_site.items())))


def sentence(tally: Tally) -> str:
    """Return the summary as one line.

    >>> sentence(Tally(pages=3, changed=1, scores=[1.0, 1.0, 0.5]))
    '3 pages read again: 1 would change; body F1 .833'
    >>> sentence(Tally(pages=2, unreadable=2))
    '2 pages read again: nothing would change; 2 could not be read'
    """
    changed = f"{tally.changed} would change" if tally.changed else "nothing would change"
    told = [f"{tally.pages} page{'s' * (tally.pages != 1)} read again: {changed}"]
    if tally.ended:
        told.append(f"{tally.ended} {NO_ARTICLE}")
    if tally.unreadable:
        told.append(f"{tally.unreadable} could not be read")
    if tally.mean_f1 is not None:
        told.append(f"body F1 {shown(tally.mean_f1)}")
    return "; ".join(told)


def shown(score: float) -> str:
    """Return a score with three digits; only an exact 1 is shown as 1.

    >>> shown(0.99999), shown(1.0), shown(0.25)
    ('.999', '1', '.250')
    """
    return "1" if score >= 1 else f".{int(score * 1000):03d}"


def as_json(summary: Summary) -> dict[str, Any]:
    """Return the summary as plain values, with the pages that changed or could not be read."""
    return {
        "total": _plain(summary.total),
        "sites": {site: _plain(tally) for site, tally in summary.by_site.items()},
        "pages": [_page(one) for one in summary.comparisons if one.has_changed or one.unreadable is not None],
    }


def _plain(tally: Tally) -> dict[str, Any]:
    counts = {name: getattr(tally, name) for name in ("pages", "changed", "ended", "unreadable")}
    fields = {FIELDS[name]: dict(kinds) for name, kinds in tally.fields.items()}
    return counts | {"body_f1": tally.mean_f1, "fields": fields}


def _page(comparison: Comparison) -> dict[str, Any]:
    plain = {name: value for name, value in asdict(comparison).items() if name != "changes"}
    return plain | {"changes": [asdict(change) for change in comparison.changes]}
