r"""The measures of the CleanEval competition, as its public evaluation script computes them.

After Evert's `cleaneval.py` 1.0 (2008; Baroni et al., "Cleaneval: a competition for cleaning web pages", LREC 2008).
Both texts are normalised: a first line `URL…` goes, control characters become spaces, every segment mark `<p>`, `<h>`,
`<l>` becomes a word of its own, white space becomes single spaces; then they are split at spaces, which leaves an empty
word where the text begins or ends with one. The words are aligned by Ratcliff and Obershelp's matching (Python's
`difflib.SequenceMatcher`, its shortcut for frequent words included, as it is part of the figures). With TP the aligned
words, FP the kept and FN the gold words that are not aligned:

    P = TP / (TP + FP)        R = TP / (TP + FN)        F = 2PR / (P + R)

The segment-tag F is the same over the marks among the words. Of several pages, the mean of their F can be taken, or the
F of all their words together (the micro-average, 2 TP / (2 TP + FP + FN)), in which long pages count for more.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.measures.measured_texts import harmonic_mean, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# The script worked on bytes, so its character classes are those of ASCII.
_URL_LINE = re.compile(r"^\s*URL.*$", re.MULTILINE | re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f]+")
_MARK = re.compile(r"(<[phl]>)", re.IGNORECASE)
_SPACE = re.compile(r"\s+", re.ASCII)


def cleaneval_words(text: str) -> list[str]:
    r"""Return the words of a marked text as the script splits them.

    >>> cleaneval_words("URL: http://a.example/\n<h>Title\n<p>One  two")
    ['', '<h>', 'Title', '<p>', 'One', 'two']
    """
    text = _CONTROL.sub(" ", _URL_LINE.sub("", text))
    return _SPACE.split(_MARK.sub(r"\n\1 ", text))


class CleanEval:
    """Compares texts with one gold; the gold's words are indexed once."""

    def __init__(self, gold: str) -> None:
        self.gold = cleaneval_words(gold)
        self.matcher: SequenceMatcher[str] = SequenceMatcher(None)
        self.matcher.set_seq2(self.gold)

    def scores(self, marked: str) -> dict[str, float]:
        """Return `cleaneval_f`, `cleaneval_p`, `cleaneval_r` and `cleaneval_tag_f`, from 0 to 1, and three counts."""
        kept = cleaneval_words(marked)
        self.matcher.set_seq1(kept)
        aligned = [word for start, _, size in self.matcher.get_matching_blocks() for word in kept[start : start + size]]
        precision, recall = share(len(aligned), len(kept)), share(len(aligned), len(self.gold))
        tags = _marks(aligned)
        tag_f = harmonic_mean(share(tags, _marks(kept)), share(tags, _marks(self.gold)))
        return {
            "cleaneval_f": harmonic_mean(precision, recall),
            "cleaneval_p": precision,
            "cleaneval_r": recall,
            "cleaneval_tag_f": tag_f,
            "cleaneval_aligned": float(len(aligned)),
            "cleaneval_kept": float(len(kept)),
            "cleaneval_wanted": float(len(self.gold)),
        }


def _marks(words: Iterable[str]) -> int:
    return sum(1 for word in words if _MARK.match(word))


def marked(segments: Sequence[tuple[str, str]]) -> str:
    r"""Return segments, as (`p`, `h` or `l`, text) pairs, in CleanEval's format.

    >>> marked([("h", "Title"), ("p", "One")])
    '<h>Title\n<p>One'
    """
    return "\n".join(f"<{mark}>{text}" for mark, text in segments)
