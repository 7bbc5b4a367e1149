"""The text of a block as spans: stretches under the same inline markup."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from newsextract.page.ancestry import Inherited
from newsextract.page.text_forms import INVISIBLE, without_controls
from newsextract.page.text_runs import LINE_BREAK
from newsextract.page.urls.page_links import absolute_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.page.blocks import Block, Outline

_INLINE = {
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), "em"),
    **dict.fromkeys(("strong", "b"), "strong"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
    **dict.fromkeys(("del", "s", "strike"), "del"),
    "sub": "sub",
    "sup": "sup",
}

_Markup: TypeAlias = tuple[tuple[str, ...], str | None]
_PLAIN: _Markup = ((), None)
_SPACES = re.compile(rf"[^\S{LINE_BREAK} ][^\S{LINE_BREAK}]*| [^\S{LINE_BREAK}]+")
"""White space other than a single space."""
_INVISIBLE = re.compile(f"[{INVISIBLE}]+")
_AROUND_BREAK = re.compile(rf" ?{LINE_BREAK} ?")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text under the same inline markup, outermost tag first; white space as in the source."""

    text: str
    tags: tuple[str, ...] = ()
    href: str | None = None


class InlineMarkup:
    """The inline markup of a page."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.markup: Inherited[_Markup] = Inherited(outline, _PLAIN, self._markup)

    def spans(self, block: Block) -> tuple[Span, ...]:
        """Return the text of a block with its inline markup; runs one after another without any are one span."""
        if block.stop == block.start + 1:
            markup = self.markup.of(self.outline.holders[block.start])
            return (Span(_folded_text(self.outline.runs[block.start]).strip(), *markup),)
        runs = slice(block.start, block.stop)
        pairs = zip(self.outline.runs[runs], self.outline.holders[runs], strict=True)
        marked = [(text, self.markup.of(holder)) for text, holder in pairs]
        gathered = [(markup, "".join(text for text, _ in group)) for markup, group in groupby(marked, _second)]
        folded = _folded([text for _, text in gathered])
        return tuple(Span(text, *markup) for text, (markup, _) in zip(folded, gathered, strict=True))

    def _markup(self, around: _Markup, element: int) -> _Markup:
        outline = self.outline
        tags, href = around
        tag = outline.tags[element]
        if outline.owners[element] == element:
            return _PLAIN
        if tag == "a":
            return tags, _link(outline, element) or href
        inline = _INLINE.get(tag)
        if inline is None or inline in tags:
            return around
        # Code is innermost: Markdown takes marks in it literally.
        return ((*tags[:-1], inline, "code") if "code" in tags else (*tags, inline)), href


def trimmed(spans: Sequence[Span]) -> tuple[str, list[Span], str]:
    """Return the white space before the spans' text, the spans without it, and that behind it; no spans if blank.

    >>> trimmed([Span(" "), Span(" a", ("em",)), Span("b ")])
    ('  ', [Span(text='a', tags=('em',), href=None), Span(text='b', tags=(), href=None)], ' ')
    """
    if spans and spans[0].text[:1].strip() and spans[-1].text[-1:].strip():
        return "", list(spans), ""
    texts = [span.text for span in spans]
    first = next((n for n, text in enumerate(texts) if text and not text.isspace()), len(texts))
    if first == len(texts):
        return "".join(texts), [], ""
    last = next(n for n in range(len(texts) - 1, -1, -1) if texts[n] and not texts[n].isspace())
    before = "".join(texts[:first]) + texts[first][: len(texts[first]) - len(texts[first].lstrip())]
    after = texts[last][len(texts[last].rstrip()) :] + "".join(texts[last + 1 :])
    kept = list(spans[first : last + 1])
    kept[0] = replace(kept[0], text=kept[0].text.lstrip())
    kept[-1] = replace(kept[-1], text=kept[-1].text.rstrip())
    return before, kept, after


def by_link(spans: Sequence[Span]) -> Iterator[tuple[str | None, list[Span]]]:
    """Yield the neighbours with the same link together."""
    return ((href, list(group)) for href, group in groupby(spans, key=lambda span: span.href))


def by_tag(spans: Sequence[Span], depth: int) -> Iterator[tuple[str | None, list[Span]]]:
    """Yield the neighbours that have the same tag at this depth, or none there, together."""
    alike = groupby(spans, key=lambda span: span.tags[depth] if len(span.tags) > depth else None)
    return ((tag, list(group)) for tag, group in alike)


def text_of(spans: Sequence[Span]) -> str:
    """Return the text of the spans."""
    return spans[0].text if len(spans) == 1 else "".join(span.text for span in spans)


def _second(pair: tuple[str, _Markup]) -> _Markup:
    return pair[1]


def _link(outline: Outline, element: int) -> str | None:
    href = outline.elements[element].get("href")
    return None if not href or href.startswith("#") else absolute_url(outline.base_url, href)


def _folded(texts: Sequence[str]) -> list[str]:
    r"""Return the texts with white space folded, line breaks kept, and none at either end of the block.

    >>> _folded(["\n a  b", " \u2028 c "])
    ['a b', '\u2028c']
    """
    folded = [_folded_text(text) for text in texts]
    folded[0] = folded[0].lstrip()
    folded[-1] = folded[-1].rstrip()
    return folded


def _folded_text(text: str) -> str:
    # Invisible characters, line breaks among them, and all white space but the space count as not printable.
    if text.isprintable():
        return _SPACES.sub(" ", text) if "  " in text else text
    visible = text if text.isascii() else _INVISIBLE.sub("", text)
    folded = _SPACES.sub(" ", without_controls(visible))
    return _AROUND_BREAK.sub(LINE_BREAK, folded) if LINE_BREAK in folded else folded
