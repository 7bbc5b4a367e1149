"""Read the posts of a forum thread, or of a question with its answers: the author, the date and the text of each.

Only a page that says by its URL, its types or its template that it is one is read so. Its posts are found by structure:
each has a mark, a date or an author, built as the others' are, and is the widest element around its mark alone. Their
text is in elements of one tag and class: those that hold most of the running text of the posts, and little else. So
neither the names of a program that makes forums nor a language are known.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from newsextract.article_parts import Comment
from newsextract.page.outline import names_of
from newsextract.page.text import letters_of
from newsextract.reading.extraction.block_classifier.units import (
    is_dated,
    is_forum_address,
    is_stamp,
    stamps_of,
    widest_around,
)
from newsextract.reading.metadata.comments import (
    MAX_AUTHOR_CHARS,
    MAX_COMMENTS,
    build,
    date_of,
    is_author,
    is_container,
    is_date,
    marks_alike,
)
from newsextract.reading.metadata.comparing import visible_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from newsextract.page.blocks import Outline
    from newsextract.page.page import Page

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    Span = tuple[int, int]
    """The first block and one past the last, by their numbers in the outline."""

_TYPES, _OF_NEWS = ("DiscussionForumPosting", "QAPage"), "NewsArticle"
FORUM_NAMES = ("forum", "thread", "topic", "question")
"""Parts of the names of `<html>` and `<body>` that name the template of a page; also of a URL."""
FORUM_PROGRAMS = ("vbulletin", "phpbb", "discourse", "xenforo", "vanilla", "mybb", "invision")
"""Parts of what a page made by them states as its generator."""

_LEAST_POSTS = 2
_RUNNING_CHARS = 40
"""A shorter block may be a label; which elements hold posts is judged by the longer ones."""
_PREFERRED = 1.02
"""How many times more text later marks, such as authors after dates, must have to be preferred."""
_IN_MOST = 0.7
"""Share of the posts that have their text in an element of the same kind."""
_BETA = 0.5
"""How much holding all of the running text counts against holding nothing else: signatures are running text, too."""
_LEAST_FIT = 0.5
_LEAST_SHARE = 0.3
"""The posts have so much of a page's running text, and more than the rest of what was kept: else they are comments."""
_STORY_LETTERS = 400
"""So much text beside posts in an element that is named after comments is a story."""
_WITHIN_TEXT = frozenset(("a", "b", "blockquote", "code", "em", "i", "li", "ol", "p", "pre", "span", "strong", "ul"))
"""Elements of a post's text that do not hold all of it."""
_LABEL_CHARS, _LABELS = 40, 3
"""A short line that as many elements of one class have is a button or a caption."""
_QUOTED_CHARS = 15
_NAME_CHARS, _NAME_LINES = 60, 3
_has_year = re.compile(r"\b(?:19|20)\d\d\b").search


def read_thread(page: Page, kept: Iterable[int]) -> tuple[Mask, tuple[Comment, ...]] | None:
    """Return which blocks of a page are the text of its posts, and the posts, or `None` if it is no thread.

    `kept` are the numbers of the blocks that are its text for the classifier: what is before the first post is the
    question. `datePublished` is raw.
    """
    if not page.outline.table.texts or not _may_be_thread(page):
        return None
    finder = _Finder(page.outline)
    found = finder.posts()
    if not found or not (bodies := finder.bodies(found)):
        return None
    is_kept = np.zeros(len(finder.sizes), np.bool_)
    is_kept[list(kept)] = True
    in_posts = np.zeros_like(is_kept)
    for unit in found:
        in_posts[slice(*finder.span(unit))] = True
    held, story = finder.running[in_posts].sum(), finder.sizes[is_kept & ~in_posts].sum()
    if held < _LEAST_SHARE * finder.running.sum() or held < story:
        return None
    if story >= _STORY_LETTERS and not _is_named_thread(page) and finder.are_comments(found):
        return None
    return finder.text_of(found, bodies, is_kept)


def _may_be_thread(page: Page) -> bool:
    """Tell whether a page says that it is a thread, by its URL, its types or its template."""
    return _has_type(page) or (_is_of_forum(page) and _OF_NEWS not in page.decoded.text)


def _is_of_forum(page: Page) -> bool:
    if is_forum_address(page.url):
        return True
    outline = page.outline
    body = next(iter(outline.tagged("body")), 0)
    names = " ".join(names_of(outline.elements[number]) for number in (0, body)).lower()
    if any(word in names for word in FORUM_NAMES):
        return True
    metas = (outline.elements[number] for number in outline.tagged("meta"))
    made = " ".join(el.get("content", "") for el in metas if el.get("name", "").lower() == "generator").lower()
    return any(word in made for word in FORUM_PROGRAMS)


def _is_named_thread(page: Page) -> bool:
    """Tell whether the types or the URL of a page name it so; areas such as /community/ have articles, too."""
    if _OF_NEWS in page.decoded.text:
        return False
    return _has_type(page) or any(word in (page.url or "").lower() for word in FORUM_NAMES)


def _has_type(page: Page) -> bool:
    return any(name in page.decoded.text for name in _TYPES)


@dataclass
class _Finder:
    outline: Outline

    def __post_init__(self) -> None:
        table, characters = self.outline.table, self.outline.characters
        self.texts = table.texts
        self.sizes: Floats = characters.sizes
        plain = self.sizes * (1 - table.link_chars / characters.lengths)
        self.running: Floats = np.where(plain >= _RUNNING_CHARS, plain, 0.0)
        self.sums, self.running_sums = np.append(0, self.sizes.cumsum()), np.append(0, self.running.cumsum())
        arrays = self.outline.arrays
        self.firsts = table.starts.searchsorted(arrays.run_starts).tolist()
        self.lasts = table.starts.searchsorted(arrays.run_stops).tolist()

    def span(self, element: int) -> Span:
        """Return the blocks inside an element."""
        return self.firsts[element], self.lasts[element]

    def _letters(self, element: int) -> float:
        """Return the letters of running text in an element."""
        return float(self.running_sums[self.lasts[element]] - self.running_sums[self.firsts[element]])

    def posts(self) -> list[int]:
        """Return the elements of the posts: those of the marks built alike that part the most running text."""
        best: list[int] = []
        most = 0.0
        for marks in self._marks():
            posts = [widest_around(self.outline, marks, place) for place in range(len(marks))]
            letters = list(map(self._letters, posts))
            if sum(each > 0 for each in letters) >= _LEAST_POSTS and sum(letters) > most:
                best, most = posts, sum(letters) * _PREFERRED
        return best

    def are_comments(self, posts: Sequence[int]) -> bool:
        """Tell whether all posts are in one element that is named after comments."""
        first, stop = min(posts), max(self.outline.stops[post] for post in posts)
        around = (each for each in self.outline.lineage(first) if self.outline.stops[each] >= stop)
        return any(is_container(self.outline, each) for each in around)

    def _marks(self) -> Iterator[Sequence[int]]:
        owners = self.outline.table.owners
        stamps = {int(owners[block]) for block in stamps_of(self.outline)}
        for is_mark in (is_date, is_author, lambda _, element: element in stamps):
            for marks in marks_alike(self.outline, 0, is_mark):
                if _LEAST_POSTS <= len(marks) <= MAX_COMMENTS:
                    yield marks

    def bodies(self, posts: Sequence[int]) -> list[int]:
        """Return the elements that hold the texts of the posts; none if no kind of element does so well."""
        kinds: dict[tuple[str, ...], list[int]] = {}
        in_posts: Counter[tuple[str, ...]] = Counter()
        for unit in posts:
            reached: dict[tuple[str, ...], int] = {}
            for element in range(unit, self.outline.stops[unit]):
                if self.firsts[element] == self.lasts[element] or self.outline.tags[element] in _WITHIN_TEXT:
                    continue
                kind = self._kind(element)
                if element >= reached.get(kind, 0):
                    reached[kind] = self.outline.stops[element]
                    kinds.setdefault(kind, []).append(element)
            in_posts.update(reached.keys())
        letters = list(map(self._letters, posts))
        least = _IN_MOST * sum(each > 0 for each in letters)
        fits = {kind: self._fit(kinds[kind], sum(letters)) for kind, count in in_posts.items() if count >= least}
        best = max(fits, key=lambda kind: fits[kind], default=None)
        return kinds[best] if best is not None and fits[best] >= _LEAST_FIT else []

    def whole(self, posts: Sequence[int], bodies: Sequence[int]) -> list[int]:
        """Return the posts that have a text, each with what only stood apart for a mark of its own, as the author."""
        own = [unit for unit in posts if bisect_left(bodies, unit) < bisect_left(bodies, self.outline.stops[unit])]
        return [widest_around(self.outline, own, place) for place in range(len(own))]

    def _kind(self, element: int) -> tuple[str, ...]:
        """Return the tag and the first class of an element, and those of its parent if it has no class."""
        own, around = build(self.outline, element)
        return (own, around) if own.endswith(" ") else (own,)

    def _fit(self, elements: Sequence[int], letters: float) -> float:
        """Return how well elements hold the running text of all posts and nothing else, as an F-score."""
        held = sum(map(self._letters, elements))
        whole = sum(float(self.sums[self.lasts[each]] - self.sums[self.firsts[each]]) for each in elements)
        precision, recall = held / max(whole, 1.0), held / max(letters, 1.0)
        return (1 + _BETA**2) * precision * recall / max(_BETA**2 * precision + recall, 1e-9)

    def text_of(
        self, posts: Sequence[int], bodies: Sequence[int], is_kept: Mask
    ) -> tuple[Mask, tuple[Comment, ...]] | None:
        """Return the blocks of all posts and the posts, without quotes of earlier ones and without labels."""
        labels = self._labels(bodies)
        chosen = np.zeros_like(is_kept)
        found: list[Comment] = []
        first = min(self.firsts[unit] for unit in posts)
        posts = self.whole(posts, bodies)
        chosen[:first] = is_kept[:first]
        if chosen.any():
            found.append(Comment(self._joined(chosen.nonzero()[0].tolist())))
        said = letters_of(found[0].text) if found else ""
        for unit in posts:
            own = [body for body in bodies if unit <= body < self.outline.stops[unit]]
            blocks = [n for body in own for n in self._said(body, said) if n not in labels]
            if blocks:
                chosen[blocks] = True
                text = self._joined(blocks)
                said += letters_of(text)
                found.append(Comment(text, *self._signed(unit, own)))
        return (chosen, tuple(found)) if len(found) >= _LEAST_POSTS else None

    def _joined(self, blocks: Iterable[int]) -> str:
        return "\n".join(self.texts[number] for number in blocks)

    def _said(self, body: int, before: str) -> Iterator[int]:
        """Yield the blocks of a post that do not quote what was said before it."""
        reached = self.firsts[body]
        for element in range(body, self.outline.stops[body]):
            if self.outline.tags[element] == "blockquote" and self.firsts[element] >= reached:
                quoted = max(map(letters_of, self.texts[slice(*self.span(element))]), key=len, default="")
                if len(quoted) >= _QUOTED_CHARS and quoted in before:
                    yield from range(reached, self.firsts[element])
                    reached = self.lasts[element]
        yield from range(reached, self.lasts[body])

    def _labels(self, bodies: Sequence[int]) -> set[int]:
        """Return the blocks in the posts that are buttons and captions: their line is repeated in one class."""
        alike: dict[tuple[str, tuple[str, str]], list[int]] = {}
        holders, parents = set(bodies), self.outline.parents
        for number in (number for body in bodies for number in range(*self.span(body))):
            owner = int(self.outline.table.owners[number])
            if len(self.texts[number]) <= _LABEL_CHARS and holders.isdisjoint((owner, parents[owner])):
                alike.setdefault((self.texts[number], build(self.outline, owner)), []).append(number)
        return {number for same in alike.values() if len(same) >= _LABELS for number in same}

    def _signed(self, unit: int, bodies: Sequence[int]) -> tuple[str | None, str | None]:
        """Return the author and the raw date of a post, from what is around its text; declared ones come first."""
        outline, elements = self.outline, self.outline.elements
        text = {inner for body in bodies for inner in range(body, outline.stops[body])}
        around = [element for element in range(unit, outline.stops[unit]) if element not in text]
        dates = [element for element in around if is_date(outline, element)]
        dates.sort(key=lambda element: elements[element].get("datetime") is None)
        blocks = (self.texts[n] for element in around[:1] for n in range(*self.span(element)) if is_stamp(outline, n))
        stated = (date for element in dates if (date := date_of(outline, element)) and is_dated(date))
        date = (next(stated, None) or next(blocks, ""))[:_NAME_CHARS] or None
        authors = [element for element in around if is_author(outline, element)]
        authors.sort(key=lambda element: elements[element].get("itemprop") != "author")
        names = ((name, each) for each in authors for name in self._names(each) if name != date)
        name, own = next(names, (None, unit))
        # Beside a name, in the same element, may be the initial that stands for a picture, or a rank.
        nested = (inner for each in authors if own < each < outline.stops[own] for inner in self._names(each))
        return next((inner for inner in nested if name and name != inner and inner in name), name), date

    def _names(self, element: int) -> Iterator[str]:
        """Yield the lines of an element that may be a name."""
        lines = self.texts[slice(*self.span(element))][:_NAME_LINES]
        if self.outline.owners[element] != element:
            lines = [visible_text(self.outline.elements[element], MAX_AUTHOR_CHARS)]
        for line in lines:
            if 1 < len(line) <= _NAME_CHARS and any(map(str.isalpha, line)) and not _has_year(line):
                yield line
