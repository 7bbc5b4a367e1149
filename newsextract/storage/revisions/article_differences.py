"""The differences between two versions of an article: headline, lead and body, by sentence and by word.

Only words and numbers count (see `revision_tokens`): a change of typography alone is cosmetic, not a difference.
Reordered sentences and other paragraph breaks are cosmetic too. A word, number, name or sentence more or less is a
difference. A lead that only disappears is not, because some pages state theirs only at times; a new or changed lead is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Literal

from newsextract.storage.revisions.revision_tokens import Sentence, sentences_of
from newsextract.storage.revisions.word_changes import NumberChange, WordChange, compared

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_MOST_SENTENCES = 4_000
"""Sentences of both versions that are aligned; longer versions give one removal and one addition."""
_MOST_COMPARED = 20_000
"""Characters of changes compared by word; further changes are given by sentence only."""
_MOST_CHARS = 200_000
"""Characters of changes that are listed; the versions themselves are kept whole."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """A replacement of sentences; `before` is empty if they were added, `after` if they were removed."""

    op: Literal["replace", "insert", "delete"]
    before: str
    after: str
    words: list[WordChange] = field(default_factory=list)
    """The words of a replacement that were kept (`=`), removed (`-`) and added (`+`), unless it is too long."""


@dataclass(frozen=True, slots=True)
class Differences:
    """All differences of a newer version."""

    headline: TextChange | None
    lead: TextChange | None
    body: list[TextChange]
    numbers: list[NumberChange]
    added_words: int
    removed_words: int
    left_out: int = 0
    """The number of changes of the body that are not listed because there are too many."""

    def as_json(self) -> dict[str, Any]:
        """Return the differences as JSON values."""
        return asdict(self)


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> Differences | None:
    """Return the differences between two rows of an article; `None` if they are cosmetic."""
    headline = _changes(before["headline"], after["headline"])
    lead = _changes(before["description"], after["description"]) if after["description"] else []
    body = _changes(before["article_body"], after["article_body"])
    if not (headline or lead or body):
        return None
    everything = [*headline, *lead, *body]
    told, numbers = _told(everything)
    firsts = len(headline) + len(lead)
    return Differences(
        _joined(told[: len(headline)]),
        _joined(told[len(headline) : firsts]),
        told[firsts:],
        numbers,
        sum(change.added for change in everything),
        sum(change.removed for change in everything),
        len(everything) - len(told),
    )


@dataclass(frozen=True, slots=True)
class _Change:
    before: Sequence[Sentence]
    after: Sequence[Sentence]

    @property
    def added(self) -> int:
        return (_words(self.after) - _words(self.before)).total()

    @property
    def removed(self) -> int:
        return (_words(self.before) - _words(self.after)).total()


def _words(sentences: Iterable[Sentence]) -> Counter[str]:
    return Counter(token.said for sentence in sentences for token in sentence.tokens)


def _changes(before: str | None, after: str | None) -> list[_Change]:
    """Return the runs of sentences that differ, in the order of the newer text."""
    if before == after:
        return []
    old, new = sentences_of(before), sentences_of(after)
    gone = Counter(sentence.said for sentence in old)
    come = Counter(sentence.said for sentence in new)
    gone, come = gone - come, come - gone
    if not gone and not come:
        return []
    stretches = (_Change(_kept(was, gone), _kept(now, come)) for was, now in _stretches(old, new))
    # If only the sentence breaks differ, both sides have the same words.
    return [change for change in stretches if _run(change.before) != _run(change.after)]


def _stretches(
    old: Sequence[Sentence], new: Sequence[Sentence]
) -> Iterator[tuple[Sequence[Sentence], Sequence[Sentence]]]:
    if len(old) + len(new) > _MOST_SENTENCES:
        yield old, new
        return
    matcher = SequenceMatcher(None, [one.said for one in old], [one.said for one in new], autojunk=False)
    for kind, start, stop, new_start, new_stop in matcher.get_opcodes():
        if kind != "equal":
            yield old[start:stop], new[new_start:new_stop]


def _kept(sentences: Iterable[Sentence], wanted: Counter[tuple[str, ...]]) -> list[Sentence]:
    """Return the sentences that occur nowhere in the other version; removes them from `wanted`."""
    kept = []
    for sentence in sentences:
        if wanted[sentence.said] > 0:
            wanted[sentence.said] -= 1
            kept.append(sentence)
    return kept


def _run(sentences: Iterable[Sentence]) -> list[str]:
    return [token.said for sentence in sentences for token in sentence.tokens]


def _told(changes: Iterable[_Change]) -> tuple[list[TextChange], list[NumberChange]]:
    told: list[TextChange] = []
    numbers: list[NumberChange] = []
    chars = 0
    for change in changes:
        before, after = _text(change.before), _text(change.after)
        chars += len(before) + len(after)
        if chars > _MOST_CHARS and told:
            break
        if not (before and after):
            told.append(TextChange("delete" if before else "insert", before, after))
            continue
        words, found = compared(before, after) if chars <= _MOST_COMPARED else ([], [])
        told.append(TextChange("replace", before, after, words))
        numbers += found
    return told, numbers


def _text(sentences: Iterable[Sentence]) -> str:
    return " ".join(sentence.text for sentence in sentences)


def _joined(changes: Sequence[TextChange]) -> TextChange | None:
    """Join the changes of a headline or a lead into one; `None` if there are none."""
    if len(changes) <= 1:
        return changes[0] if changes else None
    before = " ".join(change.before for change in changes if change.before)
    after = " ".join(change.after for change in changes if change.after)
    if not (before and after):
        return TextChange("delete" if before else "insert", before, after)
    return TextChange("replace", before, after, compared(before, after)[0])
