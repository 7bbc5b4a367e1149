"""What a site permits: its robots.txt, and the reservations of text and data mining in tdmrep.json."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from newsextract.page.urls import clean_url
from newsextract.reading.usage_rights import (
    AI_CRAWLERS,
    ARCHIVERS,
    DISALLOW,
    LICENSE,
    SIGNAL,
    USAGE,
    refusals,
)
from newsextract.sites.site_files import Malformed, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable


MAX_PARSED_BYTES = 512 * 1024
"""RFC 9309 asks for at least 500 KiB; the rest is ignored."""
MAX_DOWNLOADED_BYTES = 5 * 1024 * 1024
"""A larger file is no robots.txt, and counts as missing."""
MAX_RULES_REDIRECTS = 5
"""Redirects followed; a file behind more counts as missing."""


def rules_of(body: bytes) -> bytes:
    """Return as much of a robots.txt as RFC 9309 asks to read, in whole lines: a gigabyte would take hours."""
    return body if len(body) <= MAX_PARSED_BYTES else body[:MAX_PARSED_BYTES].rpartition(b"\n")[0]


# What robots.txt says about use: `Disallow` for robots of AI and archives by name, `Content-Usage` (AIPREF), Content
# Signals, and RSL's `License`. Whether a page may be fetched at all, Scrapy's parser tells.

_ABOUT_USE, _PATH_RULES = (USAGE, SIGNAL), ("allow", DISALLOW)
_NAMED = AI_CRAWLERS | ARCHIVERS
_LINE = re.compile(r"[ \t]*([A-Za-z-]{2,40})[ \t]*:[ \t]*([^#\r\n]*)")
_AGENT = re.compile(r"\*|[a-z_][a-z0-9_.-]*")
_MAX_LINES = 50
"""Lines about the use of one URL; the rest are ignored."""
_MAX_LINE_CHARS = 500


@dataclass(frozen=True, slots=True)
class UseGroup:
    """Rules about use, and whom they address: robots by name, or all, as `*`."""

    agents: tuple[str, ...]
    rules: tuple[tuple[str, str], ...]
    is_ours: bool
    """Whether it addresses this crawler, as one for all robots does and lines before the first group."""

    @property
    def text(self) -> str:
        """The group as robots.txt has it."""
        return "\n".join([*(f"user-agent: {each}" for each in self.agents), *map(": ".join, self.rules)])


def use_groups(body: bytes, agent: str = "") -> list[UseGroup]:
    """Return the groups of a robots.txt that say something about use, without the rest of it.

    Those that name the crawler's user agent take the place of those for all robots, as RFC 9309 has it.
    """
    groups: list[tuple[list[str], list[tuple[str, str]]]] = [([], [])]
    for line in rules_of(body).decode("utf-8-sig", "replace").splitlines():
        if not (found := _LINE.match(line)):
            continue
        name, value = found[1].lower(), " ".join(found[2].split())[:_MAX_LINE_CHARS]
        if name == "user-agent":
            if groups[-1][1]:
                groups.append(([], []))
            groups[-1][0].extend(_AGENT.findall(value.lower())[:1])
        elif name in {LICENSE, *_ABOUT_USE} or (name in _PATH_RULES and value):
            groups[-1][1].append((name, _decoded(value) if name in _PATH_RULES else value))
    names = (each for agents, _ in groups for each in agents)
    ours = max((each for each in names if each in agent.lower()), key=len, default="*")
    return [group for agents, rules in groups if (group := _group(agents, rules, ours)).rules]


def _group(agents: list[str], rules: list[tuple[str, str]], ours: str) -> UseGroup:
    named = [each for each in agents if each in _NAMED]
    is_ours = ours in agents or not agents
    kept = [rule for rule in rules if named or rule[0] == LICENSE or (is_ours and rule[0] in _ABOUT_USE)]
    shown = tuple(dict.fromkeys([*named, *([ours] if ours in agents else [])]))
    return UseGroup(shown or tuple(agents[:1]), tuple(kept), is_ours)


def use_values(groups: Iterable[UseGroup], url: str) -> list[str]:
    r"""Return what the groups say about the use of a URL, as lines.

    >>> some = b"User-agent: GPTBot\nDisallow: /news\n\nUser-agent: *\nContent-Signal: search=yes,ai-train=no"
    >>> use_values(use_groups(some), "https://example.com/news/a")
    ['disallow: gptbot', 'content-signal: search=yes,ai-train=no']
    """
    path, told = path_of(url), list(groups)
    own: dict[str, tuple[int, ...]] = {}
    for number, group in enumerate(told):
        own |= {agent: (*own.get(agent, ()), number) for agent in _NAMED.intersection(group.agents)}
    # Most robots share their groups, which may have thousands of rules.
    disallowed = {numbers: _is_disallowed((told[number] for number in numbers), path) for numbers in set(own.values())}
    shut_out = sorted(agent for agent, numbers in own.items() if disallowed[numbers])
    names = (", ".join(agent for agent in shut_out if agent in robots) for robots in (AI_CRAWLERS, ARCHIVERS))
    found = [f"{DISALLOW}: {each}" for each in names if each]
    to_us = [rule for group in told if group.is_ours for rule in group.rules]
    to_some = [group.rules for group in told if not group.is_ours]
    for name in _ABOUT_USE:
        found += [f"{name}: {value}" for value in _values_for(name, path, to_us)]
        # To an AI crawler alone a permission may be sold, and is nobody else's.
        refused = (refusals(value) for rules in to_some for value in _values_for(name, path, rules))
        found += [f"{name}: {value}" for value in refused if value]
    licences = (clean_url(value, url) for group in told for name, value in group.rules if name == LICENSE)
    found += [f"{LICENSE}: {licence}" for licence in licences if licence]
    return list(dict.fromkeys(found))[:_MAX_LINES]


def _is_disallowed(groups: Iterable[UseGroup], path: str) -> bool:
    """Return whether the longest pattern that matches disallows the path; of two as long, one that allows it wins."""
    rules = (rule for group in groups for rule in group.rules if rule[0] in _PATH_RULES)
    fits = [
        (len(pattern), name == "allow")
        for name, pattern in rules
        if path.startswith(pattern.partition("*")[0].rstrip("$")) and matches(pattern, path)
    ]
    return not max(fits, default=(0, True))[1]


def _values_for(name: str, path: str, rules: Iterable[tuple[str, str]]) -> list[str]:
    """Return the preferences whose path is the longest that matches; without a path they are for all."""
    fits: list[tuple[int, str]] = []
    for each in (value for key, value in rules if key == name):
        first, _, rest = each.partition(" ")
        pattern, value = (first, rest) if first.startswith("/") else ("", each)
        if not pattern or matches(_decoded(pattern), path):
            fits.append((len(pattern), value))
    longest = max((length for length, _ in fits), default=0)
    return [value for length, value in fits if length == longest]


def path_of(url: str) -> str:
    """Return the path and query of a URL, as patterns are compared with them."""
    parts = urlsplit(url)
    return _decoded((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))


# Rights that a site reserves in `/.well-known/tdmrep.json`, after the TDM Reservation Protocol of the W3C community.
#
# The file is an array of rules: a pattern of paths as in robots.txt, whether text and data mining is reserved there,
# and where its policy is. The first rule whose pattern matches counts.

TDMREP_PATH = "/.well-known/tdmrep.json"

MAX_TDMREP_BYTES = 512 * 1024
"""The size up to which robots.txt must be read; a publisher's tdmrep.json has a rule or two."""

MAX_RULES = 1_000
"""Rules tried for every page; the rest are ignored."""

_RESERVATIONS = {"0": "0", "1": "1", "False": "0", "True": "1"}
"""Values of `tdm-reservation`. The protocol has numbers; some sites write them as text."""


@dataclass(frozen=True, slots=True)
class TdmRule:
    """The rights stated for the paths that match a pattern."""

    location: str
    """The pattern: `*` stands for any characters, and `$` at the end for the end."""

    values: dict[str, str]
    """`tdm-reservation`, "0" or "1", and `tdm-policy` where the rule gives one."""


def read_tdmrep(body: bytes, url: str) -> list[TdmRule]:
    """Return the rules in their order, without invalid ones.

    Raises:
        SiteFileError: the file is not an array of rules, or too large.
    """
    text = "".join(read_text(body, MAX_TDMREP_BYTES))
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:  # deeply nested brackets raise RecursionError
        raise Malformed(f"no tdmrep.json: {error}") from error
    if not isinstance(entries, list):
        raise Malformed("no tdmrep.json: not an array")
    rules = [rule for entry in entries[:MAX_RULES] if isinstance(entry, dict) and (rule := _rule(entry, url))]
    if entries and not rules:
        raise Malformed("no tdmrep.json: no rule in it has a location and a reservation")
    return rules


def _rule(entry: dict[str, Any], base: str) -> TdmRule | None:
    location, reservation = entry.get("location"), _RESERVATIONS.get(str(entry.get("tdm-reservation")))
    if not isinstance(location, str) or not location or reservation is None:
        return None
    policy = entry.get("tdm-policy")
    written = clean_url(policy, base) if isinstance(policy, str) and policy.strip() else None
    rooted = location if location.startswith(("/", "*")) else f"/{location}"
    return TdmRule(_decoded(rooted), {"tdm-reservation": reservation} | ({"tdm-policy": written} if written else {}))


def tdm_values(rules: Iterable[TdmRule], url: str) -> dict[str, str]:
    """Return the values of the first rule that matches a URL on the rules' host; an empty dict if none does.

    >>> rules = [TdmRule("/free/*.html$", {"tdm-reservation": "0"}), TdmRule("/", {"tdm-reservation": "1"})]
    >>> tdm_values(rules, "https://example.com/free/a.html"), tdm_values(rules, "https://example.com/free/a.html?b")
    ({'tdm-reservation': '0'}, {'tdm-reservation': '1'})
    """
    path = path_of(url)
    return next((rule.values for rule in rules if matches(rule.location, path)), {})


def matches(pattern: str, path: str) -> bool:
    """Return whether a path matches a robots.txt pattern, in linear time for each `*` of the pattern.

    >>> matches("/news", "/newsroom"), matches("/*/b$", "/a/b"), matches("/*/b$", "/a/b/c"), matches("/a$", "/ab")
    (True, True, False, False)
    """
    is_anchored = pattern.endswith("$")
    first, *pieces = re.split(r"\*+", pattern.removesuffix("$"))
    if not path.startswith(first):
        return False
    if not pieces:
        return not is_anchored or path == first
    position = len(first)
    for piece in pieces[:-1]:
        found = path.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    rest = path[position:]
    return rest.endswith(pieces[-1]) if is_anchored else pieces[-1] in rest


def _decoded(path: str) -> str:
    # One spelling for `/é` and `/%C3%A9`; what is escaped because it means something else stays escaped.
    return re.sub(r"(?:%[89a-fA-F][0-9a-fA-F])+", lambda match: unquote(match[0]), path)
