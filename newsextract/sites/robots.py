"""What a site permits: its robots.txt, and the reservations of text and data mining in tdmrep.json."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from newsextract.page.urls import clean_url
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
    parts = urlsplit(url)
    path = _decoded((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
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
