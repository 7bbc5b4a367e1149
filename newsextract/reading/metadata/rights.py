"""Whether an article is free to read, and what machines may do with it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from newsextract.article import UsageRights
from newsextract.reading.metadata.clues import Findings, Refused
from newsextract.reading.metadata.comparing import absolute
from newsextract.reading.metadata.json_ld import as_list, texts_of
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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


# What machines may do with a page: robots directives, and the TDM Reservation Protocol (W3C, 2024).
#
# The page, the headers and the site's file may each state rights. Robots obey all directives together. Of the
# protocol's statements, the nearest to the text counts: the page's before the headers', these before the file's.

EVERYBODY = frozenset(("robots", "x-robots-tag"))
"""The tag names addressed to every robot."""

AI_CRAWLERS = frozenset(
    """
    ai2bot amazonbot anthropic-ai applebot-extended bytespider ccbot chatgpt-user claude-searchbot claude-user
    claude-web claudebot cohere-ai cohere-training-data-crawler deepseekbot diffbot duckassistbot facebookbot
    google-cloudvertexbot google-extended googleother gptbot iaskspider icc-crawler imagesiftbot img2dataset
    meta-externalagent meta-externalfetcher mistralai-user oai-searchbot omgili omgilibot pangubot perplexity-user
    perplexitybot petalbot sidetrade timpibot velenpublicwebcrawler webzio-extended youbot
    """.split()
)
"""Robots that collect texts for training models or for their answers."""

CRAWLERS = AI_CRAWLERS | frozenset(
    """
    applebot baiduspider bingbot duckduckbot facebookexternalhit googlebot googlebot-image googlebot-news
    googlebot-video msnbot naverbot otherbot qwantbot seznambot slurp sogou teoma yandex yandexbot yeti
    """.split()
)
"""Robots that pages address by name."""

_NOT_FOR_MODELS = frozenset(("noai", "noml"))
_NOT_FOR_ANYTHING = frozenset(("noindex", "none"))

_DIRECTIVE = re.compile(r"no(?!odp$|ydir$)[a-z-]{2,30}$|indexifembedded$|(?:max-[a-z-]{3,20}|unavailable_after):.+$")
"""Directives that restrict use. `index` and `follow` restrict nothing; the directories of `noodp` are gone."""

_VALUED = re.compile(r"max-|unavailable_after")
_MAX_CHARS = 2_000
"""Longer lists are cut."""
_MAX_DIRECTIVE_CHARS = 80

RESERVATION, POLICY = "tdm-reservation", "tdm-policy"
"""The names that the protocol gives to its tags, headers and keys."""

_RESERVED = {"1": True, "0": False}
"""Any other value is an error, which by the protocol leaves the reservation unset."""

_NAMES = CRAWLERS | EVERYBODY

_TRAINING = re.compile(r"(?:^|,)\s*train-ai\s*=\s*([yn])\b", re.IGNORECASE)
"""The training preference in the IETF's AIPREF vocabulary."""


def directives(text: str, robot: str = "") -> Iterator[str]:
    """Yield the directives in a text, lower-cased; those for one robot begin with its name.

    >>> list(directives("index, follow, NoAI, max-snippet: 50"))
    ['noai', 'max-snippet:50']
    >>> list(directives("noarchive, GPTBot: noindex, nofollow")), list(directives("noai", "ccbot"))
    (['noarchive', 'gptbot: noindex', 'gptbot: nofollow'], ['ccbot: noai'])
    """
    for told in text[:_MAX_CHARS].lower().split(","):
        first, colon, rest = told.partition(":")
        is_named = bool(colon) and not _VALUED.match(first.strip())
        robot = first.strip() if is_named else robot
        name, colon, value = (rest if is_named else told).partition(":")
        for directive in (f"{name.strip()}:{value.strip()}",) if colon else name.split():
            if _DIRECTIVE.match(directive) and len(directive) <= _MAX_DIRECTIVE_CHARS:
                yield directive if not robot or robot in EVERYBODY else f"{robot}: {directive}"


def opts_out_of_ai(found: Iterable[str]) -> bool:
    """Return whether any directive forbids training models: for all robots, or by shutting out an AI crawler.

    >>> opts_out_of_ai(["noarchive", "noai"]), opts_out_of_ai(["gptbot: noindex"]), opts_out_of_ai(["noindex"])
    (True, True, False)
    """
    for directive in found:
        robot, _, bare = directive.rpartition(": ")
        if bare in _NOT_FOR_MODELS or (robot in AI_CRAWLERS and bare in _NOT_FOR_ANYTHING):
            return True
    return False


def rights_found(robots: Iterable[str], tdm: Mapping[str, str], *, ai: bool | None = None) -> Findings:
    """Return the rights that one source states, or an empty `Findings`."""
    told = tuple(dict.fromkeys(robots))
    reservation = _RESERVED.get(tdm.get(RESERVATION, "").strip())
    # A policy states the conditions of a reservation; without a reservation it means nothing.
    policy = tdm.get(POLICY, "").strip() or None if reservation is not None else None
    rights = UsageRights(reservation, policy, False if opts_out_of_ai(told) else ai, told)
    return Findings({"usageRights": [(rights,)]} if rights != UsageRights() else {})


def check_rights(raw: Raw, clues: Clues) -> UsageRights | Refused:
    """Return the rights, with the policy's URL made absolute."""
    rights = raw[0] if raw else None
    if not isinstance(rights, UsageRights):
        return Refused()
    return replace(rights, tdmPolicy=absolute(rights.tdmPolicy or "", clues.page.base_url))


def join_rights(found: Iterable[tuple[str, Raw, object]]) -> Iterator[tuple[str, Raw, object]]:
    """Yield the rights of all sources as one value, with the names of those that added something."""
    names: list[str] = []
    joined = UsageRights()
    for name, _, rights in found:
        if isinstance(rights, UsageRights) and (more := _join(joined, rights)) != joined:
            names.append(name)
            joined = more
    if names:
        yield ", ".join(names), (joined,), joined


def _join(near: UsageRights, far: UsageRights) -> UsageRights:
    tdm = far if near.tdmReservation is None else near
    known = [rights.ai for rights in (near, far) if rights.ai is not None]
    robots = tuple(dict.fromkeys((*near.robots, *far.robots)))
    return UsageRights(tdm.tdmReservation, tdm.tdmPolicy, all(known) if known else None, robots)


def read_robots_meta(clues: Clues) -> Findings:
    """Return the rights that the page's meta tags state."""
    meta = clues.meta
    told = [
        directive
        for name in (name for name in meta if name in _NAMES)
        for text in meta[name]
        for directive in directives(text, "" if name in EVERYBODY else name)
    ]
    return rights_found(told, {name: meta[name][0] for name in (RESERVATION, POLICY) if name in meta})


def read_headers(clues: Clues) -> Findings:
    """Return the rights that the HTTP headers state."""
    headers = clues.page.hints.headers
    if not headers:
        return Findings()
    training = _TRAINING.search(headers.get("content-usage", ""))
    ai = None if training is None else training[1].lower() == "y"
    return rights_found(directives(headers.get("x-robots-tag", "")), headers, ai=ai)


def read_site_file(clues: Clues) -> Findings:
    """Return the rights that the site's `tdmrep.json` states."""
    return rights_found((), clues.page.hints.tdm_reservation)
