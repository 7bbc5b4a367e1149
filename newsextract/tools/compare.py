"""The verb `compare`: what each extractor keeps of a page, and how far they agree: in the terminal, and as HTML.

A block counts as kept by an extractor that kept more than half of its characters. The majority is the text of the
blocks that more than half of the voters kept. Without a vote are controls, and those that kept nothing of the page.
"""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from newsextract.terminal import DONE, NOTHING, FileToWrite, Refusal, console, say, show, table, verb
from newsextract.tools.project import check_urls, fetcher_of, with_settings, with_url

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction, Extractor

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
    from newsextract.evaluation.judging import attempt
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
    from newsextract.evaluation.judging import timed
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
    from newsextract.evaluation.report_html import filled

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
