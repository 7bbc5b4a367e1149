"""The runs of `newsextract evaluate --paper NAME FOLDER`: the tables of the documents that our extractors come from.

The folder holds the corpora by name, as NAME.jsonl.xz (or .gz, or plain) or as a folder NAME of its own layout. See
docs/explanation/papers.md for what each table shows and how it differs from the document's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.evaluation.corpora import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

_ENDINGS = (".jsonl.xz", ".jsonl.gz", ".jsonl", "")


@dataclass(frozen=True)
class PaperRun:
    """A run of `newsextract evaluate`: what it shows, and its arguments, named as the command's options."""

    shows: str
    corpora: tuple[str, ...]
    extractors: str
    measures: str
    by: str = "corpus"
    statistics: bool = False
    page_type: str | None = "article"

    def paths(self, folder: Path) -> list[Path]:
        """Return the corpora in a folder.

        Raises:
            CorpusError: one is not there.
        """
        return [_found(folder, name) for name in self.corpora]


def _found(folder: Path, name: str) -> Path:
    places = (folder / f"{name}{ending}" for ending in _ENDINGS)
    found = next((place for place in places if place.exists()), None)
    if found is None:
        raise CorpusError(f"{folder} has no corpus {name}: neither {name}.jsonl.xz nor a folder {name}")
    return found


_NEWS = ("newspaper4k", "chaos")
_TOKENS = "token_f1,token_precision,token_recall"

PAPERS = {
    "wutsi": (PaperRun("phases with and without cleaning", _NEWS, "wutsi,wutsi:cleans=false,eatiht", _TOKENS),),
    "daureu2015": (
        PaperRun(
            "tables 1 to 8: the size of texts, and CleanEval, by language",
            ("daniel",),
            "html_killer:rules=script,html_killer,boilerpipe,readability",
            "cleaneval_micro,cleaneval_micro_p,cleaneval_micro_r",
            "language",
            statistics=True,
        ),
    ),
    "pasternack2009": (
        PaperRun(
            "the systems of the paper on news that none was trained on",
            ("chaos",),
            "mss,mss:scores=longest,mss:scores=naive_bayes,mss:scores=model",
            _TOKENS,
        ),
    ),
    "salem": (
        PaperRun(
            "the measures of the abstract, for the heuristic and the two tools that it was compared with",
            _NEWS,
            "dom_criteria,dom_criteria:text=sum,dom_criteria:inline_is_text=false,readability,boilerpipe",
            f"{_TOKENS},token_accuracy",
        ),
    ),
    "deturck2015": (
        PaperRun(
            "figures 5.1 and 5.2: the measures by site",
            ("daniel",),
            "template,template:shares=own,boilerpipe",
            "exactitude,cosine,equal,inside,around",
            "site",
        ),
    ),
}
"""The documents by name, and what prints their tables."""
