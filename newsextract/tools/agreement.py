"""Runs extractors on a page, and measures how far they agree: in pairs word by word, all together block by block.

A block counts as kept by an extractor that kept more than half of its characters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from newsextract.evaluation.judging import TooSlow, timed
from newsextract.evaluation.measures import Text, token_scores
from newsextract.page.page import Page
from newsextract.processes.limits import time_limit
from newsextract.reading.extraction.contract import Extraction, create_extractor, extractor_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from newsextract.page.outline import Booleans
    from newsextract.reading.extraction.contract import Extractor


CONTROLS = frozenset({"everything"})
"""Extractors that make no choice: shown beside the others, but without a vote."""


RULE = "Without a vote are controls, and those that kept nothing, or no text that is on the page itself."
"""Who votes, for readers of a report."""


@dataclass(frozen=True)
class Stretch:
    """Neighbouring blocks that the same extractors kept."""

    first: int
    """The number of its first block."""
    last: int
    keepers: tuple[int, ...]
    """The numbers of the extractors, including those without a vote."""


@dataclass(frozen=True)
class Agreement:
    """How far the answers for one page agree."""

    page: Page
    answers: Sequence[Answer]

    @cached_property
    def runs_kept(self) -> Booleans:
        """Which text runs each extractor kept: a row per extractor, a column per run of the page's outline.

        Text that is not in the page's own blocks, such as a body from its JSON-LD, is in none of the columns.
        """
        kept = np.zeros((len(self.answers), len(self.page.outline.runs)), np.bool_)
        for number, answer in enumerate(self.answers):
            for block in answer.extraction.blocks:
                if block.outline.elements is self.page.outline.elements:  # a masked outline has the same elements
                    kept[number, block.start : block.stop] = True
        return kept

    @cached_property
    def blocks_kept(self) -> Booleans:
        """Which blocks of the page each extractor kept: a row per extractor, a column per block."""
        table = self.page.outline.table
        sizes = np.array([len(run.strip()) for run in self.page.outline.runs], np.intp)
        before = _sums(self.runs_kept * sizes)
        chars = before[:, table.stops] - before[:, table.starts]
        total = _sums(sizes[None, :])
        kept: Booleans = 2 * chars > total[:, table.stops] - total[:, table.starts]
        return kept

    @cached_property
    def voters(self) -> tuple[int, ...]:
        """The numbers of the extractors that have a vote."""
        return tuple(number for number, reason in enumerate(self.refusals) if not reason)

    @cached_property
    def refusals(self) -> list[str]:
        """Why each extractor has no vote; an empty string for those that have one."""
        return [self._refusal(number) for number in range(len(self.answers))]

    def _refusal(self, number: int) -> str:
        answer = self.answers[number]
        if answer.name in CONTROLS:
            return "control, chooses nothing"
        if not answer.extraction:
            return "kept nothing"
        return "" if self.blocks_kept[number].any() else "its text is not on the page itself"

    @cached_property
    def votes(self) -> NDArray[np.intp]:
        """How many voters kept each block."""
        counts: NDArray[np.intp] = self.blocks_kept[list(self.voters)].sum(axis=0)
        return counts

    @cached_property
    def majority_blocks(self) -> list[int]:
        """The numbers of the blocks that more than half of the voters kept."""
        numbers: list[int] = (2 * self.votes > len(self.voters)).nonzero()[0].tolist()
        return numbers

    @cached_property
    def majority(self) -> Text:
        """The text of the blocks that more than half of the voters kept."""
        texts = self.page.outline.table.texts
        return Text("\n".join(texts[number] for number in self.majority_blocks))

    @cached_property
    def unanimity(self) -> float | None:
        """Of the characters that any voter kept, the share that all voters kept; `None` if no voter kept any."""
        sizes = np.array([len(text) for text in self.page.outline.table.texts], np.intp)
        kept = int(sizes[self.votes > 0].sum())
        return int(sizes[self.votes == len(self.voters)].sum()) / kept if kept else None

    @cached_property
    def texts(self) -> list[Text]:
        """The text that each extractor kept."""
        return [Text(answer.extraction.text) for answer in self.answers]

    @cached_property
    def pairs(self) -> list[list[float]]:
        """The token F1 of each extractor's text against each other's; 1 where both are empty."""
        return [[agreement(one, other) for other in self.texts] for one in self.texts]

    @cached_property
    def disputed(self) -> list[Stretch]:
        """The stretches that some voters kept and others did not, in the order of the page."""
        everyone = len(self.voters)
        return [stretch for stretch in self._stretches() if 0 < self.votes[stretch.first] < everyone]

    def _stretches(self) -> Iterator[Stretch]:
        columns = [tuple(column.nonzero()[0].tolist()) for column in self.blocks_kept.T]
        for keepers, group in groupby(range(len(columns)), key=columns.__getitem__):
            numbers = list(group)
            yield Stretch(numbers[0], numbers[-1], keepers)


def agreement(one: Text, other: Text) -> float:
    """Return the token F1 of two texts, which is symmetric.

    >>> agreement(Text("a b c"), Text("a b")), agreement(Text(""), Text(""))
    (0.8, 1.0)
    """
    return token_scores(one, other)["token_f1"]


def _sums(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the running sums of each row, starting with 0."""
    return np.concatenate((np.zeros((len(rows), 1), np.intp), rows.cumsum(axis=1, dtype=np.intp)), axis=1)


# Run each extractor on a page and time it; one that fails reports why, and the others go on.

SECONDS = 20.0
"""An extractor that takes longer over one page is stopped."""

_SMALL_PAGE = "<html><body><article><h1>Title</h1><p>One sentence, to begin with.</p></article></body></html>"
"""A page for the first call of an extractor, which loads packages and weights."""


@dataclass(frozen=True)
class Answer:
    """What an extractor kept, or why it failed."""

    name: str
    extraction: Extraction
    """Empty if the extractor failed."""
    ms: float
    error: str | None = None


def comparable_names() -> tuple[str, ...]:
    """Return the names of the extractors that are installed and can read a page alone, `auto` first, controls last.

    Extractors that must see other pages of a site first have a method `fit`.
    """
    names = [name for name in extractor_names() if not hasattr(create_extractor(name), "fit")]
    return tuple(sorted(names, key=lambda name: (name in CONTROLS, name != "auto", name)))


def answers_of(page: Page, extractors: Mapping[str, Extractor], seconds: float = SECONDS) -> list[Answer]:
    """Return the answer of each extractor, in the order of the names."""
    _ = page.outline.blocks  # parsed once for all, so that the first extractor's time does not include it
    return [_answer(name, extractor, page, seconds) for name, extractor in extractors.items()]


def parse_ms(page: Page) -> float:
    """Return the time to parse the page into blocks, in milliseconds; the page's own views are left alone."""

    def parse() -> Any:
        return Page(page.html, **page.arguments).outline.table

    return timed(parse)[1]


def _answer(name: str, extractor: Extractor, page: Page, seconds: float) -> Answer:
    try:
        with time_limit(seconds, TooSlow()):
            extractor.extract(Page(_SMALL_PAGE))
            extraction, milliseconds = timed(lambda: extractor.extract(page))
            _ = extraction.text, extraction.html  # rendered here, so that a failure to render counts as the extractor's
            return Answer(name, extraction, milliseconds)
    except TooSlow:
        return Answer(name, Extraction(name), seconds * 1000, f"stopped after {seconds:g} seconds")
    except Exception as error:  # noqa: BLE001 - whatever an extractor raises is its result here
        return Answer(name, Extraction(name), 0.0, f"{type(error).__name__}: {error}"[:300])
