"""An index of all rules: an article's words lead to the few rules that could match, and only those are checked."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.watch.article_words import Document
from newsextract.newsroom.watch.passages import Passage, passages_of
from newsextract.newsroom.watch.query_matching import keys_of, test_of
from newsextract.newsroom.watch.query_tree import PREFIX, terms
from newsextract.newsroom.watch.rule_triggers import plan_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from newsextract.newsroom.watch.query_matching import Test
    from newsextract.newsroom.watch.rule import Rule


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that matches an article, and the passages that show it."""

    rule: Rule
    passages: tuple[Passage, ...]
    """At most five; empty if the rule is only about site and language."""


@dataclass(frozen=True, slots=True)
class _Entry:
    rule: Rule
    test: Test
    required: frozenset[str]
    """Keys that must all be there before the query is checked."""
    is_sure: bool
    """Whether these keys are enough, so that the query matches without a check."""


class RuleIndex:
    """Rules compiled to be matched against many articles; immutable, so threads may share it."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        uses = Counter(key for rule in self.rules for term in set(terms(rule.condition)) for key in keys_of(term))
        self._stems = _by_length(key.removesuffix(PREFIX) for key in uses if key.endswith(PREFIX))
        by_trigger: defaultdict[str, list[int]] = defaultdict(list)
        self._entries = [self._entry(number, uses, by_trigger) for number in range(len(self.rules))]
        self._triggers = dict(by_trigger)

    def _entry(self, number: int, uses: Mapping[str, int], by_trigger: defaultdict[str, list[int]]) -> _Entry:
        rule = self.rules[number]
        plan = plan_of(rule.condition, uses)
        for trigger in plan.triggers:
            by_trigger[trigger].append(number)
        is_sure = plan.is_sure_by_triggers or plan.is_sure_by_required
        return _Entry(rule, test_of(rule.condition), plan.required, is_sure)

    @property
    def triggers(self) -> Mapping[str, list[int]]:
        """The numbers of the rules to check when a key occurs."""
        return self._triggers

    def match(self, row: Mapping[str, Any]) -> list[Match]:
        """Return the rules that match an article, given as a row of the table, in the order of the file."""
        document = Document(row)
        keys = document.keys
        keys.update(document.beginnings(self._stems))
        numbers: set[int] = set()
        for trigger in keys & self._triggers.keys():
            numbers.update(self._triggers[trigger])
        entries = [self._entries[number] for number in sorted(numbers)]
        looked_at = [entry for entry in entries if entry.required <= keys]
        true = [entry for entry in looked_at if entry.is_sure or entry.test.holds(document)]
        return [Match(entry.rule, passages_of(entry.test.spots(document), document)) for entry in true]


def _by_length(stems: Iterable[str]) -> dict[int, frozenset[str]]:
    lengths: defaultdict[int, set[str]] = defaultdict(set)
    for stem in stems:
        lengths[len(stem)].add(stem)
    return {length: frozenset(found) for length, found in lengths.items()}
