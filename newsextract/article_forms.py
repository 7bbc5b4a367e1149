"""An article in the forms of others: schema.org's JSON-LD, ninjs of the IPTC, and the item of zyte-common-items.

In: the item as a dictionary, from `Article.to_dict` or a database. Out: a dictionary, or Zyte's item. What the item
does not state is left out, and so is a date that a form cannot hold: ninjs has none without a time and an offset.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import zyte_common_items

# JSON-LD

_SAME_IN_SCHEMA_ORG = (
    "url", "headline", "description", "articleBody", "datePublished", "dateModified", "inLanguage", "keywords",
    "isAccessibleForFree", "wordCount",
)  # fmt: skip
_MEDIA_IN_SCHEMA_ORG = {
    "images": ("image", "ImageObject", ("url", "caption")),
    "videos": ("video", "VideoObject", ("url", "embedUrl", "name", "thumbnailUrl", "duration", "uploadDate")),
    "audios": ("audio", "AudioObject", ("url", "embedUrl", "name", "duration")),
}
"""The property of each field, the type of its values, and their properties."""
_TYPES_IN_SCHEMA_ORG = {"live": "LiveBlogPosting", "thread": "DiscussionForumPosting"}


def to_json_ld(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema.org `NewsArticle`, a `LiveBlogPosting` or, of a thread, a `DiscussionForumPosting`."""
    metadata, updates = item["metadata"] or {}, item["liveBlogUpdates"] or ()
    kind = "live" if updates else metadata.get("pageKind")
    node = {
        "@context": "https://schema.org",
        "@type": _TYPES_IN_SCHEMA_ORG.get(kind or "", "NewsArticle"),
        **{name: item[name] for name in _SAME_IN_SCHEMA_ORG},
        "author": [
            {"@type": author["type"], "name": author["name"], "url": author["url"]} for author in item["authors"] or ()
        ],
        "publisher": _named("Organization", item["publisher"]),
        "articleSection": item["section"],
        "mainEntityOfPage": {
            "@type": "WebPage",
            "@id": item["canonicalUrl"] or item["url"],
            "breadcrumb": {"@type": "BreadcrumbList", "itemListElement": _steps(item["breadcrumbs"] or ())},
        },
        "hasPart": [
            {"@type": "WebPageElement", "isAccessibleForFree": False, "cssSelector": selector}
            for selector in item["paywalledParts"] or ()
        ],
        "liveBlogUpdate": [
            {**update, "@type": "BlogPosting", "datePublished": _with_day(update["datePublished"])}
            for update in updates
        ],
        "citation": [_citation(embed) for embed in item["embeds"] or ()],
        "comment": _threads(item["comments"] or ()),
        "usageInfo": (item["usageRights"] or {}).get("tdmPolicy"),
        "sdDatePublished": metadata.get("dateDownloaded"),
    }
    for field, (name, kind, properties) in _MEDIA_IN_SCHEMA_ORG.items():
        media = _pictures(item) if field == "images" else item[field] or ()
        node[name] = [{"@type": kind, **{each: medium.get(each) for each in properties}} for medium in media]
    return _stated(node)


def _named(kind: str, name: str | None) -> dict[str, Any]:
    return {"@type": kind, "name": name}


def _steps(breadcrumbs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "@type": "ListItem",
            "position": place,
            "name": step["name"],
            "item": {"@type": "WebPage", "@id": step["url"]},
        }
        for place, step in enumerate(breadcrumbs, 1)
    ]


def _citation(embed: Mapping[str, Any]) -> dict[str, Any]:
    by = {"author": _named("Person", embed["author"]), "provider": _named("Organization", embed["provider"])}
    return {**embed, "@type": "CreativeWork", **by}


def _threads(comments: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the comments on the article, each with its answers."""
    threads: list[dict[str, Any]] = []
    answers: list[list[dict[str, Any]]] = [[] for _ in comments]
    for comment, own in zip(comments, answers, strict=True):
        node = {
            "@type": "Comment",
            "text": comment["text"],
            "author": _named("Person", comment["author"]),
            "datePublished": _with_day(comment["datePublished"]),
            "comment": own,
        }
        (threads if comment["parent"] is None else answers[comment["parent"]]).append(node)
    return threads


def _with_day(time: str | None) -> str | None:
    """Return a date that is not only a time of day."""
    return time if time and re.match(r"\d{4}-", time) else None


# ninjs

_NINJS = {"name": "ninjs", "version": "2.4", "schema": "http://www.iptc.org/std/ninjs/ninjs-schema_2.4.json"}
_ROLE = "http://cv.iptc.org/newscodes/contentprodpartyrole"
"""The roles of those who make content, in the IPTC's vocabulary."""
_GENRES = ("live", "gallery", "video")


def to_ninjs(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a text of ninjs 2.4, whose pictures, videos and recordings are its associations."""
    url, authors = item["canonicalUrl"] or item["url"], item["authors"] or ()
    metadata, rights = item["metadata"] or {}, item["usageRights"] or {}
    written = _moment(item["datePublished"])
    return _stated(
        {
            "uri": _uri(url) or _urn(f"{item['headline']}\n{item['articleBody']}"),
            "type": "text",
            "standard": _NINJS,
            "altids": [{"role": "url", "value": item["url"]}] if item["url"] != url else [],
            "language": item["inLanguage"],
            "contentcreated": written,
            "versioncreated": _moment(item["dateModified"]) or written or metadata.get("dateDownloaded"),
            "headlines": [_text("main", item["headline"])],
            "descriptions": [_text("summary", item["description"])],
            "bodies": [
                {**_text("main", item["articleBody"]), "wordcount": item["wordCount"]},
                _text("richtext", item["articleBodyHtml"], "text/html"),
                _text("markdown", item["articleMarkdown"], "text/markdown"),
            ],
            "by": ", ".join(author["name"] for author in authors),
            "infosources": [
                *(
                    {"name": author["name"], "uri": _uri(author["url"]), "role": f"{_ROLE}/author"}
                    for author in authors
                ),
                {"name": item["publisher"], "role": f"{_ROLE}/distributor"},
            ],
            "subjects": [
                {"name": item["section"], "rel": "section"},
                *({"name": keyword, "rel": "keyword"} for keyword in item["keywords"] or ()),
            ],
            "genres": [{"name": kind} for kind in (metadata.get("pageKind"),) if kind in _GENRES],
            "associations": [*_associations(item)],
            "usageterms": " ".join(_terms(rights)),
            "rightsinfo": {"linkedrights": _uri(rights.get("tdmPolicy"))},
        }
    )


def _text(role: str, value: str | None, contenttype: str = "text/plain") -> dict[str, Any]:
    return {"role": role, "contenttype": contenttype, "value": value}


def _uri(url: str | None) -> str | None:
    """Return a URL in ASCII alone, as RFC 3986 has it."""
    return url and quote(url, safe="!#$%&'()*+,/:;=?@[]~")


def _urn(text: str) -> str:
    from uuid import NAMESPACE_URL, uuid5  # noqa: PLC0415 - slow to import, and articles have URLs

    return uuid5(NAMESPACE_URL, text).urn


def _moment(time: str | None) -> str | None:
    """Return a time with its offset, as RFC 3339 has it; `None` if it has none.

    >>> _moment("2026-05-04T10:00+02:00"), _moment("2026-05-04T10:00"), _moment("2026-05"), _moment(None)
    ('2026-05-04T10:00:00+02:00', None, None, None)
    """
    try:
        moment = datetime.fromisoformat(time or "")
    except ValueError:  # a month, or the hour of a live blog's entry
        return None
    return moment.isoformat() if moment.tzinfo else None


def _associations(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for kind, media in (("picture", _pictures(item)), ("video", item["videos"]), ("audio", item["audios"])):
        for number, medium in enumerate(media or (), 1):
            yield {
                "name": f"{kind}-{number}",
                "uri": _uri(medium["url"]),
                "type": kind,
                "headlines": [_text("main", medium.get("name"))],
                "descriptions": [_text("caption", medium.get("caption"))],
                "renditions": [
                    {"name": name, "href": _uri(medium[field])}
                    for name, field in (("main", "url"), ("player", "embedUrl"), ("thumbnail", "thumbnailUrl"))
                    if medium.get(field)
                ],
            }


def _terms(rights: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is said about use by machines, as sentences."""
    if rights.get("tdmReservation") is not None:
        yield f"Rights to text and data mining are {'' if rights['tdmReservation'] else 'not '}reserved."
    if rights.get("ai") is not None:
        yield f"Training of AI is {'allowed' if rights['ai'] else 'forbidden'}."
    if rights.get("robots"):
        yield f"Robots: {', '.join(rights['robots'])}."


# Zyte


def to_zyte(item: Mapping[str, Any]) -> zyte_common_items.Article:
    """Return Zyte's item, with the language as in ISO 639-1; fields that it does not know are its unknown ones.

    Raises:
        ModuleNotFoundError: zyte-common-items is not installed.
        ValueError: the article has no URL.
    """
    try:
        from zyte_common_items import Article  # noqa: PLC0415 - not one of our dependencies
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("to_zyte() needs pip install zyte-common-items", name=error.name) from error
    if not item["url"]:
        raise ValueError("Zyte's item needs a URL, and this article has none")
    stated = _stated(item)
    if language := item["inLanguage"]:
        stated["inLanguage"] = language.partition("-")[0]
    if metadata := stated.get("metadata"):
        time = metadata.get("dateDownloaded")
        metadata |= {"dateDownloaded": time and time.replace("+00:00", "Z")}
        metadata.setdefault("probability", None)  # else it is 1
    theirs = Article.from_dict(stated)
    for name in item.keys() - stated.keys():
        if hasattr(theirs, name):
            setattr(theirs, name, None)  # not an empty list
    return theirs  # type: ignore[no-any-return]


def _pictures(item: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return item["images"] or list(filter(None, [item["mainImage"]]))


_NOTHING: tuple[Any, ...] = (None, "", [], {})
_OF_KIND = {"@type", "role", "rel", "contenttype", "wordcount"}
"""What says only of which kind something is."""


def _stated(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields without those that are `None` or empty, at any depth; nothing, if only their kind is stated.

    >>> _stated({"a": [{"@type": "Person", "name": None}], "b": False, "c": {"name": "Ann", "url": None}})
    {'b': False, 'c': {'name': 'Ann'}}
    """
    kept = {name: part for name, value in fields.items() if (part := _part(value)) not in _NOTHING}
    return kept if kept.keys() - _OF_KIND else {}


def _part(value: Any) -> Any:
    if isinstance(value, dict):
        return _stated(value)
    if isinstance(value, (list, tuple)):
        return [part for each in value if (part := _part(each)) not in _NOTHING]
    return value
