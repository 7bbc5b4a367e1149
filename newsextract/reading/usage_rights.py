"""What the statements of a page and its site mean for a use: training models, search, or an archive.

Of the statements about a use, the nearest to the text decides: the page's own (meta, header, link, JSON-LD), then the
site's tdmrep.json, then its robots.txt, then a link to a Creative Commons licence that is not marked as the page's. At
the same distance a reservation outweighs a permission. Two specifications combine their own statements otherwise:

- of the TDM Reservation Protocol's, only the nearest is weighed: meta, then header, then tdmrep.json;
- a refusal in AIPREF's `Content-Usage` counts as the page's wherever it stands, as the most restrictive one applies.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from newsextract.article import UsageRights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

TRAIN_AI, SEARCH, ARCHIVE = USES = ("train-ai", "search", "archive")

ALLOWED, RESERVED, UNSAID = "allowed", "reserved", "unsaid"

META, HEADER, LINK, JSON_LD, TDMREP, ROBOTS_TXT, MENTION = (
    "meta", "header", "link", "json-ld", "tdmrep.json", "robots.txt", "mention",
)  # fmt: skip
PAGE_SOURCES = (META, HEADER, LINK, JSON_LD, MENTION)
"""The sources that each page has of its own; the others are files of its site."""

_DISTANCES = {META: 0, HEADER: 0, LINK: 0, JSON_LD: 0, TDMREP: 1, ROBOTS_TXT: 2, MENTION: 3}

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

ARCHIVERS = frozenset(("archive.org_bot", "ia_archiver", "ia_archiver-web.archive.org"))
"""Robots of the Internet Archive: those that robots.txt shuts out of public archives by name."""

_SHUT_OUT = (TRAIN_AI, AI_CRAWLERS, "AI crawlers"), (ARCHIVE, ARCHIVERS, "archivers")

_NOT_FOR_MODELS = frozenset(("noai", "noml"))
_NOT_FOR_SEARCH = frozenset(("noindex", "none"))
_NOT_FOR_ARCHIVES = frozenset(("noarchive",))

_DIRECTIVE = re.compile(r"no(?!odp$|ydir$)[a-z-]{2,30}$|indexifembedded$|(?:max-[a-z-]{3,20}|unavailable_after):.+$")
"""Directives that restrict use. `index` and `follow` restrict nothing; the directories of `noodp` are gone."""

_VALUED = re.compile(r"max-|unavailable_after")
_MAX_CHARS = 2_000
"""Longer lists are cut."""
_MAX_DIRECTIVE_CHARS = 80

RESERVATION, POLICY = "tdm-reservation", "tdm-policy"
"""The names that the protocol gives to its tags, headers and keys."""

_MINING = {"1": False, "0": True}
"""Any other value is an error, which by the protocol leaves the reservation unset."""

USAGE, SIGNAL, DISALLOW, LICENSE = "content-usage", "content-signal", "disallow", "license"

_PREFERENCE = re.compile(r"(?<![\w-])([a-z-]+)\s*=\s*(y|n|yes|no)(?![\w-])", re.IGNORECASE)
_CATEGORIES = {"train-ai": TRAIN_AI, "ai-train": TRAIN_AI, "search": SEARCH}
"""Of AIPREF's vocabulary and of Content Signals. The use as input to a model is neither training nor search."""

_FREE_LICENSE = re.compile(
    r"//(?:www\.)?creativecommons\.org/(?:licenses/by(?:-sa)?|publicdomain/(?:zero|mark))(?:[/?#]|$)", re.IGNORECASE
)
"""The licences that allow every use, if the author is named; those for no profit or no changes leave it open."""


class RightsStatement(NamedTuple):
    """Something that a page, its server or its site says about its use."""

    source: str
    """Where it was said. A `MENTION` is a link to a Creative Commons licence that is not marked as the page's."""
    text: str
    """Its name and value: `robots: noai`, `content-usage: train-ai=n`, `license: https://…`."""

    @classmethod
    def read(cls, written: str) -> Self:
        """Return the statement that `str` has written."""
        source, _, text = written.partition(" ")
        return cls(source, text)

    def __str__(self) -> str:
        return f"{self.source} {self.text}"


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a use is allowed, and by what."""

    state: str
    """`ALLOWED`, `RESERVED` or `UNSAID`."""
    reason: str = ""
    """A short phrase, the same for all pages that say the same there: `noai in meta`."""
    statement: RightsStatement | None = None
    """The statement that decides."""


def answer(statements: Iterable[RightsStatement], use: str) -> Answer:
    """Return whether a use is allowed by what was said, the nearest statement first.

    >>> said = [RightsStatement("robots.txt", "disallow: ccbot, gptbot"), RightsStatement("meta", "tdm-reservation: 0")]
    >>> answer(said[:1], "train-ai").reason, answer(said, "train-ai").state, answer(said, "search").state
    ('AI crawlers disallowed in robots.txt', 'allowed', 'unsaid')
    """
    weighed = []
    for each in _of_one_protocol(statements):
        for about, permits, words in verdicts(each):
            if about == use:
                is_strict = not permits and each.text.startswith(USAGE)
                weighed.append((0 if is_strict else _DISTANCES.get(each.source, 0), permits, words, each))
    if not weighed:
        return Answer(UNSAID)
    _, permits, words, decides = min(weighed, key=lambda found: found[:2])
    return Answer(ALLOWED if permits else RESERVED, f"{words} in {decides.source}", decides)


def why_reserved(rights: UsageRights | Mapping[str, Any] | None, use: str) -> str | None:
    """Return why a use of an article is reserved, given its rights as the item or the row has them; None if it is not.

    Rights that were stored before there were statements are judged by what was kept of them.
    """
    if rights is None:
        return None
    if not isinstance(rights, UsageRights):
        robots, told = (tuple(rights.get(name) or ()) for name in ("robots", "statements"))
        rights = UsageRights(rights.get("tdmReservation"), None, rights.get("ai"), robots, None, told)
    found = answer(statements_of(rights) or _statements_before(rights), use)
    return found.reason if found.state == RESERVED else None


def statements_of(rights: UsageRights) -> tuple[RightsStatement, ...]:
    """Return the statements that rights have."""
    return tuple(map(RightsStatement.read, rights.statements))


@dataclass
class LeftOut:
    """Tells the articles that may be used from those of which the use is reserved, and counts these by reason."""

    use: str
    counts: Counter[str] = field(default_factory=Counter)

    def keeps(self, rights: UsageRights | Mapping[str, Any] | None) -> bool:
        """Return whether an article with these rights stays; count it if not."""
        reason = why_reserved(rights, self.use)
        if reason is not None:
            self.counts[reason] += 1
        return reason is None


def left_out_line(use: str, counts: Mapping[str, int]) -> str:
    """Return how many articles were left out, and why.

    >>> left_out_line("train-ai", {"noai in meta": 1, "train-ai=n in header": 1_200})
    '1,201 left out, where train-ai is reserved: 1,200 by train-ai=n in header, 1 by noai in meta'
    """
    shown = ", ".join(f"{count:,} by {reason}" for reason, count in Counter(counts).most_common())
    return f"{sum(counts.values()):,} left out, where {use} is reserved{shown and ': '}{shown}"


def verdicts(statement: RightsStatement) -> Iterator[tuple[str, bool, str]]:
    """Yield the uses that a statement is about, whether it permits them, and the words that say so.

    >>> list(verdicts(RightsStatement("header", "content-usage: train-ai=n, search=y")))
    [('train-ai', False, 'train-ai=n'), ('search', True, 'search=y')]
    """
    name, _, value = statement.text.partition(": ")
    if name in EVERYBODY:
        yield from _of_directives(value.split(", "))
    elif name in (USAGE, SIGNAL):
        yield from _of_preferences(value)
    elif name == RESERVATION and value in _MINING:
        yield TRAIN_AI, _MINING[value], statement.text
    elif name == DISALLOW:
        agents = frozenset(value.split(", "))
        yield from ((use, False, f"{words} disallowed") for use, robots, words in _SHUT_OUT if agents & robots)
    elif name == LICENSE and _FREE_LICENSE.search(value):
        yield from ((use, True, "a free licence") for use in USES)


def rights_of(statements: Iterable[RightsStatement]) -> UsageRights:
    """Return the rights that statements make up, the nearest to the text first."""
    told = tuple(dict.fromkeys(statements))
    mining, source = next(((_MINING[value], each.source) for each, value in _named(told, RESERVATION)), (None, ""))
    # A policy states the conditions of a reservation; without a reservation it means nothing.
    policies = (value for each, value in _named(told, POLICY) if each.source == source)
    about_ai = [
        permits
        for each in told
        if not each.text.startswith((RESERVATION, LICENSE))
        for use, permits, _ in verdicts(each)
        if use == TRAIN_AI
    ]
    robots = (value for name in EVERYBODY for _, found in _named(told, name) for value in found.split(", "))
    return UsageRights(
        None if mining is None else not mining,
        next(policies, None),
        all(about_ai) if about_ai else None,
        tuple(dict.fromkeys(robots)),
        next((value for each, value in _named(told, LICENSE) if each.source != MENTION), None),
        tuple(map(str, told)),
    )


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


def refusals(value: str) -> str:
    """Return a value of `Content-Usage` or `Content-Signal` without what it allows."""
    return ", ".join(f"{key}={told}" for key, told in _PREFERENCE.findall(value) if told[0] in "nN")


def _of_directives(found: Iterable[str]) -> Iterator[tuple[str, bool, str]]:
    # What is said to a single robot is about that robot, save that who shuts out an AI crawler has training in mind.
    for directive in found:
        robot, _, bare = directive.rpartition(": ")
        if bare in _NOT_FOR_MODELS or (robot in AI_CRAWLERS and bare in _NOT_FOR_SEARCH):
            yield TRAIN_AI, False, directive
        elif not robot and bare in _NOT_FOR_SEARCH:
            yield SEARCH, False, directive
        elif not robot and bare in _NOT_FOR_ARCHIVES:
            yield ARCHIVE, False, directive


def _of_preferences(value: str) -> Iterator[tuple[str, bool, str]]:
    told = {key.lower(): word.lower() for key, word in _PREFERENCE.findall(value)}  # the last of a key counts
    for key, word in told.items():
        if key in _CATEGORIES:
            yield _CATEGORIES[key], word.startswith("y"), f"{key}={word}"


def _of_one_protocol(statements: Iterable[RightsStatement]) -> Iterator[RightsStatement]:
    """Yield the statements, of the TDM Reservation Protocol's only the nearest."""
    told = tuple(statements)
    order = {META: 0, HEADER: 1}
    mining = sorted((each for each, _ in _named(told, RESERVATION)), key=lambda each: order.get(each.source, 2))
    for each in told:
        if not each.text.startswith(RESERVATION) or each in mining[:1]:
            yield each


def _named(statements: Iterable[RightsStatement], name: str) -> Iterator[tuple[RightsStatement, str]]:
    """Yield the usable statements of a name with their values."""
    for each in statements:
        key, _, value = each.text.partition(": ")
        if key == name and (name != RESERVATION or value in _MINING):
            yield each, value


def _statements_before(rights: UsageRights) -> Iterator[RightsStatement]:
    if rights.tdmReservation is not None:
        yield RightsStatement(META, f"{RESERVATION}: {int(rights.tdmReservation)}")
    if rights.robots:
        yield RightsStatement(META, f"robots: {', '.join(rights.robots)}")
    if rights.ai is not None:
        yield RightsStatement(HEADER, f"{USAGE}: train-ai={'ny'[rights.ai]}")
