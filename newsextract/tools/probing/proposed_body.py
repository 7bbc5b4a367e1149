"""Proposes where the body is: the place that holds what `auto` reads on the pages of which it is sure.

An element with little beside the body may still read worse than `auto` on short pages, where that little is much. So
what other pages of the site repeat, and links, may hardly be in it; or only its paragraphs are taken.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

from newsextract.page.words import count_words, words
from newsextract.reading.rules.ruled_body import VERY_SURE, agreement
from newsextract.tools.probing.proposal import NotProposed, Proposal
from newsextract.tools.probing.stable_selectors import nearly_all, shared_selectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from newsextract.page.blocks import Block
    from newsextract.tools.probing.read_pages import ReadPage

RULE = "body"

LEAST_PAGES = 4
"""Pages from which a place is learned."""

LEAST_SURE = 2
"""Pages among them of which the general reading is sure: they say what a body is."""

SURE = 0.9
"""The confidence, an estimate of token F1, from which the general reading is learned from."""

LEAST_MEAN, LEAST_AGREEMENT = 0.95, 0.9
"""Token F1 with the general reading over the pages of which it is sure, and on each of them."""

SAME = 0.9
"""Token F1 from which a rule reads about what the general reading reads: it would gain little, and may lose that."""

MOST_BESIDE = 0.3
"""Words that a place holds beside the body on sure pages, relative to what it holds on a page that is unsure."""

MOST_REPEATED, MOST_LINKED = 0.03, 0.25
"""Shares of a selection's characters: in blocks that another page has too, and in links."""

LEAST_WORDS = 40
"""Words that a selection has on each page."""

_FITS = (0.7, 2.5)
"""Characters of an element relative to the body's on sure pages; what is outside cannot agree with it."""


@dataclass(frozen=True, slots=True)
class _Tried:
    selector: str
    shares: tuple[float | None, ...]
    """Agreement with the general reading on each page; `None` where it matches nothing or too much."""
    mean: float
    least: float
    """Over the pages of which the general reading is sure."""


def propose_body(pages: Sequence[ReadPage]) -> Proposal | NotProposed | None:
    """Return a rule for the body, why there is none, or `None` if none is needed."""
    unsure = [page for page in pages if _is_unsure(page)]
    if not unsure:
        return None
    told = f"auto is unsure of {len(unsure)} of {len(pages)} pages"
    if len(pages) < LEAST_PAGES:
        return NotProposed(RULE, f"{told}, and {LEAST_PAGES} are needed to compare")
    sure = sum(_is_sure(page) for page in pages)
    if sure < LEAST_SURE:
        return NotProposed(RULE, f"{told} and sure of {sure}; {LEAST_SURE} are needed to learn from")
    best = max(_tried(pages), key=lambda one: (round(one.mean, 2), -len(one.selector)), default=None)
    return _told(best, pages, told)


def _told(best: _Tried | None, pages: Sequence[ReadPage], told: str) -> Proposal | NotProposed:
    """Return the proposal of the best place, or why it is not good enough."""
    if best is None:
        return NotProposed(RULE, f"{told}; no id, class or element holds their text, and little else, on nearly all")
    if best.mean < LEAST_MEAN or best.least < LEAST_AGREEMENT:
        why = f"`{best.selector}` comes nearest, and agrees on {best.least:.0%} of the words of a page that is sure"
        return NotProposed(RULE, f"{told}; {why}")
    changed = [page.url for page, share in _shared(best, pages) if _is_unsure(page) and share < SAME]
    if not changed:
        return NotProposed(RULE, f"{told}; `{best.selector}` finds there what auto finds")
    urls = tuple(page.url for page, _ in _shared(best, pages))
    why = f"on {len(urls)} of {len(pages)} pages; agrees with auto where that is sure ({best.mean:.2f})"
    return Proposal(RULE, best.selector, urls, why, tuple(changed))


def _is_sure(page: ReadPage) -> bool:
    return page.extraction.confidence >= SURE and not page.extraction.warnings


def _is_unsure(page: ReadPage) -> bool:
    return page.extraction.confidence < VERY_SURE


def _shared(tried: _Tried, pages: Sequence[ReadPage]) -> Iterator[tuple[ReadPage, float]]:
    for page, share in zip(pages, tried.shares, strict=True):
        if share is not None:
            yield page, share


def _tried(pages: Sequence[ReadPage]) -> Iterator[_Tried]:
    """Yield the selectors that match nearly all pages, one of them unsure, and hold little that is not the body."""
    repeated = Counter(text for page in pages for text in {block.text for block in page.page.blocks})
    met: set[tuple[int | None, ...]] = set()
    for selector in shared_selectors([page.places for page in pages]):
        places = tuple(page.places.get(selector) for page in pages)
        if places in met or not all(_fits(page, place) for page, place in zip(pages, places, strict=True)):
            continue
        met.add(places)
        for paragraphs in (False, True):
            selected = [
                () if place is None else _selected(page, place, paragraphs=paragraphs)
                for page, place in zip(pages, places, strict=True)
            ]
            if _is_roomy(pages, selected):
                continue
            shares = tuple(_share(page, blocks, repeated) for page, blocks in zip(pages, selected, strict=True))
            if tried := _judged(f"{selector} p" if paragraphs else selector, shares, pages):
                yield tried


def _judged(selector: str, shares: tuple[float | None, ...], pages: Sequence[ReadPage]) -> _Tried | None:
    known = [(page, share) for page, share in zip(pages, shares, strict=True) if share is not None]
    sure = [share for page, share in known if _is_sure(page)]
    if len(known) < nearly_all(len(pages)) or len(sure) < LEAST_SURE or not any(_is_unsure(page) for page, _ in known):
        return None
    return _Tried(selector, shares, fmean(sure), min(sure))


def _fits(page: ReadPage, place: int | None) -> bool:
    """Return whether the length of an element allows that it holds a body that is known, and little else."""
    if place is None or not _is_sure(page):
        return True
    start, stop = page.page.outline.runs_of(place)
    body = sum(len(block.text) for block in page.extraction.blocks)
    least, most = _FITS
    return least * body <= sum(map(len, page.page.outline.runs[start:stop])) <= most * body


def _is_roomy(pages: Sequence[ReadPage], selected: Sequence[Sequence[Block]]) -> bool:
    """Return whether a place holds so much beside the body on sure pages that it would be much of an unsure one."""
    pairs = [(page, _words(blocks)) for page, blocks in zip(pages, selected, strict=True) if blocks]
    beside = [(found - _words(page.extraction.blocks)).total() for page, found in pairs if _is_sure(page)]
    shortest = min((found.total() for page, found in pairs if _is_unsure(page)), default=0)
    return (median(beside) if beside else 0) > MOST_BESIDE * shortest


def _words(blocks: Iterable[Block]) -> Counter[str]:
    return Counter(word for block in blocks for word in words(block.text))


def _selected(page: ReadPage, place: int, *, paragraphs: bool) -> list[Block]:
    """Return the blocks in an element, or in its paragraphs."""
    outline = page.page.outline
    inside = [place] if not paragraphs else [n for n in range(place, outline.stops[place]) if outline.tags[n] == "p"]
    return [block for number in inside for block in outline.blocks_between(*outline.runs_of(number))]


def _share(page: ReadPage, blocks: Sequence[Block], repeated: Counter[str]) -> float | None:
    """Return the agreement with the general reading; `None` if the selection is short, links or repeated text."""
    chars = sum(len(block.text) for block in blocks)
    if sum(count_words(block.text) for block in blocks) < LEAST_WORDS:
        return None
    again = sum(len(block.text) for block in blocks if repeated[block.text] > 1)
    linked = sum(block.link_chars for block in blocks)
    if again > MOST_REPEATED * chars or linked > MOST_LINKED * chars:
        return None
    return agreement(blocks, page.extraction.blocks)
