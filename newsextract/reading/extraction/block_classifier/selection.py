"""Choose the blocks to keep from their probabilities, and estimate how good the choice is.

The main segment is the stretch of a page with the largest sum: the global step of maximum subsequence segmentation,
after Pasternack & Roth, "Extracting Article Text from the Web with Maximum Subsequence Segmentation" (WWW 2009),
section 3, on blocks: each has the log-odds that it is content, weighted by its length.
The trust is an estimate of the token F1 that the kept text reaches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress, islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.rendering.table_grids import DataTables
from newsextract.reading.extraction.block_classifier.features import container, prose
from newsextract.reading.extraction.block_classifier.layout import TAGS
from newsextract.reading.extraction.block_classifier.names import words_in
from newsextract.reading.metadata.chinese_names import is_dated_signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from newsextract.page.blocks import Block
    from newsextract.reading.extraction.block_classifier.features import Described
    from newsextract.reading.extraction.block_classifier.layout import Layout

    Mask = NDArray[np.bool_]
    Floats = NDArray[np.float64]


# What stands in figures: captions, which belong to pictures, and quotes, tables and code, which belong to the text.

_FIGURE, _CAPTION, _QUOTE, _CODE, _TABLE = (
    TAGS.index(tag) + 1 for tag in ("figure", "figcaption", "blockquote", "pre", "table")
)

_SUBHEADING, _LEVELS = TAGS.index("h2") + 1, 5

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
    around = layout.kinds[layout.lineage]
    is_holder = np.isin(around, (_FIGURE, _CAPTION, _QUOTE, _CODE))
    holders = around[is_holder.argmax(0), np.arange(is_holder.shape[1])]
    found: Mask = ((holders == _FIGURE) | (holders == _CAPTION)) & ~(around == _TABLE).any(0)
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


_LEAST_DOUBT = 1e-4


@dataclass(frozen=True, slots=True)
class Bars:
    """Shares of the page's highest probability that decide which blocks are kept."""

    segment: float
    """At this share a block adds nothing to the main segment; above it a block adds, below it takes away."""
    inside: float
    """From here on a block inside the main segment is kept, and one between the headline and the segment."""
    elsewhere: float
    """The same for other blocks, where teasers, forms and other stories stand."""


BALANCED = Bars(0.6, 0.5, 0.8)
"""Near the best token F1 on the training corpora, folds disjoint by site and corpora left out. There `inside` may be
between 0.45 and 0.55 without a difference; a lower one keeps more of the lists and quotes of modern pages."""

BARS = {"balance": BALANCED, "precision": Bars(0.75, 0.8, 0.95), "recall": Bars(0.3, 0.2, 0.4)}
"""The bars by what is preferred. The last two were chosen where what is gained on one side still is worth what is lost
on the other; the model card has the figures."""

_AFTER_HEADLINE = 5
"""Blocks after the headline among which the standfirst is; many sites have it outside the element of the body."""
_STANDFIRST_CHARS = 90
"""From here on a text with digits may be a standfirst though it does not end like a sentence."""
_COPIED_CHARS = 60
"""Shorter blocks may occur twice without being a copy."""
_MOST_MATCHED = 500
"""Most blocks that are each searched for in all other text, which takes quadratic time."""
_MAIN_SHARE = 0.5
"""Share of what is kept that the main container holds."""
_HEADLINE_LIKENESS = 1.0

_NOTICES, _NOTICE_SHARE = 3, 0.1
"""Last blocks that may be notices of copyright, and the share of the kept text that one may have."""
_COPYRIGHT = re.compile(
    r"©|copyright\W*(?:\(c\)\W*)?(?:19|20)\d\d|all rights reserved|alle rechte vorbehalten|tous droits réservés"
    r"|(?:todos los derechos|todos os direitos) reservados|tutti i diritti riservati|alle rechten voorbehouden"
    r"|wszelkie prawa zastrzeżone|все права защищены|tüm hakları saklıdır|版[权權]所有",
    re.IGNORECASE,
)

SIGNS = (
    "highest", "mean_kept", "lowest_kept", "expected_f1", "expected_kept", "doubt", "kept_blocks", "kept_size",
    "kept_share", "stretches", "link_share", "has_headline", "page_size", "sentences",
    "kept_prose",
)  # fmt: skip
"""The inputs of the estimate, in this order."""


def log_odds(probabilities: Floats) -> Floats:
    """Return the log-odds, with probabilities limited to between 1 and 9,999 in 10,000.

    >>> log_odds(np.array([0.5, 0.0])).round(1).tolist()
    [0.0, -9.2]
    """
    bounded = np.minimum(np.maximum(probabilities, _LEAST_DOUBT), 1 - _LEAST_DOUBT)
    odds: Floats = np.log(bounded / (1 - bounded))
    return odds


def best_segment(scores: Floats) -> tuple[int, int]:
    """Return the bounds of the slice with the largest sum; an empty slice if no sum is above 0.

    >>> best_segment(np.array([-1.0, 3.0, -1.0, 2.0, -4.0, 1.0]))
    (1, 4)
    >>> best_segment(np.array([-1.0]))
    (0, 0)
    """
    sums = np.zeros(len(scores) + 1)
    np.cumsum(scores, out=sums[1:])
    lowest = np.minimum.accumulate(sums)
    stop = int(np.argmax(sums - lowest))
    if sums[stop] <= lowest[stop]:
        return 0, 0
    return int((sums[: stop + 1] == lowest[stop]).nonzero()[0][-1]), stop


def select(described: Described, probabilities: Floats, bars: Bars = BALANCED) -> Mask:
    """Return which blocks to keep: the likely ones, without captions, the headline and its signature, and duplicates.

    First the main segment, the stretch of the page with the largest sum of log-odds weighted by length (Pasternack &
    Roth 2009, section 3), is found. Then blocks are chosen; those outside it, and not between it and the headline, must
    be likelier.
    """
    highest = steady_highest(described, probabilities)
    odds = log_odds(probabilities) - log_odds(np.array(bars.segment * highest))
    start, stop = best_segment(odds * described.layout.sizes)
    blocks = np.arange(len(probabilities))
    is_inside = (blocks >= start) & (blocks < stop)
    is_before = (blocks < start) & may_be_standfirsts(described)
    kept: Mask = probabilities > np.where(is_inside | is_before, bars.inside, bars.elsewhere) * highest
    of_pictures = captions(described.layout)
    kept &= ~of_pictures
    kept &= ~named_captions(described.layout, kept)
    kept &= ~headlines(described, kept)
    if kept.any() and is_dated_signature(described.layout.texts[first := int(kept.argmax())]):
        kept[first] = False
    kept &= ~copies(described.layout, kept)
    kept |= subheadings(described.layout, kept) & ~of_pictures
    kept &= ~notices(described.layout, kept)
    return kept


def steady_highest(described: Described, probabilities: Floats) -> float:
    """Return the highest of the probabilities, each halfway to the mean of the blocks with the same markup.

    One odd block, which looks more like an article's than all the text does, sets no bar for that text.
    """
    sizes, alike = described.layout.sizes, described.groups[1]
    means = np.bincount(alike, sizes * probabilities) / np.bincount(alike, sizes)
    return float((probabilities + means[alike]).max() / 2)


def subheadings(layout: Layout, kept: Mask) -> Mask:
    """Tell which blocks are headings between kept blocks, right above one beside them, whose text is not kept yet.

    In a list of places or players each heading looks like a label or a link.
    """
    owners = layout.lineage[0]
    levels = layout.kinds[owners] - _SUBHEADING
    found: Mask = (levels >= 0) & (levels < _LEVELS) & ~kept & kept.cumsum().astype(np.bool_)
    found[-1:] = False
    found[:-1] &= kept[1:] & (layout.parents[owners[:-1]] == layout.parents[owners[1:]])
    if found.any():
        known = set(compress(layout.texts, kept))
        found &= [text not in known for text in layout.texts]
    return found


def may_be_standfirsts(described: Described) -> Mask:
    """Tell which blocks come soon after the headline and are no dates or times: those are short, and no sentences."""
    since_headline, ends_sentence, digits = described.columns(["headline_blocks", "ends_sentence", "digit_share"]).T
    is_text = (ends_sentence == 1) | (described.layout.sizes >= _STANDFIRST_CHARS) | (digits == 0)
    found: Mask = (since_headline > 0) & (since_headline <= _AFTER_HEADLINE) & is_text
    return found


def headlines(described: Described, kept: Mask) -> Mask:
    """Tell which headings before the first kept paragraph are the page's headline."""
    heading, likeness = described.columns(["heading", "title_likeness"]).T
    paragraphs = (kept & (heading == 0)).nonzero()[0]
    before = np.arange(len(kept)) < (paragraphs[0] if len(paragraphs) else len(kept))
    found: Mask = before & ((heading == 1) | (heading > 0) & (likeness >= _HEADLINE_LIKENESS))
    return found


def copies(layout: Layout, kept: Mask) -> Mask:
    """Tell which kept blocks are copies: teasers of other text outside the main container, or a text directly repeated.

    Inside the container a text may well recur further below. An ellipsis at the end makes no difference.
    """
    found = np.zeros(len(kept), np.bool_)
    texts = {n: text.rstrip(" .…") for n in kept.nonzero()[0].tolist() if len(text := layout.texts[n]) >= _COPIED_CHARS}
    main = container(layout, layout.inside(np.where(kept, layout.sizes, 0.0)), _MAIN_SHARE)
    inside = range(layout.first[main], layout.last[main])
    outside = [number for number in texts if number not in inside]
    if outside and len(outside) <= _MOST_MATCHED:
        told = "\n".join(text for number, text in texts.items() if number in inside)
        for number in sorted(outside, key=lambda number: -len(texts[number])):
            found[number] = texts[number] in told
            told += f"\n{texts[number]}"
    for before, number in pairwise(number for number in texts if not found[number]):
        found[number] = texts[number] == texts[before]
    return found


def notices(layout: Layout, kept: Mask) -> Mask:
    """Tell which of the last kept blocks are notices of copyright, which take up little of the text."""
    found = np.zeros(len(kept), np.bool_)
    most = _NOTICE_SHARE * layout.sizes[kept].sum()
    for number in kept.nonzero()[0][-_NOTICES:].tolist():
        found[number] = layout.sizes[number] <= most and _COPYRIGHT.search(layout.texts[number]) is not None
    return found


def page_signs(described: Described, probabilities: Floats, kept: Mask) -> NDArray[np.float32]:
    """Return the signs of one page, as 1 x len(`SIGNS`)."""
    layout = described.layout
    sizes = layout.sizes
    expected_sizes = sizes * probabilities
    numbers = kept.nonzero()[0]
    kept_size = float(sizes[numbers].sum())
    expected = float(expected_sizes.sum())
    right = float(expected_sizes[numbers].sum())
    doubt = float((expected_sizes * (1 - probabilities)).sum())
    stretches = np.count_nonzero(kept[1:] & ~kept[:-1]) + int(kept[0])
    nowhere = described.features[0, described.places["headline_blocks"]]
    ends = described.features[numbers, described.places["ends_sentence"]]
    running_text = prose(layout)[1]
    signs = (
        probabilities.max(),
        right / max(kept_size, 1),
        probabilities[numbers].min() if len(numbers) else 0.0,
        2 * right / max(kept_size + expected, 1),
        right / max(expected, 1),
        doubt / max(expected, 1),
        np.log1p(len(numbers)),
        np.log1p(kept_size),
        kept_size / max(float(sizes.sum()), 1),
        stretches,
        float(layout.link_sizes[numbers].sum()) / max(kept_size, 1),
        nowhere > -99,
        np.log1p(sizes.sum()),
        float((ends == 1).mean()) if len(numbers) else 0.0,
        float(running_text[numbers].sum()) / max(float(running_text.sum()), 1),
    )
    return np.array([signs], np.float32)


# Tables of data are kept whole: short cells look like no text of the article, but a table without them is wrong.

LEAST_KEPT = 1 / 3
"""Share of a table's blocks that must be kept for the others to join them."""
_MOST_LINKED = 0.5
"""Share of the text of a table that may be links, if no block of it need be kept."""


# Advertisements inside the text: by the label that the law wants them to have, or by the name of their box.

_LABELS = (
    "advertisement", "sponsored", "werbung", "publicité", "publicidad", "publicidade", "pubblicità", "advertentie",
    "广告", "廣告", "広告", "スポンサー", "광고",
)  # fmt: skip
_ALONE = (
    "anzeige", "reklama", "reklame", "annons", "mainos", "реклама", "διαφήμιση", "reklam", "iklan", "quảng cáo",
    "إعلان", "פרסומת",
)  # fmt: skip
"""These begin sentences and headlines of news, too."""
_LABELLED = re.compile(rf"\W*(?:(?:{'|'.join(_LABELS)})\s*(?:[:：.|–—-].*)?|(?:{'|'.join(_ALONE)})\W*)", re.IGNORECASE)
_MOST_LABELLED = 160
"""Characters; a longer line is a paragraph that begins with such a word."""


_AD_BOX = re.compile(
    r"(?!no[-_]|has[-_]|without[-_])(?:.*[-_])?(?:ads?|adverts?|advertisements?|advertising|sponsored|adslot|adunit|adbox|dfp)"
    r"(?:[-_](?:slot|unit|box|container|wrap|wrapper|banner|block|label|break|inline|content|mid|top|bottom|\d+))*",
    re.IGNORECASE,
)
_MOST_AD_WORDS = 30
"""Of a box: a larger one so named may hold the article, with places for advertisements in it."""
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
"""Their ids are anchors made of their text: `how-to-buy-ads`."""
_MOST_AD_DEPTH = 4
"""Elements of a box around its text."""


def is_labelled_advertisement(text: str) -> bool:
    """Return whether a line says that it is an advertisement.

    >>> texts = ("ADVERTISEMENT – scroll on", "Anzeige", "Anzeige: Mann fuhr ohne Licht", "Sponsored events are rare.")
    >>> [is_labelled_advertisement(text) for text in texts]
    [True, True, False, False]
    """
    return len(text) <= _MOST_LABELLED and _LABELLED.fullmatch(text) is not None


def is_advertisement(block: Block) -> bool:
    """Return whether a block says that it is an advertisement, or is in a small box that is named as one."""
    return is_labelled_advertisement(block.text) or is_in_advertising_box(block)


def is_in_advertising_box(block: Block) -> bool:
    """Return whether a short block is in a small box that is named as an advertisement's.

    A heading may be named so for a question about advertising, and is one by its label only.
    """
    if len(block.text) > _MOST_LABELLED or block.tag in _HEADINGS:
        return False
    around = islice(chain((block.element,), block.element.iterancestors()), _MOST_AD_DEPTH)
    ids = ((box, "" if box.tag in _HEADINGS else box.get("id", "")) for box in around)
    names = ((box, f"{box.get('class', '')} {name}".split()) for box, name in ids)
    boxes = (box for box, words in names if any(map(_AD_BOX.fullmatch, words)))
    return any(len(" ".join(box.itertext()).split()) <= _MOST_AD_WORDS for box in boxes)


def with_whole_tables(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return the blocks of a page with the missing ones of the tables of data that belong to the text.

    These are kept in part, or stand directly between two kept blocks and are not mostly links.
    """
    if not blocks or "table" not in blocks[0].outline.tag_names:
        return tuple(blocks)
    outline = blocks[0].outline
    table, lengths = outline.table, outline.characters.lengths
    is_kept = np.zeros(len(table.texts) + 1, np.bool_)  # behind the last block, and before the first, nothing is
    is_kept[table.starts.searchsorted([block.start for block in blocks])] = True
    added: list[Block] = []
    elements = outline.tagged("table")
    for element, following in pairwise((*elements, len(outline.tags))):
        first, last = table.starts.searchsorted(outline.runs_of(element)).tolist()
        inside = is_kept[first:last]
        if inside.all() or following < outline.stops[element]:  # nothing to add, or not the innermost table
            continue
        is_between = is_kept[first - 1] and is_kept[last]
        is_text = table.link_chars[first:last].sum() <= _MOST_LINKED * lengths[first:last].sum()
        if inside.mean() >= LEAST_KEPT or (is_between and is_text):
            cells = outline.blocks_at(range(first, last))
            if element in DataTables(cells).grids:
                missing = compress(cells, ~inside)
                added += (block for block in missing if not is_in_advertising_box(block))
    return tuple(sorted((*blocks, *added), key=lambda block: block.start)) if added else tuple(blocks)
