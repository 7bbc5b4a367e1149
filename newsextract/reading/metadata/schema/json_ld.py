"""JSON-LD: what the site tells search engines, the most complete source and the best kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.reading.metadata.findings import Findings
from newsextract.reading.metadata.page_clues import Clues
from newsextract.reading.metadata.schema.schema_article import choose_nodes, rank_of
from newsextract.reading.metadata.schema.schema_fields import read_graph
from newsextract.reading.metadata.schema.schema_nodes import text_of

if TYPE_CHECKING:
    from newsextract.page.page import Page


def read(clues: Clues) -> Findings:
    """Return what the page's JSON-LD says about its article."""
    data = clues.linked_data
    findings = read_graph(data.graph, clues)
    return Findings(findings.candidates, (*data.warnings, *findings.warnings), findings.types)


def article_body(page: Page) -> str | None:
    """Return the body of the page's article, text or HTML, where its JSON-LD has it."""
    clues = Clues(page)
    nodes, _ = choose_nodes(clues.linked_data.graph, clues)
    bodies = (text_of(node.get("articleBody")) for node in nodes if rank_of(node) == 0)
    return next(filter(None, bodies), None)
