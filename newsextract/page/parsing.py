"""Parse any HTML text into a tree.

libxml2 parses, without comments and processing instructions: nothing reads them, and text on both sides of one
becomes a single run. It gives up below depth 2,048; such a page is parsed again into a tree whose elements below
`MAX_DEPTH` are siblings, so that no text is lost and every consumer of the tree may recurse.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from lxml import etree, html

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement


MAX_DEPTH = 1_000
"""Levels; libxml2 itself stops at 2,048, Chromium and Firefox at 512."""

_HEAD_TAGS = frozenset("base basefont bgsound link meta noframes noscript script style template title".split())
"""The elements that may stand in a head; any other ends it (HTML Standard, 13.2.6.4.4)."""

# Without classes for forms and inputs, which are not used, lxml makes elements without calling Python.
_ONE_CLASS = etree.ElementDefaultClassLookup(element=html.HtmlElement)

LONG_TAG_BYTES, MAX_ATTRIBUTES = 64 * 1024, 5_000
"""libxml2 compares every attribute with those before it: a longer tag with more of them loses them all."""

_LONG_TAG = re.compile(rb"(<[a-zA-Z][\w:-]{0,99}+)[^<>]{%d,}+" % (LONG_TAG_BYTES - 100))
_QUOTED = re.compile(rb"\"[^\"]*\"|'[^']*'")
"""Such as a picture as a data URL, which is one attribute."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSETTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that libxml2 reads but lxml refuses to set, because XML does not allow them."""
_TAG_NAME = re.compile(r"[^\x00-\x20&<>/\"'{}\ufffe\uffff]+")
_ATTRIBUTE_NAME = re.compile(r"(?!\{)[^\x00-\x1f\ufffe\uffff]+")
"""The names that lxml sets, of those that libxml2 reads."""


def parse(page: str | bytes) -> HtmlElement:
    """Return the root of a page, given as text or in UTF-8; an empty `html` element when there is nothing to parse."""
    source = page if isinstance(page, bytes) else _encoded(page)
    if b"\x00" in source:
        source = source.replace(b"\x00", b"")
    if _has_long_tag(source):
        source = _LONG_TAG.sub(_without_bomb, source)
    if not source or source.isspace():
        return _empty()
    parser = _parser()
    root = cast("HtmlElement | None", etree.fromstring(source, parser))
    last = parser.error_log.last_error
    if last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:  # it was cut
        shallow = _ShallowTree()
        root = cast("HtmlElement | None", etree.fromstring(source, _parser(target=shallow)))
    if root is None:
        return _empty()
    # What follows an early `</html>` gets a root of its own.
    for stray in tuple(root.itersiblings()):
        root.append(stray)
    _end_head(root)
    if b"shadowroot" in source:
        _open_shadow_roots(root)
    return root


def _open_shadow_roots(root: HtmlElement) -> None:
    """Make declarative shadow roots part of the page: a browser shows them in their hosts (HTML Standard, 4.12.3)."""
    for template in root.iter("template"):
        if template.get("shadowrootmode") or template.get("shadowroot"):
            template.tag = "span"


def _has_long_tag(source: bytes) -> bool:
    """Tell whether more than `LONG_TAG_BYTES` have no `<` among them, by looking at one in so many."""
    last = -1
    while len(source) - last - 1 > LONG_TAG_BYTES:
        last = source.rfind(b"<", last + 1, last + LONG_TAG_BYTES + 2)
        if last < 0:
            return True
    return False


def _without_bomb(tag: re.Match[bytes]) -> bytes:
    is_long = len(tag[0]) > LONG_TAG_BYTES
    return tag[1] if is_long and len(_QUOTED.sub(b"''", tag[0]).split()) > MAX_ATTRIBUTES else tag[0]


def _end_head(root: HtmlElement) -> None:
    """End the head where its content ends, as HTML does; libxml2 keeps `<article>`, `<main>` and others in it."""
    head = next(root.iterchildren("head"), None)
    first = None if head is None else next((el for el in head if el.tag not in _HEAD_TAGS), None)
    if head is None or first is None:
        return
    body = next(root.iterchildren("body"), None)
    if body is None:
        body = etree.SubElement(root, "body")
    moved = [first, *first.itersiblings()]
    body[:0] = moved
    if text := body.text:  # it followed the elements that were moved
        moved[-1].tail = _UNSETTABLE.sub(" ", (moved[-1].tail or "") + text)
        body.text = None


def _parser(**options: Any) -> etree.HTMLParser:
    parser: etree.HTMLParser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, collect_ids=False, **options
    )
    parser.set_element_class_lookup(_ONE_CLASS)
    return parser


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text).encode()


def _empty() -> HtmlElement:
    return html.Element("html")


def _settable(tag: str, attributes: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return what lxml takes of a tag: a `span` instead of one with an impossible name, and no such attributes."""
    named = {name: value for name, value in attributes.items() if _ATTRIBUTE_NAME.fullmatch(name)}
    name = tag if _TAG_NAME.fullmatch(tag) else "span"
    return name, {name: _UNSETTABLE.sub("", value) for name, value in named.items()}


class _ShallowTree:
    """A parser target that builds a tree no deeper than `MAX_DEPTH`.

    A deeper element becomes a sibling; once a child has interrupted it, another sibling like it takes the rest.
    """

    def __init__(self) -> None:
        self.make = _parser().makeelement
        self.root: HtmlElement | None = None
        self.open: list[HtmlElement] = []
        self.is_open_new = True
        self.text: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._place_text()
        if self.root is None:
            element = self.root = cast("HtmlElement", self.make(*_settable(tag, attributes)))
        else:
            element = etree.SubElement(self._parent(self.root), *_settable(tag, attributes))
        self.open.append(element)
        self.is_open_new = True

    def end(self, _tag: str) -> None:
        self._place_text()
        self.open.pop()
        self.is_open_new = False

    def data(self, text: str) -> None:
        self.text.append(text)

    def close(self) -> HtmlElement | None:
        self._place_text()
        return self.root

    def _parent(self, root: HtmlElement) -> HtmlElement:
        return self.open[min(len(self.open), MAX_DEPTH) - 1] if self.open else root

    def _place_text(self) -> None:
        """Append the text read since the last tag to the end of the tree built so far."""
        text = _UNSETTABLE.sub(" ", "".join(self.text))
        self.text.clear()
        if not text or self.root is None:
            return
        parent = self._parent(self.root)
        if self.is_open_new and self.open:
            self.open[-1].text = text
        elif len(self.open) > MAX_DEPTH:
            interrupted = self.open[-1]
            etree.SubElement(parent, interrupted.tag, dict(interrupted.attrib)).text = text
        elif (last := next(parent.iterchildren(reversed=True), None)) is not None:
            last.tail = text
        else:
            parent.text = text
