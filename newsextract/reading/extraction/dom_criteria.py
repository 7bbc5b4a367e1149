"""The multi-criteria DOM heuristic: no words, no languages, only where in the tree the text hangs.

After Salem, "An Algorithmic Framework for Precise Main Content Extraction from News Websites" (thesis, Innopolis
University, abstract). Three criteria rank the elements: A, the number of children that directly bear text; B, the most
text in a node without text-bearing children; C, closeness to the middle depth of the tree. The best element is the
content.

Only the abstract is public. It names a node for each criterion, and not how three nodes become one. Our choices: a node
without text-bearing children, as B has it, speaks for its parent, the only element that A can agree on (`text="sum"`
takes all such children of an element together instead of the longest); the tree is that of the block-level elements,
and text in inline markup belongs to the nearest of them, as a paragraph with a link is still one text
(`inline_is_text`); text is measured in characters; the depth counted is that of the deepest element with text; each
criterion is divided by its maximum over the elements with a text-bearing child; the three add up with equal weights; of
equal elements the first is taken; the content is all the text under the best.

Its weakness: a list of links has many children with text, too, so that a sidebar in the middle of the tree wins over a
short article; and of an article in boxes one box is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from newsextract.reading.extraction.contract import Extraction, register

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.page.blocks import Outline
    from newsextract.page.page import Page


@register
@dataclass(frozen=True)
class DomCriteria:
    """Keeps the text of the element that three structural criteria agree on."""

    name: ClassVar[str] = "dom_criteria"

    inline_is_text: bool = True
    """Inline markup is part of its block's text; with `False` every element, `b` and `a` too, is a node of the tree."""
    text: str = "longest"
    """B takes the `longest` such child, or the `sum` of all."""

    def __post_init__(self) -> None:
        if self.text not in ("longest", "sum"):
            raise ValueError(f"text: {self.text!r} is neither 'longest' nor 'sum'")

    def extract(self, page: Page) -> Extraction:
        """Return the blocks under the best element."""
        outline = page.outline
        if not outline.blocks:
            return Extraction(self.name)
        nodes = _Nodes(outline, inline_is_text=self.inline_is_text, adds_up=self.text == "sum")
        # Text after the end of `body` belongs to the root, which is nobody's child.
        candidates = [node for node, count in enumerate(nodes.text_children) if count] or [0]
        criteria = (nodes.text_children, nodes.leaf_text, nodes.middleness)
        scaled = [_scaled([values[node] for node in candidates]) for values in criteria]
        sums = [sum(scores) for scores in zip(*scaled, strict=True)]
        best = candidates[sums.index(max(sums))]
        return Extraction(self.name, outline.blocks_between(*outline.runs_of(best)))


def _scaled(values: Sequence[float]) -> list[float]:
    """Return the values divided by their maximum.

    >>> _scaled([1, 2, 4])
    [0.25, 0.5, 1.0]
    """
    most = max(values, default=0) or 1
    return [value / most for value in values]


class _Nodes:
    """The three criteria for every element of the page."""

    def __init__(self, outline: Outline, *, inline_is_text: bool, adds_up: bool) -> None:
        count = len(outline.tags)
        # With inline text, the nearest block-level element around each.
        around = [-1, *(outline.owners[parent] for parent in outline.parents[1:])]
        self.parents = around if inline_is_text else outline.parents
        text = [0] * count
        for holder, run in zip(outline.holders, outline.runs, strict=True):
            text[outline.owners[holder] if inline_is_text else holder] += len(run.strip())
        self.text_children: list[float] = [0.0] * count
        self.leaf_text: list[float] = [0.0] * count
        bearers = [node for node in range(1, count) if text[node]]
        for node in bearers:
            self.text_children[self.parents[node]] += 1
        for node in bearers:
            if not self.text_children[node]:
                parent = self.parents[node]
                self.leaf_text[parent] = (
                    self.leaf_text[parent] + text[node] if adds_up else max(self.leaf_text[parent], text[node])
                )
        self.middleness = self._middleness(bearers)

    def _middleness(self, bearers: Sequence[int]) -> list[float]:
        depths = [0] * len(self.parents)
        for node in range(1, len(depths)):
            depths[node] = depths[self.parents[node]] + 1
        middle = max((depths[node] for node in bearers), default=0) / 2 or 1.0
        return [max(0.0, 1 - abs(depth - middle) / middle) for depth in depths]
