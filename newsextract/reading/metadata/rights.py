"""Whether an article is free to read, and what machines may do with it."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from newsextract.article import UsageRights
from newsextract.reading.metadata.clues import Findings, Refused
from newsextract.reading.metadata.comparing import absolute
from newsextract.reading.metadata.json_ld import as_list, texts_of
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.usage_rights import (
    AI_CRAWLERS,
    EVERYBODY,
    HEADER,
    JSON_LD,
    LICENSE,
    LINK,
    MENTION,
    META,
    POLICY,
    RESERVATION,
    SIGNAL,
    USAGE,
    RightsStatement,
    directives,
    rights_of,
    statements_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from newsextract.reading.metadata.clues import Clues, Raw
    from newsextract.reading.metadata.json_ld import Graph, Node


# Whether an article is free to read, and which of its parts are not: schema.org's words and Facebook's tiers.

_FREE = {
    **dict.fromkeys(("true", "yes", "1", "1.0", "free"), True),
    **dict.fromkeys(("false", "no", "0", "0.0", "locked", "metered"), False),
}
"""The words for free access: booleans, schema.org's booleans, and Facebook's content tiers."""

_MAX_PARTS = 20
_MAX_SELECTOR_CHARS = 300
"""Longer selectors are style sheets."""


def read_free(text: str) -> bool | None:
    """Return whether a word means free access, or `None` if it says neither.

    >>> read_free("https://schema.org/False"), read_free("metered"), read_free("maybe")
    (False, False, None)
    """
    return _FREE.get(text.strip().lower().rpartition("/")[2])


def stated_access(node: Node, graph: Graph) -> Iterator[Raw]:
    """Yield what a node says about itself, then "False" if one of its parts is not free."""
    yield from texts_of(node.get("isAccessibleForFree"))
    if any(True for _ in _locked(node, graph)):
        yield "False"


def locked_parts(node: Node, graph: Graph) -> Iterator[Raw]:
    """Yield the CSS selectors of the parts that are not free, as one candidate."""
    if found := tuple(text for part in _locked(node, graph) for text in texts_of(part.get("cssSelector"))):
        yield found


def _locked(node: Node, graph: Graph) -> Iterator[Node]:
    parts = (graph.resolve(part) for part in as_list(node.get("hasPart"))[:_MAX_PARTS] if isinstance(part, dict))
    for part in {id(part): part for part in parts}.values():
        if any(read_free(text) is False for text in texts_of(part.get("isAccessibleForFree"))):
            yield part


def check_free(raw: Raw, _clues: Clues) -> bool | Refused:
    """Return whether the words mean free access."""
    is_free = read_free(raw) if isinstance(raw, str) else None
    return Refused(Notice(NoticeCode.NEITHER_TRUE_NOR_FALSE)) if is_free is None else is_free


def check_selectors(raw: Raw, _clues: Clues) -> tuple[str, ...] | Refused:
    """Return the distinct CSS selectors."""
    texts = (" ".join(text.split()) for text in raw if isinstance(text, str))
    found = tuple(dict.fromkeys(text for text in texts if 0 < len(text) <= _MAX_SELECTOR_CHARS))
    return found[:_MAX_PARTS] or Refused()


def weigh_access(found: Iterable[tuple[str, Raw, object]]) -> Iterator[tuple[str, Raw, object]]:
    """Yield the refusals, then the first usable statement; a later one that contradicts it becomes a refusal."""
    first: tuple[str, Raw, object] | None = None
    for name, raw, value in found:
        if isinstance(value, Refused):
            yield name, raw, value
        elif first is None:
            first = name, raw, value
        elif value != first[2]:
            yield name, raw, Refused(Notice(NoticeCode.CONTRADICTED, source=first[0], value=first[1]))
    if first:
        yield first


# What machines may do with a page, as it states it: robots directives, the TDM Reservation Protocol (W3C community
# report of 2024), preferences of AIPREF and Content Signals, and licences. What it means is in `usage_rights`.

CRAWLERS = AI_CRAWLERS | frozenset(
    """
    applebot baiduspider bingbot duckduckbot facebookexternalhit googlebot googlebot-image googlebot-news
    googlebot-video msnbot naverbot otherbot qwantbot seznambot slurp sogou teoma yandex yandexbot yeti
    """.split()
)
"""Robots that pages address by name."""

_NAMES = CRAWLERS | EVERYBODY

_LINK_HEADER = re.compile(r"<([^<>]{1,2000})>([^<]{0,500})")
_REL = re.compile(r";\s*rel\s*=\s*\"?([^\";,]*)", re.IGNORECASE)
_CREATIVE_COMMONS = "creativecommons.org/"
_MAX_LICENSES = 5
_MAX_VALUE_CHARS = 500


def read_robots_meta(clues: Clues) -> Findings:
    """Return what the page's meta tags and links to licences state."""
    meta = clues.meta
    told = [
        directive
        for name in (name for name in meta if name in _NAMES)
        for text in meta[name]
        for directive in directives(text, "" if name in EVERYBODY else name)
    ]
    mining = {name: meta[name][0] for name in (RESERVATION, POLICY) if name in meta}
    linked = (RightsStatement(source, f"{LICENSE}: {url}") for source, url in _linked_licenses(clues))
    return _found([*_robots(META, "robots", told), *_mining(META, mining, clues), *linked])


def read_headers(clues: Clues) -> Findings:
    """Return what the HTTP headers state."""
    headers = clues.page.hints.headers
    if not headers:
        return Findings()
    told = directives(headers.get("x-robots-tag", ""))
    said = [*_robots(HEADER, "x-robots-tag", told), *_mining(HEADER, headers, clues)]
    signals = {name: " ".join(headers.get(name, "").split())[:_MAX_VALUE_CHARS] for name in (USAGE, SIGNAL)}
    said += [RightsStatement(HEADER, f"{name}: {value}") for name, value in signals.items() if value]
    for url, parameters in _LINK_HEADER.findall(headers.get("link", "")):
        rel = _REL.search(parameters)
        if rel and LICENSE in rel[1].lower().split() and (found := absolute(url, clues.page.base_url)):
            said.append(RightsStatement(HEADER, f"{LICENSE}: {found}"))
    return _found(said)


def read_site_files(clues: Clues) -> Findings:
    """Return what the site's tdmrep.json and robots.txt state about the page."""
    files = clues.page.hints.site_rights
    return _found([RightsStatement(name, line) for name, lines in files.items() for line in lines.splitlines()])


def stated_license(node: Node, graph: Graph) -> Iterator[Raw]:
    """Yield the licence that a node of linked data states, if it is a URL."""
    urls = (absolute(text, None) for text in graph.texts(node.get("license"), "url", "@id"))
    if url := next(filter(None, urls), None):
        yield (UsageRights(statements=(f"{JSON_LD} {LICENSE}: {url}",)),)


def check_rights(raw: Raw, _clues: Clues) -> UsageRights | Refused:
    """Return the rights, if they are that."""
    rights = raw[0] if raw else None
    return rights if isinstance(rights, UsageRights) else Refused()


def join_rights(found: Iterable[tuple[str, Raw, object]]) -> Iterator[tuple[str, Raw, object]]:
    """Yield the rights that the statements of all sources make up, with the names of the sources."""
    told = [(name, rights) for name, _, rights in found if isinstance(rights, UsageRights)]
    if told:
        joined = rights_of(each for _, rights in told for each in statements_of(rights))
        yield ", ".join(dict.fromkeys(name for name, _ in told)), (joined,), joined


def _found(said: Sequence[RightsStatement]) -> Findings:
    # Headers of archives may have what no text may.
    told = tuple(str(each).encode("utf-8", "replace").decode().replace("\0", "") for each in said)
    return Findings({"usageRights": [(UsageRights(statements=told),)]} if told else {})


def _robots(source: str, name: str, told: Iterable[str]) -> Iterator[RightsStatement]:
    if found := ", ".join(dict.fromkeys(told)):
        yield RightsStatement(source, f"{name}: {found}")


def _mining(source: str, tdm: Mapping[str, str], clues: Clues) -> Iterator[RightsStatement]:
    reservation = tdm.get(RESERVATION, "").strip()
    if reservation in ("0", "1"):
        yield RightsStatement(source, f"{RESERVATION}: {reservation}")
        if policy := absolute(tdm.get(POLICY, "").strip(), clues.page.base_url):
            yield RightsStatement(source, f"{POLICY}: {policy}")


def _linked_licenses(clues: Clues) -> Iterator[tuple[str, str]]:
    """Yield the licences that are linked as the page's, then those that it only mentions: of a picture, perhaps."""
    base = clues.page.base_url
    links = ((LINK, href) for href in clues.meta.get(f"link:{LICENSE}", ())[:_MAX_LICENSES])
    anchors: list[tuple[str, str]] = []
    asked = ((el, el.get("href"), el.get("rel", "")) for el in clues.elements["a"])
    found = (each for each in asked if each[1] is not None and (LICENSE in each[2] or _CREATIVE_COMMONS in each[1]))
    for el, href, rel in islice(found, _MAX_LICENSES):
        is_pages = LICENSE in rel.lower().split()
        is_pages = is_pages and next(el.iterancestors("figure", "figcaption"), None) is None
        anchors.append((LINK if is_pages else MENTION, href or ""))
    for said, href in sorted((*links, *anchors), key=lambda each: each[0] == MENTION):
        if url := absolute(href.strip(), base):
            yield said, url
