"""The XML of Atom feeds (RFC 4287): one entry per article; a feed keeps the newest entries."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, UUID, uuid5

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ATOM = "http://www.w3.org/2005/Atom"
MOST_ENTRIES = 100
"""Entries kept in a feed: feed readers poll about hourly."""

_SUMMARY_CHARS = 400
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WITH_OFFSET = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_Element = etree._Element  # noqa: SLF001 - lxml has no other name for it


def entry(envelope: Mapping[str, Any]) -> _Element:
    """Return the entry for a message; all messages of an article share one entry."""
    article = envelope["article"]
    made = etree.Element(_name("entry"), nsmap={None: ATOM})
    _add(made, "id", UUID(envelope["articleId"]).urn)
    _add(made, "title", article["headline"] or article["url"] or "")
    _add(made, "updated", envelope["time"])
    published = article["datePublished"] or ""
    if _WITH_OFFSET.fullmatch(published):
        _add(made, "published", published)
    for author in article["authors"] or [{"name": article["publisher"] or envelope["site"]}]:
        _add(etree.SubElement(made, _name("author")), "name", author["name"])
    address = article["canonicalUrl"] or article["url"] or ""
    etree.SubElement(made, _name("link"), rel="alternate", href=_plain(address))
    for term in (envelope["site"], *(article["keywords"] or ())):
        etree.SubElement(made, _name("category"), term=_plain(term))
    _add(made, "summary", _summary(envelope))
    return made


def merged(known: bytes | None, title: str, entries: Iterable[_Element]) -> bytes:
    """Return a feed with newer entries before its existing ones, one per article.

    Raises:
        ValueError: the existing content is not a feed.
    """
    newest: dict[str, _Element] = {}
    for one in reversed(list(entries)):
        newest.setdefault(_id(one), one)
    for one in _entries(known):
        newest.setdefault(_id(one), one)
    kept = list(newest.values())[:MOST_ENTRIES]
    feed = etree.Element(_name("feed"), nsmap={None: ATOM})
    _add(feed, "id", uuid5(NAMESPACE_URL, f"newsextract:feed:{title}").urn)
    _add(feed, "title", title)
    _add(feed, "updated", _updated(kept))
    _add(feed, "generator", "newsextract")
    feed.extend(kept)
    written: bytes = etree.tostring(feed, xml_declaration=True, encoding="utf-8")
    return written


def _updated(entries: Iterable[_Element]) -> str:
    times = [one.findtext(_name("updated"), "") for one in entries]
    return max(times, default=datetime.now(UTC).isoformat(timespec="seconds"))


def _entries(known: bytes | None) -> list[_Element]:
    if known is None:
        return []
    try:
        feed = etree.fromstring(known, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    except etree.XMLSyntaxError as error:
        raise ValueError(f"it is no XML: {error}") from error
    if feed.tag != _name("feed"):
        raise ValueError("it is no Atom feed")
    return feed.findall(_name("entry"))


def _summary(envelope: Mapping[str, Any]) -> str:
    """Return the passages that the rule matched, else the article's description, else its beginning."""
    passages = [
        passage if isinstance(passage, str) else passage.get("text", "")
        for passage in (envelope.get("match") or {}).get("passages") or ()
    ]
    article = envelope["article"]
    text = " … ".join(filter(None, passages)) or article["description"] or article["articleBody"] or ""
    return text if len(text) <= _SUMMARY_CHARS else f"{text[:_SUMMARY_CHARS].rsplit(' ', 1)[0]} …"


def _id(one: _Element) -> str:
    return one.findtext(_name("id"), "")


def _name(tag: str) -> str:
    return f"{{{ATOM}}}{tag}"


def _add(parent: _Element, tag: str, text: str) -> None:
    etree.SubElement(parent, _name(tag)).text = _plain(text)


def _plain(text: str) -> str:
    return _NOT_XML.sub(" ", text)
