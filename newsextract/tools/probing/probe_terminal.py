"""Formats the report for a terminal of at least 80 columns."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from newsextract.tools.probing.probe_report import script_told, traps, why_nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from newsextract.tools.probing.probe_report import Report
    from newsextract.tools.probing.recipes import Recipe
    from newsextract.tools.probing.samples import Sample
    from newsextract.tools.probing.source_quality import SourceVerdict

_KINDS = {"feed": "feed", "news_sitemap": "news sitemap", "sitemap": "sitemap", "links": "links of"}
LEGEND = (
    "articles: how many of the pages fetched of this source were read as articles; "
    "only here: likely articles that no other source lists"
)

_AGES = ((timedelta(days=2), timedelta(days=1), "d"), (timedelta(hours=2), timedelta(hours=1), "h"))


def terminal_report(report: Report) -> Group:
    """Return the report without the lines to paste, which must not be wrapped."""
    visit = report.visit
    head = Text(visit.start, "bold")
    head.append(f"  {visit.requests} requests in {visit.seconds:.1f} s", "dim")
    parts: list[RenderableType] = [head, _facts(report)]
    if report.sources:
        parts += [_sources(report), Text(LEGEND, "dim")]
    if report.samples:
        parts += [Text("\nPages as read", "bold"), *map(_sample, report.samples)]
    if report.recipes:
        parts += [Text("\nWhat helps", "bold"), *map(_recipe, report.recipes)]
    if report.advice is None:
        parts.append(Text(f"\n{why_nothing(report)}", "bold red"))
    else:
        told = "; ".join(report.advice.reasons)
        what = f"discover: {', '.join(report.advice.discover)}; schedule: {report.advice.schedule_text}"
        name = "Best" if report.has_article else "Best, but no article could be read yet"
        parts.append(Text.assemble("\n", (f"{name}: ", "bold"), (what, "bold green"), f" ({told})"))
    return Group(*parts)


def _facts(report: Report) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("robots.txt", Text(_robots(report)))
    if report.language:
        known = [sample for sample in report.samples if sample.language]
        agree = sum((sample.language or "").lower().startswith(report.language) for sample in known)
        table.add_row("language", f"{report.language}, {agree} of {len(known)} articles")
    if report.paid is not None:
        table.add_row("paywall", f"{report.paid:.0%} of the articles" if report.paid else "none declared")
    table.add_row("JavaScript", Text(script_told(report), "red" if report.needs_script else ""))
    for n, trap in enumerate(traps(report)):
        table.add_row("" if n else "traps", Text(trap, "yellow"))
    return table


def _robots(report: Report) -> str:
    robots = report.robots
    if robots is None:
        return "not read"
    told = ["allows us" if robots.is_allowed else "forbids us"]
    if robots.status is not None and robots.status >= 400:
        told = [f"none (http {robots.status})"]
    told.append(f"Crawl-delay {robots.delay:g} s" if robots.delay else "no Crawl-delay")
    count = len(robots.sitemaps)
    told.append(f"names {count} sitemap{'s' * (count != 1)}" if count else "names no sitemap")
    return ", ".join(told)


def _sources(report: Report) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    table.add_column("source", overflow="fold", ratio=1)
    for name in ("entries", "newest", "median", "a day", "articles", "only\nhere"):
        table.add_column(name, justify="right", no_wrap=True, vertical="top")
    host = urlsplit(report.visit.start).netloc
    for verdict in sorted(report.sources, key=lambda one: one.source.kind == "links"):
        table.add_row(*_source_row(verdict, host))
    return table


def _source_row(verdict: SourceVerdict, host: str) -> Iterator[Text]:
    source = verdict.source
    parts = urlsplit(source.url)
    shown = parts._replace(scheme="", netloc="").geturl() if parts.netloc == host else source.url
    name = Text.assemble((_KINDS[source.kind], "cyan"), " ", shown)
    if source.trouble:
        name.append(f"  {source.trouble}", "red")
    yield name
    yield Text(f"{len(source.entries):,}")
    yield Text(age(verdict.newest))
    yield Text(age(verdict.median_age))
    yield Text("" if verdict.per_day is None else f"{verdict.per_day:.{int(verdict.per_day < 10)}f}")
    yield Text(f"{verdict.articles} of {verdict.fetched}" if verdict.fetched else "")
    yield Text(f"{verdict.only_here:,}")


def age(length: timedelta | None) -> str:
    """Return an age in its largest unit.

    >>> age(timedelta(minutes=90)), age(timedelta(hours=30)), age(timedelta(days=3)), age(None)
    ('90 min', '30 h', '3 d', '')
    """
    if length is None:
        return ""
    for least, unit, name in _AGES:
        if length >= least:
            return f"{length // unit} {name}"
    return f"{length // timedelta(minutes=1)} min"


def _sample(sample: Sample) -> Padding:
    if not sample.is_read:
        return Padding(
            Text.assemble((sample.url, ""), "\n", (_why_not(sample), "" if sample.is_other else "red")), (0, 0, 0, 2)
        )
    facts = [f"{sample.date[:16].replace('T', ' ')} ({sample.date_source})" if sample.date else "no date"]
    facts.append(", ".join(sample.authors) or "no author")
    facts.append(f"{sample.words} words")
    if sample.confidence is not None:
        facts.append(f"confidence {sample.confidence:.2f}")
    if sample.is_paid:
        facts.append("not free")
    told = (
        (sample.title or "no headline", "bold"),
        "\n",
        (" · ".join(facts), "cyan"),
        "\n",
        (sample.first_words, "dim"),
    )
    return Padding(Text.assemble(*told), (0, 0, 0, 2))


def _recipe(recipe: Recipe) -> Padding:
    return Padding(Text.assemble(recipe.told, "\n", (recipe.document, "cyan")), (0, 0, 0, 2))


def _why_not(sample: Sample) -> str:
    if sample.trouble is not None:
        return sample.trouble
    if sample.needs_script:
        return "needs JavaScript"
    if sample.is_wall:
        return "a consent wall"
    return f"no article: {sample.words} words, taken for {sample.kind}"
