"""All measures of one answer, including those of snippets and edits."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from rapidfuzz.distance import Indel

from newsextract.lab.evaluation.measures.cleaneval import CleanEval, marked
from newsextract.lab.evaluation.measures.measured_texts import Answer, Case, Text
from newsextract.lab.evaluation.measures.shingle_scores import shingle_scores
from newsextract.lab.evaluation.measures.token_scores import cosine_scores, is_judgeable, token_accuracy, token_scores

if TYPE_CHECKING:
    from newsextract.reading.extraction.contract import Extraction

MEASURES = (
    "token_f1", "token_precision", "token_recall", "token_accuracy",
    "cleaneval_f", "cleaneval_p", "cleaneval_r", "cleaneval_tag_f",
    "shingle_precision", "shingle_recall", "exact",
    "cosine", "exactitude", "equal", "inside", "around",
    "edit_similarity", "includes", "excludes",
    "cleaneval_aligned", "cleaneval_kept", "cleaneval_wanted",
)  # fmt: skip
"""The measures of a page, each from 0 to 1, and three counts; averages of pages have some more."""

_LINE_MARKS = {"li": "l", "dt": "l", "dd": "l", **{f"h{level}": "h" for level in range(1, 7)}}


def answer_of(extraction: Extraction) -> Answer:
    """Return an extraction in the form of the measures: headings are `<h>`, items `<l>`, other blocks `<p>`."""
    segments = [(_LINE_MARKS.get(block.tag, "p"), block.text) for block in extraction.blocks]
    return Answer(Text(extraction.text), marked(segments))


class Judge:
    """Measures answers for one page; what depends on the page alone is computed once."""

    def __init__(self, case: Case) -> None:
        self.case = case

    @cached_property
    def is_fair(self) -> bool:
        """Whether the page shows enough of its gold for an extractor to find it."""
        return self.case.gold is None or is_judgeable(self.case.gold, self.case.visible)

    @cached_property
    def _cleaneval(self) -> CleanEval:
        gold = self.case.gold_marked
        if gold is None:
            lines = (self.case.gold or Text("")).raw.splitlines()
            gold = marked([("p", line.strip()) for line in lines if line.strip()])
        return CleanEval(gold)

    def scores(self, answer: Answer) -> dict[str, float]:
        """Return every measure that the page's gold allows: those of texts, of snippets, or both."""
        scores = snippet_scores(answer.text, self.case)
        gold = self.case.gold
        if gold is None:
            return scores
        return {
            **token_scores(answer.text, gold),
            "token_accuracy": token_accuracy(answer.text, gold, self.case.visible),
            **self._cleaneval.scores(answer.marked),
            **shingle_scores(answer.text.raw, gold.raw),
            **cosine_scores(answer.text, gold),
            "edit_similarity": edit_similarity(answer.text, gold),
            **scores,
        }


def snippet_scores(kept: Text, case: Case) -> dict[str, float]:
    """Return the shares of wanted (`includes`) and unwanted (`excludes`) snippets found; absent if there are none.

    A snippet is found if the kept text contains it, white space folded, case kept (after trafilatura's evaluation).
    """
    wanted = {"includes": case.includes, "excludes": case.excludes}
    return {name: found_share(kept, snippets) for name, snippets in wanted.items() if snippets}


def found_share(kept: Text, snippets: tuple[str, ...]) -> float:
    """Return the share of the snippets that the text contains."""
    return sum(" ".join(snippet.split()) in kept.folded for snippet in snippets) / len(snippets)


def edit_similarity(kept: Text, gold: Text) -> float:
    """Return 1 - d / (|K| + |G|), where d is the least number of words inserted and deleted; 1 for two empty texts.

    It counts words rather than characters: as useful for extraction, and fifty times faster on a long page.
    """
    return Indel.normalized_similarity(kept.tokens, gold.tokens)
