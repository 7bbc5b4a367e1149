"""From a text back to the blocks of the page that it was taken from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.page.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.page.blocks import Block

MIN_SHARE = 0.5
"""A block is taken for kept when at least this share of its words is in the text, in order."""


def blocks_of_text(text: str, blocks: Sequence[Block], min_share: float = MIN_SHARE) -> tuple[Block, ...]:
    """Return the blocks that a text is made of.

    The words of text and page are aligned by their longest common subsequence (Indel distance, rapidfuzz); a block is
    returned when at least `min_share` of its words is aligned.
    """
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - of the extra `references`, which alone needs it

    ours = words(text)
    owners = [number for number, block in enumerate(blocks) for _ in words(block.text)]
    theirs = [word for block in blocks for word in words(block.text)]
    aligned = [0] * len(blocks)
    for step in LCSseq.opcodes(ours, theirs):
        if step.tag == "equal":
            for position in range(step.dest_start, step.dest_end):
                aligned[owners[position]] += 1
    totals = [0] * len(blocks)
    for owner in owners:
        totals[owner] += 1
    return tuple(
        block
        for block, found, total in zip(blocks, aligned, totals, strict=True)
        if total and found >= min_share * total
    )
