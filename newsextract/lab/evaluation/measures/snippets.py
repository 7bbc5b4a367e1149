"""Hit rates of snippets: what must be in the text, and what must not."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.lab.evaluation.measures.measured_texts import Case, Text


def snippet_scores(kept: Text, case: Case) -> dict[str, float]:
    """Return the shares of the wanted (`includes`) and the unwanted (`excludes`) snippets found; absent without any.

    A snippet is found when the kept text holds it, white space folded, case kept (after trafilatura's evaluation).
    """
    wanted = {"includes": case.includes, "excludes": case.excludes}
    return {name: found_share(kept, snippets) for name, snippets in wanted.items() if snippets}


def found_share(kept: Text, snippets: tuple[str, ...]) -> float:
    """Return the share of the snippets that the text holds."""
    return sum(" ".join(snippet.split()) in kept.folded for snippet in snippets) / len(snippets)
