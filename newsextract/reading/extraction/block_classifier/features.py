"""The features of all blocks of a page in one matrix, the input of the first of the two classifiers.

About 160 columns in eight families. None looks at words or language: characters, structure, and the English names that
authors of pages everywhere give to elements.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import accumulate, chain, compress
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page import characters as kinds
from newsextract.page.text import words
from newsextract.reading.extraction.block_classifier.layout import TAGS, Features, lay_out, running, with_logarithms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from newsextract.page.blocks import Outline
    from newsextract.page.outline import Integers
    from newsextract.page.page import Page
    from newsextract.reading.extraction.block_classifier.layout import Layout
    from newsextract.reading.extraction.block_classifier.names import NameScores

    Floats = NDArray[np.float64]


_HEAD_ELEMENTS = 500
"""Elements searched for the social-network title: about those of the page's head."""
_TITLE_CHARS = 500
_STEPS = (-2, -1, 1, 2)
_NEIGHBOURLY = (
    "size", "link_share", "stops", "ends_sentence", "tag", "share_1", "like_class_share", "gap_before",
)  # fmt: skip
_NEIGHBOURS = tuple(f"{name}{step:+d}" for step in _STEPS for name in _NEIGHBOURLY)
_MAINS = (("main", 0.4), ("most", 0.7))
"""Shares of the running text: features describe the smallest element that holds each."""


@dataclass(frozen=True, slots=True)
class Described:
    """N blocks with their features."""

    layout: Layout
    features: NDArray[np.float32]
    """N x len(`names`)."""
    places: Mapping[str, int]
    """The column of each feature by its name."""
    families: Mapping[str, slice]
    """The columns of each family."""
    groups: tuple[Integers, Integers]
    """The groups of blocks with the same markup, by tags and by classes."""
    shares: NDArray[np.float64]
    """The share of the page's running text in each element."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features, in order."""
        return tuple(self.places)

    def columns(self, names: Sequence[str]) -> NDArray[np.float32]:
        """Return these features, N x len(names)."""
        return self.features.T[[self.places[name] for name in names]].T

    def named(self, scores: NameScores) -> Described:
        """Return the same blocks with other scores for their names."""
        features = self.features.copy()
        features[:, self.families["names"]] = of_names(self.layout, scores, self.shares).values.T
        return replace(self, features=features)


def describe(page: Page, scores: NameScores) -> Described:
    """Return the features of a page's blocks; the page must have at least one."""
    layout = lay_out(page.outline)
    looks, weights = prose(layout)
    held = layout.inside(weights)
    shares: NDArray[np.float64] = held / max(weights.sum(), 1e-6)
    groups = alike(layout)
    families: dict[str, tuple[Features, ...]] = {
        "text": (of_characters(layout),),
        "tags": (of_tags(layout),),
        "names": (of_names(layout, scores, shares),),
        "place": (
            of_place(layout),
            of_headline(layout, title_of(page.outline)),
            of_articles(layout, shares),
        ),
        "regions": (
            of_ancestors(layout, looks, shares),
            *(of_container(layout, container(layout, held, share), name) for name, share in _MAINS),
        ),
        "repetition": (
            of_doubles(layout.texts),
            of_alike(layout, weights, groups[0], "like_tags"),
            of_alike(layout, weights, groups[1], "like_class"),
        ),
        "around": (of_surroundings(layout, weights),),
    }
    names = {family: [name for part in parts for name in part.names] for family, parts in families.items()}
    names["neighbours"] = list(_NEIGHBOURS)
    places = {name: number for number, name in enumerate(chain.from_iterable(names.values()))}
    stops = list(accumulate(map(len, names.values())))
    slices = dict(zip(names, map(slice, [0, *stops], stops), strict=False))
    first = np.concatenate([part.values for parts in families.values() for part in parts])
    beside = all_beside(first[[places[name] for name in _NEIGHBOURLY]], _STEPS)
    features = np.concatenate((first, beside), dtype=np.float32, casting="same_kind")
    return Described(layout, features.T, places, slices, groups, shares)


def title_of(outline: Outline) -> str:
    """Return the titles that the page declares, in `title` and for social networks."""
    tags, elements = outline.tags[:_HEAD_ELEMENTS], outline.elements
    named = (elements[tags.index("title")].text or "")[:_TITLE_CHARS] if "title" in tags else ""
    for element in compress(elements, [tag == "meta" for tag in tags]):
        if element.get("property") == "og:title":
            return f"{named} {element.get('content', '')[:_TITLE_CHARS]}"
    return named


# Features of a block by itself: its characters, its tag, its names.

_ENDS = np.zeros(kinds.OTHER + 1)
_ENDS[[kinds.STOP, kinds.COLON, kinds.ELLIPSIS]] = 1, 2, 3
_FIRST_HEADING = TAGS.index("h1") + 1
_AROUND = (
    "article", "main", "nav", "aside", "footer", "header", "form", "figure figcaption", "table", "ul ol dl",
    "blockquote", "section",
)  # fmt: skip
AROUND = ("article", "main", "nav", "aside", "footer", "header", "form", "figure", "table", "list", "quote", "section")

_HALF = 0.5
_BITS = 5
_MASK = (1 << _BITS) - 1
_SHIFTS = _BITS * np.arange(len(AROUND))[:, None]
"""One number counts all kinds of elements around a block: each kind, at most `LEVELS`, has bits of its own."""
_PACKED = np.zeros(len(TAGS) + 1, np.int64)
for _number, _tags in enumerate(_AROUND):
    for _tag in _tags.split():
        if _tag in TAGS:
            _PACKED[TAGS.index(_tag) + 1] = 1 << _BITS * _number

_OF_CHARACTERS = (
    "size", "link_share", "stop_share", "comma_share", "digit_share", "symbol_share", "other_share", "upper_share",
    "stops", "commas", "word_size", "first_kind", "ends_sentence", "runs",
)  # fmt: skip
_SHARES = [kinds.STOP, kinds.COMMA, kinds.DIGIT, kinds.SYMBOL, kinds.OTHER]
_COUNTS = [0, 8, 9, 13]
"""The rows whose logarithms are used."""
_OF_TAGS = ("tag", "parent_tag", "grandparent_tag", "depth", "heading", *(f"in_{kind}" for kind in AROUND))
_OF_NAMES = (
    "names_0", "names_1", "names_2", "names_near", "names_wide", "names_lowest", "names_highest", "names_against",
    "names_for", "part_names_lowest", "part_names_highest", "part_names_against", "name_lowest", "name_highest",
    "names_inline", "tag_score", "parent_tag_score",
)  # fmt: skip


def of_characters(layout: Layout) -> Features:
    """Return the mix of characters in the text of each block."""
    found, counts = layout.characters, layout.characters.counts.T
    values = np.empty((len(_OF_CHARACTERS), len(layout.sizes)))
    values[0] = layout.sizes
    values[1] = link_share(layout)
    values[2:7] = counts[_SHARES] / found.lengths
    values[7] = counts[kinds.UPPER] / np.maximum(counts[kinds.UPPER] + counts[kinds.LOWER], 1)
    values[8:10] = counts[[kinds.STOP, kinds.COMMA]]
    values[10] = (found.lengths - counts[kinds.SPACE]) / (counts[kinds.SPACE] + 1)
    values[11] = found.first
    values[12] = _ENDS[found.last]
    values[13] = layout.runs
    with_logarithms(values, _COUNTS)
    return Features(_OF_CHARACTERS, values)


def link_share(layout: Layout) -> NDArray[np.float64]:
    """Return the share of each block's text that lies inside links, from 0 to 1."""
    share: NDArray[np.float64] = layout.link_sizes / layout.sizes
    return share


def heading_levels(layout: Layout) -> NDArray[np.intp]:
    """Return 1 to 6 for a heading, 0 for another block."""
    levels = layout.kinds[layout.lineage[0]] - _FIRST_HEADING + 1
    return np.where((levels >= 1) & (levels <= 6), levels, 0)


def of_tags(layout: Layout) -> Features:
    """Return the tags of each block, its parent and grandparent, and how many of each kind are around it."""
    values = np.empty((len(_OF_TAGS), len(layout.sizes)))
    values[:3] = layout.kinds.take(layout.lineage[:3])
    # The levels above the root repeat the root, which is of none of these kinds: `body` and `html` are not listed.
    values[3] = (layout.lineage > 0).sum(0)
    values[4] = heading_levels(layout)
    values[5:] = _PACKED[layout.kinds].take(layout.lineage).sum(0) >> _SHIFTS & _MASK
    return Features(_OF_TAGS, values)


def of_names(layout: Layout, scores: NameScores, shares: NDArray[np.float64]) -> Features:
    """Return the scores of the names of the elements around each block: their sum, the highest and the lowest.

    Apart from that, what those say that hold less than half of the page's running text, `shares` of it: a page named
    `with-comments` tells nothing, a part of it named so does.
    """
    said = scores.table(layout.elements, layout.classes).T
    sums, highest, lowest = said.take(layout.lineage, 1)
    in_part = np.where(shares < _HALF, said[0], 0.0).take(layout.lineage)
    values = np.empty((len(_OF_NAMES), len(layout.sizes)))
    values[:3] = sums[:3]
    values[3] = sums[:2].sum(0)
    values[4] = sums[:5].sum(0)
    values[5] = sums.min(0)
    values[6] = sums.max(0)
    values[7] = np.minimum(sums, 0).sum(0)
    values[8] = np.maximum(sums, 0).sum(0)
    values[9] = in_part.min(0)
    values[10] = in_part.max(0)
    values[11] = np.minimum(in_part, 0).sum(0)
    values[12] = lowest.min(0)
    values[13] = highest.max(0)
    values[14] = 0.0
    if layout.inline:
        blocks, holders = zip(*layout.inline, strict=True)
        values[14, list(blocks)] = scores.classes([holder.get("class") for holder in holders])
    values[15:17] = scores.tags[layout.kinds.take(layout.lineage[:2])]
    return Features(_OF_NAMES, values)


# Features of a block's place: in the page, relative to the headline, among articles, between its neighbours.

_FAR = 50
_NOWHERE = -99.0
_LONGEST_HEADLINE, _SHORTEST_HEADLINE = 300, 8
_TELLING = 15
"""Letters from which on a text that is part of the title is so by no accident."""
_ENOUGH_WORDS = 4
"""Words that a heading must share with the title before its likeness counts in full."""
_SURE = 0.6
_DOUBLE_CHARS = 20
"""Blocks that share so many first characters are doubles: a teaser of the text below, or a second copy."""

_OF_PLACE = (
    "place", "text_place", "page_blocks", "page_size", "page_link_share", "skipped_before", "skipped_after",
    "gap_before", "gap_after",
)  # fmt: skip
_PLACE_COUNTS = [2, 3, 5, 6, 7, 8]
"""The rows whose logarithms are used."""
_OF_HEADLINE = ("title_likeness", "headings_before", "headings", "headline_blocks", "headline_size")
_OF_ARTICLES = ("article_share", "articles_share", "article_number", "article_blocks", "articles")
_OF_DOUBLES = ("same_text", "same_start")


def of_place(layout: Layout) -> Features:
    """Return how far into the page each block is, and how large the page is."""
    count = len(layout.sizes)
    read = layout.sizes.cumsum()
    values = np.empty((len(_OF_PLACE), count))
    values[0] = np.arange(count) / count
    values[1] = (read - layout.sizes / 2) / read[-1]
    values[2] = layout.page_counts[0]
    values[3] = layout.page_sizes[0]
    values[4] = layout.page_links[0] / layout.page_sizes[0]
    values[5] = layout.skipped
    values[6, :-1] = layout.skipped[1:]
    values[6, -1] = layout.page_counts[0] - 1 - layout.numbers[-1]
    values[7] = np.maximum(layout.gaps, 0)
    values[8, :-1] = values[7, 1:]
    values[8, -1] = 0.0
    with_logarithms(values, _PLACE_COUNTS)
    return Features(_OF_PLACE, values)


def of_headline(layout: Layout, title: str) -> Features:
    """Return each block's place relative to the headline, the heading most similar to the page's title."""
    levels = heading_levels(layout)
    likeness = _likeness(layout, levels, title)
    in_links = link_share(layout) > 0.5
    score = likeness + 0.6 * (levels == 1) + 0.25 * (levels == 2) - 0.5 * in_links
    headline = int(score.round(1).argmax())
    before = running(((levels == 1) | ((likeness >= 1) & (levels > 0))).astype(np.float64))
    values = np.empty((len(_OF_HEADLINE), len(score)))
    values[0] = likeness
    values[1] = before[:-1]
    values[2] = before[-1]
    if score[headline] < _SURE:
        values[3:] = _NOWHERE
    else:
        steps = np.arange(len(score)) - headline
        read = layout.sizes.cumsum()
        values[3] = np.minimum(np.maximum(steps, -_FAR), _FAR)
        values[4] = np.log1p(np.abs(read - read[headline])) * np.sign(steps)
    return Features(_OF_HEADLINE, values)


def _likeness(layout: Layout, levels: NDArray[np.intp], title: str) -> Floats:
    """Return how much of each short block is in the title, from 0 to 1."""
    title = " ".join(title.lower().split())
    title_words: set[str] = set()
    likeness = np.zeros(len(layout.texts))
    is_short = (layout.sizes >= _SHORTEST_HEADLINE) & (layout.sizes <= _LONGEST_HEADLINE)
    may_be_in_title = (layout.sizes > _TELLING) & (layout.characters.lengths <= len(title))
    for number in (is_short & (((levels > 0) & (levels <= 3)) | may_be_in_title)).nonzero()[0].tolist():
        text = layout.texts[number].lower()
        if text in title:
            likeness[number] = 1.0
        elif 0 < levels[number] <= 3:
            title_words = title_words or set(words(title))
            found = set(words(text))
            shared = len(found & title_words)
            likeness[number] = shared / max(len(found), 1) * min(1.0, shared / _ENOUGH_WORDS)
    return likeness


def of_articles(layout: Layout, shares: Floats) -> Features:
    """Return which `article` element each block is in: pages may hold a second article, or one for each comment.

    `shares` are those of the page's running text in each element.
    """
    is_article = layout.is_article
    values = np.full((len(_OF_ARTICLES), len(layout.sizes)), -1.0)
    articles = is_article.nonzero()[0]
    values[4] = len(articles)
    if len(articles):
        around = is_article[layout.lineage]
        blocks = np.flatnonzero(around.any(0))
        around, lineage = around[:, blocks], layout.lineage[:, blocks]
        inside = np.arange(len(blocks))
        nearest = lineage[around.argmax(0), inside]
        widest = lineage[len(around) - 1 - around[::-1].argmax(0), inside]
        values[0, blocks] = shares[nearest]
        values[1, blocks] = shares[widest]
        values[2, blocks] = articles.searchsorted(widest)
        values[3, blocks] = blocks - layout.first[nearest]
    return Features(_OF_ARTICLES, values)


def of_doubles(texts: Sequence[str]) -> Features:
    """Return how many blocks have the text of each, and whether it begins as an earlier (1) or a later (2) one."""
    counts = Counter(texts)
    first: dict[str, int] = {}
    alike = [0] * len(texts)
    for number, text in enumerate(texts):
        if len(text) >= _DOUBLE_CHARS:
            earlier = first.setdefault(text[:_DOUBLE_CHARS], number)
            if earlier != number:
                alike[number] = 1
                alike[earlier] = max(alike[earlier], 2)
    return Features(_OF_DOUBLES, np.array(([counts[text] for text in texts], alike), np.float64))


def all_beside(columns: Floats, steps: Sequence[int], outside: float = -1.0) -> Floats:
    """Return, step by step, each row shifted by so many places: blocks get the value of a later or earlier one.

    >>> all_beside(np.array([[1.0, 2.0], [3.0, 4.0]]), [-1, 2]).tolist()
    [[-1.0, 1.0], [-1.0, 3.0], [-1.0, -1.0], [-1.0, -1.0]]
    """
    count, most = columns.shape[1], max(map(abs, steps))
    framed = np.full((len(columns), count + 2 * most), outside)
    framed[:, most : most + count] = columns
    return np.concatenate([framed[:, most + step : most + step + count] for step in steps])


# Features of a block's region: the elements around it, the page's main container, blocks with the same markup.

_PARAGRAPH = TAGS.index("p") + 1
_SENTENCE = 40
"""Letters from which on a block with a comma or a full stop is taken for running text."""
_LONG = 80
_DOUBT = 0.1
"""The weight of text that does not look like running text."""
_ODD = np.uint64(1_000_003)
_NEAR_LEVELS = 4
_OF_ANCESTORS = ("blocks", "link_share", "mean_size", "paragraphs", "long", "prose", "place")
_OF_ALIKE = ("blocks", "share", "mean_size", "link_share")
_LEVEL_SHARES = tuple(f"share_{level}" for level in range(7))
_NEAR = tuple(f"{name}_{level}" for level in range(1, _NEAR_LEVELS + 1) for name in _OF_ANCESTORS)
WINDOWS = (2, 5, 10)
_OF_SURROUNDINGS = (
    *(f"{name}_{reach}" for reach in WINDOWS for name in ("window", "window_link_share")),
    "ahead", "behind", "share_after", "share_before", "weight_rank",
)  # fmt: skip
_SUMS = [0, 2, 4, 6, 7]
"""The rows whose logarithms are used."""
_AHEAD, _BEHIND = 9, 8


def prose(layout: Layout) -> tuple[NDArray[np.bool_], Floats]:
    """Return which blocks look like running text, and the weight of each: its size outside links."""
    counts = layout.characters.counts
    looks = (counts[:, kinds.STOP] + counts[:, kinds.COMMA] > 0) & (layout.sizes > _SENTENCE)
    return looks, layout.sizes * (1 - link_share(layout)) * np.where(looks, 1, _DOUBT)


def of_ancestors(layout: Layout, looks: NDArray[np.bool_], shares: Floats) -> Features:
    """Return the share of the page's running text in each element around a block, and what the nearer ones hold."""
    page_counts = np.maximum(layout.page_counts, 1)
    signs = np.array((layout.kinds[layout.lineage[0]] == _PARAGRAPH, layout.sizes > _LONG, looks), np.float64)
    paragraphs, long, running_text = layout.inside(signs)
    table = np.empty((len(_OF_ANCESTORS) - 1, len(page_counts)))
    table[0] = page_counts
    table[1] = layout.page_links / np.maximum(layout.page_sizes, 1)
    table[2] = layout.page_sizes / page_counts
    table[3] = paragraphs / page_counts
    table[4] = long
    table[5] = running_text / page_counts
    with_logarithms(table, [0, 2, 4])
    near = layout.lineage[1 : _NEAR_LEVELS + 1]
    values = np.empty((len(_LEVEL_SHARES) + len(_NEAR), near.shape[1]))
    values[: len(_LEVEL_SHARES)] = shares.take(layout.lineage[: len(_LEVEL_SHARES)])
    nearer = values[len(_LEVEL_SHARES) :].reshape(_NEAR_LEVELS, len(_OF_ANCESTORS), -1)
    nearer[:, :-1] = table.take(near, 1).swapaxes(0, 1)
    count = np.maximum(layout.last - layout.first, 1)
    nearer[:, -1] = (np.arange(near.shape[1]) - layout.first.take(near)) / count.take(near)
    return Features(_LEVEL_SHARES + _NEAR, values)


def container(layout: Layout, held: Floats, share: float) -> int:
    """Return the innermost element that holds this share of the page, by the heaviest child; else the root."""
    enough = ((held >= share * held[0]) & (held > 0)).nonzero()[0]
    if not len(enough):
        return 0
    # For a share below a half, two elements can qualify side by side: take the heavier.
    followers = np.append(enough[1:], len(held))
    innermost = enough[followers >= layout.stops[enough]]
    return int(innermost[held[innermost].argmax()])


def of_container(layout: Layout, main: int, name: str) -> Features:
    """Return the path of each block to a container, up to their common ancestor and down, and the side it is on."""
    lineage = layout.lineage
    names = (f"up_{name}", f"down_{name}", f"side_{name}")
    values = np.empty((3, lineage.shape[1]))
    values[0] = up = ((lineage <= main) & (main < layout.stops.take(lineage))).argmax(0)
    meeting = lineage[up, np.arange(lineage.shape[1])]
    depths = np.zeros(len(layout.tags))
    element, depth = main, 0
    while element > 0:
        depths[element] = depth
        element, depth = int(layout.parents[element]), depth + 1
    depths[0] = depth
    values[1] = depths[meeting]
    values[2] = (lineage[0] >= layout.stops[main]) * 1.0 - (lineage[0] < main)
    return Features(names, values)


def alike(layout: Layout) -> tuple[Integers, Integers]:
    """Return groups of blocks with the same markup: by all tags around, and by the nearer tags with their classes."""
    known: dict[str | None, int] = {}
    classes = [known.setdefault(name, len(known)) for name in layout.classes]
    numbers = layout.kinds.astype(np.uint64) + np.uint64(1)
    with np.errstate(over="ignore"):
        powers = np.cumprod(np.full(len(layout.lineage), _ODD))[:, None]
        by_tags = (numbers[layout.lineage] * powers * (layout.lineage > 0)).sum(0)
        named = (numbers * np.uint64(65_537) + np.array(classes, np.uint64))[layout.lineage[:_NEAR_LEVELS]]
        by_names = (named * powers[:_NEAR_LEVELS]).sum(0)
    return _numbered(by_tags), _numbered(by_names)


def _numbered(signatures: NDArray[np.uint64]) -> Integers:
    """Return a number from 0 on for each signature, the same for equal ones."""
    known: dict[int, int] = {}
    return np.array([known.setdefault(signature, len(known)) for signature in signatures.tolist()], np.intp)


def of_alike(layout: Layout, weights: Floats, groups: Integers, name: str) -> Features:
    """Return how many blocks have the same markup as each, and what they hold together."""
    counts, sizes = np.bincount(groups), np.bincount(groups, layout.sizes)
    table = np.empty((len(_OF_ALIKE), len(counts)))
    table[0] = counts
    table[1] = np.bincount(groups, weights) / max(weights.sum(), 1e-6)
    table[2] = sizes / counts
    table[3] = np.bincount(groups, layout.link_sizes) / sizes
    with_logarithms(table, [0, 2])
    return Features(tuple(f"{name}_{key}" for key in _OF_ALIKE), table.take(groups, 1))


def of_surroundings(layout: Layout, weights: Floats) -> Features:
    """Return the amount of running text before and after each block, regardless of elements."""
    count = len(weights)
    blocks = np.arange(count)
    held, sizes, links = running(np.array((weights, layout.sizes, layout.link_sizes)))
    values = np.empty((len(_OF_SURROUNDINGS), count))
    for row, reach in enumerate(WINDOWS):
        start, stop = np.maximum(blocks - reach, 0), np.minimum(blocks + reach + 1, count)
        values[2 * row] = (held[stop] - held[start]) / (stop - start)
        values[2 * row + 1] = (links[stop] - links[start]) / (sizes[stop] - sizes[start])
    total = max(held[-1], 1e-6)
    values[6] = held[np.minimum(blocks + _AHEAD, count)] - held[1:]
    values[7] = held[:-1] - held[np.maximum(blocks - _BEHIND, 0)]
    values[8] = (held[-1] - held[1:]) / total
    values[9] = held[:-1] / total
    values[10] = weights / max(weights.max(), 1e-6)
    with_logarithms(values, _SUMS)
    return Features(_OF_SURROUNDINGS, values)
