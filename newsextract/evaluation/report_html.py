"""Fills the templates of the reports: self-contained pages, with styles and scripts inside, which load nothing."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from newsextract.evaluation import report_tables
from newsextract.evaluation.report_tables import fraction, interval_of, label, main_measures, overall, primary, ranked

if TYPE_CHECKING:
    from newsextract.evaluation.results import Group, GroupKind, Results

MAX_SEGMENT_CHARS = 1000
"""A longer stretch of one kind loses its middle."""


@cache
def _environment() -> Environment:
    loader = PackageLoader("newsextract.evaluation", "report")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    for name in ("duration", "fraction", "half_width", "interval_of", "label", "mean_of"):
        made.filters[name] = getattr(report_tables, name)
    made.filters |= {"web_address": web_address, "shortened": shortened}
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
