"""The report about a site, as plain values."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from newsextract.page.urls import url_key
from newsextract.reading.script_need import script_need
from newsextract.tools.probing.advice import BY_BROWSER, advise, site_block
from newsextract.tools.probing.fetched_site import MOST_SECTIONS
from newsextract.tools.probing.recipes import for_access, for_scripts
from newsextract.tools.probing.samples import is_consent_wall, main_language, paid_share
from newsextract.tools.probing.source_quality import judge_sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime, timedelta

    from newsextract.reading.script_need import ScriptNeed
    from newsextract.tools.probing.advice import Advice
    from newsextract.tools.probing.fetched_site import Robots, Visit
    from newsextract.tools.probing.recipes import Recipe
    from newsextract.tools.probing.samples import Sample
    from newsextract.tools.probing.source_quality import SourceVerdict


@dataclass(frozen=True)
class Report:
    """What is known about a site after one visit."""

    visit: Visit
    robots: Robots | None
    sources: Sequence[SourceVerdict]
    samples: Sequence[Sample]
    home_need: ScriptNeed | None
    """Why the home page needs a browser; `None` if it does not."""
    is_wall: bool
    """Whether the home page is a consent wall."""
    advice: Advice | None
    language: str | None
    paid: float | None
    """Share of the articles behind a paywall."""

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
    def has_article(self) -> bool:
        """Whether at least one article could be read."""
        return self.read > 0

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """What helps with the obstacles, the most important first."""
        return (
            *for_scripts(self.samples, is_home_empty=self.home_need is not None),
            *for_access(self.samples, is_home_wall=self.is_wall, paid=self.paid),
        )

    @property
    def block(self) -> str | None:
        """The lines for `sites.yml`."""
        if self.advice is None:
            return None
        return site_block(self.visit.start, self.advice, self.language, needs_script=self.needs_script)


def assemble(visit: Visit, now: datetime) -> Report:
    """Return the report on what was fetched."""
    home_need = script_need(visit.home) if visit.home else None
    is_wall = visit.home is not None and is_consent_wall(visit.home)
    is_hidden = home_need is not None or is_wall
    samples = visit.samples
    verdicts = judge_sources(visit.sources, now, {url_key(one.asked): one.is_read for one in samples})
    # Addresses may look like articles', but what was fetched decides.
    is_other = bool(samples) and all(one.is_other for one in samples)
    advice = None if is_other else advise(verdicts, follows_links=not is_hidden)
    if advice is None and home_need is not None and not samples:
        advice = BY_BROWSER
    return Report(
        visit,
        visit.robots_here(),
        verdicts,
        samples,
        home_need,
        is_wall,
        advice,
        main_language(samples),
        paid_share(samples),
    )


def why_nothing(report: Report) -> str:
    """Return why no source is recommended, in a sentence."""
    listed, fetched = report.visit.listed(), len(report.samples)
    if not listed:
        return "No page of the site is listed by its home page, a feed or a sitemap: there is nothing to crawl here."
    if fetched:
        pages = "the page" if fetched == 1 else f"the {fetched} pages"
        return f"None of {pages} fetched, of {listed:,} listed, is an article: there is nothing to crawl here."
    if report.visit.is_cut:
        return "Time was up before a page could be read: whether there are articles here is not known."
    if sections := report.visit.sections():
        told = f"The home page and the {sections} sections read" if sections > 1 else "The home page and its section"
        more = (
            "a crawl would look into further sections"
            if sections >= MOST_SECTIONS
            else "there is nothing to crawl here"
        )
        return f"{told} link to no article: {more}."
    return f"None of the {listed:,} links leads to an article or a section: there is nothing to crawl here."


def script_told(report: Report) -> str:
    """Return whether JavaScript is needed, in words."""
    needy = [sample for sample in report.samples if sample.needs_script]
    articles = f"{len(needy)} of {len(report.samples)} pages"
    if report.home_need is not None:
        home = f"the home page shows {report.home_need.words} words without it: {', '.join(report.home_need.signs)}"
        if report.has_article:
            return f"needed for the home page only, the articles can be read: {home}"
        return f"needed: {home}" + (f"; so do {articles}" if needy else "")
    if needy:
        return f"needed: {articles} are empty without it"
    return "not needed" if report.has_article else "not needed by the home page"


def traps(report: Report) -> Iterator[str]:
    """Yield the obstacles to a crawl, one sentence each."""
    visit = report.visit
    if visit.is_elsewhere():
        yield f"{urlsplit(visit.asked).netloc} leads to {urlsplit(visit.start).netloc}: the block starts there"
    if report.is_wall:
        yield "the home page is a consent wall"
    if walls := sum(sample.is_wall for sample in report.samples):
        yield f"{walls} of {len(report.samples)} pages are behind a consent wall"
    for trouble in dict.fromkeys(sample.trouble for sample in report.samples if sample.trouble):
        count = sum(sample.trouble == trouble for sample in report.samples)
        yield f"{count} of {len(report.samples)} pages: {trouble}"
    texts = Counter((sample.first_words, sample.words) for sample in report.samples if sample.is_read)
    if texts and (alike := max(texts.values())) > 1:
        yield f"{alike} of {len(report.samples)} pages have the same text"
    robots = report.robots
    if robots is not None and robots.status is not None and robots.status >= 500:
        yield f"robots.txt: http {robots.status}"
    if visit.is_cut:
        more = f", and {len(visit.pending) - 3} more" if len(visit.pending) > 3 else ""
        named = ", ".join(visit.pending[:3]) or "nothing"
        why = f" (Crawl-delay {robots.delay:g} s; more --seconds help)" if robots is not None and robots.delay else ""
        yield f"time was up after {visit.seconds:.0f} s{why}; not reached: {named}{more}"


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as plain values."""
    visit = report.visit
    return {
        "url": visit.asked,
        "start": visit.start,
        "error": visit.error,
        "seconds": round(visit.seconds, 1),
        "requests": visit.requests,
        "is_cut": visit.is_cut,
        "not_reached": visit.pending,
        "robots": asdict(report.robots) if report.robots else None,
        "language": report.language,
        "paid_share": report.paid,
        "javascript": {"needed": report.needs_script, "told": script_told(report)},
        "traps": list(traps(report)),
        "recipes": [asdict(recipe) for recipe in report.recipes],
        "sources": [_source(verdict, report.sources) for verdict in report.sources],
        "articles": [asdict(sample) | {"is_read": sample.is_read} for sample in report.samples],
        "advice": _advice(report.advice),
        "sites_yml": report.block,
    }


def _advice(advice: Advice | None) -> dict[str, Any] | None:
    if advice is None:
        return None
    return {**asdict(advice), "schedule": advice.schedule_text}


def _source(verdict: SourceVerdict, all_of_them: Sequence[SourceVerdict]) -> dict[str, Any]:
    source = verdict.source
    return {
        "kind": source.kind,
        "url": source.url,
        "trouble": source.trouble,
        "entries": len(source.entries),
        "newest_seconds": _seconds(verdict.newest),
        "median_age_seconds": _seconds(verdict.median_age),
        "articles_per_day": verdict.per_day,
        "fetched": verdict.fetched,
        "articles": verdict.articles,
        "only_here": verdict.only_here,
        "shared": {other.source.url: verdict.shared_with(other) for other in all_of_them if other is not verdict},
    }


def _seconds(age: timedelta | None) -> float | None:
    return None if age is None else age.total_seconds()
