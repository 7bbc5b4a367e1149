"""Read the comments of readers: those that the page shows, or those that it declares if they are more."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from newsextract.article_parts import Comment
from newsextract.page.blocks import Inherited
from newsextract.page.outline import names_of
from newsextract.reading.metadata.clues import Clues
from newsextract.reading.metadata.comparing import fold, visible_text
from newsextract.reading.metadata.dates import plausible_date
from newsextract.reading.metadata.json_ld import as_list, choose_nodes, text_of
from newsextract.reading.metadata.live_blog import lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from newsextract.page.blocks import Block, Outline
    from newsextract.page.page import Page
    from newsextract.reading.metadata.json_ld import Graph, Node


# Find the comments of a page as elements: each with the part of the tree that is its own, and the one it answers.
#
# No site's markup is known. Comments stand in a container that is named after them, in whatever language class names
# are written, and each has one mark: a date, else an author. A comment is what surrounds its mark alone; with the
# answers inside it, it is the widest element where its mark comes first and what follows it is built otherwise.

MAX_COMMENTS = 1_000
"""Comments read at most: pages show the first tens, and load the others."""

_WORDS = (
    r"comments?|commentlist|kommentare?r?n?|komment(?:it|ek|y)|comentario?s?|comentarii|commentaires?|commenti|commento"
    r"|komentarz[ey]|komentar[ie]?|komentarji|reacties?|reactions?|yorum(?:lar)?|opinie|leserbriefe?|leserkommentare?"
    r"|meinungen|diskussion(?:en)?|discussion|discussao|kommentti|binhluan|binh-luan|pinglun|liuyan|kommentarer"
    r"|replies|responses|respuestas|reponses|antworten|guestbook|otzyv[yi]?|kommenty|kommentarii|sxolia|nazarat|tabsire"
)
_CONTAINER = re.compile(
    rf"(?:^|[\s_-])(?:\w*-)?(?:{_WORDS})(?=$|[\s_\d-])|(?:user|article|post|news)comments?", re.IGNORECASE
)
_NO_CONTAINER = re.compile(
    r"form|count|button|link|respond\b|input|editor|(?:no|has|hide|show|allow|with)[-_]?comments?|policy|login|recent"
    r"|latest|comments?-(?:open|closed|on|off)",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"date|datum|fecha|data(?:$|[\s_-])|timestamp|time(?!line|out)|(?:^|[\s_-])(?:ago|when|posted[-_]?on|age)(?=$|[\s_-])",
    re.IGNORECASE,
)
AUTHOR = re.compile(
    r"author|auteur|autore?(?=$|[\s_-])|verfasser|commenter|user-?name|nick(?:name)?|screen-?name|display-?name|poster"
    r"|(?:^|[\s_-])(?:fn|user|name|by|writer|creator|pseudo|avtor|yazar)(?=$|[\s_-])|comment(?:ator|[-_](?:name|user))",
    re.IGNORECASE,
)
_NO_AUTHOR = re.compile(r"avatar|image|img|photo|pic|icon|badge|rank|title|level|bypost|reply", re.IGNORECASE)
_DATE_PROPERTIES = frozenset(("datecreated", "datepublished", "commenttime"))
_AUTHOR_PROPERTIES = frozenset(("author", "creator", "name"))
_PAGE_TAGS = frozenset(("html", "head", "body", "form", "script", "style", "input", "textarea", "button", "label"))
_MAX_LEVELS = 40
"""Elements between a date and the widest element of its comment, or that of the next one."""
_ROWS = frozenset(("li", "tr", "dd"))
"""Siblings of these tags are alike, whatever their classes."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Thread:
    """A comment in the page: its element with all answers inside it, and the number of the one that it answers."""

    element: int
    mark: int
    """The element of its date or its author."""
    parent: int | None


def is_date(outline: Outline, element: int) -> bool:
    """Return whether an element is a date by its tag, its names or its microdata."""
    el = outline.elements[element]
    if outline.tags[element] == "time" or el.get("itemprop", "").lower() in _DATE_PROPERTIES:
        return True
    return el.get("datetime") is not None or _DATE.search(names_of(el)) is not None


def is_author(outline: Outline, element: int) -> bool:
    """Return whether an element is an author by its names or its microdata."""
    el = outline.elements[element]
    if el.get("itemprop", "").lower() in _AUTHOR_PROPERTIES:
        return True
    names = names_of(el)
    return AUTHOR.search(names) is not None and _NO_AUTHOR.search(names) is None


def _containers(outline: Outline) -> Iterator[int]:
    """Yield the outermost elements named after comments that have text."""
    reached = 0
    for number in range(len(outline.tags)):
        if number >= reached and is_container(outline, number):
            reached = outline.stops[number]
            yield number


def is_container(outline: Outline, element: int) -> bool:
    """Return whether an element with text is named after comments."""
    if outline.tags[element] in _PAGE_TAGS or outline.run_starts[element] == outline.run_stops[element]:
        return False
    names = names_of(outline.elements[element])
    return _CONTAINER.search(names) is not None and _NO_CONTAINER.search(names) is None


def _threads(outline: Outline, container: int) -> Iterator[Thread]:
    """Yield the comments in a container, in the order of the page."""
    marks = _marks(outline, container)
    units = [_unit(outline, marks, place, container) for place in range(len(marks))]
    around: list[int] = []
    for number, (unit, mark) in enumerate(zip(units, marks, strict=True)):
        while around and outline.stops[units[around[-1]]] <= unit:
            around.pop()
        yield Thread(unit, mark, around[-1] if around and units[around[-1]] < unit else None)
        around.append(number)


def _marks(outline: Outline, container: int) -> list[int]:
    """Return the dates in a container, else its authors: those built like most, so that each comment has one."""
    # One name alone may be a button to follow the author.
    for is_mark, least in ((is_date, 1), (is_author, 2)):
        most = max(marks_alike(outline, container, is_mark), key=len, default=[])  # the first of equals
        if len(most) >= least:
            return most[:MAX_COMMENTS]
    return []


def marks_alike(outline: Outline, container: int, is_mark: Callable[[Outline, int], bool]) -> Iterator[list[int]]:
    """Yield the marks in a container that are built alike: elements in page order, none inside another."""
    alike: dict[tuple[str, str], list[int]] = {}
    for number in range(container + 1, outline.stops[container]):
        has_text = outline.run_starts[number] < outline.run_stops[number]
        if (has_text or outline.elements[number].get("datetime") is not None) and is_mark(outline, number):
            alike.setdefault(build(outline, number), []).append(number)
    for marks in alike.values():
        outermost: list[int] = []
        for number in marks:
            if not outermost or number >= outline.stops[outermost[-1]]:
                outermost.append(number)
        yield outermost


def build(outline: Outline, element: int) -> tuple[str, str]:
    """Return what marks of one kind have in common: their tag and class, and those of their parent."""
    parts = []
    for each in (element, outline.parents[element]):
        names = outline.elements[each].get("class", "")[:100].split()
        parts.append(f"{outline.tags[each]} {_DIGITS.sub('', names[0]) if names else ''}")
    return parts[0], parts[1]


def _unit(outline: Outline, marks: Sequence[int], place: int, container: int) -> int:
    """Return the element of a comment with its answers: see the head of this file."""
    unit = marks[place]
    for around in islice(outline.lineage(outline.parents[unit]), _MAX_LEVELS):
        if around <= container or bisect_left(marks, around) != place:
            return unit
        following = bisect_left(marks, outline.stops[unit])
        if following < len(marks) and marks[following] < outline.stops[around]:
            inner = islice(outline.lineage(marks[following]), _MAX_LEVELS)
            other = next((each for each in inner if outline.parents[each] == around), None)
            if other is not None and _are_alike(outline, unit, other):
                return unit
        unit = around
    return unit


def _are_alike(outline: Outline, one: int, other: int) -> bool:
    """Return whether two siblings look like two comments, and not like a comment and the list of its answers."""
    if outline.tags[one] != outline.tags[other]:
        return False
    first, second = (set(outline.elements[each].get("class", "")[:300].split()) for each in (one, other))
    return outline.tags[one] in _ROWS or not (first or second) or not first.isdisjoint(second)


# Read the comments that a page shows: the author, the date and the text of each.

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


def visible_comments(outline: Outline, kept: Collection[int]) -> list[Comment]:
    """Return the comments of a page in their order; `kept` has the runs of the body, which is never a comment.

    `datePublished` is raw; `parent` is the place in the list. Comments without a text are left out, and their answers
    go to the one above.
    """
    found = [list(_threads(outline, container)) for container in _containers(outline)]
    threads = max(found, key=len, default=[])
    if not threads:
        return []
    authors, blocks = _gathered(outline, threads)
    # The lines that half of the comments have are the labels of their buttons, in whatever language.
    counts = Counter(text for own in blocks for text in {block.text for block in own})
    repeated = {text for text, count in counts.items() if count >= max(_MIN_REPEATED, len(threads) / 2)}
    comments: list[Comment] = []
    places: list[int | None] = []
    for thread, element, own in zip(threads, authors, blocks, strict=True):
        above = None if thread.parent is None else places[thread.parent]
        places.append(above)
        date = date_of(outline, thread.mark)
        author = _author(outline, element, own[0].stop if own else 0, thread, date)
        dates = date or "", visible_text(outline.elements[thread.mark], _MAX_DATE_CHARS)
        said = (block.text for block in own if _is_said(block.text, author or "", dates))
        lines = [line for line in said if line not in repeated]
        is_body = any(run in kept for block in own for run in range(block.start, block.stop))
        if not is_body and lines and (author or date):
            places[-1] = len(comments)
            depth = 0 if above is None else comments[above].depth + 1
            comments.append(Comment("\n".join(lines)[:MAX_TEXT_CHARS], author, date, above, depth))
    return comments


def _is_said(line: str, author: str, dates: Sequence[str]) -> bool:
    """Return whether a line may be of the text: there is more in it than the author, the date and a count of votes."""
    rest = line.replace(author, " ", 1) if author else line
    has_date = any(date and date in rest for date in dates)
    for date in filter(None, dates):
        rest = rest.replace(date, " ", 1)
    words = sum(any(map(str.isalnum, word)) for word in rest.split())
    return not line.isdecimal() and (rest == line or words > (_MAX_LABEL_WORDS if has_date else 0))


def _gathered(outline: Outline, threads: Sequence[Thread]) -> tuple[list[int | None], list[list[Block]]]:
    """Return what belongs to each comment and to none of its answers: the element of its author, and its blocks."""
    numbers = {thread.element: number for number, thread in enumerate(threads)}
    owner = Inherited(outline, -1, lambda around, element: numbers.get(element, around))
    is_around = Inherited(outline, False, lambda around, element: _is_around(outline, element, around, numbers))
    authors: list[int | None] = [None for _ in threads]
    blocks: list[list[Block]] = [[] for _ in threads]
    first, last = threads[0].element, max(outline.stops[thread.element] for thread in threads)
    for element in range(first, last):
        number = owner.of(element)
        if number >= 0 and is_author(outline, element) and outline.run_starts[element] < outline.run_stops[element]:
            known = authors[number]
            if known is None or element < outline.stops[known]:  # the first, or one inside it
                authors[number] = element
    runs = outline.run_starts[first], max(outline.run_stops[first], outline.run_stops[last - 1])
    low, high = outline.table.starts.searchsorted(runs).tolist()
    for block in outline.blocks_at(range(low, high)):
        number = owner.of(block.owner)
        if number >= 0 and block.link_density < 0.9 and not is_around.of(outline.holders[block.start]):
            blocks[number].append(block)
    return authors, blocks


def _is_around(outline: Outline, element: int, around: bool, units: dict[int, int]) -> bool:
    """Return whether an element is beside the text of its comment; `around` is its parent's answer."""
    if element in units:
        return False
    if outline.tags[element] in _AROUND_TAGS:
        return True
    names = names_of(outline.elements[element])
    if _BODY.search(names) or outline.elements[element].get("itemprop") == "text":
        return False
    return around or _AROUND.search(names) is not None or AUTHOR.search(names) is not None


def _author(outline: Outline, element: int | None, stop: int, thread: Thread, date: str | None) -> str | None:
    """Return the name in an element named after the author, else the first short text in a tag of names.

    The text begins before the run `stop`. The `date` of the comment may stand in such a tag, too.
    """
    if element is None:
        element = _first_name(outline, stop, thread)
    if element is None or outline.stops[element] > thread.mark > element:
        return None
    name = _SAYS.sub("", visible_text(outline.elements[element], MAX_AUTHOR_CHARS)).strip()
    is_name = any(map(str.isalpha, name)) and len(name) <= MAX_AUTHOR_CHARS
    return name if is_name and name != date else None


def _first_name(outline: Outline, stop: int, thread: Thread) -> int | None:
    """Return the first element of a tag of names that ends before the run `stop`, where the text begins.

    If it holds the date as well, what stands in it before the date is returned.
    """
    header = -1
    for element in range(thread.element, min(thread.element + _MAX_SEARCHED, outline.stops[thread.element])):
        start, end = outline.runs_of(element)
        is_name = outline.tags[element] in _NAME_TAGS or element < header
        if start < end <= stop and is_name and element != thread.mark:
            if not element < thread.mark < outline.stops[element]:
                return element
            header = thread.mark
    return None


def date_of(outline: Outline, mark: int) -> str | None:
    """Return what an element states of a date, as written, or `None` if it is no date."""
    if not is_date(outline, mark):
        return None
    el = outline.elements[mark]
    stated = (el.get(name, "").strip() for name in ("datetime", "content", "title", "data-time"))
    dated = next((text for text in stated if any(map(str.isdigit, text)) and len(text) <= _MAX_DATE_CHARS), "")
    return dated or visible_text(el, _MAX_DATE_CHARS) or None


# Read the comments that JSON-LD declares with the article, and the answers inside them.

_KEYS = ("comment", "comments")


def declared_comments(clues: Clues) -> list[Comment]:
    """Return the comments in the page's JSON-LD, each before its answers; `datePublished` is raw."""
    graph = clues.linked_data
    nodes, _ = choose_nodes(graph, clues)
    comments: list[Comment] = []
    read: set[int] = set()
    # A stack, as answers may be nested without end: the next one is the last.
    stack: list[tuple[Node, int | None]] = [(each, None) for each in reversed(_below(nodes[0], graph))] if nodes else []
    while stack and len(comments) < MAX_COMMENTS:
        node, parent = stack.pop()
        if id(node) in read:
            continue  # nodes may refer to each other in a circle
        read.add(id(node))
        if comment := _comment(node, parent, 0 if parent is None else comments[parent].depth + 1):
            parent = len(comments)
            comments.append(comment)
        stack += [(answer, parent) for answer in reversed(_below(node, graph))]
    return comments


def _below(node: Node, graph: Graph) -> list[Node]:
    """Return the comments on a node."""
    listed = [value for key in _KEYS for value in as_list(node.get(key))[:MAX_COMMENTS]]
    return [graph.resolve(value) for value in listed if isinstance(value, dict)]


def _comment(node: Node, parent: int | None, depth: int) -> Comment | None:
    text = lines((text_of(node.get("text")) or text_of(node.get("description")) or "")[:MAX_TEXT_CHARS])
    if not text:
        return None
    name = fold((text_of(node.get("author"), "name") or text_of(node.get("creator"), "name") or "")[:1_000])
    date = text_of(node.get("dateCreated")) or text_of(node.get("datePublished"))
    return Comment(text, name if 0 < len(name) <= MAX_AUTHOR_CHARS else None, date, parent, depth)


# The comments of an article: those that the page shows, or those that it declares if they are more.

_MIN_BODY_CHARS = 40
"""Shorter lines may be the same by chance."""
_MIN_UNSIGNED = 3
"""Fewer texts without an author and a date are no comments."""


def read_comments(
    page: Page, blocks: Sequence[Block], posts: Sequence[Comment] = ()
) -> tuple[list[Comment], str] | None:
    """Return the comments of a page and their source, or `None` if there are none; `blocks` are those of the body.

    The posts of a thread, whose dates are as written, are returned as they are, with dates in ISO 8601.

    Text of the body is never a comment's. Comments that a script fetches when the page is shown are not in the page.
    """
    clues = Clues(page)
    if posts:
        return [_dated(post, clues) for post in posts], "posts"
    kept = {run for block in blocks if block.outline is page.outline for run in range(block.start, block.stop)}
    body = {block.text for block in blocks}
    shown, declared = visible_comments(page.outline, kept), declared_comments(clues)
    if any(line in body for each in declared for line in each.text.split("\n") if len(line) > _MIN_BODY_CHARS):
        declared = []  # the page is a thread, and its posts are the text
    stated, source = (declared, "json_ld") if len(declared) >= len(shown) else (shown, "visible_comments")
    comments = [_dated(comment, clues) for comment in stated]
    is_signed = any(comment.author or comment.datePublished for comment in comments)
    return (comments, source) if is_signed or len(comments) >= _MIN_UNSIGNED else None


def _dated(comment: Comment, clues: Clues) -> Comment:
    """Return a comment with its date in ISO 8601, or without one."""
    text = comment.datePublished or ""
    date = plausible_date(text, clues.date_language, is_day_first=clues.is_day_first) if text else None
    return replace(comment, datePublished=date)
