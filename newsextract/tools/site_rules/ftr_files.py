"""Reads the site configurations of Full-Text RSS: a file per host, a line per directive.

A line is `name: value` or `name(argument): value`; `#` begins a comment. Its XPath 1.0 runs on documents that HTML Tidy
may have repaired; ours are parsed as browsers do, so an expression that counts elements can find others here.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from newsextract.reading.rules.expressions import is_xpath
from newsextract.reading.rules.site_rules import BadRule, SiteRules, check_rule
from newsextract.sites.site_list.site import has_user, read_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LINE = re.compile(r"\s*(?P<name>[a-z_]+)\s*(?:\((?P<argument>.*?)\))?\s*:(?P<value>.*)", re.DOTALL)

XPATH_RULES = {
    "body": "body",
    "title": "headline",
    "author": "authors",
    "date": "date",
    "strip": "strip",
    "next_page_link": "next_page",
}
"""The directives that hold an expression, and the rule that each becomes."""

NOT_NEEDED = frozenset({"prune", "tidy", "parser", "strip_comments", "autodetect_on_failure", "insert_detected_image"})
"""Directives about steps that the reading of a page has anyway, or does in its own way: they change nothing here."""


@dataclass
class Tally:
    """How many lines of each directive were taken over, are not needed, were not taken over, or are broken."""

    taken: Counter[str] = field(default_factory=Counter)
    needless: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)

    def names(self) -> list[str]:
        """Return the directives, the most frequent first."""
        total = self.taken + self.needless + self.left + self.broken
        return [name for name, _ in total.most_common()]


@dataclass(frozen=True, slots=True)
class ImportedSite:
    """The rules of one file."""

    host: str
    rules: SiteRules
    has_body: bool
    """Whether the file has a directive `body`, taken over or not."""
    test_urls: tuple[str, ...] = ()


def read_file(path: Path, tally: Tally) -> ImportedSite:
    """Return the rules of a file, and count its lines; raises `OSError`."""
    found: dict[str, list[str]] = {}
    has_body, tests = False, list[str]()
    for name, value in _directives(path.read_text("utf-8", "replace")):
        has_body |= name == "body"
        if name == "test_url":
            address = None if has_user(value) else read_address(value)
            (tally.taken if address else tally.broken)[name] += 1
            tests += [address] if address else []
            continue
        rule, expression = _translated(name, value)
        if rule is None:
            (tally.needless if name in NOT_NEEDED else tally.left)[name] += 1
        elif not _is_usable(rule, expression):
            tally.broken[name] += 1
        else:
            tally.taken[name] += 1
            found.setdefault(rule, []).append(expression)
    # Written for a reader without a model, over many years: where ours is sure, it is the better of both.
    unique: dict[str, Any] = {rule: tuple(dict.fromkeys(values)) for rule, values in found.items()}
    rules = SiteRules(**unique, when_unsure=True)
    host = path.name.removesuffix(".txt").removeprefix(".").lower()
    return ImportedSite(host, rules, has_body, tuple(dict.fromkeys(tests)))


def _directives(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        written = _LINE.fullmatch(line) if not line.lstrip().startswith("#") else None
        if written:
            yield written["name"], written["value"].strip()


def _translated(name: str, value: str) -> tuple[str | None, str]:
    """Return the rule and the expression that a directive becomes; no rule if it becomes none.

    >>> _translated("author", "substring-after(//p, 'By ')")
    ('authors', "(substring-after(//p, 'By '))")
    >>> _translated("strip_id_or_class", "promo")
    ('strip', "//*[contains(@id, 'promo') or contains(@class, 'promo')]")
    """
    if name == "strip_id_or_class":
        quoted = value.strip("'\"")
        return "strip", f"//*[contains(@id, '{quoted}') or contains(@class, '{quoted}')]" if quoted else ""
    if name in XPATH_RULES:
        return XPATH_RULES[name], value if is_xpath(value) or not value else f"({value})"
    return None, ""


def _is_usable(rule: str, expression: str) -> bool:
    try:
        check_rule(rule, expression)
    except BadRule:
        return False
    return bool(expression)
