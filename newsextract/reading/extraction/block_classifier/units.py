"""Find what a page shows besides its own article and like it: the next stories, teasers, and what readers say.

Each such unit announces itself: a story by a headline with the markup of the page's own, and by its date or author;
comments and teasers by a stamp each, a short block with a date, in rows of one markup below the text; of comments the
stamp has the hour and most often another name. A unit is what surrounds its mark alone. No language is known.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page import characters as kinds
from newsextract.page.outline import names_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from newsextract.page.blocks import Outline
    from newsextract.page.characters import Characters
    from newsextract.page.page import Page
    from newsextract.reading.extraction.block_classifier.features import Described

    Mask = NDArray[np.bool_]
    Span = tuple[int, int]
    """The first block and one past the last, by their numbers in the outline."""

_OWN_LETTERS = 200
"""Letters of the page's own text. Where it has fewer, rows may be what the page is for, as in a forum."""
_LEAST_ROWS = 3
_NEAR_BLOCKS = 10
"""Blocks behind the last kept one among which the stamp of its unit may be; no unit matters if all are further."""
_MOST_MARKS = 400
"""Marks of one markup: a page with more is a list."""
_MOST_LEVELS = 40
_NEAR_LEVELS = 4
"""Elements around a row whose names may say that it is a comment."""
_TEASER_LETTERS = 500
"""The most that is kept of a teaser."""
_MOSTLY = 0.7
"""Share of the rows that have a link, if rows have them."""
_LINKED = 0.8
_TIMED, _NAMES = 0.8, 0.5
"""Of comments that no name tells: the share of the stamps with an hour, and of different ones apart from figures."""
_HEADLINE_CHARS = 15
_NAME_CHARS = 100

_STAMP_LETTERS, _STOPPED_LETTERS = 100, 40
"""A longer text with a date is a sentence, also one that ends with a full stop."""
_STAMP_DIGITS = 3
_LABEL_CHARS = 30
"""What all stamps say besides their figures, such as that prices may change, is longer than the parts of a date."""
_YEAR = r"(?<!\d)(?:19|20)\d\d(?!\d)"
_DAY = r"(?<![\d:])[0-3]?\d(?![\d:])"
_CLOCK = r"(?<![\d:])(?:[01]?\d|2[0-4])\s?[:h]\s?[0-5]\d(?!\d)"
is_dated = re.compile(
    rf"{_YEAR}.{{0,40}}?{_DAY}|{_DAY}.{{0,40}}?{_YEAR}|{_YEAR}.{{0,20}}?{_CLOCK}|{_DAY}[^\d:–-]{{1,15}}{_CLOCK}"
    r"|(?<!\d)\d\d?([./-])\d\d?\1\d\d(?!\d)"
).search
_has_clock = re.compile(_CLOCK).search
_without_addresses = re.compile(r"https?://\S+").sub
_without_digits = re.compile(r"\d+").sub
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_EMBEDDED = frozenset(("blockquote", "figure", "figcaption"))
"""Around the stamps of posts that the text quotes, and of pictures."""

_AUTHOR = re.compile(r"author|byline|(?:^|[\s_-])by(?:$|[\s_-])", re.IGNORECASE)
_COMMENT = re.compile(r"comment|kommentar|coment|disqus|reacti|yorum|reply|replies|respon|cmt|dsq", re.IGNORECASE)
_FORUM = re.compile(
    r"forums?\b|\bbbs\.|viewtopic|showthread|/comments/"
    r"|[/.](?:threads?|topics?|t|talk|boards?|questions?|community|groups|discussions?)(?:[/?.]|$)",
    re.IGNORECASE,
)
_LIVE = re.compile(
    r"live[\s-]?(?:blog|ticker|updates?|stream)|(?:^|[/_-])live(?:$|[/_:-])|ticker|en[\s-]direct|minuto[\s-]a[\s-]minuto"
    r"|ao[\s-]vivo|diretta|onlayn|na-zywo",
    re.IGNORECASE,
)
_LIVE_MARKUP = "LiveBlogPosting"


def other_units(page: Page, described: Described, kept: Mask) -> tuple[Mask, int]:
    """Return which of the described blocks belong to other units, and how many units with kept blocks these are."""
    found = _Finder(page, described, kept)
    is_other = np.zeros(len(found.is_kept), np.bool_)
    count = reached = 0
    for start, stop in sorted((*found.stories(), *found.rows())) if found.stamps else ():
        count += start >= reached and bool(found.is_kept[start:stop].any())
        reached = max(reached, stop)
        is_other[start:stop] = True
    if count and _is_live(page):
        return np.zeros_like(kept), 0
    return is_other[described.layout.numbers], count


def is_forum_address(url: str | None) -> bool:
    """Tell whether a URL names a forum or a discussion, where the answers belong to the text."""
    return _FORUM.search(url or "") is not None


def stamps_of(outline: Outline) -> Iterator[int]:
    """Yield the blocks with a date and little else."""
    blocks = _may_be_stamps(outline.characters).nonzero()[0].tolist()
    return (block for block in blocks if is_stamp(outline, block))


def _may_be_stamps(found: Characters) -> Mask:
    may_be: Mask = (found.sizes <= _STAMP_LETTERS) & (found.counts[:, kinds.DIGIT] >= _STAMP_DIGITS)
    may_be &= (found.last != kinds.STOP) | (found.sizes <= _STOPPED_LETTERS)
    return may_be


def is_stamp(outline: Outline, block: int) -> bool:
    """Tell whether a block that is short enough for a stamp has a date."""
    table = outline.table
    if outline.tags[table.owners[block]] in _HEADINGS:
        return False
    return is_dated(_without_addresses("", table.texts[block])) is not None


def widest_around(outline: Outline, marks: Sequence[int], place: int) -> int:
    """Return the widest element around one of the marks, elements in page order, and around no other."""
    unit, stops = marks[place], outline.stops
    for around in islice(outline.lineage(outline.parents[unit]), _MOST_LEVELS):
        if (bisect_left(marks, around), bisect_left(marks, stops[around])) != (place, place + 1):
            break
        unit = around
    return unit


class _Finder:
    """The marks of a page and what is around them."""

    def __init__(self, page: Page, described: Described, kept: Mask) -> None:
        self.outline, self.table = page.outline, page.outline.table
        self.is_forum = is_forum_address(page.url)
        numbers, found = described.layout.numbers, page.outline.characters
        self.is_kept = np.zeros(len(self.table.texts), np.bool_)
        self.is_kept[numbers[kept]] = True
        self.sums = np.append(0, (found.sizes * self.is_kept).cumsum())
        heads = (described.columns(["headline_blocks"])[:, 0] == 0).nonzero()[0]
        self.headline = int(numbers[heads[0]]) if len(heads) else -1
        may_be = _may_be_stamps(found)
        if not may_be[: np.searchsorted(self.sums, self.sums[-1]) + _NEAR_BLOCKS].any():
            may_be[:] = False
        self.stamps = [block for block in may_be.nonzero()[0].tolist() if is_stamp(self.outline, block)]

    def stories(self) -> Iterator[Span]:
        """Yield the stories that have a headline like the page's own, and a date or an author."""
        tags, owners = self.outline.tags, self.table.owners.tolist()
        own = owners[self.headline]
        if self.is_forum or self.headline < 0 or tags[own] not in _HEADINGS:
            return
        alike = [n for n in dict.fromkeys(owners) if tags[n] == tags[own] and self._named(n) == self._named(own)]
        if not 2 <= len(alike) <= _MOST_MARKS:
            return
        alike.sort()
        spans = {head: self._span(widest_around(self.outline, alike, place)) for place, head in enumerate(alike)}
        if self._letters(spans[own]) < _OWN_LETTERS:
            return
        headline = self.table.texts[self.headline]
        for head, span in spans.items():
            if self.table.texts[self._span(head)[0]] != headline and self._is_signed(span):
                yield span

    def rows(self) -> Iterator[Span]:
        """Yield comments and teasers: the rows below the text that have a stamp of one markup each.

        Comments are named so, or have stamps of names and hours, and what is between them is theirs: a chronology or an
        interview has stamps, too.
        """
        groups: dict[tuple[str, ...], dict[int, int]] = {}
        for stamp in self.stamps[bisect_right(self.stamps, self.headline) :]:
            groups.setdefault(self._markup(stamp), {}).setdefault(int(self.table.owners[stamp]), stamp)
        for stamps in groups.values():
            if _LEAST_ROWS <= len(stamps) <= _MOST_MARKS and not any(map(self._is_embedded, stamps)):
                yield from self._of_rows(stamps)

    def _of_rows(self, stamps: dict[int, int]) -> Iterator[Span]:
        owners = list(stamps)
        units = [widest_around(self.outline, owners, place) for place in range(len(owners))]
        spans = [span for span in map(self._span, units) if not span[0] <= self.headline < span[1]]
        texts = [self.table.texts[stamp] for stamp in stamps.values()]
        said = Counter(_without_digits("", text) for text in texts)
        ((told, count),) = said.most_common(1)
        is_label = len(told) > _LABEL_CHARS and count > len(texts) / 2
        if len(spans) < _LEAST_ROWS or is_label or len(set(texts)) <= len(texts) / 2:
            return
        near = islice(self.outline.lineage(units[-1]), _NEAR_LEVELS)
        is_named = any(_COMMENT.search(names_of(self.outline.elements[element])) for element in near)
        if not is_named and self._letters((max(self.headline, 0), spans[0][0])) < _OWN_LETTERS:
            return
        has_links = _share(map(self._has_link, spans)) > _MOSTLY
        is_signed = (
            len(said) >= _NAMES * len(texts) and _share(_has_clock(text) is not None for text in texts) >= _TIMED
        )
        if is_named or (is_signed and not has_links):
            if not self.is_forum:
                yield from ((start, max(stop, after)) for (start, stop), (after, _) in pairwise((*spans, spans[-1])))
        elif has_links:
            kept = list(map(self._letters, spans))
            if max(kept) <= _TEASER_LETTERS and sum(kept) <= self.sums[-1] / 2:
                yield from spans

    def _is_signed(self, span: Span) -> bool:
        """Tell whether some blocks have a date or an author."""
        place = bisect_left(self.stamps, span[0])
        if place < len(self.stamps) and self.stamps[place] < span[1]:
            return True
        holders = {self.outline.holders[start] for start in self.table.starts[slice(*span)].tolist()}
        return any(_AUTHOR.search(names_of(self.outline.elements[holder])) for holder in holders)

    def _has_link(self, span: Span) -> bool:
        """Tell whether one of the blocks is a link as long as a headline."""
        texts, linked = self.table.texts[slice(*span)], self.table.link_chars[slice(*span)].tolist()
        return any(
            chars >= max(_LINKED * len(text), _HEADLINE_CHARS) for text, chars in zip(texts, linked, strict=True)
        )

    def _is_embedded(self, owner: int) -> bool:
        return any(self.outline.tags[element] in _EMBEDDED for element in self.outline.lineage(owner))

    def _markup(self, block: int) -> tuple[str, ...]:
        """Return what blocks of the same kind have in common."""
        owner, holder = int(self.table.owners[block]), self.outline.holders[self.table.starts[block]]
        return (*self._named(owner), *self._named(holder), self.outline.tags[max(self.outline.parents[owner], 0)])

    def _named(self, element: int) -> tuple[str, str]:
        """Return the tag of an element, and its first class without digits."""
        names = (self.outline.elements[element].get("class") or "")[:_NAME_CHARS].split()
        return self.outline.tags[element], _without_digits("", names[0]) if names else ""

    def _span(self, element: int) -> Span:
        """Return the blocks inside an element."""
        start, stop = self.table.starts.searchsorted(self.outline.runs_of(element)).tolist()
        return start, stop

    def _letters(self, span: Span) -> float:
        """Return how many letters are kept of some blocks."""
        return float(self.sums[span[1]] - self.sums[span[0]])


def _share(answers: Iterable[bool]) -> float:
    told = list(answers)
    return sum(told) / len(told)


def _is_live(page: Page) -> bool:
    """Tell whether a page is a live blog, whose posts are its text, by its address, its title or its JSON-LD."""
    outline: Outline = page.outline
    if _LIVE.search(page.url or "") or _LIVE.search((page.tree.findtext(".//title") or "").strip()):
        return True
    return any(_LIVE_MARKUP in (outline.elements[number].text or "") for number in outline.tagged("script"))
