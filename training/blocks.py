"""Turn the pages of annotated corpora into examples for the block classifier, with a label for each block."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit
from zlib import crc32

import numpy as np

from newsextract.evaluation.contest import source_text
from newsextract.evaluation.corpora import BadRecord, read_corpus
from newsextract.evaluation.measures import Text, is_judgeable
from newsextract.page.page import Page, PageError
from newsextract.page.text import words
from newsextract.reading.extraction.block_classifier.features import describe
from newsextract.reading.extraction.block_classifier.layout import running
from newsextract.reading.extraction.block_classifier.model import BlockClassifier, in_context, inputs_of
from newsextract.reading.extraction.block_classifier.names import NameScores, terms_of
from training.boosting import FIRST, SECOND, boost, constant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from lxml.html import HtmlElement
    from numpy.typing import NDArray
    from tldextract import TLDExtract

    from newsextract.evaluation.corpora import GoldPage
    from newsextract.reading.extraction.block_classifier.features import Described

    Floats = NDArray[np.float64]


# Label the blocks of an annotated page by aligning its gold with its words.


MIN_STRETCH = 3
"""Words in a row that must agree to count, unless they are the whole block: single words agree by chance."""

UNKNOWN = -1.0
"""The label of a block that the annotation says nothing about."""


@dataclass(frozen=True, slots=True)
class Bags:
    """The words of a page's N blocks and of its gold, as numbers, to score any choice of blocks quickly."""

    blocks: tuple[NDArray[np.int32], ...]
    gold: NDArray[np.int64]
    """How often each word is in the gold."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """The words in each block."""
        return np.array([len(block) for block in self.blocks])

    def common(self, kept: NDArray[np.bool_]) -> tuple[int, int]:
        """Return how many words some blocks share with the gold, as bags, and how many they have."""
        chosen = [self.blocks[number] for number in kept.nonzero()[0].tolist()]
        if not chosen:
            return 0, 0
        counts = np.bincount(np.concatenate(chosen), minlength=len(self.gold))
        return int(np.minimum(counts, self.gold).sum()), int(counts.sum())

    def f1(self, kept: NDArray[np.bool_]) -> float:
        """Return the token F1 of a choice of blocks, as `scrapy evaluate` computes it."""
        common, size = self.common(kept)
        total = size + int(self.gold.sum())
        return 2 * common / total if total else 1.0


def bags_of(texts: Sequence[str], gold: str) -> Bags:
    """Return the bags of a page's blocks and its gold."""
    numbers: dict[str, int] = {}
    wanted = [numbers.setdefault(word, len(numbers)) for word in words(gold.lower())]
    blocks = [[numbers.setdefault(word, len(numbers)) for word in words(text.lower())] for text in texts]
    return Bags(
        tuple(np.array(block, np.int32) for block in blocks),
        np.bincount(np.array(wanted, np.int64), minlength=len(numbers)),
    )


def text_labels(texts: Sequence[str], gold: str) -> Floats:
    """Return the share of each block's words that is in the gold, in the gold's order.

    It comes from their longest common subsequence (rapidfuzz); only stretches of `MIN_STRETCH` words count.
    """
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - of the extra `train`

    found = [words(text.lower()) for text in texts]
    sizes = np.array([len(block) for block in found])
    starts = np.concatenate(([0], sizes.cumsum()))
    agreeing = np.zeros(len(texts))
    for step in LCSseq.opcodes(words(gold.lower()), [word for block in found for word in block]):
        if step.tag != "equal":
            continue
        place = step.dest_start
        while place < step.dest_end:
            block = int(starts.searchsorted(place, side="right")) - 1
            stop = min(step.dest_end, int(starts[block + 1]))
            is_whole = place == starts[block] and stop == starts[block + 1]
            if is_whole or step.dest_end - step.dest_start >= MIN_STRETCH:
                agreeing[block] += stop - place
            place = stop
    labels: Floats = agreeing / np.maximum(sizes, 1)
    return labels


def snippet_labels(texts: Sequence[str], includes: Sequence[str], excludes: Sequence[str]) -> Floats:
    """Return 1 for blocks with a wanted snippet, 0 for those with an unwanted one, else `UNKNOWN`.

    >>> snippet_labels(["One two three.", "Share this", "Four"], ["two three"], ["share"]).tolist()
    [1.0, 0.0, -1.0]
    """
    labels = np.full(len(texts), UNKNOWN)
    folded = [" ".join(text.lower().split()) for text in texts]
    for snippets, label in ((excludes, 0.0), (includes, 1.0)):
        for snippet in (" ".join(snippet.lower().split()) for snippet in snippets):
            for number, text in enumerate(folded):
                if snippet and snippet in text:
                    labels[number] = label
    return labels


VALIDATION = frozenset(("chaos",))
"""Corpora that are never trained on."""

_PORTALS = {
    "hexun": "hexun.com",
    "jjgc": "eeo.com.cn",
    "people": "people.com.cn",
    "sina": "sina.com.cn",
    "xinhua": "xinhuanet.com",
}
"""The hosts of the portals in `xmu`; other corpora have pages of them too."""
_NAMING = ("class", "id", "itemprop")
_SNIPPET_WORDS = 300
"""The assumed length of an article if only snippets of it are known."""
_FLOOR = 0.003
"""Added to every block's weight, where the whole article weighs 1: short blocks matter little, but are many."""
_ROUTINE = 0.02
"""Blocks that weigh less and are not content are all alike: every sixth is trained on, for all."""
_THINNING = 6
_OTHER_PAGES = 0.5
"""Weight of a page that is not an article: a forum, a product."""
_CONTENT = 0.3


@dataclass(frozen=True, slots=True)
class CorpusPage:
    """The common part of the examples of blocks and of whole pages."""

    corpus: str
    id: str
    site: str
    language: str

    @property
    def column(self) -> str:
        """The column of the page in the table of results."""
        return f"{self.corpus} {self.language}" if self.corpus == "daniel" else self.corpus

    def fold(self, count: int, salt: str = "") -> int:
        """Return the site's fold out of `folds`, the same on every machine."""
        return crc32(f"{salt}{self.site}".encode()) % count


@dataclass(frozen=True, slots=True)
class Example(CorpusPage):
    """A page, with the label of each of its N blocks: the share of it that is the article's, or `UNKNOWN`."""

    is_article: bool
    described: Described
    """The described blocks, with naming attributes in place of elements."""
    labels: Floats
    words: NDArray[np.int64]
    bags: Bags | None = None
    """The words of blocks and gold, if the full text is known."""
    is_judgeable: bool = True
    texts: tuple[str, ...] = ()
    """The texts of the blocks, if only snippets are known."""
    includes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()

    @property
    def is_trained_on(self) -> bool:
        """Whether the page may be trained on."""
        return self.corpus not in VALIDATION and (self.bags is None or self.is_judgeable)

    def sample(self) -> tuple[NDArray[np.intp], Floats]:
        """Return the blocks to train on, and their weights: their words relative to the article's."""
        size = int(self.bags.gold.sum()) if self.bags else _SNIPPET_WORDS
        weights = np.minimum(self.words / max(size, 30), 1) + _FLOOR
        weights *= self.labels >= 0
        weights /= max(weights.sum(), 1)
        weights *= 1 if self.is_article else _OTHER_PAGES
        is_routine = (weights < _ROUTINE) & (self.labels <= _CONTENT)
        turn = np.arange(len(weights)) % _THINNING == crc32(self.id.encode()) % _THINNING
        chosen = (weights > 0) & (~is_routine | turn)
        return chosen.nonzero()[0], (weights * np.where(is_routine, _THINNING, 1))[chosen]


def read_examples(paths: Sequence[Path], processes: int) -> list[Example]:
    """Return the examples of all corpora, in order."""
    with get_context("fork").Pool(processes) as pool:
        found = pool.imap(_example, (gold for gold in gold_pages(paths) if gold.text or gold.includes), chunksize=8)
        return [_interned(example) for example in found if example is not None]


def gold_pages(paths: Sequence[Path]) -> Iterator[GoldPage]:
    """Yield the readable pages of some corpora."""
    for path in paths:
        yield from (record for record in read_corpus(path) if not isinstance(record, BadRecord))


def _example(gold: GoldPage) -> Example | None:
    """Return the example of a page; `None` if it has no blocks."""
    try:
        page = Page(gold.html, gold.url)
        if not page.outline.table.texts:
            return None
    except PageError:
        return None
    described = describe(page, NameScores({}))
    seen, texts = described.layout.numbers, described.layout.texts
    example = Example(
        gold.corpus,
        gold.id,
        site_of(gold),
        gold.language or "",
        gold.page_type in (None, "article"),
        _stripped(described),
        snippet_labels(texts, gold.includes, gold.excludes)
        if gold.text is None
        else text_labels(page.outline.table.texts, gold.text)[seen],
        np.array([len(text.split()) for text in texts]),
    )
    if gold.text is None:
        return replace(example, texts=tuple(texts), includes=gold.includes, excludes=gold.excludes)
    bags = bags_of(texts, gold.text)
    is_fair = is_judgeable(Text(gold.text), Text(source_text(page)))
    return replace(example, words=bags.counts, bags=bags, is_judgeable=is_fair)


def site_of(gold: GoldPage) -> str:
    """Return the registered domain: `news.example.com` and `example.com` are one site, blogs of one host are not."""
    site = gold.site or gold.url or gold.id
    host = (urlsplit(site).hostname if "//" in site else site) or site
    host = _PORTALS.get(host, host).lower()
    return _domains()(host).top_domain_under_public_suffix or host


@cache
def _domains() -> TLDExtract:
    from tldextract import TLDExtract  # noqa: PLC0415 - of the extra `train`

    # The list of suffixes comes with the package: training makes no requests.
    return TLDExtract(suffix_list_urls=(), include_psl_private_domains=True, cache_dir=None)


def _stripped(described: Described) -> Described:
    """Return the features with what is needed to compute them for other name scores, without the tree."""
    layout = described.layout
    elements = [_naming(element) for element in layout.elements]
    inline = [(block, _naming(element)) for block, element in layout.inline]
    stripped = replace(layout, elements=elements, inline=inline)
    return replace(described, layout=stripped)


def _naming(element: HtmlElement) -> HtmlElement:
    """Return the attributes that name an element; name scores need nothing else."""
    attributes: dict[str, str] = {name: value for name in _NAMING if (value := element.get(name))}
    return cast("HtmlElement", attributes)


_KNOWN: dict[Any, Any] = {}


def _interned(example: Example) -> Example:
    """Return the example with equal attributes stored once, as pages repeat them often."""
    layout = example.described.layout

    def once(element: HtmlElement) -> HtmlElement:
        key = tuple(cast("dict[str, str]", element).items())
        return cast("HtmlElement", _KNOWN.setdefault(key, element))

    elements = [once(element) for element in layout.elements]
    inline = [(block, once(element)) for block, element in layout.inline]
    layout = replace(layout, elements=elements, inline=inline)
    return replace(example, described=replace(example.described, layout=layout))


# Fit both block classifiers and the scores of names to labelled pages.
#
# The second classifier learns from the first one's answers on pages it has not seen: the sites are split into `FOLDS`,
# and a first classifier trained without a fold judges it. Scores of names are learned the same way. The classifier that
# is returned was trained on all pages.
#
# Many pages are trained on without some of their names, so that no name alone decides: sites that nobody has annotated
# have other names.


MIN_SITES = 5
"""Sites that a name must be found on to get a score: on fewer, it is a site's own."""
_PRIOR_SITES = 3.0
_PRIOR_SHARE = 0.4
"""The usual share of content in a page's words; a prior that weighs as much as `_PRIOR_SITES` sites."""
_SLIGHT = 0.05

Shares = dict[str, float]
"""For each term on a page: the share of content in the words inside elements of that name."""


def content_shares(example: Example) -> Shares:
    """Return the content share of each term on one page."""
    layout = example.described.layout
    known = np.where(example.labels >= 0, example.words, 0.0)
    words, content = running(known), running(known * example.labels.clip(0))
    places: dict[str, list[int]] = defaultdict(list)
    for number, (element, tag) in enumerate(zip(layout.elements, layout.tags, strict=True)):
        for term in (*terms_of(element), f"<{tag}>"):
            places[term].append(number)
    first, last = layout.first.tolist(), layout.last.tolist()
    shares: Shares = {}
    for term, numbers in places.items():
        inside = of_content = 0.0
        reached = 0
        for number in numbers:  # in page order, so that nested elements count once
            start, stop = max(first[number], reached), last[number]
            if stop > start:
                inside += words[stop] - words[start]
                of_content += content[stop] - content[start]
                reached = stop
        if inside:
            shares[term] = of_content / inside
    return shares


def learn_names(examples: Iterable[Example], shares: Mapping[int, Shares]) -> NameScores:
    """Return the scores of the terms that enough sites use; every site counts once.

    The score is the log-odds of the mean share of content, less those of `_PRIOR_SHARE`. `shares` are those of the
    examples by `id()`.
    """
    by_site: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        by_site[example.site].append(example)
    total: dict[str, float] = defaultdict(float)
    sites: dict[str, int] = defaultdict(int)
    for pages in by_site.values():
        found: dict[str, list[float]] = defaultdict(list)
        for page in pages:
            for term, share in shares[id(page)].items():
                found[term].append(share)
        for term, values in found.items():
            total[term] += sum(values) / len(values)
            sites[term] += 1
    scores = {term: _score(total[term], count) for term, count in sites.items() if count >= MIN_SITES}
    return NameScores(
        {term: score for term, score in sorted(scores.items()) if abs(score) >= _SLIGHT or term[0] == "="}
    )


def _score(total: float, sites: int) -> float:
    mean = (total + _PRIOR_SITES * _PRIOR_SHARE) / (sites + _PRIOR_SITES)
    score = math.log(mean / (1 - mean)) - math.log(_PRIOR_SHARE / (1 - _PRIOR_SHARE))
    return float(np.float32(round(score, 3)))


FORGOTTEN = {0.0: 0.5, 0.3: 0.38, 1.0: 0.12}
"""Shares of a page's terms that are forgotten in the training, and on how many of the pages."""
BALANCE = -0.5
"""Pages weigh the size of their corpus to this power: a corpus weighs as the root of its pages, and none dominates."""


def partly_named(scores: NameScores, example: Example, terms: Iterable[str]) -> NameScores:
    """Return the scores of the terms of a page without those that are forgotten, the same on every machine."""
    chance = np.random.default_rng(crc32(example.id.encode()))
    share = chance.choice(list(FORGOTTEN), p=list(FORGOTTEN.values()))
    known = sorted(term for term in terms if term in scores.scores)
    is_kept = chance.random(len(known)) >= share
    return NameScores({term: scores.scores[term] for term, kept in zip(known, is_kept, strict=True) if kept})


def page_weights(examples: Sequence[Example]) -> list[float]:
    """Return the weight of each page, by the number of its corpus' pages."""
    pages = Counter(example.corpus for example in examples)
    return [pages[example.corpus] ** BALANCE for example in examples]


FOLDS = 3
_SALT = "inner"

UNTRAINED = constant(0.5)
"""Trees that always return 0.5, used until the real ones are trained."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """The inputs of a fit: the examples' shares of names, and the features to leave out, for ablations."""

    shares: Mapping[int, Shares]
    blind: tuple[str, ...] = ()
    """Families of features that are left out."""
    has_context: bool = True
    """Whether there is a second classifier; otherwise the first one decides."""

    def fit(self, examples: Sequence[Example]) -> BlockClassifier:
        """Return the classifier fitted to these examples."""
        samples = [example.sample() for example in examples]
        held_out = [example.fold(FOLDS, _SALT) for example in examples]
        described: list[Described] = [example.described for example in examples]
        for fold in range(FOLDS):
            others = [example for example, place in zip(examples, held_out, strict=True) if place != fold]
            scores = learn_names(others, self.shares)
            for number in (number for number, place in enumerate(held_out) if place == fold):
                example = examples[number]
                named = example.described.named(partly_named(scores, example, self.shares[id(example)]))
                described[number] = self.seen(named)
        labels = _stack(example.labels[rows].clip(0, 1) for example, (rows, _) in zip(examples, samples, strict=True))
        pages = zip(samples, page_weights(examples), strict=True)
        weights = _stack(weights * of_page for (_, weights), of_page in pages)
        rows: NDArray[np.float32] = _stack(
            page.features[chosen] for page, (chosen, _) in zip(described, samples, strict=True)
        )
        first = boost(rows, labels, weights, FIRST)
        second = UNTRAINED
        if self.has_context:
            folds = np.repeat(held_out, [len(chosen) for chosen, _ in samples])
            in_turn = [boost(rows[folds != k], labels[folds != k], weights[folds != k], FIRST) for k in range(FOLDS)]
            rows = _stack(
                in_context(page, in_turn[fold].probabilities(page.features))[chosen]
                for page, fold, (chosen, _) in zip(described, held_out, samples, strict=True)
            )
            second = boost(rows, labels, weights, SECOND)
        names = learn_names(examples, self.shares)
        return BlockClassifier(names, first, second, UNTRAINED, inputs_of(described[0]))

    def seen(self, described: Described) -> Described:
        """Return the blocks without the features that are left out."""
        if not self.blind:
            return described
        features = described.features.copy()
        for family in self.blind:
            features[:, described.families[family]] = 0
        return replace(described, features=features)

    def judge(self, model: BlockClassifier, example: Example) -> tuple[Described, Floats]:
        """Return the blocks of an example as the model describes them, and their probabilities."""
        described = example.described.named(model.names)
        seen = self.seen(described)
        if not self.has_context:
            return described, model.first.probabilities(seen.features)
        return described, model.judge(seen)


_T = TypeVar("_T", np.float32, np.float64)


def _stack(arrays: Iterable[NDArray[_T]]) -> NDArray[_T]:
    return np.concatenate(list(arrays))
