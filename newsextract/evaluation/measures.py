"""The texts of one page that the measures compare, tokenised once for all measures."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import TYPE_CHECKING

from newsextract.page.text import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Text:
    """A text and its forms, each computed on first use."""

    raw: str

    @cached_property
    def tokens(self) -> list[str]:
        """The words in lower case, single characters in scripts without spaces."""
        return words(self.raw.lower())

    @cached_property
    def bag(self) -> Counter[str]:
        """How often each token occurs."""
        return Counter(self.tokens)

    @cached_property
    def folded(self) -> str:
        """The text with white space as single spaces."""
        return " ".join(self.raw.split())


@dataclass(frozen=True)
class Case:
    """One page to judge: its visible text, its gold, and the snippets that must and must not be kept."""

    visible: Text
    gold: Text | None
    gold_marked: str | None = None
    """The gold with CleanEval's segment marks, if the corpus has them."""
    includes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What an extractor kept of a page."""

    text: Text
    marked: str
    """The text with a CleanEval mark before every segment."""


def overlap(one: Counter[str], other: Counter[str]) -> int:
    """Return the size of the intersection of two bags.

    >>> overlap(Counter("aab"), Counter("abb"))
    2
    """
    small, large = sorted((one, other), key=len)
    return sum(min(count, large[token]) for token, count in small.items() if token in large)


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1, 2PR / (P + R); 0 when both are 0.

    >>> harmonic_mean(0.5, 1.0)
    0.6666666666666666
    """
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def share(part: float, whole: float) -> float:
    """Return part / whole; 0 if the whole is 0.

    >>> share(1, 4), share(0, 0)
    (0.25, 0.0)
    """
    return part / whole if whole else 0.0


# The measures of the CleanEval competition, as its public evaluation script computes them.
#
# After Evert's `cleaneval.py` 1.0 (2008; Baroni et al., "Cleaneval: a competition for cleaning web pages", LREC
# 2008). Both texts are normalised: a first line `URL…` goes, control characters become spaces, every segment mark
# `<p>`, `<h>`, `<l>` becomes a word of its own, white space becomes single spaces; then they are split at spaces,
# which leaves an empty word where the text begins or ends with one. The words are aligned by Ratcliff and
# Obershelp's matching (Python's `difflib.SequenceMatcher`, its shortcut for frequent words included, as it is part
# of the figures). With TP the aligned words, FP the kept and FN the gold words that are not aligned:
#
#     P = TP / (TP + FP)        R = TP / (TP + FN)        F = 2PR / (P + R)
#
# The segment-tag F is the same over the marks among the words. Of several pages, the mean of their F can be taken,
# or the F of all their words together (the micro-average, 2 TP / (2 TP + FP + FN)), in which long pages count for
# more.

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


# Shingles: precision and recall over runs of four words, so that order counts.
#
# As in the public article-extraction benchmark of Scrapinghub (2020, `evaluate.py`). The shingles of a text are its
# runs of four words (`\w+`, case kept); a shorter text is one shingle. On a page TP = Σ min, FP = Σ max(0, kept -
# gold) and FN = Σ max(0, gold - kept) over the counts of every shingle, divided by their sum so that long pages do
# not weigh more:
#
#     P = mean of TP / (TP + FP) over pages with TP + FP > 0        R = mean of TP / (TP + FN) where TP + FN > 0
#     F1 = 2PR / (P + R) of these means        exact accuracy = share of pages whose words are all equal

SHINGLE_WORDS = 4

_WORD = re.compile(r"\w+")


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """Return how often each shingle occurs.

    >>> shingles("to be or not to")
    Counter({('to', 'be', 'or', 'not'): 1, ('be', 'or', 'not', 'to'): 1})
    >>> shingles("to be")
    Counter({('to', 'be'): 1})
    """
    found = _WORD.findall(text)
    starts = range(max(1, len(found) - SHINGLE_WORDS + 1))
    return Counter(shingle for start in starts if (shingle := tuple(found[start : start + SHINGLE_WORDS])))


def shingle_counts(kept: str, gold: str) -> tuple[float, float, float]:
    """Return TP, FP and FN of a page, which add up to 1, or are all 0 if both texts are empty.

    >>> shingle_counts("a b c d", "a b c d e")
    (0.5, 0.0, 0.5)
    """
    ours, theirs = shingles(kept), shingles(gold)
    common = (ours & theirs).total()
    counts = (common, ours.total() - common, theirs.total() - common)
    total = sum(counts) or 1
    right, wrong, missed = (count / total for count in counts)
    return right, wrong, missed


def shingle_scores(kept: str, gold: str) -> dict[str, float]:
    """Return a page's `shingle_precision` and `shingle_recall`, each absent where it is undefined, and `exact`."""
    right, wrong, missed = shingle_counts(kept, gold)
    scores = {"exact": float(_WORD.findall(kept) == _WORD.findall(gold))}
    if right + wrong:
        scores["shingle_precision"] = right / (right + wrong)
    if right + missed:
        scores["shingle_recall"] = right / (right + missed)
    return scores


# Compare bags of words: precision, recall, F1, accuracy, and the cosine of their angle.
#
# With K the bag of tokens kept, G the gold's and V the page's visible ones, and |A ∩ B| = Σ min(A_t, B_t):
#
#     precision = |K ∩ G| / |K|        recall = |K ∩ G| / |G|        F1 = 2PR / (P + R)
#     accuracy is the share (TP + TN) / (TP + FP + FN + TN)
#
# with TP = |K ∩ G|, FP = |K| - TP, FN = |G| - TP and TN the page's tokens that are in none of the three. The first
# three are the field's common measure; with the accuracy they are those of Salem (thesis, Innopolis University),
# whose evaluation counts the tokens of the page. A page whose gold is empty and of which nothing is kept is right:
# 1.
#
# *Exactitude* is the measure of a thesis on finding the useful content of news sites: Deturck, "Détection de contenu
# utile depuis des sites d'actualité" (INALCO, 2015, section 5.2). T is the text found, T* the reference, both as
# vectors of word counts; cos θ = T · T* / (‖T‖ ‖T*‖). It is the share of pages with cos θ ≥ 0.9, a threshold the
# author set by reading. Also counted: T = T*, T ⊂ T* (found inside the useful content) and T* ⊂ T (found around it),
# both strict, as runs of words.

MIN_VISIBLE = 0.5
"""Least share of the gold's tokens in the visible text for a page to be judged: below, its text came by script."""


def token_scores(kept: Text, gold: Text) -> dict[str, float]:
    """Return `token_precision`, `token_recall` and `token_f1`."""
    if not kept.tokens and not gold.tokens:
        return dict.fromkeys(("token_precision", "token_recall", "token_f1"), 1.0)
    common = overlap(kept.bag, gold.bag)
    precision, recall = share(common, len(kept.tokens)), share(common, len(gold.tokens))
    return {"token_precision": precision, "token_recall": recall, "token_f1": harmonic_mean(precision, recall)}


def token_accuracy(kept: Text, gold: Text, visible: Text) -> float:
    """Return the share of the page's tokens that were correctly kept or left out."""
    right = overlap(kept.bag, gold.bag)
    wrong = len(kept.tokens) - right
    missed = len(gold.tokens) - right
    # The gold may have tokens that the page does not show; then TN is 0.
    left_out = max(len(visible.tokens) - right - wrong - missed, 0)
    total = right + wrong + missed + left_out
    return (right + left_out) / total if total else 1.0


def is_judgeable(gold: Text, visible: Text) -> bool:
    """Tell whether at least `MIN_VISIBLE` of the gold is in the page's visible text."""
    return overlap(gold.bag, visible.bag) >= MIN_VISIBLE * len(gold.tokens)


EXACT_COSINE = 0.9


def cosine_scores(kept: Text, gold: Text) -> dict[str, float]:
    """Return `cosine`, `exactitude`, `equal`, `inside` and `around`; the last four are 0 or 1."""
    similarity = cosine(kept, gold)
    ours, theirs = (f" {' '.join(text.tokens)} " for text in (kept, gold))
    is_equal = ours == theirs
    return {
        "cosine": similarity,
        "exactitude": float(similarity >= EXACT_COSINE),
        "equal": float(is_equal),
        "inside": float(not is_equal and bool(kept.tokens) and ours in theirs),
        "around": float(not is_equal and bool(gold.tokens) and theirs in ours),
    }


def cosine(one: Text, other: Text) -> float:
    """Return the cosine of the angle between two vectors of word counts; 1 for two empty texts, 0 if one is."""
    if not one.tokens or not other.tokens:
        return float(not one.tokens and not other.tokens)
    if one.bag == other.bag:
        return 1.0  # exact, despite rounding
    dot = sum(count * other.bag[token] for token, count in one.bag.items() if token in other.bag)
    norms = (math.sqrt(sum(count * count for count in text.bag.values())) for text in (one, other))
    return dot / math.prod(norms)
