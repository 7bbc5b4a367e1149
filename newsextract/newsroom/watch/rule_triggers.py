"""Which keys an article must have for a rule to be checked, so that of ten thousand rules only a few are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.newsroom.watch.query_matching import is_key, keys_of
from newsextract.newsroom.watch.query_tree import PREFIX, Near, Not, Or, Query, Term

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Plan:
    """When a query has to be checked."""

    triggers: frozenset[str]
    """Keys of which at least one occurs whenever the query matches; never those of negated parts."""
    required: frozenset[str] = _NONE
    """Keys that all occur whenever the query matches."""
    is_sure_by_triggers: bool = False
    """Whether any one trigger is enough for the query to match."""
    is_sure_by_required: bool = False
    """Whether all that is required is enough."""


def plan_of(query: Query, uses: Mapping[str, int]) -> Plan:
    """Return the plan of a query; `uses` is the number of rules with each key, which tells common from rare ones."""
    if isinstance(query, Term):
        keys = frozenset(keys_of(query))
        rarest = min(sorted(keys), key=lambda key: _commonness(key, uses))
        return Plan(frozenset((rarest,)), keys, is_key(query), is_key(query))
    if isinstance(query, Not):
        return Plan(_NONE)
    plans = [plan_of(operand, uses) for operand in query.operands]
    if isinstance(query, Or):
        return _any_of(plans)
    return _all_of(plans, uses, is_near=isinstance(query, Near))


def _any_of(plans: Sequence[Plan]) -> Plan:
    if not all(plan.triggers for plan in plans):
        return Plan(_NONE)  # one of them matches without any word
    triggers = _NONE.union(*(plan.triggers for plan in plans))
    required = frozenset.intersection(*(plan.required for plan in plans))
    return Plan(triggers, required, all(plan.is_sure_by_triggers for plan in plans))


def _all_of(plans: Sequence[Plan], uses: Mapping[str, int], *, is_near: bool) -> Plan:
    positive = [plan for plan in plans if plan.triggers]
    if not positive:
        return Plan(_NONE)  # inside a NOT, which is never looked up
    rarest = min(positive, key=lambda plan: sum(_commonness(key, uses) for key in plan.triggers))
    others = all(plan.is_sure_by_required for plan in plans if plan is not rarest) and not is_near
    required = _NONE.union(*(plan.required for plan in positive))
    return Plan(
        rarest.triggers,
        required,
        others and rarest.is_sure_by_triggers,
        others and rarest.is_sure_by_required,
    )


def _commonness(key: str, uses: Mapping[str, int]) -> float:
    """Return an estimate of how common a key is, to compare it with others.

    Short words are common, and so are those that many rules name; a prefix is as common as a shorter word.
    """
    field, word = key.rpartition(":")[::2]
    length = len(word) - 3 if word.endswith(PREFIX) else len(word)
    rarity = max(1, min(length, 12)) + (_FIELD_RARITY.get(field, 4) if field else 0)
    return (1 + uses.get(key, 0)) / rarity**2


_FIELD_RARITY = {":language": -4, ":site": 0}
"""How many letters a field counts for; a language covers half of all articles."""
