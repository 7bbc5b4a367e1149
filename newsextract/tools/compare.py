"""The verb `compare`: what each extractor keeps of a page, in the terminal and as one self-contained HTML file.

Nothing is loaded by the file, and only its own script may run. `agreement` counts, `marked_page` writes the pages.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from importlib import resources
from itertools import combinations
from pathlib import Path
from statistics import fmean
from string import Template
from typing import TYPE_CHECKING, Annotated, Any

import typer

from newsextract.terminal import DONE, NOTHING, Refusal, console, say, table, verb
from newsextract.tools.project import Given, check_urls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extractor
    from newsextract.reading.metadata.clues import Metadata
    from newsextract.tools.agreement import Agreement, Stretch

MAX_EXCERPT_CHARS = 280
"""Characters of a disputed stretch in the list; the page beside it shows all of it."""

MOST_PAGES = 10
"""Pages listed as those on which extractors differ most."""

MAX_SHEETS = 40
"""Style sheets fetched for one page."""


@verb(
    "newsextract compare https://example.com/story.html",
    "newsextract compare story.html -x auto,mss --html out.html",
    nothing="a page cannot be read; the others are compared",
)
def compare(
    pages: Annotated[list[str], typer.Argument(metavar="PAGE", help="URLs, files, or - for standard input")],
    extractors: Annotated[
        str | None,
        typer.Option("-x", "--extractors", metavar="NAMES", help="as in auto,mss; else all that read a page alone"),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="write the pages in colour there, as one file")
    ] = None,
    with_styles: Annotated[
        bool, typer.Option("--with-styles", help="fetch the style sheets that the pages link")
    ] = False,
    url: Annotated[str | None, typer.Option(help="the page's own URL, for a file or standard input")] = None,
    given: Given = None,
) -> int:
    """Show what each extractor keeps of a page, side by side, and how far they agree."""
    from newsextract.tools.pages import Source, fetching_of, load, why_unread

    check_urls(*pages, url)
    if url and len(pages) > 1:
        raise Refusal("--url is the URL of one page")
    if html and (html.is_dir() or not html.absolute().parent.is_dir()):
        raise Refusal(f"--html: {html} is a folder, or its folder is not there")
    chosen = _extractors(extractors)
    fetching = fetching_of("", None, given)
    compared = []
    for name in pages:
        try:
            page = load(Source(name, url), fetching)
        except (ValueError, OSError) as error:
            say(f"{name}: {why_unread(error)}")
        else:
            compared.append(compare_page(Compared(name, page, _sheets(page, fetching) if with_styles else {}), chosen))
    if compared:
        _print_summary(compared, summarise(compared))
        for result in compared:
            _print_result(result)
    if compared and html:
        html.write_text(report_page(compared), encoding="utf-8")
    return DONE if len(compared) == len(pages) else NOTHING


def _extractors(names: str | None) -> dict[str, Extractor]:
    from newsextract.reading.extraction.contract import create_extractor
    from newsextract.tools.agreement import comparable_names

    chosen = [name.strip() for name in names.split(",")] if names is not None else comparable_names()
    return {name: create_extractor(name) for name in chosen}


def _sheets(page: Page, fetching: Mapping[str, Any]) -> dict[int, str]:
    """Return the style sheets that a page links, by the number of their `link` element.

    One that cannot be fetched is left out; the page is shown without it, as in a browser.
    """
    from newsextract.sites.fetching import PageFetcher
    from newsextract.tools.marked_page import MAX_SHEET_CHARS, linked_sheets

    fetcher = PageFetcher(**{**fetching, "max_bytes": MAX_SHEET_CHARS})
    found = {}
    for number, url in list(linked_sheets(page).items())[:MAX_SHEETS]:
        try:
            found[number] = fetcher.answer(url).body.decode("utf-8", "replace")
        except OSError as error:
            say(f"left out the style sheet {url}: {error}")
    return found


@dataclass(frozen=True)
class Compared:
    """A page to compare extractors on."""

    name: str
    """The user's name for it: a URL, a file, or `-`."""
    page: Page
    sheets: Mapping[int, str] = field(default_factory=dict)
    """The style sheets fetched for it, by the number of their `link` element."""


def compare_page(source: Compared, extractors: Mapping[str, Extractor]) -> dict[str, Any]:
    """Return what each extractor kept of a page, and how far they agree."""
    from newsextract.evaluation.report_html import web_address
    from newsextract.page.text import count_words
    from newsextract.reading.metadata.precedence import read_metadata
    from newsextract.tools.agreement import Agreement, answers_of, parse_ms
    from newsextract.tools.marked_page import MarkedPage

    page = source.page
    found = Agreement(page, answers_of(page, extractors))
    metadata = read_metadata(page)
    blocks = page.outline.table.texts
    return {
        "name": source.name,
        "url": web_address(page.url),
        "title": metadata.headline or " ".join((page.tree.findtext(".//title") or "").split()) or source.name,
        "language": metadata.inLanguage,
        "words": count_words("\n".join(blocks)),
        # A block's text, the numbers of the extractors that kept it, and how many words it has.
        "blocks": [
            [text, kept.nonzero()[0].tolist(), count_words(text)]
            for text, kept in zip(blocks, found.blocks_kept.T, strict=True)
        ],
        "parse_ms": round(parse_ms(page), 2),
        "html": MarkedPage(page, found.runs_kept, source.sheets).html(),
        "voters": list(found.voters),
        "unanimity": found.unanimity,
        "start": found.majority_blocks[0] if found.majority_blocks else None,
        "extractors": [_row(found, number, metadata) for number in range(len(found.answers))],
        "pairs": [[round(value, 4) for value in row] for row in found.pairs],
        "disputed": [_disputed(found, stretch) for stretch in found.disputed],
    }


def _row(found: Agreement, number: int, metadata: Metadata) -> dict[str, Any]:
    from newsextract.page.text import count_words
    from newsextract.tools.agreement import CONTROLS, agreement

    answer = found.answers[number]
    extraction = answer.extraction
    confidence = extraction.confidence
    return {
        "name": answer.name,
        "control": answer.name in CONTROLS,
        "words": count_words(extraction.text),
        "blocks": int(found.blocks_kept[number].sum()),
        "majority": round(agreement(found.texts[number], found.majority), 4) if found.voters else None,
        "confidence": round(confidence, 4) if math.isfinite(confidence) else None,
        "ms": round(answer.ms, 2),
        "error": answer.error,
        "no_vote": found.refusals[number],
        "notes": list(extraction.warnings),
        "article": _article(found.page, extraction, metadata),
    }


def _article(page: Page, extraction: Any, metadata: Metadata) -> dict[str, Any]:
    from newsextract.reading.kinds import judge
    from newsextract.reading.reader import compose

    article = compose(page, extraction, metadata, kind=judge(page, extraction, metadata))
    return {
        "headline": article.headline,
        "published": article.datePublished,
        "modified": article.dateModified,
        "authors": [author.name for author in article.authors or ()],
        "publisher": article.publisher,
        "kind": article.metadata.pageKind if article.metadata else None,
        "body": _body(article.articleBodyHtml or ""),
    }


def _body(html: str) -> str:
    """Return an article's HTML without pictures, which would be fetched, and with links that open another tab."""
    import nh3

    from newsextract.page.rendering.renderer import ATTRIBUTES, TAGS

    return nh3.clean(
        html,
        tags=set(TAGS - {"img"}),
        attributes={tag: names for tag, names in ATTRIBUTES.items() if tag not in ("img", "code")},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def _disputed(found: Agreement, stretch: Stretch) -> dict[str, Any]:
    from newsextract.page.text import count_words

    text = " ".join(found.page.outline.table.texts[stretch.first : stretch.last + 1])
    excerpt = text if len(text) <= MAX_EXCERPT_CHARS else f"{text[:MAX_EXCERPT_CHARS]}…"
    keepers = [number for number in stretch.keepers if number in found.voters]
    return {"first": stretch.first, "last": stretch.last, "by": keepers, "words": count_words(text), "text": excerpt}


def summarise(pages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the summary of the results of `compare_page`, which all have the same extractors in the same order.

    Agreement is counted on the pages on which both have a vote.
    """
    from newsextract.tools.agreement import RULE

    names = [row["name"] for row in pages[0]["extractors"]]
    rows = [_row_of_all(pages, number, name) for number, name in enumerate(names)]
    pairs = [pair for pair in (_pair(pages, *two) for two in combinations(range(len(names)), 2)) if pair["pages"]]
    differing = [
        {"page": number, "unanimity": page["unanimity"], "words": sum(each["words"] for each in page["disputed"])}
        for number, page in enumerate(pages)
        if page["unanimity"] is not None
    ]
    differing.sort(key=lambda one: (one["unanimity"], -one["words"]))
    return {
        "extractors": rows,
        "pairs": sorted(pairs, key=lambda pair: -pair["f1"]),
        "unanimity": _mean(one["unanimity"] for one in differing),
        "differing": differing[:MOST_PAGES],
        # The two to begin with: `comparable_names` has `auto` first.
        "opening": sorted(range(len(rows)), key=lambda number: not rows[number]["votes"])[:2],
        "rule": RULE,
    }


def _row_of_all(pages: Sequence[Mapping[str, Any]], number: int, name: str) -> dict[str, Any]:
    own = [page["extractors"][number] for page in pages]
    return {
        "name": name,
        "votes": sum(not row["no_vote"] for row in own),
        "majority": _mean(row["majority"] for row in own if row["majority"] is not None),
        "ms": _mean(row["ms"] for row in own if row["error"] is None),
        "failures": sum(row["error"] is not None for row in own),
        # Without the figures, which differ from page to page.
        "reasons": Counter(row["no_vote"].partition(":")[0] for row in own if row["no_vote"]).most_common(),
    }


def _pair(pages: Sequence[Mapping[str, Any]], one: int, other: int) -> dict[str, Any]:
    shared = [page["pairs"][one][other] for page in pages if {one, other} <= set(page["voters"])]
    return {"one": one, "other": other, "pages": len(shared), "f1": _mean(shared) or 0.0}


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return round(fmean(found), 4) if found else None


_EVALUATION, _OWN = "newsextract.evaluation", "newsextract.tools"
_STYLES = ((_EVALUATION, "theme.css"), (_OWN, "compare.css"), (_OWN, "panel.css"), (_OWN, "summary.css"))
"""The styles shared by all reports, then this report's own."""
_SCRIPTS = ("model.js", "summary.js", "frame.js", "panel.js", "controls.js")


def report_page(pages: Sequence[Mapping[str, Any]]) -> str:
    """Return the HTML file for the results of `compare_page`, one for each page."""
    from newsextract.evaluation.report_html import broken_safe, script_safe

    script = broken_safe("\n".join(_part(name) for name in _SCRIPTS))
    title = str(pages[0]["title"]) if len(pages) == 1 else f"{len(pages)} pages"
    written = Template(_part("compare.html")).substitute(
        styles="\n".join(_part(name, room) for room, name in _STYLES),
        script=script,
        # The policy names the script's hash: no handler and no other script runs, whatever else the file holds.
        digest=b64encode(sha256(f"\n{script}\n".encode()).digest()).decode(),
        title=escape(title),
        data=script_safe({"pages": list(pages), "summary": summarise(pages)}),
    )
    return broken_safe(written)


def _part(name: str, room: str = _OWN) -> str:
    return (resources.files(room) / "report" / name).read_text(encoding="utf-8")


def _print_summary(pages: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> None:
    """Print who agrees with whom, and on which pages they differ most."""
    names = [row["name"] for row in summary["extractors"]]
    voters = [row["name"] for row in summary["extractors"] if row["votes"]]
    print(f"{len(voters)} of {len(names)} extractors have a vote: {', '.join(voters) or 'nobody'}")
    if len(voters) < 2:
        return
    if summary["unanimity"] is not None:
        print(f"unanimous on {summary['unanimity']:.0%} of what any of them kept")
    ends = {"closest": summary["pairs"][0], "farthest apart": summary["pairs"][-1]}
    for label, pair in list(ends.items())[: len(summary["pairs"])]:
        print(f"{label}: {names[pair['one']]} and {names[pair['other']]}, token F1 {pair['f1']:.3f}")
    if len(pages) > 1:
        for one in summary["differing"][:3]:
            print(f"differ most: {pages[one['page']]['name']}, unanimous on {one['unanimity']:.0%}")


def _print_result(result: Mapping[str, Any]) -> None:
    from rich.markup import escape as plain
    from rich.table import Column

    figures = [Column(name, justify="right") for name in ("words", "F1 majority", "confidence", "ms")]
    title = plain(f"{result['name']}: {result['title']}")
    shown = table("extractor", *figures, Column("remarks", overflow="fold"), title=title, title_justify="left")
    for row in result["extractors"]:
        cells = ["-" if row[name] is None else f"{row[name]:.3f}" for name in ("majority", "confidence")]
        no_vote = [f"no vote: {row['no_vote']}"] if row["no_vote"] else []
        remarks = row["error"] or "; ".join([*no_vote, *row["notes"]])
        shown.add_row(row["name"], str(row["words"]), *cells, f"{row['ms']:.1f}", plain(remarks))
    console().print(shown)
    print(f"{len(result['disputed'])} places where they differ")
