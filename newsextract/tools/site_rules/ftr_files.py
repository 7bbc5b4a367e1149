"""Reads the site configurations of Full-Text RSS: a file per host, a line per directive.

A line is `name: value` or `name(argument): value`; `#` begins a comment; `if_page_contains` is about the link before.
Its XPath 1.0 runs on documents that HTML Tidy may have repaired; ours are parsed as browsers do, so an expression that
counts elements can find others here.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from newsextract.reading.rules.expressions import BadExpression, finds_value, is_xpath
from newsextract.reading.rules.site_rules import BadRule, SiteRules, check_rule
from newsextract.sites.site_list.site import has_user, read_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_LINE = re.compile(r"\s*(?P<name>[a-z_]+)\s*(?:\((?P<argument>.*?)\))?\s*:(?P<value>.*)", re.DOTALL)

XPATH_RULES = {
    "body": "body",
    "title": "headline",
    "author": "authors",
    "date": "date",
    "strip": "strip",
    "next_page_link": "next_page",
    "single_page_link": "single_page",
}
"""The directives that hold an expression, and the rule that each becomes."""

TEXTS_TO_STRIP = {
    "strip_id_or_class": "//*[contains(@id, '{0}') or contains(@class, '{0}')]",
    "strip_image_src": "//img[contains(@src, '{0}')]",
}
"""The directives that hold a text of an attribute, and the elements that each becomes a rule to strip."""

LINKS = ("next_page_link", "single_page_link")
"""The directives that `if_page_contains` is a condition of, if it stands behind one."""

NOT_NEEDED = frozenset({"prune", "tidy", "parser", "strip_comments", "autodetect_on_failure", "insert_detected_image"})
"""Directives about steps that the reading of a page has anyway, or does in its own way: they change nothing here."""

PUBLIC_HEADERS = ("accept", "accept-language")
"""Headers that are taken over. The others say who asks, and on whose behalf; the user says that, and nobody else."""

LEFT_BECAUSE = {
    ("find_string", "replace_string", "wrap_in", "move_into", "dissolve"): "they edit the HTML, which no rule does",
    ("http_header(user-agent)", "http_header(referer)"): (
        "they pass for a browser, a search engine or a reader from elsewhere, and robots.txt is obeyed under our own "
        "name; user_agent: says yours"
    ),
    ("http_header(cookie)",): "consents that you have not given, or sessions of others; cookies: names a file of yours",
    ("requires_login", "login_uri", "login_username_field", "login_password_field", "login_extra_fields"): (
        "login: says how you log in, and names your secrets"
    ),
}
"""Why directives are not taken over, and what a list of sites has instead."""

_MOST_CHARS = 10_000
"""Characters of an address that an expression makes under a condition: more than any address has."""


@dataclass
class Tally:
    """How many lines of each directive were taken over, are not needed, were not taken over, or are broken."""

    taken: Counter[str] = field(default_factory=Counter)
    needless: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)

    def names(self) -> list[str]:
        """Return the directives, the most frequent first."""
        return [name for name, _ in self.total().most_common()]

    def total(self) -> Counter[str]:
        """Return how many lines of each directive there are."""
        return self.taken + self.needless + self.left + self.broken

    def add(self, other: Tally) -> None:
        """Add the counts of another file."""
        self.taken += other.taken
        self.needless += other.needless
        self.left += other.left
        self.broken += other.broken


@dataclass(frozen=True, slots=True)
class ImportedSite:
    """The rules of one file."""

    host: str
    rules: SiteRules
    has_body: bool
    """Whether the file has a directive `body`, taken over or not."""
    test_urls: tuple[str, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally, compare=False)
    """What became of the file's lines."""


@dataclass
class _Directive:
    name: str
    value: str
    header: str = ""
    condition: str = ""
    """That of a link."""

    @property
    def counted_as(self) -> str:
        return f"{self.name}({self.header})" if self.header else self.name


def read_file(path: Path) -> ImportedSite:
    """Return the rules of a file, with the counts of its lines; raises `OSError`."""
    found: dict[str, list[str]] = {}
    tests, headers, tally = list[str](), dict[str, str](), Tally()
    directives = list(_with_conditions(_directives(path.read_text("utf-8", "replace"))))
    for each in directives:
        outcome = tally.left
        if each.name in NOT_NEEDED:
            outcome = tally.needless
        elif each.name == "test_url":
            address = None if has_user(each.value) else read_address(each.value)
            outcome = tally.taken if address else tally.broken
            tests += [address] if address else []
        elif each.header in PUBLIC_HEADERS:
            outcome = tally.taken if each.value.isprintable() else tally.broken
            headers[each.header.title()] = each.value
        elif rule := XPATH_RULES.get(each.name) or ("strip" if each.name in TEXTS_TO_STRIP else None):
            expression = _expression(each)
            outcome = tally.taken if expression else tally.broken
            found.setdefault(rule, []).extend([expression] if expression else [])
            if each.condition:
                outcome["if_page_contains"] += 1
        outcome[each.counted_as] += 1
    # Written for a reader without a model, over many years: where ours is sure, it is the better of both.
    unique: dict[str, Any] = {rule: tuple(dict.fromkeys(values)) for rule, values in found.items()}
    rules = SiteRules(**unique, when_unsure=True)
    host = path.name.removesuffix(".txt").removeprefix(".").lower()
    has_body = any(each.name == "body" for each in directives)
    return ImportedSite(host, rules, has_body, tuple(dict.fromkeys(tests)), headers, tally)


def _directives(text: str) -> Iterator[_Directive]:
    for line in text.splitlines():
        written = _LINE.fullmatch(line) if not line.lstrip().startswith("#") else None
        if written:
            is_header = written["name"] == "http_header"
            header = (written["argument"] or "").strip().lower() if is_header else ""
            yield _Directive(written["name"], written["value"].strip(), header)


def _with_conditions(directives: Iterable[_Directive]) -> Iterator[_Directive]:
    """Yield the directives, with the conditions that follow links in these; others stay for themselves."""
    link = None
    waiting = []
    for each in directives:
        if each.name == "if_page_contains" and link is not None and not link.condition:
            link.condition = each.value
            continue
        link = each if each.name in LINKS else link
        waiting.append(each)
    yield from waiting


def _expression(directive: _Directive) -> str:
    """Return the expression that a directive becomes; an empty one if it cannot be used.

    >>> _expression(_Directive("author", "substring-after(//p, 'By ')"))
    "(substring-after(//p, 'By '))"
    >>> _expression(_Directive("strip_id_or_class", "promo"))
    "//*[contains(@id, 'promo') or contains(@class, 'promo')]"
    >>> _expression(_Directive("next_page_link", "//a", condition="//nav"))
    '(//a)[boolean(//nav)]'
    """
    name, value = directive.name, directive.value
    if name in TEXTS_TO_STRIP:
        text = value.strip("'\"")
        rule, expression = "strip", TEXTS_TO_STRIP[name].format(text) if text else ""
    else:
        rule, expression = XPATH_RULES[name], value if is_xpath(value) or not value else f"({value})"
    try:
        if directive.condition and expression:
            expression = _only_if(directive.condition, expression)
        check_rule(rule, expression)
    except (BadRule, BadExpression):
        return ""
    return expression


def _only_if(condition: str, expression: str) -> str:
    """Return an expression that finds what another does on pages on which a condition holds, and else nothing.

    >>> _only_if("//h3", "(concat(//a/@href, '?all'))")
    "(substring((concat(//a/@href, '?all')), 1, 10000 * boolean(//h3)))"
    """
    if finds_value(expression):
        return f"(substring({expression}, 1, {_MOST_CHARS} * boolean({condition})))"
    return f"({expression})[boolean({condition})]"
