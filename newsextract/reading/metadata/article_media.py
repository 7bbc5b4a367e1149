"""The videos, recordings and embeds of an article: those among its blocks, and those that the page declares."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from newsextract.article_parts import Audio, Embed, Video
from newsextract.page.media.block_media import MAX_MEDIA, completed
from newsextract.page.media.frame_urls import media_key, page_of, player_page
from newsextract.reading.metadata.dates.date_checks import read_date, refusal
from newsextract.reading.metadata.findings import Refused
from newsextract.reading.metadata.page_urls import absolute
from newsextract.reading.metadata.schema.schema_nodes import as_list, text_of, types_of
from newsextract.reading.metadata.text_folding import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from newsextract.page.media.block_media import Medium
    from newsextract.page.media.illustrations import Illustrations
    from newsextract.reading.metadata.findings import Metadata, Raw
    from newsextract.reading.metadata.page_clues import Clues
    from newsextract.reading.metadata.schema.schema_nodes import Graph, Node

_T = TypeVar("_T", Video, Audio)
_M = TypeVar("_M", bound="Medium")
_FIELDS: dict[type[Medium], str] = {Video: "videos", Audio: "audios", Embed: "embeds"}

_MAX_LISTED = 50
"""Values read at most under one key of a node."""
_MAX_ALONE = 3
"""More nodes of videos that no article names are of other articles."""
_MAX_RAW_CHARS = 2_000
_MAX_NAME_CHARS = 300
_DURATION = re.compile(r"P(?=[\dT])[\dTDHMSW.,]{1,30}$", re.ASCII)

_NODES: dict[str, tuple[type[Video | Audio], tuple[str, ...], tuple[str, ...]]] = {
    "videos": (Video, ("video", "associatedMedia", "subjectOf", "mainEntity", "trailer"), ("VideoObject", "Clip")),
    "audios": (Audio, ("audio", "associatedMedia"), ("AudioObject", "PodcastEpisode")),
}
"""For each field the class of its values, the keys of an article's node that hold them, and their types."""


def with_media(metadata: Metadata, shown: Sequence[Illustrations], extractor: str) -> Metadata:
    """Return the metadata with what the body shows added, each once: the body's in its order, then the declared.

    What is among the blocks and declared too takes from the declaration what its element does not say.
    """
    inside = [medium.item for page in shown for medium in page.media]
    if not inside:
        return metadata
    language = metadata.inLanguage
    for kind, field in _FIELDS.items():
        own = [_dated(item, language) for item in inside if type(item) is kind]
        declared = getattr(metadata, field) or []
        if not own:
            continue
        items: dict[str, Any] = {field: distinct(own, declared)[:MAX_MEDIA]}
        names = dict.fromkeys(filter(None, (metadata.sources.get(field), extractor)))
        sources = {**metadata.sources, field: ", ".join(names)}
        metadata = replace(metadata, sources=sources, **items)
    return metadata


def _dated(item: Medium, language: str | None) -> Medium:
    """Return an item with its date in ISO 8601, or without one, where the page has it in words."""
    if not isinstance(item, Embed) or item.datePublished is None:
        return item
    return replace(item, datePublished=_date(item.datePublished, language))


def distinct(own: Sequence[_M], declared: Iterable[_M] = ()) -> list[_M]:
    """Return each item once, at its first place, with what others of the same URL add to it.

    A declaration also adds to what bears its name: sites give the file there and show their own player.
    """
    found: list[_M] = []
    numbers: dict[str, int] = {}
    for item, is_declared in chain(((item, False) for item in own), ((item, True) for item in declared)):
        keys = _keys(item)
        known = next((numbers[key] for key in keys[: None if is_declared else -1] if key in numbers), len(found))
        if known == len(found):
            found.append(item)
        else:
            found[known] = completed(found[known], item)
        for key in keys:
            numbers.setdefault(key, known)
    return found


def _keys(item: Medium) -> list[str]:
    """Return the keys of an item's URLs, and last that of its name."""
    urls = [item.url] if isinstance(item, Embed) else [item.url, item.embedUrl or item.url]
    return [*dict.fromkeys(map(media_key, urls)), f"name {item.name or item.url}"]


def declared_media(nodes: Sequence[Node], graph: Graph, types: frozenset[str]) -> dict[str, list[Raw]]:
    """Return the videos and recordings of the nodes about the article, and of others if they are few; `types` are all.

    They are raw: their `url` is the file's or the page's, as it is written, or empty.
    """
    found: dict[str, list[Raw]] = {}
    for field, (kind, keys, wanted) in _NODES.items():
        named = islice(chain.from_iterable(_named(node, keys, graph) for node in nodes), MAX_MEDIA)
        groups = [[node for node in some if types_of(node).intersection(wanted)] for some in (named, nodes)]
        if types.intersection(wanted):
            groups.append([node for node in graph.nodes if types_of(node).intersection(wanted)])
        few = [group for group in groups[1:] if len(group) <= _MAX_ALONE]
        distinct_nodes = {id(node): node for node in chain(groups[0], *few)}
        if items := tuple(dict.fromkeys(_item(kind, node) for node in distinct_nodes.values())):
            found[field] = [items]
    return found


def _named(node: Node, keys: Sequence[str], graph: Graph) -> Iterator[Node]:
    for key in keys:
        yield from (graph.resolve(value) for value in as_list(node.get(key))[:_MAX_LISTED] if isinstance(value, dict))


def _item(kind: type[Video | Audio], node: Node) -> Video | Audio:
    url = text_of(node.get("contentUrl"), "@id") or text_of(node.get("url"), "@id") or ""
    said = (text_of(node.get("embedUrl"), "@id"), text_of(node.get("name")) or text_of(node.get("headline")))
    duration = text_of(node.get("duration"))
    if kind is Audio:
        return Audio(url, *said, duration=duration)
    thumbnail = text_of(node.get("thumbnailUrl"), "url", "@id") or text_of(node.get("thumbnail"), "url", "contentUrl")
    return Video(url, *said, thumbnail, duration, text_of(node.get("uploadDate")))


def check_videos(raw: Raw, clues: Clues) -> tuple[Video, ...] | Refused:
    """Return the distinct videos that have a web URL."""
    items = (Video(each) if isinstance(each, str) else each for each in _listed(raw))
    return _checked([item for item in items if isinstance(item, Video)], clues)


def check_audios(raw: Raw, clues: Clues) -> tuple[Audio, ...] | Refused:
    """Return the distinct recordings that have a web URL."""
    items = (Audio(each) if isinstance(each, str) else each for each in _listed(raw))
    return _checked([item for item in items if isinstance(item, Audio)], clues)


def _listed(raw: Raw) -> Sequence[object]:
    return (raw,) if isinstance(raw, str) else raw


def _checked(items: Sequence[_T], clues: Clues) -> tuple[_T, ...] | Refused:
    clean = filter(None, (_clean(item, clues) for item in items[:MAX_MEDIA]))
    # No warning: that a declared video has no URL of its own is usual.
    return tuple(distinct([], clean)) or Refused()


def _clean(item: _T, clues: Clues) -> _T | None:
    """Return an item with absolute URLs and folded texts, or `None` if it has no URL but that of the page."""
    values: dict[str, Any] = {name: _url(getattr(item, name, None), clues) for name in ("url", "embedUrl")}
    if values["url"] and clues.is_own_address(values["url"]):
        values["url"] = None
    url = values["url"] or values["embedUrl"]
    if url is None:
        return None
    values["url"] = page_of(player_page(url))
    values["embedUrl"] = values["embedUrl"] if values["embedUrl"] != values["url"] else None
    name = fold((item.name or "")[:_MAX_RAW_CHARS])
    values |= {"name": name if 0 < len(name) <= _MAX_NAME_CHARS else None, "duration": _duration(item)}
    if isinstance(item, Video):
        values |= {
            "thumbnailUrl": _url(item.thumbnailUrl, clues),
            "uploadDate": _date(item.uploadDate, clues.language) if item.uploadDate else None,
        }
    return replace(item, **values)


def _url(text: str | None, clues: Clues) -> str | None:
    return absolute(text, clues.page.base_url) if text else None


def _duration(item: Medium) -> str | None:
    found = _DURATION.match((getattr(item, "duration", None) or "").strip())
    return found[0] if found else None


def _date(text: str, language: str | None) -> str | None:
    date = read_date(fold(text[:_MAX_RAW_CHARS]), language)
    return None if date is None or refusal(date) else date
