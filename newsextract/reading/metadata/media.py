"""The images, videos, recordings and embeds of an article: declared by the page, and among its blocks."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from newsextract.article import Image
from newsextract.article_parts import Audio, Embed, Video
from newsextract.page.embeds import media_key, page_of, player_page
from newsextract.page.media import MAX_MEDIA, completed
from newsextract.page.outline import names_of
from newsextract.reading.metadata.clues import Refused
from newsextract.reading.metadata.comparing import absolute, fold
from newsextract.reading.metadata.dates import plausible_date
from newsextract.reading.metadata.json_ld import as_list, text_of, types_of
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from newsextract.page.blocks import Outline
    from newsextract.page.media import BlockImage, Illustrations, Medium
    from newsextract.reading.metadata.clues import Clues, Metadata, Raw
    from newsextract.reading.metadata.json_ld import Graph, Node


# The images of an article: those that the page declares, after checks, and those among its blocks.

_SERVICES = (
    r"facebook|fb|twitter|x|instagram|linkedin|pinterest|whatsapp|telegram|youtube|google(?:[-_]?plus)?|weibo|wechat|qq"
    r"|delicious|digg|reddit|plurk|tumblr|yahoo|line|vk"
)
_NO_IMAGE = re.compile(
    rf"""/(?:(?:site|brand|header|footer|og|app|default|fallback|apple[-_]?touch)[-_.]?)?(?:logo|favicon|icon|avatar|sprite)s?(?:[-_.@\d][^/]*)?$
    |/(?:placeholder|spacer|blank|transparent|pixel|no[-_]?(?:image|photo|thumb)|dummy|lazy[-_]?load)(?:[-_.@\d][^/]*)?$
    |/default[-_](?:og|image|img|share|social|thumb|post|news|article|featured)[^/]*$
    |/(?:1x1|0x0)(?:\.\w+)+$|\.(?:svg|ico)$|gravatar\.com/|/avatars?/
    |/(?:clear|trans|dot|line|bullet|arrow|rss|feed|print(?:er)?|e?mail|send|share|follow|like|comments?|close|top|up|down|left|right
    |next|prev(?:ious)?|search|menu|play|quote|star|load(?:er|ing)|(?:{_SERVICES})(?:[-_](?:share|follow)|[-_]?\d\d))[-_]?\d*(?:x\d+)?\.(?:gif|png)$
    |/(?:btn|button|icon|ico)[-_.][^/]*\.(?:gif|png)$|[-_](?:btn|button|icon|logo)s?(?:[-_]?\d+)?(?:x\d+)?\.gif$
    |/icons?/(?:[^/]+/)*[^/]+\.(?:gif|png)$""",
    re.IGNORECASE | re.VERBOSE,
)
"""Placeholders for missing images, buttons and signs of the site, and pictures of the site or a writer.

A name that merely ends in "logo" may belong to the story: reports on a company show its logo. So may a photo that is
called like a sign: only drawings, GIF and PNG, are judged by such names.
"""
_SIZING = re.compile(
    r"(?:w|h|width|height|wid|hei|size|resize|rescale|fit|crop|quality|q|qlt|auto|format|fm|fmt|dpr|strip|ssl|scale|zoom|upscale"
    r"|ve|tl|itok|optimize|enable|mode|smart|rect|ixlib)=",
    re.IGNORECASE,
)
_SIZED_PATH = re.compile(
    r"-scaled(?=\.\w{3,4}$)|[-_.](?:fill\.)?(?:size_)?\d{2,4}x\d{2,4}(?=\.)"
    r"|/(?:(?:master|\d{1,2}:\d{1,2})/)?[wh]_\d+[^/]*(?=/)|/\d{2,4}x\d{2,4}(?=/)"
)
"""Sizes in the path: WordPress and Mashable put them in the name, Condé Nast and others in folders."""

_MAX_CAPTION_CHARS = 1_000
"""Longer captions are paragraphs in the wrong element."""
_MAX_IMAGES = 100
"""A page with more images is a gallery of products."""

_NOT_OURS = re.compile(
    r"author|avatar|by-?line|gravatar|contributor|profile[-_]?(?:pic|image|photo|img)|\bbio\b|emoji|smiley"
    r"|(?:^|[\s_-])(?:site|brand|header|footer)?-?logo(?:$|[\s_-])|(?:^|[\s_-])icons?(?:$|[\s_-])|social[-_]|share[-_]"
)
"""Names of authors' portraits, of logos and icons, and of buttons, in lower case."""
_LEVELS = 3
"""Elements looked at: the image and its nearest wrappers. Wider ones may be named after the page's own author."""
_WIDE = frozenset(("article", "main", "section", "body", "html"))


def with_images(metadata: Metadata, shown: Sequence[Illustrations], extractor: str) -> Metadata:
    """Return the metadata with the images of the body's pages added, each once: the main one, the body's, the others.

    An image that is also declared takes its caption from the body.
    """
    inside = list(islice(_inside(shown), _MAX_IMAGES))
    main = [metadata.mainImage] if metadata.mainImage else []
    images = distinct((*main, *inside, *(metadata.images or ())))
    if not images:
        return metadata
    declared = metadata.sources.get("images") or metadata.sources.get("mainImage")
    known = {image_key(image.url) for image in (*main, *(metadata.images or ()))}
    is_added = not all(image_key(image.url) in known for image in inside)
    names = dict.fromkeys(filter(None, (declared, extractor if is_added else None)))
    sources = {**metadata.sources, "images": ", ".join(names)}
    return replace(metadata, mainImage=images[0] if main else None, images=list(images), sources=sources)


def _inside(shown: Sequence[Illustrations]) -> Iterator[Image]:
    """Yield the images among the blocks, by page."""
    for page in shown:
        for image in page.images:
            if page.outline and is_image(image.url) and not _is_named_otherwise(image, page.outline):
                caption = " ".join(block.text for block in image.captions)
                yield Image(image.url, caption if 0 < len(caption) <= _MAX_CAPTION_CHARS else None)


def _is_named_otherwise(image: BlockImage, outline: Outline) -> bool:
    """Return whether the names of the image or its wrappers say that it does not belong to the story."""
    for element in islice(outline.lineage(image.element), _LEVELS):
        if outline.tags[element] in _WIDE:
            return False
        if _NOT_OURS.search(names_of(outline.elements[element]).lower()):
            return True
    return False


def check_images(raw: Raw, clues: Clues) -> tuple[Image, ...] | Refused:
    """Return the distinct images that have a web URL."""
    # No warning here: the check of the main image warns about the same URLs.
    return _images(raw, clues)[1] or Refused()


def check_image(raw: Raw, clues: Clues) -> Image | Refused:
    """Return the first usable image, or a refusal."""
    urls, images = _images(raw, clues)
    return images[0] if images else Refused(Notice(NoticeCode.LOGO if urls else NoticeCode.NO_ADDRESS))


def _images(raw: Raw, clues: Clues) -> tuple[list[str], tuple[Image, ...]]:
    """Return the web URLs in a candidate, and the distinct images among them."""
    texts: Iterable[object] = (raw,) if isinstance(raw, str) else raw
    urls = [url for text in texts if isinstance(text, str) and (url := absolute(text, clues.page.base_url))]
    return urls, distinct(Image(url) for url in urls if is_image(url))


def is_image(url: str) -> bool:
    """Return whether a URL may be that of an image of the article.

    >>> is_image("https://example.com/rain.jpg"), is_image("https://example.com/twitter-logo.jpg")
    (True, True)
    >>> is_image("https://example.com/logo-small.png"), is_image("https://example.com/rss.gif")
    (False, False)
    """
    bare = url.partition("?")[0].partition("#")[0]
    return not _NO_IMAGE.search(bare)


@lru_cache(maxsize=256)  # a page's few images are compared with each other
def image_key(url: str) -> str:
    """Return the URL without its size: the same for all sizes of one image.

    >>> image_key("https://example.com/rain-300x200.jpg?w=300&id=5")
    'example.com/rain.jpg?id=5'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    query = "&".join(pair for pair in parts.query.split("&") if pair and not _SIZING.match(pair))
    path = _SIZED_PATH.sub("", parts.path)
    return f"{parts.netloc.lower()}{path}?{query}" if query else f"{parts.netloc.lower()}{path}"


def distinct(images: Iterable[Image]) -> tuple[Image, ...]:
    """Return each image once, at its first place, with the first caption found for it."""
    found: dict[str, Image] = {}
    for image in images:
        known = found.setdefault(image_key(image.url), image)
        if image.caption and not known.caption:
            found[image_key(image.url)] = Image(known.url, image.caption)
    return tuple(found.values())


# The videos, recordings and embeds of an article: those among its blocks, and those that the page declares.

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
    inside = [_dated(medium.item, metadata.inLanguage) for page in shown for medium in page.media]
    for kind, field in _FIELDS.items():
        own = [item for item in inside if type(item) is kind]
        if not own:
            continue
        items: dict[str, Any] = {field: distinct_media(own, getattr(metadata, field) or [])[:MAX_MEDIA]}
        names = dict.fromkeys(filter(None, (metadata.sources.get(field), extractor)))
        metadata = replace(metadata, sources={**metadata.sources, field: ", ".join(names)}, **items)
    return metadata


def _dated(item: Medium, language: str | None) -> Medium:
    """Return an item with its date in ISO 8601, or without one, where the page has it in words."""
    if not isinstance(item, Embed) or item.datePublished is None:
        return item
    return replace(item, datePublished=plausible_date(item.datePublished, language))


def distinct_media(own: Sequence[_M], declared: Iterable[_M] = ()) -> list[_M]:
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
        listed = (value for node in nodes for key in keys for value in as_list(node.get(key))[:_MAX_LISTED])
        named = islice((graph.resolve(value) for value in listed if isinstance(value, dict)), MAX_MEDIA)
        groups = [[node for node in some if types_of(node).intersection(wanted)] for some in (named, nodes)]
        if types.intersection(wanted):
            groups.append([node for node in graph.nodes if types_of(node).intersection(wanted)])
        few = [group for group in groups[1:] if len(group) <= _MAX_ALONE]
        distinct_nodes = {id(node): node for node in chain(groups[0], *few)}
        if items := tuple(dict.fromkeys(_item(kind, node) for node in distinct_nodes.values())):
            found[field] = [items]
    return found


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
    return _checked(Video, raw, clues)


def check_audios(raw: Raw, clues: Clues) -> tuple[Audio, ...] | Refused:
    """Return the distinct recordings that have a web URL."""
    return _checked(Audio, raw, clues)


def _checked(kind: type[_T], raw: Raw, clues: Clues) -> tuple[_T, ...] | Refused:
    stated: Sequence[object] = (raw,) if isinstance(raw, str) else raw
    items = (kind(each) if isinstance(each, str) else each for each in stated)
    clean = [_clean(item, clues) for item in islice(items, MAX_MEDIA) if isinstance(item, kind)]
    # No warning: that a declared video has no URL of its own is usual.
    return tuple(distinct_media([], filter(None, clean))) or Refused()


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
    duration = _DURATION.match((item.duration or "").strip())
    values |= {
        "name": name if 0 < len(name) <= _MAX_NAME_CHARS else None,
        "duration": duration[0] if duration else None,
    }
    if isinstance(item, Video):
        values |= {
            "thumbnailUrl": _url(item.thumbnailUrl, clues),
            "uploadDate": plausible_date(item.uploadDate or "", clues.language),
        }
    return replace(item, **values)


def _url(text: str | None, clues: Clues) -> str | None:
    return absolute(text, clues.page.base_url) if text else None
