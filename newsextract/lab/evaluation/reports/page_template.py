"""Fills the templates of the reports: self-contained pages, with their styles and scripts inside."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from newsextract.lab.evaluation.reports import figure_formats
from newsextract.lab.evaluation.reports.embedding import broken_safe


@cache
def _environment() -> Environment:
    loader = PackageLoader("newsextract.lab.evaluation.reports", "report")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    for name in ("duration", "fraction", "half_width", "interval_of", "label", "mean_of"):
        made.filters[name] = getattr(figure_formats, name)
    return made


def filled(name: str, **values: Any) -> str:
    """Return a template with its values; texts are escaped."""
    return broken_safe(_environment().get_template(name).render(values))
