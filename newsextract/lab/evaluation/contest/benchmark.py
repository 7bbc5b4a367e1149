"""All pages of some corpora before all extractors, over processes; the figures do not depend on how many."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from newsextract.lab.evaluation.contest.contest import Contest, PageResult
from newsextract.lab.evaluation.contest.page_pool import Judging, Limits, split_languages
from newsextract.lab.evaluation.contest.site_answers import answer_sites
from newsextract.lab.evaluation.corpora.corpus_statistics import CorpusStatistics

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from newsextract.lab.evaluation.corpora.corpora import BadRecord

__all__ = ["Limits", "Run", "run_contest"]


@dataclass
class Run:
    """What a run found, pages in the order of the corpora."""

    pages: list[PageResult] = field(default_factory=list)
    bad_records: list[BadRecord] = field(default_factory=list)
    statistics: CorpusStatistics = field(default_factory=CorpusStatistics)

    def split_languages(self, corpora: Collection[str]) -> None:
        """Take each language of these corpora for a corpus of its own."""
        split_languages(self.pages, corpora)


def run_contest(
    paths: Sequence[Path],
    extractors: Mapping[str, Mapping[str, Any]],
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    on_page: Callable[[PageResult], None] = lambda _: None,
) -> Run:
    """Judge every page of the corpora; raises what `read_corpus` and `create_extractor` raise."""
    limits = limits or Limits()
    Contest(extractors, limits.seconds)  # a wrong name is an error here, before any page is read
    create = partial(Contest, extractors, limits.seconds, answer_sites(paths, extractors, limits))
    run = Run()

    def keep(page: PageResult) -> None:
        run.pages.append(page)
        run.statistics.merge(page.statistics)
        on_page(page)

    Judging(paths, create, limits, run.bad_records).run(jobs, keep)
    run.pages.sort(key=lambda page: page.number)
    return run
