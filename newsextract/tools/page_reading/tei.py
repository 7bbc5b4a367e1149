"""Write an article as TEI P5, the XML of text corpora: a header with the metadata, and the body's structure.

The body is made of the article's clean HTML, whose tags and depth are bounded, so recursion is too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree, html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.article import Article

NAMESPACE = "http://www.tei-c.org/ns/1.0"
_XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))

_NAMES = {
    "em": ("hi", {"rend": "italic"}), "strong": ("hi", {"rend": "bold"}), "del": ("hi", {"rend": "strikethrough"}),
    "sub": ("hi", {"rend": "subscript"}), "sup": ("hi", {"rend": "superscript"}), "code": ("code", {}),
    "br": ("lb", {}), "a": ("ref", {}),
    "p": ("p", {}), "pre": ("ab", {"type": "code"}), "ul": ("list", {"rend": "bulleted"}),
    "ol": ("list", {"rend": "numbered"}), "li": ("item", {}), "blockquote": ("quote", {}), "table": ("table", {}),
    "tr": ("row", {}), "td": ("cell", {}), "th": ("cell", {"role": "label"}), "caption": ("head", {}),
    "figure": ("figure", {}), "figcaption": ("head", {}), "img": ("graphic", {}),
    "summary": ("ab", {"type": "summary"}),
}  # fmt: skip
"""What the elements of our HTML are in TEI; of others, such as `tbody`, only the content is written."""

_ATTRIBUTES = {"href": "target", "src": "url", "colspan": "cols", "rowspan": "rows", "value": "n"}


def write_tei(article: Article, body_html: str) -> str:
    """Return the TEI element of an article, whose body is given as clean HTML."""
    root = etree.Element(f"{{{NAMESPACE}}}TEI", nsmap={None: NAMESPACE})
    if article.inLanguage:
        root.set(f"{{{_XML_NAMESPACE}}}lang", article.inLanguage)
    header = _add(root, "teiHeader")
    _write_description(_add(header, "fileDesc"), article)
    _write_profile(header, article)
    _write_body(_add(_add(root, "text"), "body"), body_html)
    return etree.tostring(root, encoding="unicode")


def _write_description(described: etree._Element, article: Article) -> None:
    """Write the title, who published it and when, and where it was found."""
    title, published = _add(described, "titleStmt"), _add(described, "publicationStmt")
    source = _add(_add(described, "sourceDesc"), "bibl")
    for place in (title, source):
        _add(place, "title", article.headline or "")
        for author in article.authors or ():
            _add(place, "author", author.name)
    _add(published, "publisher", article.publisher or "unknown")
    if article.publisher:
        _add(source, "publisher", article.publisher)
    for place in (published, source):
        if article.datePublished:
            _add(place, "date", article.datePublished, when=article.datePublished)
    if article.url:
        _add(source, "ref", article.url, target=article.url)


def _write_profile(header: etree._Element, article: Article) -> None:
    """Write the summary, the language and the keywords, as far as the page states them."""
    terms = list(filter(None, (article.section, *(article.keywords or ()))))
    if not (article.description or article.inLanguage or terms):
        return
    profile = _add(header, "profileDesc")
    if article.description:
        _add(_add(profile, "abstract"), "p", article.description)
    if article.inLanguage:
        _add(_add(profile, "langUsage"), "language", article.inLanguage, ident=article.inLanguage)
    if terms:
        keywords = _add(_add(profile, "textClass"), "keywords")
        for term in terms:
            _add(keywords, "term", term)


def _write_body(body: etree._Element, body_html: str) -> None:
    """Write a division for each heading of the article, and one for what stands before the first."""
    division = _add(body, "div")
    for child in html.fragment_fromstring(body_html, create_parent=True):
        if child.tag in _HEADINGS:
            division = _add(body, "div") if len(division) else division
            _write_content(_add(division, "head", rend=str(child.tag)), child)
        else:
            _write(division, child)
    for each in body:
        if all(etree.QName(part).localname == "head" for part in each):
            _add(each, "p")  # a division has a text


def _write(above: etree._Element, source: html.HtmlElement) -> None:
    """Write an element, or the content of one that TEI has not."""
    tag = str(source.tag)
    if tag == "img" and etree.QName(above).localname != "figure":
        above = _add(above, "figure")
    if tag in _HEADINGS:
        _write_content(_add(above, "ab", type="head"), source)
    elif tag in _NAMES:
        name, fixed = _NAMES[tag]
        _write_content(_add(above, name, **fixed, **dict(_attributes(source))), source)
        if tag == "img" and (described := source.get("alt")):
            _add(above, "figDesc", described)
    else:
        _write_content(above, source)


def _attributes(source: html.HtmlElement) -> Iterator[tuple[str, str]]:
    return ((_ATTRIBUTES[name], value) for name, value in source.attrib.items() if name in _ATTRIBUTES)


def _write_content(element: etree._Element, source: html.HtmlElement) -> None:
    _write_text(element, source.text)
    for child in source:
        _write(element, child)
        _write_text(element, child.tail)


def _write_text(element: etree._Element, text: str | None) -> None:
    """Append a text behind what the element has."""
    if not text or (not text.strip() and etree.QName(element).localname in ("div", "list", "row", "table", "figure")):
        return
    last = next(element.iterchildren(reversed=True), None)  # `len` counts all children each time
    if last is not None:
        last.tail = (last.tail or "") + _clean(text)
    else:
        element.text = (element.text or "") + _clean(text)


def _add(above: etree._Element, tag: str, text: str | None = None, **attributes: str) -> etree._Element:
    cleaned = {name: _clean(value) for name, value in attributes.items()}
    element = etree.SubElement(above, f"{{{NAMESPACE}}}{tag}", cleaned)
    element.text = None if text is None else _clean(text)
    return element


def _clean(text: str) -> str:
    return _NOT_XML.sub("", text)
