"""Write as HTML what an object holds as its text: a string, a list of paragraphs, or a tree of rich text.

Editors keep text as a tree of nodes with a kind and children. The kinds' names differ little (`heading`, `header`,
`heading-2`), and where they say nothing, the form tells: texts beside one another are pieces of a paragraph.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from newsextract.page.rendering.html_writer import paragraphs
from newsextract.reading.metadata.text_folding import unescape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Node = dict[str, object]

_KINDS = (
    "type",
    "nodeType",
    "_type",
    "blockType",
    "tag",
    "tagName",
    "style",
    "kind",
    "name",
    "blockName",
    "__typename",
)
_GENERIC = frozenset(("block", "normal", "unstyled"))
"""Kinds that tell nothing: in Portable Text the style of a block does."""
_MAX_KIND_CHARS = 40
_CHILDREN = ("children", "content", "content_elements", "nodes", "childNodes", "spans", "leaves", "blocks", "items")
_TEXTS = ("text", "value", "insert", "html", "content", "body", "markdown", "rendered", "__html", "copy")
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
_SENTENCE_ENDS = tuple('.!?…»”"。！？؟।')
_MOSTLY = 0.8
"""Share of texts beside one another that end a sentence, if each is a paragraph."""
_markdown = MarkdownIt("commonmark", {"html": False})


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

    >>> _of_string("It rained.\n\n**All day**, [they say](https://a.example/).")
    '<p>It rained.</p>\n<p><strong>All day</strong>, <a href="https://a.example/">they say</a>.</p>\n'
    """
    if not _MARKUP.search(text) and _ESCAPED.search(text):
        text = unescape(text)
    if _BLOCK_MARKUP.search(text):
        return f"<div>{text}</div>"
    if _MARKUP.search(text):
        return "".join(f"<p>{line}</p>" for line in text.splitlines() if line.strip())
    if len(text) <= _MAX_MARKDOWN_CHARS and _MARKDOWN.search(text):
        return str(_markdown.render(text))
    return paragraphs(unescape(text))


def _of_list(values: Sequence[object]) -> str:
    if is_element(values):
        return _of_element(values)
    if any(map(_is_inline, values)) and not all(isinstance(each, str) for each in values) and not _are_blocks(values):
        return _wrapped("p", _inline(values))
    return "".join(map(markup_of, values))


def is_element(values: Sequence[object]) -> bool:
    """Tell whether a list is an element as React sends it: `["$", "p", key, {"children": …}]`."""
    return len(values) >= 4 and values[0] == "$" and isinstance(values[1], str) and isinstance(values[3], dict)


def _of_element(values: Sequence[object]) -> str:
    tag, held = values[1], values[3]
    if not isinstance(held, dict) or not isinstance(tag, str) or tag in ("script", "style", "nav", "footer", "aside"):
        return ""
    raw = held.get("dangerouslySetInnerHTML")
    children = raw.get("__html") if isinstance(raw, dict) else held.get("children")
    if tag in ("p", "li", "blockquote", "pre", "td") or _HEADING.search(tag):
        return _wrapped(tag, _inline([children]))
    if _INLINE.search(tag):
        return _inline([children])
    return _of_list([children]) if isinstance(children, str) else markup_of(children)


def _of_node(node: Node) -> str:
    kind = kind_of(node)
    if _LEFT_OUT.search(kind):
        return ""
    tag = _tag_of(kind, node)
    children = next((each for key in _CHILDREN if isinstance(each := node.get(key), list) and each), None)
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
    inner_values = (each for key, each in node.items() if isinstance(each, (dict, list)) and not _LEFT_OUT.search(key))
    found = [markup_of(each) for each in inner_values]
    longest = max(found, key=len, default="")
    return f"<{tag}>{_unwrapped(longest)}</{tag}>" if longest and tag not in ("p", "ul") else longest


def _are_blocks(children: Sequence[object]) -> bool:
    """Tell whether children that look like texts are paragraphs of their own, by their markup or kind."""
    pieces = [each for each in children if _is_inline(each) and not isinstance(each, list)]
    texts = [_own_text(each) or "" if isinstance(each, dict) else str(each) for each in pieces]
    ended = sum(text.rstrip()[-1:] in _SENTENCE_ENDS for text in texts if text.strip())
    is_plain = not any(_has_marks(each) for each in children)
    return is_plain and len(texts) > 1 and ended >= _MOSTLY * len(texts)


def _has_marks(node: object) -> bool:
    return isinstance(node, dict) and any(node.get(key) for key in ("marks", "bold", "italic", "format"))


def _is_inline(value: object) -> bool:
    if isinstance(value, str):
        return True
    if isinstance(value, list):
        return is_element(value) and bool(_INLINE.search(str(value[1])))
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
        if is_element(value):
            held = value[3]
            return _inline([held.get("children")]) if isinstance(held, dict) else ""
        return _inline(value)
    if not isinstance(value, dict) or _LEFT_OUT.search(kind := kind_of(value)):
        return ""
    if _BREAK.search(kind):
        return "<br>"
    children = next((each for key in _CHILDREN if isinstance(each := value.get(key), list) and each), None)
    return _inline(children) if children is not None else _inline([_own_text(value) or ""])


def _own_text(node: Mapping[str, object]) -> str | None:
    return next((text for key in _TEXTS if isinstance(text := node.get(key), str) and text.strip()), None) or next(
        (text for key in _TEXTS if isinstance(text := node.get(key), str) and text), None
    )


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
