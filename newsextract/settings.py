"""The settings of newsextract, each declared once.

From here come the add-on's defaults, the typed values that components read (`PAGE_BYTES.of(settings)`), the checks when
a crawl starts, `scrapy doctor`'s, and the table of docs/settings.md.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from newsextract import setting_checks as checks
from newsextract.newsroom.delivery.targets import webhooks_of
from newsextract.page.page import MAX_BYTES
from newsextract.reading.notices import ARTICLE_LIKE, DEFAULT_EXTRACTOR
from newsextract.render_settings import RENDER_SETTINGS
from newsextract.setting_types import (
    NAMES,
    OPTIONAL_TEXT,
    SWITCH,
    TABLE,
    TEXT,
    BadSetting,
    Setting,
    ValueType,
    number,
    optional_path,
    whole,
)
from newsextract.sites.addresses.private_addresses import AddressPolicy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

PREFIX = "NEWSEXTRACT_"

ENVIRONMENT = ("NEWSEXTRACT_OUTPUT",)
"""Variables of the environment that are no settings."""

MOST_WORKERS = 8
"""By default: a crawl cannot fetch what more of them read."""


def workers_that_pay() -> int:
    """Return how many processes are worth their start here; 0, for a thread, where they would share one processor."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(count, MOST_WORKERS) if count > 1 else 0


_COUNT = whole("whole number from 0 on", 2)
_WORKERS = ValueType(_COUNT.words, lambda value: workers_that_pay() if value in (None, "") else _COUNT.read(value))
_POLICY = ValueType("switch, or list of hosts and networks", AddressPolicy.parse)
_WEBHOOKS = ValueType("list of URLs and tables", webhooks_of)
_FEEDS_FOLDER = optional_path("a folder", "output/feeds")
_PAGES_FOLDER = optional_path("a folder", "output/pages")
_OUTBOX = "where messages wait until they are delivered"

EXTRACTOR = Setting(
    "NEWSEXTRACT_EXTRACTOR", TEXT, DEFAULT_EXTRACTOR, "a name or a dotted path", check=checks.check_extractor
)
EXTRACTOR_OPTIONS = Setting("NEWSEXTRACT_EXTRACTOR_OPTIONS", TABLE, {}, "its options", check=checks.check_options)
KINDS = Setting(
    "NEWSEXTRACT_KINDS", NAMES, list(ARTICLE_LIKE),
    "kinds of pages that become items; there are also `listing` and `other`", check=checks.check_page_kinds,
)  # fmt: skip
METADATA_SOURCES = Setting(
    "NEWSEXTRACT_METADATA_SOURCES", TABLE, {}, "orders of sources that differ from the default, by field",
    check=checks.check_sources,
)  # fmt: skip
COMMENTS = Setting("NEWSEXTRACT_COMMENTS", SWITCH, False, "read the comments of readers that a page has")
MARKDOWN = Setting("NEWSEXTRACT_MARKDOWN", SWITCH, False, "give the text as Markdown, too, in `articleMarkdown`")
DATABASE = Setting(
    "NEWSEXTRACT_DATABASE", OPTIONAL_TEXT, None, "an SQLAlchemy URL; empty: no database",
    shown='none; in this project `"sqlite:///output/newsextract.db"`',
)  # fmt: skip
REVISIONS = Setting("NEWSEXTRACT_REVISIONS", SWITCH, True, "keep changes of stored articles as revisions")
STORIES = Setting("NEWSEXTRACT_STORIES", SWITCH, True, "link stored articles with their copies on other sites")
KEEP_PAGES = Setting(
    "NEWSEXTRACT_KEEP_PAGES", _PAGES_FOLDER, None,
    'a folder, such as `"output/pages"`, for the pages of stored articles, for `scrapy replay`',
    needs="beside which pages are kept", check=checks.check_folder,
)  # fmt: skip
BROKER = Setting(
    "NEWSEXTRACT_BROKER", OPTIONAL_TEXT, None,
    "a message broker that gets the messages, `redis://…` or `amqp://…`: see [Delivery](how-to/delivery.md)",
    needs=_OUTBOX, check=checks.check_broker,
)  # fmt: skip
WEBHOOKS = Setting(
    "NEWSEXTRACT_WEBHOOKS", _WEBHOOKS, [],
    "webhooks that messages are posted to: URLs, or tables with `url`, `kinds` and `secret`",
    needs=_OUTBOX, check=checks.check_outlives,
)  # fmt: skip
ATOM = Setting(
    "NEWSEXTRACT_ATOM", _FEEDS_FOLDER, None, "a folder of Atom feeds", needs=_OUTBOX, check=checks.check_atom
)
MESSAGES = Setting(
    "NEWSEXTRACT_MESSAGES", optional_path("a file", "output/messages.jsonl"), None, "a file of JSON Lines",
    needs=_OUTBOX, check=checks.check_messages,
)  # fmt: skip
JOIN_PAGES = Setting("NEWSEXTRACT_JOIN_PAGES", SWITCH, False, "join articles of several pages")
SITE_MEMORY = Setting(
    "NEWSEXTRACT_SITE_MEMORY", SWITCH, True,
    "learn each site's template, and leave it out from the next run on; kept in the database",
)  # fmt: skip
PAGE_BYTES = Setting(
    "NEWSEXTRACT_PAGE_BYTES", whole("number of bytes", MAX_BYTES, least=1), MAX_BYTES,
    "larger pages end as `error`, `too large`", shown="20 MiB",
)  # fmt: skip
PRIVATE_ADDRESSES = Setting(
    "NEWSEXTRACT_PRIVATE_ADDRESSES", _POLICY, False,
    "allow requests inside your own network: `True`, or a list of hosts and networks, "
    '`["127.0.0.1", "10.1.0.0/16", "intranet.example"]`', shown="`False`; in development `True`",
)  # fmt: skip
WORKERS = Setting(
    "NEWSEXTRACT_WORKERS", _WORKERS, None,
    "worker processes that read pages and site files; `0`, and the default with one processor: a thread, which cannot "
    "be stopped", shown=f"none: a process for each processor, at most {MOST_WORKERS}",
)  # fmt: skip
PAGE_SECONDS = Setting(
    "NEWSEXTRACT_PAGE_SECONDS", number("number of seconds", 20, above_zero=True), 20.0,
    "a page that takes longer in a worker process ends as `error`, `too slow`",
)  # fmt: skip
ALL_RESPONSES = Setting("NEWSEXTRACT_ALL_RESPONSES", SWITCH, False, "for your own spiders: extract every HTML response")
PROGRESS = Setting(
    "NEWSEXTRACT_PROGRESS", SWITCH, False, "the live table and the final one", shown="`False`; in this project `True`"
)
WATCH = Setting(
    "NEWSEXTRACT_WATCH", optional_path("a file", "watch.yml"), None,
    "a file of [watch rules](reference/watch-rules.md) that every stored article is compared with",
    needs="where its matches go", check=checks.check_watch,
)  # fmt: skip
SECRETS = Setting(
    "NEWSEXTRACT_SECRETS", optional_path("a file", "secrets.env"), None,
    "a file of `NAME=value` lines that only its owner can read: what the environment lacks of the "
    "[secrets that `sites.yml` names](how-to/subscriptions.md)", check=checks.check_secrets,
)  # fmt: skip
HEALTH_WEBHOOK = Setting(
    "NEWSEXTRACT_HEALTH_WEBHOOK", OPTIONAL_TEXT, None, "a URL that gets a POST with JSON when a site is ill",
    needs="where the runs are compared", check=checks.check_health_webhook,
)  # fmt: skip
PROMETHEUS = Setting(
    "NEWSEXTRACT_PROMETHEUS", optional_path("a file", "news.prom"), None,
    "a file, such as `news.prom`, for node_exporter's textfile collector, with all sites visited in the last 30 "
    "days; replaced at the end of every crawl", needs="where the runs are compared", check=checks.check_file,
)  # fmt: skip

SETTINGS: dict[str, Setting[Any]] = {
    each.name: each for each in (*globals().values(), *RENDER_SETTINGS) if isinstance(each, Setting)
}
"""All of them, by name, in the order of the docs."""

TARGETS: tuple[Setting[Any], ...] = (BROKER, WEBHOOKS, ATOM, MESSAGES)
"""Those that say who gets messages."""


def troubles(settings: Mapping[str, Any], among: Iterable[Setting[Any]] = ()) -> Iterator[BadSetting]:
    """Yield what is wrong with the settings; nothing is opened, made or changed.

    `among` is of which the values are checked too, and not only their types: by default of all.
    """
    for name in settings:
        if name.startswith(PREFIX) and name not in SETTINGS:
            advice = "set it in the environment" if name in ENVIRONMENT else f"did you mean {nearest(name)}?"
            yield BadSetting(f"{name}: there is no such setting; {advice}")
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for name, setting in SETTINGS.items():
        try:
            values[name] = setting.of(settings)
        except BadSetting as error:
            values[name] = setting.of({})
            wrong.append(name)
            yield error
    for setting in among or SETTINGS.values():
        try:
            setting.verify(values)
        except BadSetting as error:
            if not any(name in str(error) for name in wrong):  # else it may be right once that one is
                yield error


def check(settings: Mapping[str, Any], among: Iterable[Setting[Any]] = ()) -> None:
    """Raise `BadSetting` for the first thing that `troubles` has."""
    for error in troubles(settings, among):
        raise error


def nearest(name: str) -> str:
    """Return the setting whose name is most like another.

    >>> nearest("NEWSEXTRACT_EXTRACTERS")
    'NEWSEXTRACT_EXTRACTOR'
    """
    return (
        PREFIX + get_close_matches(name.removeprefix(PREFIX), [each.removeprefix(PREFIX) for each in SETTINGS], 1, 0)[0]
    )
