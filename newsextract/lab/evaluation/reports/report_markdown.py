"""The results as a Markdown table: extractors by corpora, as docs/results.md shows them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.reports.figure_formats import ABSENT, average, duration, fraction, mean_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.lab.evaluation.contest.results import Results

_MARKS = re.compile(r"([\\`*_\[\]<>|&])")


def markdown_table(results: Results, measure: str = "token_f1") -> str:
    """Return an extractor a row and a corpus a column, best first, with the mean of the corpora and the times."""
    corpora = [corpus["name"] for corpus in results["corpora"] if corpus["scored"]]
    rows = [_Row(results, name, corpora, measure) for name in results["extractors"] if name in results["summary"]]
    rows.sort(key=lambda row: -(row.mean or 0.0))
    tops = [max((value for value in column if value is not None), default=None) for column in _columns(rows)]
    counts = {corpus["name"]: corpus["scored"] for corpus in results["corpora"]}
    lines = [
        _line(["extractor", *(f"{escape(name)} ({counts[name]})" for name in corpora), "mean", "ms/page", "× parse"]),
        _line(["---", *["---:"] * (len(corpora) + 3)]),
        *(_line(row.cells(tops)) for row in rows),
    ]
    return "\n".join(lines) + "\n"


class _Row:
    """One extractor: its mean on each corpus, the mean of those means, and its times."""

    def __init__(self, results: Results, name: str, corpora: Sequence[str], measure: str) -> None:
        summary = results["summary"][name]
        self.name = name
        self.total = summary["all"]
        self.values = [mean_of(summary["corpus"].get(corpus), measure) for corpus in corpora]
        # Every corpus counts the same: otherwise the largest would decide.
        self.mean = average(self.values)

    def cells(self, tops: Sequence[float | None]) -> Iterator[str]:
        yield f"`{self.name}`" if not _MARKS.search(self.name.replace("_", "")) else escape(self.name)
        for value, top in zip([*self.values, self.mean], tops, strict=True):
            text = fraction(value)
            yield f"**{text}**" if text != ABSENT and text == fraction(top) else text
        yield duration(self.total["ms"])
        yield duration(self.total["x_parse"])


def _columns(rows: Sequence[_Row]) -> list[tuple[float | None, ...]]:
    return list(zip(*([*row.values, row.mean] for row in rows), strict=True))


def _line(cells: Sequence[str] | Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escape(text: str) -> str:
    r"""Return a text that Markdown shows as it is, on one line.

    >>> escape("a|b_<c>")
    'a\\|b\\_\\<c\\>'
    """
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
