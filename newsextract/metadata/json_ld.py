"""JSON-LD: what the site tells search engines, the most complete source and the best kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.metadata.clues import Clues
from newsextract.metadata.findings import Findings
from newsextract.metadata.json_text import load_values
from newsextract.metadata.schema_article import choose_nodes, rank_of
from newsextract.metadata.schema_fields import read_graph
from newsextract.metadata.schema_nodes import Graph, text_of

if TYPE_CHECKING:
    from newsextract.page import Page

_MAX_CHARS = 1_000_000
"""JSON-LD read per page, about 20 ms of parsing: articles have a few thousand characters of it."""


def read(clues: Clues) -> Findings:
    """Return what the page's JSON-LD says about its article."""
    values, warnings = _values(clues)
    findings = read_graph(values, clues)
    return Findings(findings.candidates, (*warnings, *findings.warnings), findings.types)


def article_body(page: Page) -> str | None:
    """Return the body of the page's article, text or HTML, where its JSON-LD has it."""
    clues = Clues(page)
    nodes, _ = choose_nodes(Graph(_values(clues)[0]), clues)
    bodies = (text_of(node.get("articleBody")) for node in nodes if rank_of(node) == 0)
    return next(filter(None, bodies), None)


def _values(clues: Clues) -> tuple[list[object], list[str]]:
    """Return what the page's JSON-LD scripts hold, and what could not be read of them."""
    values: list[object] = []
    warnings: list[str] = []
    remaining_chars = _MAX_CHARS
    for text in _scripts(clues):
        if len(text) > remaining_chars:
            warnings.append(f"{len(text)} characters are too many to read")
            continue
        remaining_chars -= len(text)
        found = load_values(text)
        if not found:
            warnings.append(f"broken beyond repair: {text.strip()[:60]!r}")
        values += found
    return values, warnings


def _scripts(clues: Clues) -> list[str]:
    """Return the non-blank texts of the page's JSON-LD scripts."""
    scripts = (el for el in clues.elements["script"] if "ld+json" in el.get("type", "").lower())
    return [text for el in scripts if (text := el.text) and text.strip()]
