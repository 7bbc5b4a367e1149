"""Compare extractors on a page as plain values, and write the report, one self-contained HTML file.

Nothing is loaded by the file, and only its own script may run.
"""

from __future__ import annotations

import math
from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from importlib import resources
from string import Template
from typing import TYPE_CHECKING, Any

import nh3

from newsextract.evaluation.report_html import broken_safe, script_safe, web_address
from newsextract.page.rendering.renderer import ATTRIBUTES, TAGS
from newsextract.page.text import count_words
from newsextract.reading.kinds import judge
from newsextract.reading.metadata.precedence import read_metadata
from newsextract.reading.reader import compose
from newsextract.tools.comparing.agreement import Agreement, agreement
from newsextract.tools.comparing.extractor_answers import answers_of, parse_ms
from newsextract.tools.comparing.marked_page import MarkedPage
from newsextract.tools.comparing.summary import summarise
from newsextract.tools.comparing.voting import CONTROLS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from newsextract.page.outline import Booleans
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extractor
    from newsextract.reading.metadata.clues import Metadata
    from newsextract.tools.comparing.agreement import Stretch
    from newsextract.tools.comparing.extractor_answers import Answer

MAX_EXCERPT_CHARS = 280
"""Characters of a disputed stretch in the list; the page beside it shows all of it."""


@dataclass(frozen=True)
class Source:
    """A page to compare extractors on."""

    name: str
    """The user's name for it: a URL, a file, or `-`."""
    page: Page
    sheets: Mapping[int, str] = field(default_factory=dict)
    """The style sheets fetched for it, by the number of their `link` element."""


def compare(source: Source, extractors: Mapping[str, Extractor]) -> dict[str, Any]:
    """Return what each extractor kept of a page, and how far they agree."""
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
        "blocks": [_block(text, kept) for text, kept in zip(blocks, found.blocks_kept.T, strict=True)],
        "parse_ms": round(parse_ms(page), 2),
        "html": MarkedPage(page, found.runs_kept, source.sheets).html(),
        "voters": list(found.voters),
        "unanimity": found.unanimity,
        "start": found.majority_blocks[0] if found.majority_blocks else None,
        "extractors": [_row(found, number, metadata) for number in range(len(found.answers))],
        "pairs": [[round(value, 4) for value in row] for row in found.pairs],
        "disputed": [_disputed(found, stretch) for stretch in found.disputed],
    }


def _block(text: str, kept: Booleans) -> list[Any]:
    """Return a block's text, the numbers of the extractors that kept it, and how many words it has."""
    return [text, kept.nonzero()[0].tolist(), count_words(text)]


def _row(found: Agreement, number: int, metadata: Metadata) -> dict[str, Any]:
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
        "article": _article(found.page, answer, metadata),
    }


def _article(page: Page, answer: Answer, metadata: Metadata) -> dict[str, Any]:
    article = compose(page, answer.extraction, metadata, kind=judge(page, answer.extraction, metadata))
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
    return nh3.clean(
        html,
        tags=set(TAGS - {"img"}),
        attributes={tag: names for tag, names in ATTRIBUTES.items() if tag not in ("img", "code")},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def _disputed(found: Agreement, stretch: Stretch) -> dict[str, Any]:
    text = " ".join(found.page.outline.table.texts[stretch.first : stretch.last + 1])
    excerpt = text if len(text) <= MAX_EXCERPT_CHARS else f"{text[:MAX_EXCERPT_CHARS]}…"
    keepers = [number for number in stretch.keepers if number in found.voters]
    return {"first": stretch.first, "last": stretch.last, "by": keepers, "words": count_words(text), "text": excerpt}


_EVALUATION, _OWN = "newsextract.evaluation", __package__
_STYLES = ((_EVALUATION, "theme.css"), (_OWN, "compare.css"), (_OWN, "panel.css"), (_OWN, "summary.css"))
"""The styles shared by all reports, then this report's own."""
_SCRIPTS = ("model.js", "summary.js", "frame.js", "panel.js", "controls.js")


def report_page(pages: Sequence[Mapping[str, Any]]) -> str:
    """Return the file for the results of `compare`, one for each page."""
    script = broken_safe("\n".join(_part(name) for name in _SCRIPTS))
    written = Template(_part("compare.html")).substitute(
        styles="\n".join(_part(name, room) for room, name in _STYLES),
        script=script,
        # The policy names the script's hash: no handler and no other script runs, whatever else the file holds.
        digest=b64encode(sha256(f"\n{script}\n".encode()).digest()).decode(),
        title=escape(_title(pages)),
        data=script_safe({"pages": list(pages), "summary": summarise(pages)}),
    )
    return broken_safe(written)


def _title(pages: Sequence[Mapping[str, Any]]) -> str:
    return str(pages[0]["title"]) if len(pages) == 1 else f"{len(pages)} pages"


def write_report_page(pages: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write the report to a file."""
    path.write_text(report_page(pages), encoding="utf-8")


def _part(name: str, room: str = _OWN) -> str:
    return (resources.files(room) / "report" / name).read_text(encoding="utf-8")
