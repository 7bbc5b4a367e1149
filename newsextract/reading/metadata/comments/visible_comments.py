"""Read the comments that a page shows: the author, the date and the text of each."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from newsextract.article_parts import Comment
from newsextract.page.ancestry import Inherited
from newsextract.page.html_elements import names_of
from newsextract.reading.metadata.comments.comment_threads import AUTHOR, is_author, is_date, threads_of
from newsextract.reading.metadata.text_folding import visible_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from newsextract.page.blocks import Block, Outline
    from newsextract.reading.metadata.comments.comment_threads import Thread

MAX_TEXT_CHARS = 10_000
"""Longer comments are cut."""
MAX_AUTHOR_CHARS = 100
_MAX_DATE_CHARS = 60
_MAX_SEARCHED = 40
"""Elements of a comment searched for a name: it comes first."""
_MAX_LABEL_WORDS = 2
"""Words beside a name and a date on a line that says no more: "Anna commented on 4 May"."""
_MIN_REPEATED = 3
"""A line that as many comments have, and half of them, is a button."""

_AROUND = re.compile(
    r"(?:^|[\s_-])(?:meta|avatar|date|time|ago|actions?|toolbar|tools?|vot(?:e|es|ing)|likes?|share|report|flag|rating"
    r"|badge|permalink|edit|controls?|buttons?|reply|replies|signature|awaiting\w*|header|footer|says|info)(?=$|[\s_-])",
    re.IGNORECASE,
)
"""Names of what stands around the text of a comment."""
_AROUND_TAGS = frozenset(("button", "nav", "form", "time", "footer", "label", "select", "header", "h1", "h2", "h3"))
_BODY = re.compile(
    r"(?:^|[\s_-])(?:content|text|body|message|entry|texte?|inhalt|contenido|tresc)(?=$|[\s_-])", re.IGNORECASE
)
_NAME_TAGS = frozenset(("cite", "b", "strong", "h3", "h4", "h5", "h6", "a"))
_SAYS = re.compile(r"\s*(?:\b(?:says?|said|wrote|schreibt|sagt|dice|dit)\b\s*[:,]?|[:,])\s*$", re.IGNORECASE)


@dataclass
class _Parts:
    """What belongs to one comment and to none of its answers."""

    author: int | None = None
    blocks: list[Block] = field(default_factory=list)


def visible_comments(outline: Outline, kept: Collection[int]) -> list[Comment]:
    """Return the comments of a page in their order; `kept` has the runs of the body, which is never a comment.

    `datePublished` is raw; `parent` is the place in the list. Comments without a text are left out, and their answers
    go to the one above.
    """
    threads = threads_of(outline)
    if not threads:
        return []
    parts = _gathered(outline, threads)
    repeated = _repeated(parts)
    comments: list[Comment] = []
    places: dict[int, int | None] = {}
    for number, thread in enumerate(threads):
        part = parts[number]
        above = None if thread.parent is None else places[thread.parent]
        places[number] = above
        date = _date(outline, thread)
        author = _author(outline, part, thread, date)
        dates = date or "", visible_text(outline.elements[thread.mark], _MAX_DATE_CHARS)
        said = (block.text for block in part.blocks if _is_said(block.text, author or "", dates))
        lines = [line for line in said if line not in repeated]
        is_body = any(run in kept for block in part.blocks for run in range(block.start, block.stop))
        if not is_body and lines and (author or date):
            places[number] = len(comments)
            depth = 0 if above is None else comments[above].depth + 1
            comments.append(Comment("\n".join(lines)[:MAX_TEXT_CHARS], author, date, above, depth))
    return comments


def _is_said(line: str, author: str, dates: Sequence[str]) -> bool:
    """Tell whether a line may be of the text: there is more in it than the author, the date and a count of votes."""
    rest = line.replace(author, " ", 1) if author else line
    has_date = any(date and date in rest for date in dates)
    for date in filter(None, dates):
        rest = rest.replace(date, " ", 1)
    words = sum(any(map(str.isalnum, word)) for word in rest.split())
    return not line.isdecimal() and (rest == line or words > (_MAX_LABEL_WORDS if has_date else 0))


def _gathered(outline: Outline, threads: Sequence[Thread]) -> list[_Parts]:
    """Return the author and the blocks of each comment."""
    numbers = {thread.element: number for number, thread in enumerate(threads)}
    owner = Inherited(outline, -1, lambda around, element: numbers.get(element, around))
    is_around = Inherited(outline, False, lambda around, element: _is_around(outline, element, around, numbers))
    parts = [_Parts() for _ in threads]
    first, last = threads[0].element, max(outline.stops[thread.element] for thread in threads)
    for element in range(first, last):
        number = owner.of(element)
        if number >= 0 and is_author(outline, element) and _is_better(outline, element, parts[number].author):
            parts[number].author = element
    for block in _blocks(outline, first, last):
        number = owner.of(block.owner)
        if number >= 0 and block.link_density < 0.9 and not is_around.of(outline.holders[block.start]):
            parts[number].blocks.append(block)
    return parts


def _is_around(outline: Outline, element: int, around: bool, units: dict[int, int]) -> bool:
    """Tell whether an element is beside the text of its comment; `around` is its parent's answer."""
    if element in units:
        return False
    if outline.tags[element] in _AROUND_TAGS:
        return True
    names = names_of(outline.elements[element])
    if _BODY.search(names) or outline.elements[element].get("itemprop") == "text":
        return False
    return around or _AROUND.search(names) is not None or AUTHOR.search(names) is not None


def _is_better(outline: Outline, element: int, known: int | None) -> bool:
    """Tell whether an element names the author better than the one before: the first, or one inside it."""
    if outline.run_starts[element] == outline.run_stops[element]:
        return False
    return known is None or element < outline.stops[known]


def _author(outline: Outline, part: _Parts, thread: Thread, date: str | None) -> str | None:
    """Return the name in an element named after the author, else the first short text in a tag of names.

    The `date` of the comment may stand in such a tag, too.
    """
    element = part.author if part.author is not None else _first_name(outline, part, thread)
    if element is None or outline.stops[element] > thread.mark > element:
        return None
    name = _SAYS.sub("", visible_text(outline.elements[element], MAX_AUTHOR_CHARS)).strip()
    is_name = any(map(str.isalpha, name)) and len(name) <= MAX_AUTHOR_CHARS
    return name if is_name and name != date else None


def _first_name(outline: Outline, part: _Parts, thread: Thread) -> int | None:
    """Return the first element of a tag of names that is not behind the beginning of the text.

    If it holds the date as well, what stands in it before the date is returned.
    """
    stop = part.blocks[0].stop if part.blocks else 0
    header = -1
    for element in range(thread.element, min(thread.element + _MAX_SEARCHED, outline.stops[thread.element])):
        start, end = outline.runs_of(element)
        is_name = outline.tags[element] in _NAME_TAGS or element < header
        if start < end <= stop and is_name and element != thread.mark:
            if not element < thread.mark < outline.stops[element]:
                return element
            header = thread.mark
    return None


def _date(outline: Outline, thread: Thread) -> str | None:
    if not is_date(outline, thread.mark):
        return None
    el = outline.elements[thread.mark]
    stated = (el.get(name, "").strip() for name in ("datetime", "content", "title", "data-time"))
    dated = next((text for text in stated if any(map(str.isdigit, text)) and len(text) <= _MAX_DATE_CHARS), "")
    return dated or visible_text(el, _MAX_DATE_CHARS) or None


def _repeated(parts: Sequence[_Parts]) -> frozenset[str]:
    """Return the lines that half of the comments have: the labels of their buttons, in whatever language."""
    counts = Counter(text for part in parts for text in {block.text for block in part.blocks})
    least = max(_MIN_REPEATED, len(parts) / 2)
    return frozenset(text for text, count in counts.items() if count >= least)


def _blocks(outline: Outline, first: int, last: int) -> Iterator[Block]:
    """Yield the blocks inside the elements from `first` to before `last`."""
    starts = outline.table.starts
    start, stop = outline.run_starts[first], max(outline.run_stops[first], outline.run_stops[last - 1])
    low, high = starts.searchsorted((start, stop)).tolist()
    yield from outline.blocks_at(range(low, high))
