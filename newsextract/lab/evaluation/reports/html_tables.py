"""The tables that stand in the page without a script; scripts refill the same cells when a filter is set."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.reports.embedding import UNKNOWN
from newsextract.lab.evaluation.reports.figure_formats import (
    ABSENT,
    duration,
    fraction,
    half_width,
    interval_of,
    label,
    main_measures,
    mean_of,
    overall,
    primary,
    ranked,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from newsextract.lab.evaluation.contest.results import Group, GroupKind, Interval, Results

_COSTS = (
    ("ms", "ms a page"),
    ("x_parse", "× parse"),
    ("errors", "errors"),
    ("too_slow", "too slow"),
    ("empty", "empty"),
)
"""The columns that are not scores, and how they are headed."""

_MAX_BROKEN = 200
"""Broken records that the page lists for a corpus; the JSON has them all."""


def summary_rows(results: Results) -> str:
    """Return the head and the body of the table of extractors, best first."""
    groups, measure = overall(results), primary(results)
    others = [name for name in main_measures(results) if name != measure]
    low, high = axis(groups.values(), measure)
    heads = [
        _head("extractor", sort="text"),
        _axis_head(low, high),
        _head(label(measure), sorted_as="descending"),
        '<th scope="col" class="num minor">95 %</th>',
        *(_head(label(name)) for name in others),
        *(_head(heading) for _, heading in _COSTS),
    ]
    rows = "".join(_summary_row(name, groups[name], measure, others) for name in ranked(groups, measure))
    style = f"--from:{low};--to:{high}"
    return f'<thead><tr>{"".join(heads)}</tr></thead><tbody style="{style}">{rows}</tbody>'


def _axis_head(low: float, high: float) -> str:
    ends = f"<span>{low:.2f}</span><span>{high:.2f}</span>"
    return f'<th scope="col" class="axis"><span class="ends" data-axis>{ends}</span></th>'


def axis(groups: Iterable[Group], measure: str) -> tuple[float, float]:
    """Return the ends of an axis, in tenths, that has room for every interval of a measure."""
    bars = [bar for group in groups if (bar := interval_of(group, measure))]
    low = min((bar["low"] for bar in bars), default=0.0)
    high = max((bar["high"] for bar in bars), default=1.0)
    return math.floor(low * 10) / 10, max(math.ceil(high * 10) / 10, math.floor(low * 10) / 10 + 0.1)


def _summary_row(name: str, group: Group, measure: str, others: Sequence[str]) -> str:
    bar = interval_of(group, measure)
    cells = [
        f'<th scope="row">{escape(name)}</th>',
        f'<td class="axis" aria-hidden="true"><span class="bar" data-bar{_bar_style(bar)}><i></i><b></b></span></td>',
        _figure(measure, fraction(bar["mean"] if bar else None)),
        f'<td class="num minor" data-cell="±">{half_width(bar)}</td>',
        *(_figure(other, fraction(mean_of(group, other))) for other in others),
        *(_figure(key, text) for key, text in _costs(group)),
    ]
    return f'<tr data-extractor="{escape(name)}">{"".join(cells)}</tr>'


def _bar_style(bar: Interval | None) -> str:
    if bar is None:
        return " hidden"
    return f' style="--mean:{bar["mean"]:.4f};--low:{bar["low"]:.4f};--high:{bar["high"]:.4f}"'


def _costs(group: Group) -> Iterator[tuple[str, str]]:
    yield "ms", duration(group["ms"])
    yield "x_parse", duration(group["x_parse"])
    yield "errors", str(group["errors"])
    yield "too_slow", str(group["too_slow"])
    yield "empty", str(group["empty"])


def _figure(key: str, text: str) -> str:
    return f'<td class="num" data-cell="{escape(key)}">{text}</td>'


def _head(text: str, sort: str = "number", sorted_as: str = "") -> str:
    number = "" if sort == "text" else ' class="num"'
    state = f' aria-sort="{sorted_as}"' if sorted_as else ""
    return f'<th scope="col"{number} data-sort="{sort}"{state}><button type="button">{escape(text)}</button></th>'


def heat_rows(results: Results, by: GroupKind) -> str:
    """Return the head and the body of a table of extractors by groups, each cell as dark as its score is high."""
    groups, measure = overall(results), primary(results)
    summary = results["summary"]
    columns = {name: {key or UNKNOWN: group for key, group in summary[name][by].items()} for name in groups}
    keys = _keys(columns)
    heads = "".join(
        f'<th scope="col" class="num" data-sort="number"><button type="button">{escape(key)}'
        f"<small>{pages:,}</small></button></th>"
        for key, pages in keys.items()
    )
    rows = "".join(_heat_row(name, columns[name], by, list(keys), measure) for name in ranked(groups, measure))
    first = _head("extractor", sort="text")
    return f'<thead><tr>{first}{heads}</tr></thead><tbody data-heat="{by}">{rows}</tbody>'


def _keys(columns: Mapping[str, Mapping[str, Group]]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for groups in columns.values():
        for key, group in groups.items():
            sizes[key] = max(sizes.get(key, 0), group["pages"])
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def _heat_row(name: str, groups: Mapping[str, Group], by: str, keys: Sequence[str], measure: str) -> str:
    means = {key: mean_of(groups.get(key), measure) for key in keys}
    cells = "".join(
        f'<td class="num heat" data-key="{escape(key)}"{_heat_style(mean)}>{fraction(mean)}</td>'
        for key, mean in means.items()
    )
    return f'<tr data-extractor="{escape(name)}" data-by="{by}"><th scope="row">{escape(name)}</th>{cells}</tr>'


def _heat_style(mean: float | None) -> str:
    return "" if mean is None else f' style="--heat:{min(max(mean, 0.0), 1.0):.3f}"'


def corpus_rows(results: Results) -> str:
    """Return what became of the pages of each corpus, with its broken records."""
    rows = []
    for corpus in results["corpora"]:
        bad = "".join(
            f"<li><code>{escape(record['place'])}</code> {escape(record['reason'])}</li>"
            for record in corpus["bad_records"][:_MAX_BROKEN]
        )
        broken = f"<details><summary>{len(corpus['bad_records'])}</summary><ul>{bad}</ul></details>" if bad else ABSENT
        counts = "".join(f'<td class="num">{corpus[key]:,}</td>' for key in ("pages", "scored", "left_out"))
        rows.append(f'<tr><th scope="row">{escape(corpus["name"])}</th>{counts}<td>{broken}</td></tr>')
    return "".join(rows)
