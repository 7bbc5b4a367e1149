"""Warnings and reasons as values: a code, its values, and the sentence made from both.

All sentences are here. Programs use the code and the values of a warning, and never parse its sentence.
"""

from __future__ import annotations

from enum import StrEnum, unique
from typing import TYPE_CHECKING, Literal, Self, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@unique
class NoticeCode(StrEnum):
    """All warnings and reasons; the value of each is its sentence with placeholders."""

    # Metadata: what was refused or not read.
    REFUSED = "{field}: {source} says {value!r}, {reason}"
    OTHER_DATE = "datePublished: meta_tags says {stated!r}, {source} says {taken!r}, which is taken"
    OF_SOURCE = "{source}: {notice}"
    BROKEN = "broken beyond repair: {start!r}"
    TOO_MUCH_TO_READ = "{chars} characters are too many to read"
    OF_ANOTHER_PAGE = "describes another page: {headline!r}"

    # Why a value is refused.
    TOO_LONG = "longer than {most} characters"
    NO_NAME = "not a name"
    ADDRESS_AS_NAME = "an address, not a name"
    NO_DATE = "not a date"
    TOO_OLD = "older than {year}"
    IN_FUTURE = "in the future"
    NO_LANGUAGE = "not a language"
    OTHER_SCRIPT = "but the text is in {script} script"
    OTHER_LANGUAGE = "but the text is in {language!r}"
    NO_ADDRESS = "no address"
    NO_WEB_ADDRESS = "not an address of the web"
    NO_PUBLIC_ADDRESS = "not an address of the public web"
    UNFILLED_TEMPLATE = "a template that nobody filled in"
    HOME_AS_CANONICAL = "a home page"
    OTHER_DOMAIN = "canonicalUrl: on another domain than the page, {domain}"
    OWN_URL = "canonicalUrl: the article is stored under its own URL, not under {url}"
    LOGO = "a logo or a placeholder"
    NEITHER_TRUE_NOR_FALSE = "neither true nor false"
    CONTRADICTED = "but {source} says {value!r}"

    # Extraction.
    TOO_MANY_BLOCKS = "{blocks} blocks are too many to classify: only the first {read} were read"
    FROM_JSON_LD = "the page shows little text: body from its JSON-LD"
    FROM_HYDRATION = "the page shows little of an article: body from the data for its scripts ({place})"
    DATA_CUT = "the page's data for its scripts is larger than what is read of it: the rest was not searched"
    ADDED_FROM_JSON_LD = "articleBody: {blocks} blocks were kept because the page's JSON-LD has them in its body"
    FROM_BROWSER = "the page was read as a browser shows it, with its scripts run"
    FROM_VERSION = "the page itself shows no article: read from the version that it links, {url}"
    FROM_FEED = "the page could not be read ({state}: {reason}): text from the feed {feed}"
    WITH_SUBSCRIPTION = "read with a subscription: others may see less of it"
    FEED_CUT = "articleBody: the feed breaks it off with an ellipsis"
    OTHER_UNITS = "articleBody: {units} other stories, teasers or comments on the page were left out"
    FROM_REGION = "no block looks like an article's: kept the densest region"
    TOO_FEW_PAGES = "fewer than five pages of the site"
    OUTLIER = "no page of the site has the same structure"
    NOTHING_NEW = "articleBody: nothing new on page {page}"
    TOO_FEW_WORDS = "articleBody: {words} words, and at least {least} were asked for"
    NOT_JOINED = "articleBody: continues at {url}, which was not joined"

    # Rules of a site that were not followed.
    RULE_MISSED = "rules: {rule} found nothing usable; the general reading stands"
    RULE_NOT_WHOLE = "rules: single_page leads to {url}, which lacks the text of the first page; the first page stands"

    # Why a page is not an article.
    NO_CONTENT = "no main content"
    ONLY_DIALOG = "no main content beside a dialog, such as a request for consent"
    TOO_SHORT = "too short"
    NOT_WANTED = "{kind}, not wanted"
    OF_KIND = "{sign}"
    VERSION_OF_ANOTHER = "a version of another page, {url}"


class Notice(str):
    """A warning or a reason: a string that is its sentence, with its code and values as attributes.

    Items, rows and stats get the sentence as a plain string; `ExtractionReport.noticed` has the values.
    """

    __slots__ = ("code", "values")

    code: NoticeCode
    values: Mapping[str, object]

    def __new__(cls, code: NoticeCode, **values: object) -> Self:
        """Make the sentence; raises `KeyError` if a value of the code is missing."""
        self = super().__new__(cls, code.format(**values))
        self.code, self.values = code, values
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _remade, (self.code.name, dict(self.values))  # by name, as a later version may have another sentence


def _remade(code: str, values: Mapping[str, object]) -> Notice:
    return Notice(NoticeCode[code], **values)


def noticed(code: NoticeCode, warnings: Iterable[object]) -> Iterator[Notice]:
    """Yield the notices with this code; warnings in plain text, as of third-party extractors, have none."""
    return (warning for warning in warnings if isinstance(warning, Notice) and warning.code is code)


# How a visit ends: in exactly one state, with a reason.


class PageState(StrEnum):
    """The states of a visited page; every page ends in exactly one."""

    ARTICLE = "article"
    """Stored and exported."""
    LISTING = "listing"
    """A home, section, tag or search page: it links to articles and is not one."""
    OTHER = "other"
    """Neither article nor listing: a product, a thread where none is wanted; or in a language that is excluded."""
    DUPLICATE = "duplicate"
    """This run or the database already has it: the same canonical URL or text on the same site, or all as stored."""
    UNCHANGED = "unchanged"
    """Visited before and not changed: the site answers 304, or its bytes are the same."""
    PART = "part"
    """A further page of an article, joined to the first."""
    EMPTY = "empty"
    """The extractor found no text, or too little for an article."""
    BLOCKED = "blocked"
    """The site answered 401, 402, 403, 429 or 451, or with the same text under three headlines or more: a wall."""
    DROPPED = "dropped"
    """A pipeline of the user dropped the article."""
    ERROR = "error"
    """Not fetched or not readable: `http 404`, `timeout`, `too large`, `not HTML`, `too slow`; or a pipeline failed."""


class NoArticle(Exception):  # noqa: N818 - an answer, not a failure
    """A page ended in another state than `article`."""

    def __init__(self, state: PageState, reason: Notice) -> None:
        super().__init__(f"{state}: {reason}")
        self.state = state
        self.reason = reason

    def __reduce__(self) -> tuple[type[NoArticle], tuple[PageState, Notice]]:
        return type(self), (self.state, self.reason)  # so that worker processes can raise it


class UnknownExtractor(ValueError):  # noqa: N818 - the name says that it is an error
    """No extractor has this name; the message lists the names."""


class BadExtractorOption(ValueError):  # noqa: N818 - the name says that it is an error
    """The extractor has no such option, or the option cannot have this value."""


# What is read and how, unless a project says otherwise; importing it loads no reader.

Kind: TypeAlias = Literal["article", "live", "gallery", "video", "thread", "listing", "other"]

KINDS: tuple[Kind, ...] = get_args(Kind)
ARTICLE_LIKE: tuple[Kind, ...] = ("article", "live", "gallery", "video")
"""The kinds that report something; they become items unless a project chooses others."""

DEFAULT_EXTRACTOR = "auto"
HYDRATION = "hydration"
"""The source of a value that only the data for the page's scripts gives."""
