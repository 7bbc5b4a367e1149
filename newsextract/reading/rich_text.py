"""Write as HTML what an object of a page's data holds as its text: a string, a list of paragraphs, or a tree.

Editors keep text as a tree of nodes with a kind and children. The kinds' names differ little (`heading`, `header`,
`heading-2`), and where they say nothing, the form tells: texts beside one another are pieces of a paragraph.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from newsextract.page.rendering.renderer import paragraphs
from newsextract.reading.metadata.comparing import unescape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_KINDS = "type nodeType _type blockType tag tagName style kind name blockName __typename".split()
_GENERIC = frozenset(("block", "normal", "unstyled"))
"""Kinds that tell nothing: in Portable Text the style of a block does."""
_MAX_KIND_CHARS = 40
_CHILDREN = "children content content_elements nodes childNodes spans leaves blocks items".split()
_TEXTS = "text value insert html content body markdown rendered __html copy".split()
_MARKUP = re.compile(
    r"</?(?:p|br|div|span|a|b|i|em|strong|h[1-6]|ul|ol|li|blockquote|figure|img)\b[^<>]*>", re.IGNORECASE
)
_ESCAPED = re.compile(r"&lt;/?(?:p|br|div|h[1-6]|ul|blockquote)\b", re.IGNORECASE)
_BLOCK_MARKUP = re.compile(r"<(?:p|div|h[1-6]|ul|ol|li|blockquote|br)\b", re.IGNORECASE)
_MARKDOWN = re.compile(
    r"^#{1,6} \S|\*\*\S[^*\n]{0,200}\*\*|\[[^\]\n]{1,200}\]\((?:https?:|/)|^[-*] \S|^> \S", re.MULTILINE
)
_MAX_MARKDOWN_CHARS = 200_000
_LEFT_OUT = re.compile(
    r"image|img|figure|picture|photo|video|audio|embed|iframe|advert|^ads?$|promo|related|newsletter|gallery|social|"
    r"tweet|twitter|instagram|youtube|script|^style$|divider|delimiter|widget|poll|teaser|interstitial|recommend|raw_html|link_?list",
    re.IGNORECASE,
)
_HEADING = re.compile(r"head(?:ing|er)?[-_ ]?(one|two|three|four|five|six|[1-6])?$|^h([1-6])$", re.IGNORECASE)
_QUOTE = re.compile(r"quote", re.IGNORECASE)
_ITEM = re.compile(r"list[-_]?item|^li$", re.IGNORECASE)
_INLINE = re.compile(
    r"^(?:text|span|a|link|autolink|hyperlink|entry-hyperlink|asset-hyperlink|strong|b|bold|em|i|italic|u|underline|"
    r"mark|code|small|sub|sup|mention|hard_?break|linebreak|br|abbr|cite|time|s|del|ins|q)$",
    re.IGNORECASE,
)
_BREAK = re.compile(r"^(?:hard_?break|linebreak|br)$", re.IGNORECASE)
_MARKS = ("marks", "bold", "italic", "format")
_SENTENCE_ENDS = tuple('.!?…»”"。！？؟।')
_MOSTLY = 0.8
"""Share of texts beside one another that end a sentence, if each is a paragraph."""

_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\((https?:[^()\s\"]{1,500}|/[^()\s\"]{0,500})[^()\n]{0,100}\)")
_MARKDOWN_MARKS = re.compile(r"(\*\*|__)(?=\S)([^*_\n]{1,500})(?<=\S)\1")
_MARKDOWN_LINE = re.compile(r"(#{1,6}|[-*]|>) +(?=\S)")


def kind_of(node: Mapping[str, object]) -> str:
    """Return the kind that a node names, or an empty string."""
    named = (kind for key in _KINDS if isinstance(kind := node.get(key), str) and 0 < len(kind) <= _MAX_KIND_CHARS)
    return next((kind for kind in named if kind not in _GENERIC and " " not in kind), "")


def markup_of(value: object) -> str:
    """Return the text of a value as HTML, one element a paragraph; an empty string if it holds none."""
    if isinstance(value, str):
        return _of_string(value)
    if isinstance(value, list):
        return _of_list(value)
    return _of_node(value) if isinstance(value, dict) else ""


def _of_string(text: str) -> str:
    r"""Return a string as HTML, be it HTML, HTML escaped once more, Markdown or plain.

    >>> _of_string("## Rain\n\n**All day**, [they say](https://a.example/).")
    '<h2>Rain</h2><p>All day, <a href="https://a.example/">they say</a>.</p>'
    """
    if not _MARKUP.search(text) and _ESCAPED.search(text):
        text = unescape(text)
    if _BLOCK_MARKUP.search(text):
        return f"<div>{text}</div>"
    if _MARKUP.search(text):
        return "".join(f"<p>{line}</p>" for line in text.splitlines() if line.strip())
    if len(text) <= _MAX_MARKDOWN_CHARS and _MARKDOWN.search(text):
        return "".join(map(_of_markdown, re.split(r"\n\s*\n|\n(?=#{1,6} |[-*] |> )", text)))
    return paragraphs(unescape(text))


def _of_markdown(part: str) -> str:
    """Return a paragraph, heading, item or quotation in Markdown as HTML; of what is inside it, links are kept."""
    mark = _MARKDOWN_LINE.match(part.lstrip())
    kind = mark[1] if mark else ""
    tag = f"h{len(kind)}" if kind[:1] == "#" else "blockquote" if kind == ">" else "li" if kind else "p"
    plain = _MARKDOWN_MARKS.sub(r"\2", part.lstrip()[mark.end() if mark else 0 :])
    return _wrapped(tag, _MARKDOWN_LINK.sub(r'<a href="\2">\1</a>', html.escape(plain, quote=False)))


def _of_list(values: Sequence[object]) -> str:
    if any(map(_is_inline, values)) and not all(isinstance(each, str) for each in values) and not _are_blocks(values):
        return _wrapped("p", _inline(values))
    return "".join(map(markup_of, values))


def _of_node(node: Mapping[str, object]) -> str:
    kind = kind_of(node)
    if _LEFT_OUT.search(kind):
        return ""
    tag = _tag_of(kind, node)
    children = _children(node)
    if children is not None:
        if tag == "p" and all(isinstance(each, str) for each in children) and "para" not in kind.lower():
            return _of_list(children)
        if any(map(_is_inline, children)) and not (tag == "ul" or _are_blocks(children)):
            return _wrapped("p" if tag == "ul" else tag, _inline(children))
        inner = "".join(_wrapped("li", _inline([each])) if tag == "ul" and isinstance(each, str) else markup_of(each)
                        for each in children)  # fmt: skip
        return _wrapped(tag, inner) if tag in ("ul", "blockquote", "li") else inner
    if (text := _own_text(node)) is not None:
        markup = _of_string(text)
        return markup if tag == "p" or _BLOCK_MARKUP.match(text) else _wrapped(tag, _inline([text]))
    found = [markup_of(each) for key, each in node.items() if not isinstance(each, str) and not _LEFT_OUT.search(key)]
    longest = max(found, key=len, default="")
    return f"<{tag}>{_unwrapped(longest)}</{tag}>" if longest and tag not in ("p", "ul") else longest


def _are_blocks(children: Sequence[object]) -> bool:
    """Return whether children that look like texts are paragraphs of their own, by their markup or kind."""
    pieces = [each for each in children if _is_inline(each) and not isinstance(each, list)]
    texts = [_own_text(each) or "" if isinstance(each, dict) else str(each) for each in pieces]
    ended = sum(text.rstrip()[-1:] in _SENTENCE_ENDS for text in texts if text.strip())
    is_marked = any(each.get(key) for each in children if isinstance(each, dict) for key in _MARKS)
    return not is_marked and len(texts) > 1 and ended >= _MOSTLY * len(texts)


def _is_inline(value: object) -> bool:
    if isinstance(value, str):
        return True
    if not isinstance(value, dict):
        return False
    kind = kind_of(value)
    if kind:
        return bool(_INLINE.search(kind))
    return _own_text(value) is not None and not any(isinstance(value.get(key), list) for key in _CHILDREN)


def _inline(values: Sequence[object]) -> str:
    return "".join(map(_inline_one, values))


def _inline_one(value: object) -> str:
    if isinstance(value, str):
        return value if _MARKUP.search(value) else html.escape(unescape(value), quote=False)
    if isinstance(value, list):
        return _inline(value)
    if not isinstance(value, dict) or _LEFT_OUT.search(kind := kind_of(value)):
        return ""
    if _BREAK.search(kind):
        return "<br>"
    return _inline(_children(value) or [_own_text(value) or ""])


def _children(node: Mapping[str, object]) -> list[object] | None:
    return next((each for key in _CHILDREN if isinstance(each := node.get(key), list) and each), None)


def _own_text(node: Mapping[str, object]) -> str | None:
    texts = [text for key in _TEXTS if isinstance(text := node.get(key), str) and text]
    return next(filter(str.strip, texts), texts[0] if texts else None)


def _tag_of(kind: str, node: Mapping[str, object]) -> str:
    if found := _HEADING.search(kind):
        level = found[1] or found[2] or node.get("level")
        return f"h{level}" if str(level) in "23456" and level else "h2"
    if _QUOTE.search(kind):
        return "blockquote"
    if _ITEM.search(kind) or node.get("listItem"):
        return "li"
    return "ul" if "list" in kind.lower() else "p"


def _wrapped(tag: str, inner: str) -> str:
    return f"<{tag}>{inner}</{tag}>" if inner.strip() else ""


def _unwrapped(markup: str) -> str:
    inner = markup.removeprefix("<p>").removesuffix("</p>")
    return inner if "<p>" not in inner and len(inner) == len(markup) - 7 else markup
