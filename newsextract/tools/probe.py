"""The verb `probe`: says what a new site offers, what blocks it, and its lines for `sites.yml`."""

from __future__ import annotations

import json as json_form
from collections import Counter
from datetime import UTC, datetime
from textwrap import indent
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from newsextract.newsroom.health.judging import duration
from newsextract.page.urls import url_key
from newsextract.reading.script_need import script_need
from newsextract.sites.fetching import FetchError
from newsextract.sites.site import Site, is_language, read_address
from newsextract.terminal import DONE, NOTHING, Refusal, Seconds, console, say, show, table, verb
from newsextract.tools.project import check_urls, fetcher_of, settings_of, why_unfetched, with_settings
from newsextract.tools.site_sources import BY_BROWSER, advise, judge_sources
from newsextract.tools.site_visit import SECONDS, Visit, is_consent_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.padding import Padding
    from rich.text import Text

    from newsextract.tools.site_sources import SourceVerdict
    from newsextract.tools.site_visit import Sample

WIDTH = 80
"""Columns if there is no terminal to ask."""

FIRST_CHARS = 140
"""Characters shown of a body."""

LARGE_SHARE = 0.3
"""Share of paid articles from which a subscription is named."""

_ASKING = ("the site answered 401", "the site answered 402")
"""Why a page could not be fetched that asks for an account or for money."""

_RENDER, _OWN = "docs/how-to/render.md", "docs/how-to/subscriptions.md"


@verb(
    "newsextract probe https://example.com",
    "newsextract probe https://example.com --json",
    nothing="the page cannot be fetched, or no article could be read",
)
@click.argument("url", metavar="URL", help="the home page, or a section")
@click.option("--json", is_flag=True, help="print JSON")
@click.option("--seconds", type=Seconds(0.1, 600), default=SECONDS, metavar="SECONDS", help="for what is fetched")
@with_settings
def probe(url: str, json: bool, seconds: float, given: tuple[str, ...]) -> int:
    """Examine a site: its sources, five articles, and the lines for sites.yml."""
    check_urls(url)
    address = read_address(url)
    if address is None:
        raise Refusal("name one site: newsextract probe https://example.com/")
    settings = settings_of(given)
    visit = Visit(address, seconds, fetcher_of(given), settings.getfloat("DOWNLOAD_DELAY"))
    visit.go()
    report = Report(visit, datetime.now(UTC))
    if json:
        print(json_form.dumps(report.plain(), ensure_ascii=False))
    elif visit.home is not None:
        show(console(WIDTH, highlight=False), *terminal_report(report))
        print(f"\n{report.block}" if report.block else "", end="")
    if visit.home is None:
        say(f"{address}: {_why_not(visit)}")
    return DONE if report.read else NOTHING


def _why_not(visit: Visit) -> str:
    """Return why the home page could not be fetched, and what helps, if anything does."""
    if isinstance(visit.error, FetchError):
        return why_unfetched(visit.error, visit.asked)
    more = f"; robots.txt asks for {visit.delay:g} s between requests: --seconds {visit.delay * 10:.0f}"
    return str(visit.error or f"not reached in {visit.seconds:.0f} s{more if visit.delay else ''}")


class Report:
    """What is known about a site after one visit."""

    def __init__(self, visit: Visit, now: datetime) -> None:
        self.visit = visit
        self.samples = visit.samples
        self.home_need = script_need(visit.home) if visit.home else None
        self.is_asking = visit.home is not None and is_consent_page(visit.home)
        self.sources = judge_sources(visit.sources, now, {url_key(one.asked): one.is_read for one in self.samples})
        self.read = sum(sample.is_read for sample in self.samples)
        self.needy = sum(sample.needs_script for sample in self.samples)
        # Addresses may look like articles', but what was fetched decides.
        is_other = bool(self.samples) and all(one.is_other for one in self.samples)
        follows_links = self.home_need is None and not self.is_asking
        self.advice = None if is_other else advise(self.sources, follows_links=follows_links)
        if self.advice is None and self.home_need is not None and not self.samples:
            self.advice = BY_BROWSER

    @property
    def needs_script(self) -> bool:
        """Whether articles need a browser: at least as many of the pages as can be read without.

        The home page speaks for them only where none was fetched.
        """
        return self.needy >= max(self.read, 1) if self.samples else self.home_need is not None

    @property
    def language(self) -> str | None:
        """The language of most articles, without script and region; `None` if none is known."""
        tags = [sample.article.inLanguage for sample in self.samples if sample.article]
        found = Counter(tag.partition("-")[0].lower() for tag in tags if tag)
        return found.most_common(1)[0][0] if found else None

    @property
    def block(self) -> str | None:
        """A `sites.yml` with this one site; the lines below `sites:` can be pasted into a longer list."""
        from newsextract.yaml_files import yaml_text

        if self.advice is None:
            return None
        entry: dict[str, Any] = {"start": self.visit.start}
        if "feeds" in self.advice.discover and self.advice.feeds:
            entry["feeds"] = list(self.advice.feeds)
        if self.advice.sitemaps:
            entry["sitemaps"] = list(self.advice.sitemaps)
        entry["discover"] = list(self.advice.discover)
        if self.language and is_language(self.language):
            entry["language"] = self.language
        if self.needs_script:
            entry["render"] = "auto"
        entry["schedule"] = self.advice.schedule
        return f"sites:\n{indent(yaml_text([entry], flow_leaves=True), '  ')}"

    def plain(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            "url": self.visit.asked,
            "start": self.visit.start,
            "error": None if self.visit.error is None else str(self.visit.error),
            "seconds": round(self.visit.took, 1),
            "requests": self.visit.requests,
            "is_cut": self.visit.is_cut,
            "robots": _robots(self.visit),
            "language": self.language,
            "obstacles": list(obstacles(self)),
            "sources": [
                {
                    "kind": one.source.kind,
                    "url": one.source.url,
                    "error": one.source.error,
                    "entries": len(one.source.entries),
                    "newest_seconds": one.newest and one.newest.total_seconds(),
                    "articles_per_day": one.per_day,
                    "fetched": one.fetched,
                    "articles": one.articles,
                }
                for one in self.sources
            ],
            "articles": [
                {
                    "url": one.url,
                    "error": one.error,
                    "is_read": one.is_read,
                    "article": one.article.to_dict() if one.article else None,
                }
                for one in self.samples
            ],
            "sites_yml": self.block,
        }


def why_nothing(report: Report) -> str:
    """Return why no source is recommended, in a sentence."""
    fetched, sections = len(report.samples), report.visit.sections()
    listed = len({entry.url for source in report.visit.sources for entry in source.entries})
    why = "No page that the site lists looks like an article"
    if fetched:
        why = f"None of {fetched} pages fetched, of {listed:,} listed, is an article"
    elif sections:
        why = f"The home page and {sections} sections link to no article"
    return f"{why}: there is nothing to crawl here."


def obstacles(report: Report) -> Iterator[str]:
    """Yield the obstacles to a crawl, each with what helps, and the document that says how."""
    visit, samples = report.visit, report.samples
    pages = f"of {len(samples)} pages"
    if not Site(visit.asked).holds(visit.start):
        yield f"{urlsplit(visit.asked).netloc} leads to {urlsplit(visit.start).netloc}: the block starts there"
    if report.home_need is not None:
        home = f"the home page shows {report.home_need.words} words without JavaScript ({report.home_need.signs[0]})"
        yield home if samples else f"{home}: `render: auto` takes its links, too ({_RENDER})"
    if report.needy:
        yield f"{report.needy} {pages} are empty without JavaScript: `render: auto` reads them ({_RENDER})"
    walls = [f"{asking} {pages} ask"] if (asking := sum(one.is_consent_page for one in samples)) else []
    for who in [*(["the home page asks"] if report.is_asking else []), *walls]:
        yield f"{who} for consent: `cookies` of a browser that has given it open the pages ({_OWN})"
    for error, failed in Counter(one.error for one in samples if one.error).items():
        yield f"{failed} {pages}: {error}" + (f"; use your own subscription ({_OWN})" if error in _ASKING else "")
    read = [one.article for one in samples if one.is_read and one.article]
    paid = sum(one.isAccessibleForFree is False or bool(one.paywalledParts) for one in read)
    if paid and paid >= LARGE_SHARE * len(read):
        yield f"{paid} of {len(read)} articles are not free: use your own subscription ({_OWN})"
    if read and (alike := max(Counter(one.articleBody for one in read).values())) > 1:
        yield f"{alike} {pages} have the same text"
    if visit.is_cut:
        why = f" (Crawl-delay {visit.delay:g} s)" if visit.delay else ""
        yield f"time was up after {visit.took:.0f} s{why}; more --seconds help"


def terminal_report(report: Report) -> Iterator[RenderableType]:
    """Yield the report without the lines to paste, which must not be wrapped."""
    from rich.table import Column
    from rich.text import Text

    visit = report.visit
    yield Text.assemble((visit.start, "bold"), (f"  {visit.requests} requests in {visit.took:.1f} s", "dim"))
    facts = table(Column(style="cyan", no_wrap=True), Column(), show_header=False)
    facts.add_row("robots.txt", _robots(visit))
    facts.add_row("language", report.language or "unknown")
    for number, obstacle in enumerate(obstacles(report)):
        facts.add_row("" if number else "obstacles", Text(obstacle, "yellow"))
    yield facts
    figures = [Column(name, justify="right", no_wrap=True) for name in ("entries", "newest", "a day", "articles")]
    sources = table(Column("source"), *figures)
    for verdict in sorted(report.sources, key=lambda one: one.source.kind == "links"):
        sources.add_row(*_source_row(verdict, urlsplit(visit.start).netloc))
    yield sources
    yield from map(_sample, report.samples)
    if report.advice is None:
        yield Text(f"\n{why_nothing(report)}", "bold red")
    else:
        what = f"discover: {', '.join(report.advice.discover)}; schedule: {report.advice.schedule}"
        name = "Best" if report.read else "Best, but no article could be read yet"
        yield Text.assemble("\n", (f"{name}: ", "bold"), (what, "bold green"), f" ({report.advice.reason})")


def _robots(visit: Visit) -> str:
    if visit.robots is None:
        return "not read"
    allows = "allows us" if visit.robots.can_fetch(visit.start, visit.fetcher.user_agent) else "forbids us"
    delay = f"Crawl-delay {visit.delay:g} s" if visit.delay else "no Crawl-delay"
    return f"{allows}, {delay}, sitemaps named: {len(list(visit.robots.sitemaps))}"


def _source_row(verdict: SourceVerdict, host: str) -> Iterator[Text]:
    from rich.text import Text

    source = verdict.source
    parts = urlsplit(source.url)
    shown = parts._replace(scheme="", netloc="").geturl() if parts.netloc == host else source.url
    name = Text.assemble((source.kind.replace("_", " "), "cyan"), " ", shown)
    yield name.append(f"  {source.error}", "red") if source.error else name
    yield Text(f"{len(source.entries):,}")
    yield Text("" if verdict.newest is None else duration(verdict.newest.total_seconds()))
    yield Text("" if verdict.per_day is None else f"{verdict.per_day:.{int(verdict.per_day < 10)}f}")
    yield Text(f"{verdict.articles} of {verdict.fetched}" if verdict.fetched else "")


def _sample(sample: Sample) -> Padding:
    from rich.padding import Padding
    from rich.text import Text

    article = sample.article
    if not sample.is_read or article is None:
        words = article.wordCount or 0 if article else 0
        states = ((sample.needs_script, "needs JavaScript"), (sample.is_consent_page, "asks for consent"))
        why = sample.error or next((told for is_so, told in states if is_so), "")
        lines = Text.assemble(sample.url, "\n", (why or f"no article: {words} words, taken for {sample.kind}", "red"))
    else:
        facts = [(article.datePublished or "no date")[:16].replace("T", " ")]
        facts += [
            ", ".join(author.name for author in article.authors or ()) or "no author",
            f"{article.wordCount} words",
        ]
        beginning = " ".join((article.articleBody or "")[:FIRST_CHARS].split())
        title = (article.headline or "no headline", "bold")
        lines = Text.assemble(title, "\n", (" · ".join(facts), "cyan"), "\n", (f"{beginning} …", "dim"))
    return Padding(lines, (0, 0, 0, 2))
