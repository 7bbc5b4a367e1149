"""The verb `probe`: says what a new site offers, what blocks it, and its lines for `sites.yml`."""

from __future__ import annotations

import json as json_form
from collections import Counter
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from newsextract.page.urls import url_key
from newsextract.reading.script_need import script_need
from newsextract.sites.fetching import PageFetcher
from newsextract.sites.site import Site, is_language, read_address
from newsextract.terminal import DONE, NOTHING, Refusal, console, say, verb
from newsextract.tools.project import Given, check_urls, settings_of
from newsextract.tools.site_sources import BY_BROWSER, advise, judge_sources
from newsextract.tools.site_visit import MOST_SECTIONS, SECONDS, Visit, is_consent_page
from newsextract.yaml_files import yaml_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from newsextract.reading.script_need import ScriptNeed
    from newsextract.tools.site_sources import Advice, SourceVerdict
    from newsextract.tools.site_visit import Sample

WIDTH = 80
"""Columns if there is no terminal to ask."""

LARGE_SHARE = 0.3
"""Share of paid articles from which a subscription is named."""

_ASKING = ("the site answered 401", "the site answered 402")
"""Why a page could not be fetched that asks for an account or for money."""

_RENDER, _OWN = "docs/how-to/render.md", "docs/how-to/subscriptions.md"
_KINDS = {"feed": "feed", "news_sitemap": "news sitemap", "sitemap": "sitemap", "links": "links of"}


@verb(
    "newsextract probe https://example.com",
    "newsextract probe https://example.com --json",
    nothing="the page cannot be fetched, or no article could be read",
)
def probe(
    url: Annotated[str, typer.Argument(metavar="URL", help="the home page, or a section")],
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    seconds: Annotated[float, typer.Option(min=0.1, max=600, help="for what is fetched")] = SECONDS,
    given: Given = None,
) -> int:
    """Examine a site: its sources, five articles, and the lines for sites.yml."""
    from newsextract.settings import PRIVATE_ADDRESSES

    check_urls(url)
    address = read_address(url)
    if address is None:
        raise Refusal("name one site: newsextract probe https://example.com/")
    settings = settings_of(given)
    fetcher = PageFetcher(PRIVATE_ADDRESSES.of(settings), settings["USER_AGENT"])
    visit = Visit(address, seconds, fetcher, settings.getfloat("DOWNLOAD_DELAY"))
    visit.go()
    report = Report.of(visit, datetime.now(UTC))
    if json:
        print(json_form.dumps(report.plain(), ensure_ascii=False, default=str))
    elif visit.home is not None:
        console(WIDTH, highlight=False).print(terminal_report(report))
        print(f"\n{report.block}" if report.block else "", end="")
    if visit.home is None:
        say(f"{address}: {visit.why_not()}")
    return DONE if report.read else NOTHING


@dataclass(frozen=True)
class Report:
    """What is known about a site after one visit."""

    visit: Visit
    sources: Sequence[SourceVerdict]
    home_need: ScriptNeed | None
    """Why the home page needs a browser; `None` if it does not."""
    is_consent_page: bool
    """Whether the home page asks for consent."""
    advice: Advice | None

    @classmethod
    def of(cls, visit: Visit, now: datetime) -> Report:
        """Return the report on what was fetched."""
        home_need = script_need(visit.home) if visit.home else None
        is_asking = visit.home is not None and is_consent_page(visit.home)
        samples = visit.samples
        verdicts = judge_sources(visit.sources, now, {url_key(one.asked): one.is_read for one in samples})
        # Addresses may look like articles', but what was fetched decides.
        is_other = bool(samples) and all(one.is_other for one in samples)
        advice = None if is_other else advise(verdicts, follows_links=home_need is None and not is_asking)
        if advice is None and home_need is not None and not samples:
            advice = BY_BROWSER
        return cls(visit, verdicts, home_need, is_asking, advice)

    @property
    def samples(self) -> Sequence[Sample]:
        """The pages that were read."""
        return self.visit.samples

    @property
    def needs_script(self) -> bool:
        """Whether articles need a browser: at least as many of the pages as can be read without.

        The home page speaks for them only where none was fetched.
        """
        needy = sum(sample.needs_script for sample in self.samples)
        return needy >= max(self.read, 1) if self.samples else self.home_need is not None

    @property
    def read(self) -> int:
        """The number of pages that were read as articles."""
        return sum(sample.is_read for sample in self.samples)

    @property
    def language(self) -> str | None:
        """The language of most articles, without script and region; `None` if none is known."""
        found = Counter(sample.language.partition("-")[0].lower() for sample in self.samples if sample.language)
        return found.most_common(1)[0][0] if found else None

    @property
    def paid(self) -> float | None:
        """The share of articles that declare themselves not free; `None` if no article was read."""
        read = [sample for sample in self.samples if sample.is_read]
        return sum(sample.is_paid for sample in read) / len(read) if read else None

    @property
    def block(self) -> str | None:
        """A `sites.yml` with this one site; the lines below `sites:` can be pasted into a longer list."""
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
        entry["schedule"] = self.advice.schedule_text
        return f"sites:\n{indent(yaml_text([entry], flow_leaves=True), '  ')}"

    def plain(self) -> dict[str, Any]:
        """Return the report as plain values."""
        visit, advice = self.visit, self.advice
        return {
            "url": visit.asked,
            "start": visit.start,
            "error": None if visit.error is None else str(visit.error),
            "seconds": round(visit.took, 1),
            "requests": visit.requests,
            "is_cut": visit.is_cut,
            "not_reached": visit.pending,
            "robots": asdict(visit.robots) if visit.robots else None,
            "language": self.language,
            "paid_share": self.paid,
            "javascript": {"needed": self.needs_script, "reason": javascript(self)},
            "obstacles": list(obstacles(self)),
            "recipes": [{"advice": what, "document": document} for what, document in recipes(self)],
            "sources": [self._source(verdict) for verdict in self.sources],
            "articles": [asdict(sample) | {"is_read": sample.is_read} for sample in self.samples],
            "advice": None if advice is None else {**asdict(advice), "schedule": advice.schedule_text},
            "sites_yml": self.block,
        }

    def _source(self, verdict: SourceVerdict) -> dict[str, Any]:
        source, others = verdict.source, [each for each in self.sources if each is not verdict]
        return {
            "kind": source.kind,
            "url": source.url,
            "error": source.error,
            "entries": len(source.entries),
            "newest_seconds": verdict.newest and verdict.newest.total_seconds(),
            "median_age_seconds": verdict.median_age and verdict.median_age.total_seconds(),
            "articles_per_day": verdict.per_day,
            "fetched": verdict.fetched,
            "articles": verdict.articles,
            "only_here": verdict.only_here,
            "shared": {each.source.url: verdict.shared_with(each) for each in others},
        }


def why_nothing(report: Report) -> str:
    """Return why no source is recommended, in a sentence."""
    visit, fetched = report.visit, len(report.samples)
    listed = len({entry.url for source in visit.sources for entry in source.entries})
    if not listed:
        return "No page of the site is listed by its home page, a feed or a sitemap: there is nothing to crawl here."
    if fetched:
        pages = "the page" if fetched == 1 else f"the {fetched} pages"
        return f"None of {pages} fetched, of {listed:,} listed, is an article: there is nothing to crawl here."
    if visit.is_cut:
        return "Time was up before a page could be read: whether there are articles here is not known."
    if sections := visit.sections():
        read = f"The home page and the {sections} sections read" if sections > 1 else "The home page and its section"
        is_more = sections >= MOST_SECTIONS
        more = "a crawl would look into further sections" if is_more else "there is nothing to crawl here"
        return f"{read} link to no article: {more}."
    return f"None of the {listed:,} links leads to an article or a section: there is nothing to crawl here."


def javascript(report: Report) -> str:
    """Return whether JavaScript is needed, in words."""
    needy = sum(sample.needs_script for sample in report.samples)
    articles = f"{needy} of {len(report.samples)} pages"
    if report.home_need is not None:
        home = f"the home page shows {report.home_need.words} words without it: {', '.join(report.home_need.signs)}"
        if report.read:
            return f"needed for the home page only, the articles can be read: {home}"
        return f"needed: {home}" + (f"; so do {articles}" if needy else "")
    if needy:
        return f"needed: {articles} are empty without it"
    return "not needed" if report.read else "not needed by the home page"


def obstacles(report: Report) -> Iterator[str]:
    """Yield the obstacles to a crawl, one sentence each."""
    visit, count = report.visit, len(report.samples)
    if not Site(visit.asked).holds(visit.start):
        yield f"{urlsplit(visit.asked).netloc} leads to {urlsplit(visit.start).netloc}: the block starts there"
    if report.is_consent_page:
        yield "the home page asks for consent"
    if asking := sum(sample.is_consent_page for sample in report.samples):
        yield f"{asking} of {count} pages ask for consent"
    for error, failed in Counter(sample.error for sample in report.samples if sample.error).items():
        yield f"{failed} of {count} pages: {error}"
    texts = Counter((sample.first_words, sample.words) for sample in report.samples if sample.is_read)
    if texts and (alike := max(texts.values())) > 1:
        yield f"{alike} of {count} pages have the same text"
    if visit.is_cut:
        more = f", and {len(visit.pending) - 3} more" if len(visit.pending) > 3 else ""
        named = ", ".join(visit.pending[:3]) or "nothing"
        delay = visit.robots.delay if visit.robots else None
        why = f" (Crawl-delay {delay:g} s; more --seconds help)" if delay else ""
        yield f"time was up after {visit.took:.0f} s{why}; not reached: {named}{more}"


def recipes(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what helps with the obstacles, the most important first, and the document that says how."""
    samples, paid = report.samples, report.paid or 0
    if needy := sum(sample.needs_script for sample in samples):
        yield f"{needy} of {len(samples)} pages are empty without JavaScript: `render: auto` reads them", _RENDER
    elif report.home_need is not None and not samples:
        yield "the home page links nothing without JavaScript: `render: auto` takes its links, too", _RENDER
    if report.is_consent_page or any(sample.is_consent_page for sample in samples):
        yield "`cookies` of a browser in which you have answered the request for consent open the pages", _OWN
    asking = sum(sample.error in _ASKING for sample in samples)
    if asking or paid >= LARGE_SHARE:
        what = f"{asking} of {len(samples)} pages ask" if asking else f"{paid:.0%} of the articles ask"
        yield f"{what} for a subscription: use your own with `login`, `cookies` or `headers`", _OWN


def terminal_report(report: Report) -> Group:
    """Return the report without the lines to paste, which must not be wrapped."""
    visit = report.visit
    head = Text.assemble((visit.start, "bold"), (f"  {visit.requests} requests in {visit.took:.1f} s", "dim"))
    parts: list[RenderableType] = [head, _facts(report)]
    if report.sources:
        legend = (
            "articles: how many of the pages fetched of this source were read as articles; "
            "only here: likely articles that no other source lists"
        )
        parts += [_sources(report), Text(legend, "dim")]
    if report.samples:
        parts += [Text("\nPages as read", "bold"), *map(_sample, report.samples)]
    if helps := list(recipes(report)):
        parts += [Text("\nWhat helps", "bold")]
        parts += [_indented(Text.assemble(what, "\n", (document, "cyan"))) for what, document in helps]
    if report.advice is None:
        parts.append(Text(f"\n{why_nothing(report)}", "bold red"))
    else:
        what = f"discover: {', '.join(report.advice.discover)}; schedule: {report.advice.schedule_text}"
        name = "Best" if report.read else "Best, but no article could be read yet"
        reasons = "; ".join(report.advice.reasons)
        parts.append(Text.assemble("\n", (f"{name}: ", "bold"), (what, "bold green"), f" ({reasons})"))
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
    table.add_row("JavaScript", Text(javascript(report), "red" if report.needs_script else ""))
    for number, obstacle in enumerate(obstacles(report)):
        table.add_row("" if number else "obstacles", Text(obstacle, "yellow"))
    return table


def _robots(report: Report) -> str:
    robots = report.visit.robots
    if robots is None:
        return "not read"
    allows = "allows us" if robots.is_allowed else "forbids us"
    delay = f"Crawl-delay {robots.delay:g} s" if robots.delay else "no Crawl-delay"
    count = len(robots.sitemaps)
    return f"{allows}, {delay}, names {f'{count} sitemap' + 's' * (count != 1) if count else 'no sitemap'}"


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
    if source.error:
        name.append(f"  {source.error}", "red")
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
    hours = length // timedelta(hours=1)
    return (
        f"{hours // 24} d" if hours >= 48 else f"{hours} h" if hours >= 2 else f"{length // timedelta(minutes=1)} min"
    )


def _sample(sample: Sample) -> Padding:
    if not sample.is_read:
        return _indented(Text.assemble(sample.url, "\n", (_why_not(sample), "" if sample.is_other else "red")))
    facts = [f"{sample.date[:16].replace('T', ' ')} ({sample.date_source})" if sample.date else "no date"]
    facts += [", ".join(sample.authors) or "no author", f"{sample.words} words"]
    if sample.confidence is not None:
        facts.append(f"confidence {sample.confidence:.2f}")
    if sample.is_paid:
        facts.append("not free")
    title = (sample.title or "no headline", "bold")
    return _indented(Text.assemble(title, "\n", (" · ".join(facts), "cyan"), "\n", (sample.first_words, "dim")))


def _indented(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 2))


def _why_not(sample: Sample) -> str:
    if sample.error is not None:
        return sample.error
    if sample.needs_script:
        return "needs JavaScript"
    if sample.is_consent_page:
        return "asks for consent"
    return f"no article: {sample.words} words, taken for {sample.kind}"
