"""What stands in figures: captions, which belong to pictures, and quotes, tables and code, which belong to the text."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from newsextract.reading.extraction.block_classifier.block_layout import TAGS
from newsextract.reading.extraction.block_classifier.meaningful_names import words_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from newsextract.page.outline import Integers
    from newsextract.reading.extraction.block_classifier.block_layout import Layout

    Mask = NDArray[np.bool_]

_FIGURE, _CAPTION, _QUOTE, _CODE, _TABLE = (
    TAGS.index(tag) + 1 for tag in ("figure", "figcaption", "blockquote", "pre", "table")
)
_QUOTATION_MARKS = " \"'“”„«»‹›‘’‚「」『』…."
_QUOTED_CHARS = 20
"""A shorter line of a quote, such as its speaker's name, may well occur in the text."""
_MOST_COMPARED = 500
"""Most quotes that are each searched for in the text, which takes quadratic time."""

_CAPTION_BLOCKS = 3
_CAPTION_SHARE = 0.3
_PICTURES = frozenset(("photo", "image", "picture", "media", "gallery"))
_NEGATIONS = frozenset(("no", "non", "without", "has", "with", "video"))


def captions(layout: Layout) -> Mask:
    """Tell which blocks belong to the picture of a figure: all but its quotes, tables and code.

    Inside a table, which may lay out the page, no block does.
    """
    if "figure" not in layout.tags and "figcaption" not in layout.tags:
        return np.zeros(layout.lineage.shape[1], np.bool_)
    holders = layout.kinds[_holders(layout)]
    found: Mask = ((holders == _FIGURE) | (holders == _CAPTION)) & ~_is_in(layout, _TABLE)
    return found


def named_captions(layout: Layout, kept: Mask) -> Mask:
    """Tell which kept blocks are captions or credits of pictures by the names of the elements next around them.

    Outside `figure` too: many sites have captions in paragraphs of their own. An element with more blocks than a
    caption has is not one, whatever its name says; and where captions are much of what is kept, they are the text.
    """
    found = np.zeros(len(kept), np.bool_)
    for number in kept.nonzero()[0].tolist():
        around = layout.lineage[:2, number].tolist()
        few = [element for element in around if layout.last[element] - layout.first[element] <= _CAPTION_BLOCKS]
        found[number] = any(_names_caption(layout.elements[element].get("class") or "") for element in few)
    if layout.sizes[found].sum() > _CAPTION_SHARE * layout.sizes[kept].sum():
        found[:] = False
    return found


@lru_cache(4096)
def _names_caption(classes: str) -> bool:
    """Tell whether one of the classes is that of a caption.

    >>> _names_caption("wp-caption-text"), _names_caption("foto-bildunterschrift"), _names_caption("no-caption")
    (True, True, False)
    """
    for name in classes.split():
        said = set(words_in(name).split("-"))
        if ("caption" in said and not said & _NEGATIONS) or ("credit" in said and said & _PICTURES):
            return True
    return False


def pull_quotes(layout: Layout, kept: Mask) -> Mask:
    """Tell which kept blocks are of a quote in a figure that repeats a sentence of the text around it."""
    if "blockquote" not in layout.tags or "figure" not in layout.tags:
        return np.zeros(len(kept), np.bool_)
    holders = _holders(layout)
    quoted = kept & (layout.kinds[holders] == _QUOTE) & _is_in(layout, _FIGURE)
    found = np.zeros(len(kept), np.bool_)
    numbers = quoted.nonzero()[0].tolist()
    if 0 < len(numbers) <= _MOST_COMPARED:
        body = "\n".join(layout.texts[number] for number in (kept & ~quoted).nonzero()[0].tolist())
        cores = {number: layout.texts[number].strip(_QUOTATION_MARKS) for number in numbers}
        repeats = [number for number, core in cores.items() if len(core) >= _QUOTED_CHARS and core in body]
        found = quoted & np.isin(holders, holders[repeats])
    return found


def _is_in(layout: Layout, kind: int) -> Mask:
    found: Mask = (layout.kinds[layout.lineage] == kind).any(0)
    return found


def _holders(layout: Layout) -> Integers:
    """Return, for each block, the nearest figure, caption, quote, table or code around it, or the root."""
    is_holder = np.isin(layout.kinds, (_FIGURE, _CAPTION, _QUOTE, _CODE, _TABLE))[layout.lineage]
    nearest: Integers = layout.lineage[is_holder.argmax(0), np.arange(is_holder.shape[1])]
    return np.where(is_holder.any(0), nearest, 0)
