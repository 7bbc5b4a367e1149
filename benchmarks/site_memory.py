"""Measures what site memory gains: token F1 with and without it on sites of corpora, its time and its size.

python benchmarks/site_memory.py CORPUS.jsonl.xz ... [-x auto] [--weights FILE] [--least 10]

The pages of a site arrive in the order of the corpus. `alone` is the extractor without memory, `arriving` with what it
learned from the pages before. Weights trained without these corpora show what to expect on sites that nobody has
annotated; make them with
`python -m training CORPORA --without xmu,daniel,trafilatura --weights FILE`.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract import Page, create_extractor
from newsextract.evaluation.corpora import GoldPage, read_corpus
from newsextract.evaluation.measures import Text, token_scores
from newsextract.reading.memory import SiteMemory, pack
from newsextract.reading.page_groups import observe, page_print_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from newsextract.reading.extraction.contract import Extractor


@dataclass
class Figures:
    """The F1 of each page of a site without and with memory, the seconds per page, and the size of the memory."""

    alone: list[float] = field(default_factory=list)
    arriving: list[float] = field(default_factory=list)
    recalling: list[float] = field(default_factory=list)
    learning: list[float] = field(default_factory=list)
    groups: int = 0
    size: int = 0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("-x", "--extractor", default="auto")
    parser.add_argument("--weights", default="", help="weights of `auto`, instead of those of the package")
    parser.add_argument("--least", type=int, default=10, help="pages of a site from which on it counts")
    options = parser.parse_args()
    with_weights = {"weights": options.weights} if options.weights else {}
    plain = create_extractor(options.extractor, **with_weights)
    knowing = plain if plain.name == "auto" else create_extractor(options.extractor, cleaning="site_memory")
    found = {}
    print(f"{'site':24}{'pages':>6}{'alone':>9}{'arriving':>9}{'gain':>9}{'groups':>7}{'kB':>6}")
    for site, pages in sites(options.corpora, options.least):
        found[site] = figures = measure(site, pages, plain, knowing)
        alone, arriving = statistics.mean(figures.alone), statistics.mean(figures.arriving)
        scores = f"{alone:9.4f}{arriving:9.4f}{arriving - alone:+9.4f}"
        print(f"{site[:23]:24}{len(pages):6}{scores}{figures.groups:7}{figures.size / 1000:6.0f}")
    summarise(list(found.values()))


def sites(corpora: Iterable[Path], least: int) -> Iterable[tuple[str, list[GoldPage]]]:
    """Yield the sites that have enough annotated pages, with these."""
    for corpus in corpora:
        pages = defaultdict(list)
        for page in read_corpus(corpus):
            if isinstance(page, GoldPage) and page.text is not None and page.site:
                pages[page.site].append(page)
        yield from ((site, held) for site, held in pages.items() if len(held) >= least)


def measure(site: str, golds: Sequence[GoldPage], plain: Extractor, knowing: Extractor) -> Figures:
    """Return the figures of one site."""
    memory, figures = SiteMemory(site), Figures()
    for gold in golds:
        page = Page(gold.html, gold.url)
        figures.alone.append(f1(plain, page, gold))  # also parses the page, before any time is taken
        gc.disable()
        started = time.process_time()
        page_print = page_print_of(page)
        page.evidence = memory.look_up(page_print).evidence
        figures.recalling.append(time.process_time() - started)
        extraction = knowing.extract(page)
        started = time.process_time()
        memory.learn(observe(page, page_print, extraction))
        figures.learning.append(time.process_time() - started)
        gc.enable()
        figures.arriving.append(token_scores(Text(extraction.text), Text(gold.text or ""))["token_f1"])
    figures.groups, figures.size = len(memory.groups), len(pack(memory))
    return figures


def f1(extractor: Extractor, page: Page, gold: GoldPage) -> float:
    """Return the token F1 of one page."""
    return token_scores(Text(extractor.extract(page).text), Text(gold.text or ""))["token_f1"]


def summarise(figures: Sequence[Figures]) -> None:
    """Print the means over sites and over pages, the worst site, and the time taken."""
    by_site = [(1 - statistics.mean(f.alone), 1 - statistics.mean(f.arriving)) for f in figures]
    pages = [(1 - a, 1 - b) for f in figures for a, b in zip(f.alone, f.arriving, strict=True)]
    for unit, errors in (("sites", by_site), ("pages", pages)):
        before, after = (statistics.mean(column) for column in zip(*errors, strict=True))
        share = 1 - after / before if before else 0.0
        print(f"over {unit}: error {before:.4f} -> {after:.4f}, {share:+.1%} of it gone")
    print(f"worst site {min(before - after for before, after in by_site):+.4f}")
    for verb in ("recalling", "learning"):
        costs = [seconds * 1000 for f in figures for seconds in getattr(f, verb)]
        print(
            f"{verb}: {statistics.median(costs):.2f} ms a page in the median, {statistics.mean(costs):.2f} in the mean"
        )


if __name__ == "__main__":
    main()
