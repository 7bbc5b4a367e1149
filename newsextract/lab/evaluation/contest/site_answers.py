"""Answers of extractors that compare pages of a site: they get all pages of the site first, then read page by page.

Sites are named as in the corpus. The pages of a site with too few of them are left out for such an extractor, and only
for that one.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from newsextract.lab.evaluation.contest.measuring import answer_of
from newsextract.lab.evaluation.contest.timing import Attempt, attempt, timed
from newsextract.lab.evaluation.corpora.corpora import read_corpus
from newsextract.lab.evaluation.corpora.gold_pages import GoldPage
from newsextract.lab.evaluation.measures.cleaneval import marked
from newsextract.lab.evaluation.measures.measured_texts import Answer, Text
from newsextract.page.page import Page, PageError
from newsextract.reading.extraction.contract import create_extractor

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from newsextract.lab.evaluation.contest.page_pool import Limits
    from newsextract.reading.extraction.contract import Extraction, Extractor

    _Site = tuple[str, str | None]
    _Attempt = Attempt[Answer]


@runtime_checkable
class SiteExtractor(Protocol):
    """An extractor that must see other pages of a site before it can read one."""

    min_pages: ClassVar[int]
    """Pages of a site that it needs."""

    def fit(self, pages: Sequence[Page]) -> SiteReader:
        """Return a reader for the site of these pages, which are not changed."""
        ...


class SiteReader(Protocol):
    """Reads pages of one site; made by a `SiteExtractor`."""

    def extract(self, page: Page) -> Extraction:
        """Return the article's blocks of a page of the site."""
        ...


@dataclass
class SiteAnswers:
    """All answers of the extractors that need a site, by extractor and page number in the run."""

    by_name: dict[str, dict[int, _Attempt]] = field(default_factory=dict)

    def found(self, name: str, number: int) -> _Attempt | None:
        """Return an extractor's answer for a page."""
        return self.by_name.get(name, {}).get(number)

    def is_left_out(self, name: str, number: int) -> bool:
        """Tell whether a page is left out for an extractor, because its site has too few pages."""
        return name in self.by_name and number not in self.by_name[name]


NO_SITES = SiteAnswers()
"""For runs whose extractors need no sites."""


@runtime_checkable
class SegmentingExtractor(Protocol):
    """An extractor whose source says where segments begin and end; blocks may be cut otherwise."""

    def segments(self, page: Page) -> list[tuple[str, str]]:
        """Return the segments, as (`h` or `p`, text) pairs."""
        ...


def answer_sites(paths: Sequence[Path], extractors: Mapping[str, Mapping[str, Any]], limits: Limits) -> SiteAnswers:
    """Return the answers for every site with enough pages; raises what `read_corpus` and `create_extractor` raise."""
    created = create_all(extractors)
    fitting = {name: extractor for name, extractor in created.items() if isinstance(extractor, SiteExtractor)}
    found = SiteAnswers({name: {} for name in fitting})
    if fitting:
        least = min(extractor.min_pages for extractor in fitting.values())
        for site in _sites(paths, limits, least):
            for name, extractor in fitting.items():
                if len(site) >= extractor.min_pages:
                    found.by_name[name].update(_answers(extractor, site, limits.seconds))
    return found


def _sites(paths: Sequence[Path], limits: Limits, least: int) -> Iterator[dict[int, Page]]:
    """Yield the readable pages of each large enough site by their number in the run, holding few sites at a time."""
    sizes = Counter(_site(gold) for _, gold in _numbered(paths, limits))
    waiting, read = sizes.copy(), dict["_Site", dict[int, Page]]()
    for number, gold in _numbered(paths, limits):
        site = _site(gold)
        if gold.site is None or sizes[site] < least:
            continue
        seen = read.setdefault(site, {})
        waiting[site] -= 1
        with suppress(PageError):  # the contest reports it, for every extractor
            seen[number] = Page(gold.html, gold.url)
        if not waiting[site]:
            yield read.pop(site)


def _numbered(paths: Sequence[Path], limits: Limits) -> Iterator[tuple[int, GoldPage]]:
    """Yield the pages of a run with their numbers, as the judges get them."""
    records = (record for path in paths for record in read_corpus(path))
    return enumerate(gold for gold in records if isinstance(gold, GoldPage) and limits.admits(gold))


def _site(gold: GoldPage) -> _Site:
    return gold.corpus, gold.site


def _answers(
    extractor: SiteExtractor, site: Mapping[int, Page], seconds: float
) -> Iterator[tuple[int, Attempt[Answer]]]:
    reader, milliseconds = timed(lambda: extractor.fit(tuple(site.values())))
    for number, page in site.items():
        found = attempt(seconds, partial(timed_answer, reader, page))
        # An answer's time includes its share of the time for the site.
        yield number, found if found.error else found._replace(ms=found.ms + milliseconds / len(site))


def timed_answer(reader: SiteReader, page: Page) -> tuple[Answer, float]:
    """Return what a reader keeps of a page, and the milliseconds until its text was ready."""

    def extract() -> Extraction:
        extraction = reader.extract(page)
        _ = extraction.text  # rendered on first use, then cached
        return extraction

    extraction, milliseconds = timed(extract)
    if isinstance(reader, SegmentingExtractor):
        segments = reader.segments(page)
        return Answer(Text("\n".join(text for _, text in segments)), marked(segments)), milliseconds
    return answer_of(extraction), milliseconds


def create_all(extractors: Mapping[str, Mapping[str, Any]]) -> dict[str, Extractor]:
    """Return the extractors by what they are called in the run: their names, perhaps with options behind a colon."""
    return {called: create_extractor(called.partition(":")[0], **options) for called, options in extractors.items()}
