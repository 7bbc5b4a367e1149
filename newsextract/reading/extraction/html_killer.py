"""HTML Killer, the baseline of Daureu, Marie & Goubeau (report, Université de Nantes, 2015, section 2.1).

Everything before the first `h1` and after the end of `body` is dropped; `script`, `img`, comments, `form` and `li` go
with their content; `a`, `span` and `div` go without it; headings other than the first `h1` are removed. Segments end at
`br` and at `/p`, nowhere else.

That is what the report says (`rules="report"`). Left open by it: without an `h1` nothing is dropped before; a removed
heading goes with its text. The published script, which made the report's figures, does more: `rules="script"` follows
it. `Extraction.segments`, and so its text, is what either has; the blocks are those of which it keeps most words.

Its weakness: menus, footers and comments that are no lists stay, the more where the first `h1` is the name of the site,
and a text before the title is lost; with the script's rules so is all behind a second `h1`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from newsextract.page.blocks import Inherited
from newsextract.page.outline import LINE_BREAK
from newsextract.page.text import words
from newsextract.reading.extraction.contract import Extraction, register

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.page.blocks import Block
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Segment


# HTML Killer's published script, as rules that rewrite the source of a page.
#
# The report (Daureu, Marie & Goubeau 2015, section 2.1) tells the idea; the script that made its figures does more, and
# some of it by accident, since it rewrites the source with patterns and parses nothing. Here its rules are written down
# one by one, with what follows from each:
#
# - The body begins behind the last `<body>` without attributes and ends at the first `</body>`; without them it is all.
# - Line feeds go, and words on two lines become one.
# - The text begins at the first `h1` and ends where another `h1` begins.
# - Forms, scripts, comments and list items go with their content. A rule for an element also takes those whose names
#   begin alike: `li` takes `link`, `a` takes `article`, `p` takes `pre`.
# - An image goes up to the next `/>`, wherever that is.
# - Other elements, but those with names in b, p and h, go with their content up to the next end tag that is not one of
#   a paragraph or heading.
# - Character references become spaces, and so does what lies between an ampersand and the next semicolon.
# - Segments end at `br` and at the end of a paragraph. Those with a `|` or with `ags: ` in them are left out.
# - In what is left, a stretch of three to twelve bytes between angle brackets goes, as long as can be. Each segment has
#   `<p>` before and `</p>` behind it by then, so one of up to seven bytes goes whole.
#
# It works on bytes of UTF-8, and so do the rules.

_BREAK = b"</br>"
_TITLE = b"<h1>"


def _tag(name: bytes) -> bytes:
    """Return the pattern of a start tag whose name begins so; it ends at the first bracket, whatever follows.

    The script has `.*?>`, which finds the same, but takes cubic time in tags that are never closed.
    """
    return b"<" + name + b"[^>]*+>"


_FRAME = ((b"\n", b""), (_tag(b"h1"), _TITLE))
_CLEANING = (
    (_tag(b"br"), _BREAK),
    *((_tag(name) + b".*?</" + end, b"") for name, end in ((b"script", b"script.*?>"), (b"form", b"form>"))),
    (b"<!--.*?-->", b""),
    (b"<img .*?/>", b""),
    *((b"</?" + name + b".*?/?>", b"") for name in (b"div", b"span")),
    (_tag(b"a") + b"(.*?)</a>", rb"\1"),
    (_tag(b"li") + b".*?</li>", b""),
    (_tag(b"h[02-9]") + b".*?</h.>", b""),
    (b"<h1>(.*?)</h1>", rb"<h>\1</h>"),
    (_tag(b"p"), b""),
    (b"</p>", _BREAK),
    (b"(?:</br>)+", _BREAK),
    (_tag(b"[^bph/]") + b".*?</[^ph].*?>", b""),
    (b"</?[^bph/].*?/?>", b""),
    (b"&.+?;", b" "),
    (b"[\t\n \r]{2,}", b" "),
)
"""What is replaced, and by what, in this order."""
_SHORT_TAG = re.compile(b"<.{3,12}>")
_ANY_TAG = re.compile(b"<.*?>")


def rewritten_segments(source: str) -> list[Segment]:
    """Return the script's segments of a page's source.

    >>> rewritten_segments("<h1>Rain again</h1><p>It &amp; more.</p><p>Home | News</p><p>So it was.</p>")
    [('h', 'Rain again'), ('p', 'It more.'), ('p', 'So it was.')]
    """
    body = source.encode("utf-8", "replace").split(b"<body>")[-1].partition(b"</body>")[0]
    body = _rewritten(body, _FRAME)
    if _TITLE in body:
        body = _TITLE + body.split(_TITLE)[1]
    parts = _rewritten(body, _CLEANING).split(_BREAK)
    kept = [part for part in parts if part not in (b"", b" ") and b"|" not in part and b"ags: " not in part]
    return [segment for part in kept for segment in _segments(part)]


def _rewritten(text: bytes, rules: tuple[tuple[bytes, bytes], ...]) -> bytes:
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text)
    return text


def _segments(part: bytes) -> Iterator[Segment]:
    """Yield what one stretch between breaks holds: a heading, if it begins with one, is a segment of its own."""
    for line in (b"<p>" + part + b"</p>").replace(b"</h> ", b"</h>\n<p>").split(b"\n"):
        heading, _, text = _SHORT_TAG.sub(b"", line).rpartition(b"</h>")
        for mark, marked in (("h", heading), ("p", text)):
            # White space of ASCII alone: an ideographic space is text.
            if found := _ANY_TAG.sub(b"", marked).split():
                yield mark, b" ".join(found).decode("utf-8", "replace")


_MOST_WORDS_SKIPPED = 4
"""Words that may be left out before a single one that is kept."""

_REMOVED = frozenset("script img form li h1 h2 h3 h4 h5 h6".split())


@register
@dataclass(frozen=True)
class HtmlKiller:
    """Keeps all text after the first `h1` that is not in a list, form or further heading."""

    name: ClassVar[str] = "html_killer"

    rules: str = "report"
    """The rules of the `report`, or those of the published `script`."""

    def __post_init__(self) -> None:
        if self.rules not in ("report", "script"):
            raise ValueError(f"rules: {self.rules!r} is neither 'report' nor 'script'")

    @property
    def reads_source(self) -> bool:
        """Whether the text is from the source, which no mask changes."""
        return self.rules == "script"

    def extract(self, page: Page) -> Extraction:
        """Return the blocks that are kept."""
        if self.rules == "script":
            segments = tuple(rewritten_segments(page.decoded.text))
            kept = tuple(_kept(page.blocks, [text for _, text in segments]))
            return Extraction(self.name, kept, segments=segments)
        outline = page.outline
        heading = next((number for number, tag in enumerate(outline.tags) if tag == "h1"), None)
        is_removed = Inherited(
            outline,
            False,
            lambda around, element: around or (outline.tags[element] in _REMOVED and element != heading),
        )
        start = outline.run_starts[heading] if heading is not None else 0
        later = (block for block in page.blocks if block.start >= start)
        blocks = tuple(block for block in later if not is_removed.of(block.owner))
        return Extraction(self.name, blocks, segments=tuple(_reported_segments(blocks)))


def _kept(blocks: Sequence[Block], texts: Sequence[str]) -> Iterator[Block]:
    """Yield the blocks of which the texts, in the order of the page, have at least half of the words."""
    words_of = [words(block.text) for block in blocks]
    found = _found([word for some in words_of for word in some], [word for text in texts for word in words(text)])
    place = 0
    for block, some in zip(blocks, words_of, strict=True):
        if some and 2 * sum(found[place : place + len(some)]) >= len(some):
            yield block
        place += len(some)


def _found(page: Sequence[str], kept: Sequence[str]) -> list[bool]:
    """Tell which words of a page are kept, given the kept ones in their order.

    Three words in a row are looked for anywhere behind the last ones, single words only close to them.
    """
    triples: dict[tuple[str, ...], list[int]] = {}
    for place in range(len(page) - 2):
        triples.setdefault(tuple(page[place : place + 3]), []).append(place)
    found = [False] * len(page)
    last = -1
    for number, word in enumerate(kept):
        starts = triples.get(tuple(kept[number : number + 3]), [])
        behind = bisect_right(starts, last)
        near = last + 1 + _MOST_WORDS_SKIPPED
        if behind < len(starts):
            last = starts[behind]
            found[last] = True
        elif word in page[last + 1 : near]:
            last = page.index(word, last + 1, near)
            found[last] = True
    return found


def _reported_segments(blocks: tuple[Block, ...]) -> Iterator[Segment]:
    pending: list[str] = []
    for block in blocks:
        if block.tag == "h1":
            yield from _flush(pending)
            yield "h", block.text
            continue
        pending.extend(_lines(block, pending))
        if block.tag == "p" or _breaks_after(block):
            yield from _flush(pending)
    yield from _flush(pending)


def _lines(block: Block, pending: list[str]) -> list[str]:
    """Return the block's text, cut at its line breaks; its first line continues the pending text."""
    lines = [" ".join(line.split()) for line in "".join(block.outline.runs[block.start : block.stop]).split(LINE_BREAK)]
    if pending:
        lines[0] = f"{pending.pop()} {lines[0]}"
    return lines


def _breaks_after(block: Block) -> bool:
    """Tell whether a line break ended the block."""
    outline = block.outline
    following = outline.holders[block.stop] if block.stop < len(outline.runs) else -1
    return following >= 0 and outline.owners[following] == block.owner


def _flush(pending: list[str]) -> Iterator[Segment]:
    yield from (("p", line) for line in pending if line)
    pending.clear()
