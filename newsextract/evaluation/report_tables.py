"""How every report writes figures, names measures and ranks extractors."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from jinja2 import Environment

    from newsextract.evaluation.results import Group, GroupKind, Interval, Results


ABSENT = "–"
"""Shown for a value that could not be computed."""

TOKEN_MEASURES = ("token_f1", "token_precision", "token_recall")
"""The measures at the start of every report."""

OTHER_MEASURES = ("cleaneval_f", "cleaneval_micro", "shingle_f1", "cosine")
"""The measures shown beside them: one of each family, and CleanEval's average over words, which publications give."""

_LABELS = {
    "token_f1": "token F1",
    "token_precision": "precision",
    "token_recall": "recall",
    "token_accuracy": "token accuracy",
    "cleaneval_f": "CleanEval F",
    "cleaneval_micro": "CleanEval micro",
    "cleaneval_micro_p": "CleanEval micro P",
    "cleaneval_micro_r": "CleanEval micro R",
    "cleaneval_p": "CleanEval P",
    "cleaneval_r": "CleanEval R",
    "cleaneval_tag_f": "CleanEval tags F",
    "shingle_f1": "4‑gram F1",
    "shingle_precision": "4‑gram precision",
    "shingle_recall": "4‑gram recall",
    "exact": "exact answers",
    "exactitude": "cosine ≥ 0.9",
    "equal": "T = T*",
    "inside": "T ⊂ T*",
    "around": "T* ⊂ T",
    "includes": "includes hit",
    "excludes": "excludes hit",
}


def label(measure: str) -> str:
    """Return the name of a measure for people.

    >>> label("token_f1"), label("some_new_f")
    ('token F1', 'some new f')
    """
    return _LABELS.get(measure, measure.replace("_", " "))


def fraction(value: float | None) -> str:
    """Return a score to three places.

    >>> fraction(0.86749), fraction(None)
    ('0.867', '–')
    """
    return ABSENT if value is None or not math.isfinite(value) else f"{value:.3f}"


def half_width(interval: Interval | None) -> str:
    """Return the error bar as one figure, half of the interval.

    >>> half_width({"mean": 0.86, "low": 0.85, "high": 0.87})
    '±0.010'
    """
    width = (interval["high"] - interval["low"]) / 2 if interval else math.nan
    return f"±{width:.3f}" if math.isfinite(width) else ""


def duration(value: float) -> str:
    """Return milliseconds with a sensible number of digits.

    >>> duration(0.04), duration(18.96), duration(1234.5)
    ('0.04', '19.0', '1234')
    """
    places = next((places for limit, places in ((1, 2), (100, 1)) if value < limit), 0)
    return f"{value:.{places}f}" if math.isfinite(value) else ABSENT


def interval_of(group: Group | None, measure: str) -> Interval | None:
    """Return a measure of a group, `None` if there is no such group or measure."""
    return group["measures"].get(measure) if group else None


def mean_of(group: Group | None, measure: str) -> float | None:
    """Return the mean of a measure over a group, `None` if there is none."""
    interval = interval_of(group, measure)
    return interval["mean"] if interval and math.isfinite(interval["mean"]) else None


def overall(results: Results) -> dict[str, Group]:
    """Return each extractor's figures over all pages, in the order of the results."""
    summary = results["summary"]
    return {name: summary[name]["all"] for name in results["extractors"] if name in summary}


def measured(results: Results) -> list[str]:
    """Return the measures that at least one extractor has over all pages."""
    groups = overall(results).values()
    return [name for name in results["measures"] if any(name in group["measures"] for group in groups)]


def primary(results: Results) -> str:
    """Return the measure that ranks the extractors: token F1, or the first available if no page has a gold text."""
    return next(iter(main_measures(results)), TOKEN_MEASURES[0])


def main_measures(results: Results) -> list[str]:
    """Return the measures that get a column of their own: all where none of the usual ones is there."""
    present = measured(results)
    return [name for name in TOKEN_MEASURES + OTHER_MEASURES if name in present] or present


def ranked(groups: Mapping[str, Group], measure: str) -> list[str]:
    """Return the extractors, best first; those without the measure come last."""
    return sorted(groups, key=lambda name: -(mean_of(groups[name], measure) or 0.0))


def average(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not `None`.

    >>> average([0.5, None, 1.0]), average([None])
    (0.75, None)
    """
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None


# Write the results as tables: in the terminal, and in Markdown for docs/results.md, extractors by corpora.

MAX_ROWS = 40
"""Most groups in a table; of more, the lowest-scoring."""

GROUPED = ("token_f1", "headline_exact", "date_day", "date_minute", "author_f1")
"""The measures with a table by corpus, language or site if none are named: of bodies, and of metadata."""


def tables(results: Results, groups: Sequence[GroupKind], measures: Sequence[str] = ()) -> Iterator[Table]:
    """Yield every table, that of all pages first."""
    present = measured(results)
    yield summary_table(results, measures)
    for by in groups:
        for measure in measures or [name for name in GROUPED if name in present]:
            yield group_table(results, by, measure)


def summary_table(results: Results, measures: Sequence[str] = ()) -> Table:
    """Return a row per extractor, best first, with its scores (the main ones if none are named), time and failures."""
    groups, measures = overall(results), measures or main_measures(results)
    table = _table(_title(results))
    table.add_column("extractor", no_wrap=True)
    troubles = [name for name in ("errors", "too_slow", "empty") if any(dict(group)[name] for group in groups.values())]
    for heading in (*map(label, measures), "ms", "× parse", *map(label, troubles)):
        table.add_column(heading.replace(" ", "\n"), justify="right", no_wrap=True)
    best = {measure: max(mean_of(group, measure) or 0.0 for group in groups.values()) for measure in measures}
    order = next((measure for measure in (primary(results), *measures) if measure in measures), primary(results))
    for name in ranked(groups, order):
        group = groups[name]
        counts = (
            Text(str(dict(group)[each] or "·"), style="yellow" if dict(group)[each] else "dim") for each in troubles
        )
        times = duration(group["ms"]), duration(group["x_parse"])
        table.add_row(Text(name), *_scores(group, best), *times, *counts)
    return table


def _table(title: str) -> Table:
    # One space between columns instead of two, so that nine extractors fit in 120 columns.
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)


def _title(results: Results) -> str:
    scored = sum(corpus["scored"] for corpus in results["corpora"])
    names = Text(", ".join(corpus["name"] for corpus in results["corpora"])).markup
    return f"{scored:,} pages of {names}"


def _scores(group: Group, best: Mapping[str, float]) -> Iterator[Text]:
    for measure, top in best.items():
        interval = interval_of(group, measure)
        mean = mean_of(group, measure)
        cell = Text(fraction(mean), style="bold green" if mean is not None and mean >= top > 0 else "")
        if measure == TOKEN_MEASURES[0]:
            cell.append(f" {half_width(interval)}", style="dim not bold")
        yield cell


def group_table(results: Results, by: GroupKind, measure: str = "token_f1") -> Table:
    """Return a row per corpus, language or site and a column per extractor, the best of each row in bold."""
    columns = {name: summary[by] for name, summary in results["summary"].items()}
    order = ranked(overall(results), measure)
    rows = list(dict.fromkeys(key for groups in columns.values() for key in groups))
    if len(rows) > MAX_ROWS:
        rows.sort(key=lambda key: average(mean_of(groups.get(key), measure) for groups in columns.values()) or 0.0)
    table = _table(f"{label(measure)} by {by}")
    table.add_column(by, overflow="fold", max_width=40)
    table.add_column("pages", justify="right", no_wrap=True)
    for name in order:
        # Long names break at underscores, so that nine extractors fit in a terminal.
        table.add_column(Text(name.replace("_", "_\n")), justify="right", no_wrap=True)
    for key in rows[:MAX_ROWS]:
        table.add_row(*_group_row(key, [columns[name].get(key) for name in order], measure))
    if len(rows) > MAX_ROWS:
        table.add_row(f"… and {len(rows) - MAX_ROWS} more", style="dim")
    return table


def _group_row(key: str, groups: Sequence[Group | None], measure: str) -> Iterator[Text]:
    means = [mean_of(group, measure) for group in groups]
    top = max((mean for mean in means if mean is not None), default=None)
    yield Text(key or ABSENT)
    told = [group for group in groups if group and measure in group["measures"]] or [group for group in groups if group]
    yield Text(str(max((group.get("known", {}).get(measure, group["pages"]) for group in told), default=0)))
    for mean in means:
        yield Text(fraction(mean), style="bold green" if mean is not None and mean == top else "")


_MARKS = re.compile(r"([\\`*_\[\]<>|&])")


def markdown(results: Results) -> str:
    """Return the first of `GROUPED` as Markdown; where there are several, as for metadata, each measure."""
    present = measured(results)
    if len([name for name in GROUPED if name in present]) <= 1:
        return markdown_table(results)
    return "\n".join(f"**{label(name)}**\n\n{markdown_table(results, name)}" for name in present)


def markdown_table(results: Results, measure: str = "token_f1") -> str:
    """Return a row per extractor, best first, and a column per corpus, with the mean of the corpora and the times."""
    counts = {corpus["name"]: corpus["scored"] for corpus in results["corpora"] if corpus["scored"]}
    means = {}
    for name, summary in results["summary"].items():
        values = [mean_of(summary["corpus"].get(corpus), measure) for corpus in counts]
        means[name] = [*values, average(values)]  # every corpus counts the same; otherwise the largest would dominate
    columns = zip(*means.values(), strict=True)
    tops = [max((value for value in column if value is not None), default=None) for column in columns]
    lines = [
        _line(["extractor", *(f"{escape(name)} ({counts[name]})" for name in counts), "mean", "ms/page", "× parse"]),
        _line(["---", *["---:"] * (len(counts) + 3)]),
    ]
    for name in sorted(means, key=lambda name: -(means[name][-1] or 0.0)):
        shown = [(fraction(value), fraction(top)) for value, top in zip(means[name], tops, strict=True)]
        cells = [f"**{text}**" if text == top != ABSENT else text for text, top in shown]
        total = results["summary"][name]["all"]
        code = f"`{name}`" if not _MARKS.search(name.replace("_", "")) else escape(name)
        lines.append(_line([code, *cells, duration(total["ms"]), duration(total["x_parse"])]))
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str] | Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escape(text: str) -> str:
    r"""Return a text escaped for Markdown, on one line.

    >>> escape("a|b_<c>")
    'a\\|b\\_\\<c\\>'
    """
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


# Fills the templates of the reports: self-contained pages, with styles and scripts inside, which load nothing.

MAX_SEGMENT_CHARS = 1000
"""A longer stretch of one kind loses its middle."""


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - for HTML alone

    loader = PackageLoader("newsextract.evaluation", "report")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    for each in (duration, fraction, half_width, interval_of, label, mean_of, web_address, shortened):
        made.filters[each.__name__] = each
    return made


def filled(name: str, **values: Any) -> str:
    """Return a template with its values; texts are escaped, without lone surrogates and NULs, which HTML forbids."""
    text = _environment().get_template(name).render(values)
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")


def web_address(url: str | None) -> str | None:
    """Return a URL that is safe to link to, `None` for any other, such as a script.

    >>> web_address("https://example.com/a"), web_address("javascript:alert(1)")
    ('https://example.com/a', None)
    """
    return url if url and url.lower().startswith(("https://", "http://")) else None


def shortened(text: str) -> str:
    """Return a text without its middle if it is long.

    >>> len(shortened("x" * 3000))
    1005
    """
    half = MAX_SEGMENT_CHARS // 2
    return text if len(text) <= MAX_SEGMENT_CHARS else f"{text[:half]} […] {text[-half:]}"


def html_report(results: Results) -> str:
    """Return the page: tables of extractors, and the texts of their worst pages."""
    groups, measure = overall(results), primary(results)

    def groups_by(kind: GroupKind) -> dict[str, dict[str, Group]]:
        found: dict[str, dict[str, Group]] = {}
        for name, summary in results["summary"].items():
            for key, group in summary[kind].items():
                found.setdefault(key, {})[name] = group
        return found

    return filled(
        "page.html",
        headline=headline(results),
        order=ranked(groups, measure),
        groups=groups,
        groups_by=groups_by,
        primary=measure,
        measures=[measure, *(name for name in main_measures(results) if name != measure)],
        results=results,
    )


def headline(results: Results) -> str:
    """Return a sentence on which extractor leads, by how much, and over how many pages."""
    groups, measure = overall(results), primary(results)
    order = [name for name in ranked(groups, measure) if interval_of(groups[name], measure)]
    if not order:
        return "No page could be scored."
    best, *others = (groups[name]["measures"][measure] for name in order)
    bounds = f"{fraction(best['low'])}–{fraction(best['high'])}"
    pages = groups[order[0]]["pages"]
    lead = f"{order[0]} leads with {fraction(best['mean'])} ({bounds}) in {label(measure)} over {pages:,} pages"
    if not others:
        return f"{lead}."
    overlap = " and within the error bars" if others[0]["high"] >= best["low"] else ""
    return f"{lead}; {order[1]} is {fraction(best['mean'] - others[0]['mean'])} behind{overlap}."
