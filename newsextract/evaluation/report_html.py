"""Write the results for the report's scripts: by column, with scores in thousandths to keep the file small."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from newsextract.evaluation import report_tables
from newsextract.evaluation import report_tables as formats
from newsextract.evaluation.report_tables import (
    duration,
    fraction,
    interval_of,
    label,
    mean_of,
    measured,
    overall,
    primary,
    ranked,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from newsextract.evaluation.results import Disagreement, Group, GroupKind, PageRow, Results, Segment


MAX_CELLS = 800_000
"""Most scores in a report, about four bytes each; further measures are shown by group but not page by page."""

MAX_WORST_CHARS = 2_500_000
"""Most text in a report, shared evenly by the pages that are shown in full."""

MAX_PAGE_CHARS = 24_000
"""Most text of one page: the length of a very long article."""

UNKNOWN = "unknown"
"""Shown for a page without a language or a site."""

# A script element ends at the first `</script`, wherever it is; the others end a line in older browsers.
_ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}


def embedded(results: Results) -> str:
    """Return the results as JSON that is safe in a script element."""
    return script_safe(_content(results))


def script_safe(content: object) -> str:
    """Return plain values as JSON that is safe in a script element."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def broken_safe(text: str) -> str:
    """Return a page that can be written: without lone surrogates and NULs, which HTML does not allow."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _content(results: Results) -> dict[str, Any]:
    order, measures = ranked(overall(results), primary(results)), measured(results)
    pages = results["pages"]
    return {
        "extractors": order,
        "primary": primary(results),
        "measures": [[name, label(name)] for name in measures],
        "groups": {name: _groups(results, name) for name in order},
        "pages": {
            "id": [page["id"] for page in pages],
            "url": [web_address(page["url"]) for page in pages],
            **{key: _indexed([page[key] or UNKNOWN for page in pages]) for key in ("corpus", "language", "site")},
        },
        "scores": dict(_scores(pages, order, measures)),
        "ms": [[_round(page["scores"].get(name, {}).get("ms"), 100) for page in pages] for name in order],
        "errors": dict(_errors(pages, order)),
        "worst": _worst(results["worst"], order),
    }


def web_address(url: str | None) -> str | None:
    """Return a URL that is safe to link to, `None` for any other, such as a script.

    >>> web_address("https://example.com/a"), web_address("javascript:alert(1)")
    ('https://example.com/a', None)
    """
    return url if url and url.lower().startswith(("https://", "http://")) else None


def _indexed(values: Sequence[str]) -> dict[str, list[Any]]:
    names = sorted(set(values))
    places = {name: place for place, name in enumerate(names)}
    return {"names": names, "of": [places[value] for value in values]}


def _round(value: float | str | None, scale: int = 1000) -> int | None:
    return round(value * scale) if isinstance(value, int | float) and math.isfinite(value) else None


def _scores(pages: Sequence[PageRow], order: Sequence[str], measures: Sequence[str]) -> Iterator[tuple[str, Any]]:
    room = max(MAX_CELLS // max(len(pages) * len(order), 1), 3)
    for measure in measures[:room]:
        columns = [[_round(page["scores"].get(name, {}).get(measure)) for page in pages] for name in order]
        if any(value is not None for column in columns for value in column):
            yield measure, columns


def _errors(pages: Sequence[PageRow], order: Sequence[str]) -> Iterator[tuple[str, str]]:
    for number, page in enumerate(pages):
        for rank, name in enumerate(order):
            if error := page["scores"].get(name, {}).get("error"):
                yield f"{rank} {number}", str(error)[:300]


def _groups(results: Results, name: str) -> dict[str, Any]:
    summary = results["summary"][name]
    kinds = {"corpus": summary["corpus"], "language": summary["language"]}
    each = {kind: {key or UNKNOWN: _group(group) for key, group in groups.items()} for kind, groups in kinds.items()}
    return {"all": _group(summary["all"]), **each}


def _group(group: Group) -> dict[str, Any]:
    measures = {
        name: [_round(value, 10_000) for value in (bar["mean"], bar["low"], bar["high"])]
        for name, bar in group["measures"].items()
    }
    counts = {key: group[key] for key in ("pages", "errors", "too_slow", "empty")}
    return {**counts, "ms": _round(group["ms"], 100), "x_parse": _round(group["x_parse"], 100), "measures": measures}


def _worst(worst: Mapping[str, Sequence[Disagreement]], order: Sequence[str]) -> list[list[dict[str, Any]]]:
    count = sum(len(worst.get(name, ())) for name in order)
    limit = min(MAX_PAGE_CHARS, MAX_WORST_CHARS // max(count, 1))
    return [[_disagreement(page, limit) for page in worst.get(name, ())] for name in order]


def _disagreement(page: Disagreement, limit: int) -> dict[str, Any]:
    return {
        "id": page["id"],
        "url": web_address(page["url"]),
        **{key: page[key] or UNKNOWN for key in ("corpus", "site", "language")},
        "score": _round(page["token_f1"]),
        "chars": {
            kind: sum(len(text) for k, text in page["segments"] if k == kind) for kind in ("kept", "lost", "noise")
        },
        "segments": list(shorten(page["segments"], limit)),
    }


def shorten(segments: Iterable[Segment], limit: int) -> Iterator[tuple[str, str]]:
    """Yield the segments up to a number of characters; a long one loses its middle, and cut characters are counted.

    >>> list(shorten([("kept", "abc"), ("noise", "x" * 90), ("lost", "end")], 24))
    [('kept', 'abc'), ('noise', 'xxx'), ('cut', '84'), ('noise', 'xxx'), ('lost', 'end')]
    """
    side = max(limit // 8, 1)
    left = limit
    for kind, text in segments:
        if left <= 0:
            yield "cut", str(len(text))
            continue
        if len(text) <= 2 * side:
            yield kind, text
        else:
            yield kind, text[:side]
            yield "cut", str(len(text) - 2 * side)
            yield kind, text[-side:]
        left -= min(len(text), 2 * side)


# Fills the templates of the reports: self-contained pages, with their styles and scripts inside.


@cache
def _environment() -> Environment:
    loader = PackageLoader("newsextract.evaluation", "report")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    for name in ("duration", "fraction", "half_width", "interval_of", "label", "mean_of"):
        made.filters[name] = getattr(report_tables, name)
    return made


def filled(name: str, **values: Any) -> str:
    """Return a template with its values; texts are escaped."""
    return broken_safe(_environment().get_template(name).render(values))


# Write the results as one self-contained HTML page, which loads nothing from elsewhere.
#
# The page holds tables of extractors; its scripts add filters, sites, pages and a view of the texts. It opens
# with the result in two sentences.

_MAX_BROKEN = 200
"""Most broken records listed for a corpus; the JSON has them all."""


def html_report(results: Results) -> str:
    """Return the page."""
    groups, measure = formats.overall(results), formats.primary(results)
    return filled(
        "page.html",
        order=formats.ranked(groups, measure),
        groups=groups,
        tables={"corpus": _columns(results, "corpus"), "language": _columns(results, "language")},
        primary=measure,
        others=[name for name in formats.main_measures(results) if name != measure],
        axis=axis(groups.values(), measure),
        headline=headline(results),
        speed=speed(results),
        max_broken=_MAX_BROKEN,
        results=results,
        embedded=embedded(results),
    )


def write_html(results: Results, path: Path) -> None:
    """Write the page to a file."""
    path.write_text(html_report(results), encoding="utf-8")


def axis(groups: Iterable[Group], measure: str) -> tuple[float, float]:
    """Return the ends of an axis, in tenths, with room for every interval of a measure."""
    bars = [bar for group in groups if (bar := formats.interval_of(group, measure))]
    low = math.floor(min((bar["low"] for bar in bars), default=0.0) * 10) / 10
    high = math.ceil(max((bar["high"] for bar in bars), default=1.0) * 10) / 10
    return low, max(high, low + 0.1)


def _columns(results: Results, by: GroupKind) -> dict[str, dict[str, Group]]:
    """Return the groups of pages, the largest first, and the figures of each extractor on them."""
    columns: dict[str, dict[str, Group]] = {}
    for name, summary in results["summary"].items():
        for key, group in summary[by].items():
            columns.setdefault(key or UNKNOWN, {})[name] = group
    return dict(sorted(columns.items(), key=lambda item: -max(group["pages"] for group in item[1].values())))


NEAR = 0.05
"""An extractor this close to the best is near enough for its speed to be mentioned."""

WORTH_SAYING = 1.5
"""A lower ratio of times is not mentioned."""


def headline(results: Results) -> str:
    """Return a sentence on which extractor leads, by how much, and over how many pages."""
    groups, measure = overall(results), primary(results)
    order = [name for name in ranked(groups, measure) if interval_of(groups[name], measure)]
    if not order:
        return "No page could be scored."
    best = order[0]
    return f"{best} leads with {_score(groups[best], measure)}{_behind(groups, order, measure)}."


def _score(group: Group, measure: str) -> str:
    interval = group["measures"][measure]
    bounds = f"{fraction(interval['low'])}–{fraction(interval['high'])}"
    return f"{fraction(interval['mean'])} ({bounds}) in {label(measure)} over {group['pages']:,} pages"


def _behind(groups: Mapping[str, Group], order: list[str], measure: str) -> str:
    if len(order) == 1:
        return ""
    first, second = (groups[name]["measures"][measure] for name in order[:2])
    gap = first["mean"] - second["mean"]
    overlap = " and within the error bars" if second["high"] >= first["low"] else ""
    return f"; {order[1]} is {fraction(gap)} behind{overlap}"


def speed(results: Results) -> str:
    """Return a sentence on a fast extractor close to the best; empty if the best is as fast."""
    groups, measure = overall(results), primary(results)
    order = ranked(groups, measure)
    top = mean_of(groups[order[0]], measure) if order else None
    if top is None:
        return ""
    near = [name for name in order if (mean_of(groups[name], measure) or 0.0) >= top - NEAR]
    fastest, best = min(near, key=lambda name: groups[name]["ms"]), order[0]
    ratio = groups[best]["ms"] / (groups[fastest]["ms"] or 1.0)
    if ratio < WORTH_SAYING:
        return ""
    cost = fraction(top - (mean_of(groups[fastest], measure) or 0.0))
    return f"{fastest} gives up {cost} and is {ratio:.1f} × as fast: {duration(groups[fastest]['ms'])} ms per page."
