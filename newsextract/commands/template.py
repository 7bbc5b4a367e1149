"""`scrapy template`: groups a site's pages by structure, shows what `template` extracts, and draws a map."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.commands.command_frame import Described, console, refusing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from newsextract.evaluation.site_structures import SiteStructure

NO_SITE = 1
"""Exit code if no site has enough pages."""


class Command(Described, ScrapyCommand):
    """Groups the pages of sites by structure."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    usage = "[options] <CORPUS|SITE-FOLDER>"
    summary = "Group the pages of a site by structure, and draw what they share"
    details = "SITE-FOLDER holds the .html files of one site; CORPUS is what `scrapy evaluate` takes."
    examples = (
        "scrapy template pages",
        "scrapy template corpus.jsonl --html map.html",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {0: "the pages are grouped", NO_SITE: "no site has five pages or more"}

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        parser.add_argument("--site", metavar="NAME", help="only this site of the corpus")
        parser.add_argument("--choice", choices=("order", "share"), default="order", help="how the body is chosen")
        parser.add_argument("--shares", choices=("nested", "own"), default="nested", help="what a zone's text includes")
        parser.add_argument("--distance", choices=("pqgrams", "edit"), default="pqgrams", help="of two structures")
        parser.add_argument("--pages", type=int, metavar="N", help="read only the first N pages of each site")
        parser.add_argument("--vote", action="store_true", help="let the pages of a group vote on the element")
        parser.add_argument("--html", type=Path, metavar="FILE", help="write a map for people there")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write all results there")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Group, extract, print the table, write the reports."""
        if len(args) != 1:
            raise UsageError("name one corpus, or one folder of pages: scrapy template my-pages.jsonl")
        with refusing(ValueError, ImportError):
            sites = _structures(Path(args[0]), opts)
        if not sites:
            print("no site has five pages or more")
            self.exitcode = NO_SITE
            return
        _print(sites)
        if opts.json:
            opts.json.write_text(json.dumps(sites, ensure_ascii=False))
        if opts.html:
            _write_map(sites, opts.html)


def _write_map(sites: Sequence[SiteStructure], path: Path) -> None:
    from newsextract.evaluation.site_structures import write_site_page  # noqa: PLC0415 - slow to import

    try:
        write_site_page(sites, path)
    except ModuleNotFoundError as error:
        raise UsageError(f"--html needs the module {error.name}: pip install 'newsextract[template]'") from error


def _structures(path: Path, opts: argparse.Namespace) -> list[SiteStructure]:
    from newsextract.evaluation.corpora import read_sites  # noqa: PLC0415 - slow to import
    from newsextract.evaluation.site_structures import read_structure  # noqa: PLC0415 - likewise
    from newsextract.reading.extraction.template import Method  # noqa: PLC0415 - likewise

    method = Method(opts.choice, opts.vote, shares=opts.shares, distance=opts.distance)
    read = (read_structure(site, pages[: opts.pages], method) for site, pages in read_sites(path, opts.site).items())
    return [site for site in read if site is not None]


def _print(sites: Sequence[SiteStructure]) -> None:
    from rich.box import SIMPLE  # noqa: PLC0415 - only where something is printed
    from rich.table import Column, Table  # noqa: PLC0415 - likewise

    figures = ("exactitude", "mean cos", "T = T*", "T ⊂ T*", "T* ⊂ T", "T* = element")
    table = Table(Column("site", overflow="fold"), "pages", "groups", "outliers", *figures, "seconds", box=SIMPLE)
    for site in sites:
        table.add_row(site["site"], *_cells([site]))
    if len(sites) > 1:
        table.add_section()
        table.add_row("all pages", *_cells(sites))
    console().print(table)


def _cells(sites: Sequence[SiteStructure]) -> list[str]:
    """Return the cells of a row: counts, the measures over all pages, and the seconds."""
    from newsextract.evaluation.site_structures import MEASURES, measures_of  # noqa: PLC0415 - slow to import

    means = measures_of(sites)
    counts = [sum(len(site["pages"]) for site in sites), sum(len(site["groups"]) for site in sites)]
    seconds = sum(site["grouping_seconds"] + site["extraction_seconds"] for site in sites)
    figures = ["-" if means is None else f"{means[name]:.3f}" for name in MEASURES]
    return [*map(str, counts), str(sum(site["outliers"] for site in sites)), *figures, f"{seconds:.1f}"]
