"""The results as one self-contained HTML page, for reading: nothing in it leaves the page.

Tables of extractors and plots stand in the page; its scripts add filters, sites, pages and a reader of the texts.
"""

from __future__ import annotations

from html import escape
from importlib import resources
from string import Template
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.reports.embedding import embedded
from newsextract.lab.evaluation.reports.figure_formats import label, primary
from newsextract.lab.evaluation.reports.finding_sentences import headline, speed
from newsextract.lab.evaluation.reports.html_tables import corpus_rows, heat_rows, summary_rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from newsextract.lab.evaluation.contest.results import Results
    from newsextract.lab.evaluation.reports.plots import Plot

_STYLES = ("theme.css", "layout.css", "tables.css", "reader.css")
_SCRIPTS = ("model.js", "sorting.js", "summary.js", "listings.js", "reader.js", "controls.js")
"""The parts of the page's one script, in the order in which they build on each other."""


def html_report(results: Results) -> str:
    """Return the page.

    Raises:
        ModuleNotFoundError: matplotlib is missing; the message names the extra that brings it.
    """
    page = Template(_part("page.html")).substitute(
        styles="\n".join(map(_part, _STYLES)),
        scripts="\n".join(map(_part, _SCRIPTS)),
        headline=escape(headline(results)),
        speed=escape(speed(results)),
        facts=_facts(results),
        measure=escape(label(primary(results))),
        summary=summary_rows(results),
        by_corpus=heat_rows(results, "corpus"),
        by_language=heat_rows(results, "language"),
        plots=_figures(results),
        corpora=corpus_rows(results),
        command=escape(results["command"]),
        parse_ms=f"{results['parse_ms']:.2f}",
        results=embedded(results),
    )
    # A lone surrogate of a broken page cannot be written; NUL is not allowed in HTML.
    return page.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")


def write_html(results: Results, path: Path) -> None:
    """Write the page to a file."""
    path.write_text(html_report(results), encoding="utf-8")


def _part(name: str) -> str:
    return (resources.files("newsextract.lab.evaluation.reports") / "report" / name).read_text(encoding="utf-8")


def _facts(results: Results) -> str:
    scored = sum(corpus["scored"] for corpus in results["corpora"])
    facts = (
        f"{scored:,} pages of {', '.join(corpus['name'] for corpus in results['corpora'])}",
        f"extractors: {len(results['extractors'])}",
        results["created"][:16].replace("T", " "), f"newsextract {results['version']}",
    )  # fmt: skip
    return "".join(f"<li>{escape(fact)}</li>" for fact in facts)


def plots_of(results: Results) -> Iterable[Plot]:
    """Return the plots.

    Raises:
        ModuleNotFoundError: matplotlib is missing; the message names the extra that brings it.
    """
    try:
        from newsextract.lab.evaluation.reports.plots import plots  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError as error:
        hint = "the HTML report needs matplotlib: pip install 'newsextract[evaluate]'"
        raise ModuleNotFoundError(hint, name=error.name) from error
    return plots(results)


def _figures(results: Results) -> str:
    return "".join(
        f'<figure class="plot" id="{plot.name}"><h3>{escape(plot.title)}</h3>'
        f'<div class="drawing" role="img" aria-label="{escape(plot.title)}">{plot.svg}</div>'
        f"<figcaption>{escape(plot.caption)}</figcaption></figure>"
        for plot in plots_of(results)
    )
