"""The verbs that compare: `evaluate` on annotated pages, `compare` on any, and `template`, which groups pages."""

from __future__ import annotations

import json as json_form
import shlex
import sys
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from newsextract.terminal import (
    DONE,
    NOTHING,
    FileToWrite,
    Refusal,
    console,
    console_for,
    say,
    show,
    table,
    verb,
)
from newsextract.tools.project import (
    check_urls,
    database_of,
    fetcher_of,
    is_url,
    settings_of,
    with_settings,
    with_url,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from scrapy.settings import BaseSettings

    from newsextract.evaluation.contest import Limits, Run
    from newsextract.evaluation.corpora import GoldPage
    from newsextract.evaluation.results import GroupKind, Results
    from newsextract.evaluation.site_structures import SiteStructure
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction, Extractor


GROUPS: tuple[GroupKind, ...] = ("corpus", "language", "site")


@verb(
    "newsextract evaluate corpus.jsonl -x auto,eatiht:version=2",
    "newsextract evaluate corpus.jsonl --by site --html report.html",
    nothing="no page could be judged, or broken records were left out",
)
@click.argument(
    "corpora", nargs=-1, required=True, type=Path, metavar="CORPUS ...", help="files and folders of annotated pages"
)
@click.option(
    "-x", "--extractors", metavar="NAMES",
    help="all by default; each perhaps with options, as in eatiht:version=2,mss:scores=model. With --metadata,"
    " of newsextract, trafilatura, readability",
)  # fmt: skip
@click.option("--measures", metavar="NAMES", help="the columns, as cosine,exactitude")
@click.option("--by", default="corpus", metavar="NAMES", help=f"tables by {', '.join(GROUPS)}")
@click.option("--json", type=FileToWrite(), metavar="FILE", help="write all results there")
@click.option("--html", type=FileToWrite(), metavar="FILE", help="write a report for people there")
@click.option("--markdown", type=FileToWrite(), metavar="FILE", help="write the table of the scores there")
@click.option("--metadata", is_flag=True, help="judge headline, date and authors, not bodies")
@click.option("--cases", type=FileToWrite(), metavar="FILE", help="write the differences from the gold there")
@click.option("--page-type", metavar="TYPE", help="of pages whose type is known, judge only this one")
@click.option("--split", metavar="NAMES", help="corpora to take apart by language")
@click.option("--jobs", type=click.IntRange(1), default=1, metavar="N", help="processes")
@click.option(
    "--seconds", type=click.FloatRange(0.001), default=10.0, metavar="SECONDS", help="allowed per page and extractor"
)
def evaluate(
    corpora: tuple[Path, ...], extractors: str | None, measures: str | None, by: str, json: Path | None,
    html: Path | None, markdown: Path | None, metadata: bool, cases: Path | None, page_type: str | None,
    split: str | None, jobs: int, seconds: float,
) -> int:  # fmt: skip
    """Compare extractors on annotated pages.

    CORPUS is a .jsonl (.gz, .xz) file, a folder with html/ and gold/, one with ground-truth.json and html/, or one of
    NAME.json and NAME.html.gz pairs.
    """
    if (cases and not metadata) or (html and metadata):
        raise Refusal("--cases is of metadata; add --metadata" if cases else "--html is of bodies, not of metadata")
    groups = _names(by, GROUPS, "--by")
    from newsextract.evaluation import report_tables
    from newsextract.evaluation.contest import Limits

    if html:
        import jinja2  # noqa: F401 - rather missed now than after an hour
    if cases:
        from newsextract.evaluation.metadata_contest import differences_as_tsv
    run, results = (_metadata if metadata else _bodies)(
        corpora, extractors, Limits(seconds, page_type, jobs), split or ""
    )
    if not any(summary["all"]["measures"] for summary in results["summary"].values()):
        wanted = "a headline, a date or authors" if metadata else "a gold text or snippets"
        broken = next((f"{each.place}: {each.reason}" for each in run.bad_records), None)
        say(f"nothing was measured: {broken or f'no page has {wanted} to compare with'}")
        return NOTHING
    named = _names(measures, results["measures"], "--measures") if measures else []
    show(console(), *report_tables.tables(results, groups, named))
    writers: list[tuple[Path | None, Callable[[], str]]] = [
        (json, lambda: json_form.dumps(results, ensure_ascii=False)),
        (html, lambda: report_tables.html_report(results)),
        (markdown, lambda: report_tables.markdown(results)),
        (cases, lambda: differences_as_tsv(run.pages)),
    ]
    for path, write in writers:
        if path:
            path.write_text(write(), "utf-8")
    for record in run.bad_records:
        say(f"skipped: {record.place}: {record.reason}")
    return NOTHING if run.bad_records else DONE


def _bodies(paths: Sequence[Path], named: str | None, limits: Limits, split: str) -> tuple[Run[Any], Results]:
    """Evaluate extractors."""
    from newsextract.evaluation.contest import run_contest
    from newsextract.evaluation.results import assemble
    from newsextract.reading.extraction.contract import extractor_names

    extractors = _names(named or ",".join(extractor_names()), None, "-x")
    run = _judged(partial(run_contest, paths, extractors), limits, split)
    return run, assemble(run, extractors, _command_line())


def _metadata(paths: Sequence[Path], named: str | None, limits: Limits, split: str) -> tuple[Run[Any], Results]:
    """Evaluate readers of metadata."""
    from newsextract.evaluation.metadata_contest import METADATA, READERS, reader_names, run_metadata
    from newsextract.evaluation.results import results_of

    readers = _names(named, tuple(READERS), "-x") if named else reader_names()
    if missing := [name for name in readers if name not in reader_names()]:
        raise Refusal(f"-x: {', '.join(missing)} needs pip install 'newsextract[evaluate]'")
    run = _judged(partial(run_metadata, paths, readers), limits, split)
    return run, results_of(run, METADATA, readers, _command_line())


def _names(value: str, allowed: Sequence[Any] | None, option: str) -> list[Any]:
    names = [name.strip() for name in value.split(",") if name.strip()]
    wrong = [name for name in names if allowed is not None and name not in allowed]
    if not names:
        raise Refusal(f"{option} names nothing")
    if wrong:
        raise Refusal(f"{option}: {', '.join(wrong)} is not among {', '.join(allowed or ())}")
    return names


def _judged(judge: Callable[..., Run[Any]], limits: Limits, split: str) -> Run[Any]:
    """Return the results of a run, showing its progress."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    errors = console_for(sys.stderr, None)
    with Progress(*columns, console=errors, disable=not errors.is_terminal) as bar:
        task = bar.add_task("pages", total=None)
        run = judge(limits=limits, on_page=lambda _: bar.advance(task))
    run.split_languages({name.strip() for name in split.split(",")})
    return run


def _command_line() -> str:
    return f"newsextract evaluate {shlex.join(sys.argv[2:])}"


@verb(
    "newsextract template example.com",
    "newsextract template corpus.jsonl --html map.html",
    nothing="no site has five pages or more",
)
@click.argument(
    "source", metavar="SITE|CORPUS",
    help="a site whose pages crawls with NEWSEXTRACT_WARC have kept, a corpus, or a folder of .html files",
)  # fmt: skip
@click.option("--site", metavar="NAME", help="only this site of the corpus")
@click.option("--pages", type=click.IntRange(1), metavar="N", help="read only N pages of each site: the newest kept")
@click.option("--html", type=FileToWrite(), metavar="FILE", help="write a map for people there")
@click.option("--json", type=FileToWrite(), metavar="FILE", help="write all results there")
@with_settings
def template(
    source: str, site: str | None, pages: int | None, html: Path | None, json: Path | None, given: tuple[str, ...]
) -> int:
    """Group the pages of a site by structure, show what the extractor template reads, and draw what they share.

    Of a site with kept pages, the article of each page is printed, or why there is none.
    """
    from newsextract.evaluation.corpora import read_sites
    from newsextract.evaluation.site_structures import read_structure, readable, write_site_page
    from newsextract.page.urls import site_of
    from newsextract.settings import WARC

    source = site_of(source) if is_url(source) else source
    settings = None if Path(source).exists() else settings_of(given)  # which needs Scrapy
    folder = WARC.of(settings or {})
    if settings is not None and folder is not None:
        kept = list(_kept_pages(settings, folder, source, pages))
        read = iter([read_structure(source, kept)])
    else:
        try:
            all_sites = read_sites(Path(source), site)
        except ValueError as error:
            raise Refusal(f"{error}; to read a site's kept pages, set {WARC.name}") from error
        read = (read_structure(name, readable(found[:pages])) for name, found in all_sites.items())
    sites = [found for found in read if found is not None]
    if not sites:
        few = "no site has five pages or more"
        say(few if folder is None else f"{source}: {len(kept)} kept pages, and five or more are needed")
        return NOTHING
    _print_structures(sites)
    for page in sites[0]["pages"] if folder is not None else ():
        print(f"\n{page['url']}\n{page['text'] or page['why']}")
    if json:
        json.write_text(json_form.dumps(sites, ensure_ascii=False))
    if html:
        write_site_page(sites, html)
    return DONE


def _kept_pages(settings: BaseSettings, folder: Path, site: str, most: int | None) -> Iterator[tuple[GoldPage, Page]]:
    """Yield the kept pages of a site, the newest of each article; one that cannot be read is told of and left out."""
    from newsextract.evaluation.corpora import GoldPage
    from newsextract.page.page import PageError
    from newsextract.storage.kept_pages import newest_pages, read_kept_pages
    from newsextract.storage.warc_store import UnreadablePage, WarcStore

    store = WarcStore(folder)
    with database_of(settings, "no page is kept", is_named=False) as engine, engine.connect() as connection:
        for kept in read_kept_pages(connection, newest_pages(connection, site=site, limit=most)):
            try:
                page = kept.page(store)
                _ = page.tree
            except (UnreadablePage, PageError) as error:
                say(f"cannot be read: {kept.url}: {error}")
            else:
                yield GoldPage("kept", kept.url, page.html, kept.url, site=site), page


def _print_structures(sites: Sequence[SiteStructure]) -> None:
    from rich.text import Text

    figures = ("exactitude", "mean cos", "T = T*", "T ⊂ T*", "T* ⊂ T", "T* = element")
    shown = table("site", "pages", "groups", "outliers", "answered", *figures, "seconds")
    for site in sites:
        shown.add_row(site["site"], *_cells([site]))
    if len(sites) > 1:
        shown.add_section()
        shown.add_row("all pages", *_cells(sites))
    zones = table("site", "element of the body", "pages")
    for site in sites:
        for element, count in site["zones"].items():
            zones.add_row(site["site"], Text(element), str(count))
    show(console(), shown, *([zones] if len(sites) == 1 else []))


def _cells(sites: Sequence[SiteStructure]) -> list[str]:
    """Return the cells of a row: counts, the measures over all pages, and the seconds."""
    from newsextract.evaluation.site_structures import MEASURES, measures_of

    means = measures_of(sites)
    pages = sum(len(site["pages"]) for site in sites)
    answered = sum(site["answered"] * len(site["pages"]) for site in sites) / pages
    counts = [pages, sum(len(site["groups"]) for site in sites)]
    seconds = sum(site["seconds"] for site in sites)
    figures = ["-" if means is None else f"{means[name]:.3f}" for name in MEASURES]
    return [
        *map(str, counts),
        str(sum(site["outliers"] for site in sites)),
        f"{answered:.0%}",
        *figures,
        f"{seconds:.1f}",
    ]


# The verb `compare`: what each extractor keeps of a page, and how far they agree: in the terminal, and as HTML.
#
# A block counts as kept by an extractor that kept more than half of its characters. The majority is the text of the
# blocks that more than half of the voters kept. Without a vote are controls, and those that kept nothing of the page.

CONTROL = "everything"
"""The extractor that makes no choice: shown beside the others, but without a vote."""

SECONDS = 20.0
"""An extractor that takes longer over one page is stopped."""

_SMALL_PAGE = "<html><body><article><h1>Title</h1><p>One sentence, to begin with.</p></article></body></html>"
"""A page for the first call of an extractor, which loads packages and weights."""


@verb(
    "newsextract compare https://example.com/story.html",
    "newsextract compare story.html -x auto,mss --html out.html",
    nothing="a page cannot be read; the others are compared",
)
@click.argument("pages", nargs=-1, required=True, metavar="PAGE ...", help="URLs, files, or - for standard input")
@click.option("-x", "--extractors", metavar="NAMES", help="as in auto,mss; else all that read a page alone")
@click.option("--html", type=FileToWrite(), metavar="FILE", help="write the texts there, side by side, as one file")
@with_url
@with_settings
def compare(
    pages: tuple[str, ...], extractors: str | None, html: Path | None, url: str | None, given: tuple[str, ...]
) -> int:
    """Show what each extractor keeps of a page, side by side, and how far they agree."""
    from newsextract.reading.extraction.contract import create_reader
    from newsextract.tools.pages import Source, load, why_unread

    check_urls(*pages)
    if url and len(pages) > 1:
        raise Refusal("--url is the URL of one page")
    names = [name.strip() for name in extractors.split(",")] if extractors is not None else comparable_names()
    chosen = {name: create_reader(name) for name in names}
    fetcher = fetcher_of(given)
    compared = []
    for name in pages:
        try:
            compared.append(compare_page(name, load(Source(name, url), fetcher), chosen))
        except (ValueError, OSError) as error:
            say(f"{name}: {why_unread(error, name)}")
    for result in compared:
        _print(result)
    if compared and html:
        html.write_text(report_page(compared), encoding="utf-8")
    return DONE if len(compared) == len(pages) else NOTHING


def comparable_names() -> list[str]:
    """Return the names of the installed extractors that read a page alone, `auto` first, the control last."""
    from newsextract.reading.extraction.contract import reader_names

    return sorted(reader_names(), key=lambda name: (name == CONTROL, name != "auto", name))


def compare_page(
    name: str, page: Page, extractors: Mapping[str, Extractor], seconds: float = SECONDS
) -> dict[str, Any]:
    """Return what each extractor kept of a page, and how far they agree as token F1; `name` is the user's for it."""
    from newsextract.evaluation.contest import attempt
    from newsextract.evaluation.measures import Text, token_scores
    from newsextract.page.text import count_words
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata.precedence import read_metadata

    blocks = page.outline.table.texts  # parsed once for all, before the first extractor is timed
    answers = [attempt(seconds, partial(_answer, extractor, page)) for extractor in extractors.values()]
    found = [answer.answer or Extraction(each) for each, answer in zip(extractors, answers, strict=True)]
    kept = [kept_blocks(page, extraction) for extraction in found]
    refusals = [_refusal(*each) for each in zip(extractors, found, kept, strict=True)]
    voters = [number for number, reason in enumerate(refusals) if not reason]
    votes = [sum(block in kept[number] for number in voters) for block in range(len(blocks))]
    majority = Text("\n".join(text for text, count in zip(blocks, votes, strict=True) if 2 * count > len(voters)))
    texts = [Text(extraction.text) for extraction in found]
    any_chars = sum(len(text) for text, count in zip(blocks, votes, strict=True) if count)
    all_chars = sum(len(text) for text, count in zip(blocks, votes, strict=True) if count == len(voters))
    title = " ".join((page.tree.findtext(".//title") or "").split())
    return {
        "name": name,
        "title": read_metadata(page).headline or title or name,
        "words": count_words("\n".join(blocks)),
        # A block's text, and the numbers of the extractors that kept it.
        "blocks": [(text, [each for each, own in enumerate(kept) if at in own]) for at, text in enumerate(blocks)],
        "unanimity": all_chars / any_chars if any_chars else None,
        "disputed": sum(0 < count < len(voters) for count in votes),
        "extractors": [
            {
                "name": each,
                "words": count_words(extraction.text),
                "majority": token_scores(text, majority)["token_f1"] if voters else None,
                "pairs": [token_scores(text, other)["token_f1"] for other in texts],
                "confidence": extraction.confidence,
                "ms": answer.ms,
                "remarks": answer.error or "; ".join(filter(None, (refusal, *map(str, extraction.warnings)))),
            }
            for each, extraction, answer, text, refusal in zip(extractors, found, answers, texts, refusals, strict=True)
        ],
    }


def _answer(extractor: Extractor, page: Page) -> tuple[Extraction, float]:
    from newsextract.evaluation.contest import timed
    from newsextract.page.page import Page

    extractor.extract(Page(_SMALL_PAGE))
    extraction, milliseconds = timed(lambda: extractor.extract(page))
    _ = extraction.text  # rendered here, so that a failure to render counts as the extractor's
    return extraction, milliseconds


def kept_blocks(page: Page, extraction: Extraction) -> set[int]:
    """Return the numbers of the page's blocks that an extraction holds.

    Text that is not in the page's own blocks, such as a body from its JSON-LD, is in none of them.
    """
    outline = page.outline
    own = [block for block in extraction.blocks if block.outline.elements is outline.elements]  # masked ones share them
    runs = {run for block in own for run in range(block.start, block.stop)}
    sizes = [len(run.strip()) for run in outline.runs]
    total = [0, *accumulate(sizes)]
    kept = [0, *accumulate(size * (run in runs) for run, size in enumerate(sizes))]
    spans = enumerate(zip(outline.table.starts, outline.table.stops, strict=True))
    return {at for at, (start, stop) in spans if 2 * (kept[stop] - kept[start]) > total[stop] - total[start]}


def _refusal(name: str, extraction: Extraction, kept: set[int]) -> str:
    """Return why an extractor has no vote; an empty string for one that has."""
    if name == CONTROL:
        return "no vote: control, chooses nothing"
    if not extraction:
        return "no vote: kept nothing"
    return "" if kept else "no vote: its text is not on the page itself"


def report_page(pages: Sequence[Mapping[str, Any]]) -> str:
    """Return the HTML file for the results of `compare_page`."""
    from newsextract.evaluation.report_tables import filled

    return filled("compare.html", pages=pages, names=[row["name"] for row in pages[0]["extractors"]])


def _print(result: Mapping[str, Any]) -> None:
    from rich.markup import escape as plain
    from rich.table import Column

    figures = [Column(name, justify="right", no_wrap=True) for name in ("words", "F1 majority", "confidence", "ms")]
    shown = table("extractor", *figures, Column("remarks"))
    for row in result["extractors"]:
        cells = ["-" if value is None else f"{value:.3f}" for value in (row["majority"], row["confidence"])]
        shown.add_row(row["name"], str(row["words"]), *cells, f"{row['ms']:.1f}", plain(row["remarks"]))
    print(f"{result['name']}: {result['title']}", flush=True)
    show(console(), shown)
    unanimous = "" if result["unanimity"] is None else f"; unanimous on {result['unanimity']:.0%} of what any kept"
    print(f"they differ on {result['disputed']} of {len(result['blocks'])} blocks{unanimous}")
