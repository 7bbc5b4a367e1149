"""What machines may do with a page: directives to robots, and the TDM Reservation Protocol (W3C, 2024).

Page, headers and the site's file each may speak. Robots obey all of what they are told; of the protocol's statements
the nearest to the text counts: the page's over the headers', and these over the file's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from newsextract.article import UsageRights
from newsextract.reading.metadata.findings import Findings
from newsextract.reading.metadata.page_urls import absolute
from newsextract.reading.metadata.refusals import Refused
from newsextract.reading.metadata.rights.robots_directives import opts_out_of_ai

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues

RESERVATION, POLICY = "tdm-reservation", "tdm-policy"
"""The names that the protocol gives to its tags, headers and keys."""

_RESERVED = {"1": True, "0": False}
"""Anything else is an error of the protocol, which leaves the reservation unset."""


def rights_found(robots: Iterable[str], tdm: Mapping[str, str], *, ai: bool | None = None) -> Findings:
    """Return what one source says, nothing when that is nothing."""
    told = tuple(dict.fromkeys(robots))
    reservation = _RESERVED.get(tdm.get(RESERVATION, "").strip())
    # A policy is the conditions of a reservation; without one there is nothing that it is the policy of.
    policy = tdm.get(POLICY, "").strip() or None if reservation is not None else None
    rights = UsageRights(reservation, policy, False if opts_out_of_ai(told) else ai, told)
    return Findings({"usageRights": [(rights,)]} if rights != UsageRights() else {})


def check_rights(raw: Raw, clues: Clues) -> UsageRights | Refused:
    """Return the rights, with the address of the policy made absolute."""
    rights = raw[0] if raw else None
    if not isinstance(rights, UsageRights):
        return Refused()
    return replace(rights, tdmPolicy=absolute(rights.tdmPolicy or "", clues.page.base_url))


def join_rights(found: Iterable[tuple[str, Raw, object]]) -> Iterator[tuple[str, Raw, object]]:
    """Yield all that the sources say as one value, under the names of those that had something to add."""
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
