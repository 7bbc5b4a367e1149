"""Words for readers in place of the names of states, troubles and ends of runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from newsextract.newsroom.desk.display import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable

_STATES = {
    "article": ("article", "articles"),
    "listing": ("section page", "section pages"),
    "other": ("other page", "other pages"),
    "duplicate": ("copy", "copies"),
    "unchanged": ("unchanged page", "unchanged pages"),
    "part": ("further page of an article", "further pages of articles"),
    "empty": ("page without text", "pages without text"),
    "blocked": ("page refused by the site", "pages refused by the site"),
    "dropped": ("article dropped by a pipeline", "articles dropped by pipelines"),
    "error": ("failure", "failures"),
    "": ("page not visited yet", "pages not visited yet"),
}
"""One page in a state, and several, in the order in which they are shown."""

FAILED = ("empty", "blocked", "dropped", "error")
"""States whose reasons are told."""
_MOST_REASONS = 3

_TROUBLES = {
    "silent": "no new articles",
    "blocked": "refuses us",
    "wall": "the same text on several pages",
    "failing": "pages cannot be fetched",
    "layout changed": "articles no longer found",
    "dates gone": "no dates any more",
    "delay grown": "articles seen late",
    "rules rotten": "rules no longer match",
    "subscription": "subscription does not work",
}

_ENDS = {"finished": "", "shutdown": "interrupted", "closespider_timeout": "its time was up"}
"""How runs end before their time, by the reason that Scrapy gives."""


@dataclass
class StateCount:
    """How many pages ended in a state."""

    state: str
    count: int = 0
    reasons: dict[str, int] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The count with the name of the state: "3 failures"."""
        one, several = _STATES.get(self.state, (self.state, self.state))
        return f"{grouped(self.count)} {one if self.count == 1 else several}"

    @property
    def why(self) -> str:
        """The most frequent reasons, each with its count where there are several."""
        ordered = sorted(self.reasons.items(), key=lambda pair: (-pair[1], pair[0]))
        ordered = [(reason.replace("http ", "HTTP "), count) for reason, count in ordered]
        shown = [reason if len(ordered) == 1 else f"{reason} {grouped(count)}" for reason, count in ordered]
        more = len(shown) - _MOST_REASONS
        return ", ".join(shown[:_MOST_REASONS]) + (f" and {more} more reasons" if more > 1 else "")


def state_counts(found: Iterable[tuple[str, str, int]]) -> list[StateCount]:
    """Return the counts of states, each given with a reason, in the order in which readers want them.

    >>> [(one.words, one.why) for one in state_counts([("error", "http 404", 2), ("article", "", 1)])]
    [('1 article', ''), ('2 failures', 'HTTP 404')]
    """
    made: dict[str, StateCount] = {}
    for state, reason, count in found:
        one = made.setdefault(state, StateCount(state))
        one.count += count
        if reason and state in FAILED:
            one.reasons[reason] = one.reasons.get(reason, 0) + count
    order = list(_STATES)
    return sorted(made.values(), key=lambda one: order.index(one.state) if one.state in order else len(order))


def trouble_words(stated: str | None) -> list[str]:
    """Return the troubles of a site in words.

    >>> trouble_words("silent,blocked"), trouble_words("")
    (['no new articles', 'refuses us'], [])
    """
    names = [name.strip() for name in (stated or "").split(",")]
    return [_TROUBLES.get(name, name) for name in names if name]


def end_words(reason: str | None) -> str:
    """Return in words why a run ended before it was finished; empty if it was finished, or still is under way.

    >>> end_words("shutdown"), end_words("closespider_itemcount"), end_words("finished"), end_words(None)
    ('interrupted', 'stopped: closespider itemcount', '', '')
    """
    return _ENDS.get(reason, f"stopped: {reason.replace('_', ' ')}") if reason else ""
