"""The settings of newsextract, each declared once.

From here come the add-on's defaults, the typed values that components read (`PAGE_BYTES.of(settings)`), the checks when
a crawl starts, `newsextract doctor`'s, and the table of docs/settings.md.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import shutil
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from newsextract.newsroom.delivery.targets import SCHEMES, url_error, webhooks_of
from newsextract.page.page import MAX_BYTES
from newsextract.page.urls import without_passwords
from newsextract.reading.notices import ARTICLE_LIKE, DEFAULT_EXTRACTOR
from newsextract.reading.notices import KINDS as ALL_KINDS
from newsextract.reading.usage_rights import USES
from newsextract.sites.private_addresses import AddressPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


T = TypeVar("T")

Values: TypeAlias = "Mapping[str, Any]"
"""The typed values of all settings by name."""


_UNFIT = (TypeError, ValueError, OverflowError, RecursionError, OSError)
"""What Python raises for values of another type, too large, too deeply nested, or not usable as a file name."""


_MOST_CHARS = 500


class BadSetting(ValueError):  # noqa: N818 - the name says that it is an error
    """A setting that cannot work. The message names it and says what would be right, in one line without passwords."""

    def __init__(self, message: str) -> None:
        told = without_passwords(" ".join(message.split()))
        super().__init__(told if len(told) <= _MOST_CHARS else f"{told[:_MOST_CHARS]} …")


@dataclass(frozen=True)
class ValueType(Generic[T]):
    """A type of values, with a few words for the docs; `read` converts a value, or raises with the right form."""

    words: str
    read: Callable[[Any], T]


@dataclass(frozen=True)
class Setting(Generic[T]):
    """A setting. `None`, or the text `None` from a command line, means its default."""

    name: str
    type: ValueType[T]
    default: Any
    doc: str
    """One line of Markdown."""
    shown: str = ""
    """The default as the docs show it, if not by its `repr`."""
    needs: str = ""
    """Why the setting needs a database if it is set; empty if it needs none."""
    check: Callable[[Any, Values], None] | None = None
    """Raises `ValueError` if the value, which is never `None`, cannot work with the other values."""

    def of(self, settings: Mapping[str, Any]) -> T:
        """Return the typed value in the settings; raises `BadSetting` for a value of another type."""
        value = settings.get(self.name)
        if value is None or (isinstance(value, str) and value == "None"):
            value = self.default
        try:
            return self.type.read(value)
        except _UNFIT as error:
            raise BadSetting(f"{self.name}: {error}") from error

    def verify(self, values: Values) -> None:
        """Raise `BadSetting` if the value cannot work with the others."""
        value = values[self.name]
        if self.needs and value and not values["NEWSEXTRACT_DATABASE"]:
            raise BadSetting(f"{self.name}: it needs NEWSEXTRACT_DATABASE, {self.needs}")
        if self.check is not None and value is not None:
            try:
                self.check(value, values)
            except _UNFIT as error:
                raise BadSetting(f"{self.name}: {error}") from error


def whole(unit: str, example: int, *, least: int = 0) -> ValueType[int]:
    """Return the type of whole numbers from `least` up."""

    def read(value: Any) -> int:
        is_whole = isinstance(value, float) and value.is_integer()  # 2e6
        if isinstance(value, int) and not isinstance(value, bool):
            is_whole = True
        elif isinstance(value, str):
            is_whole = bool(re.fullmatch(r"\d[\d_]*", value.strip()))
        if not is_whole or int(value) < least:
            raise ValueError(f"{value!r} is not a {unit}; try {example}")
        return int(value)

    return ValueType(unit, read)


def number(unit: str, example: int, *, above_zero: bool = False) -> ValueType[float]:
    """Return the type of finite numbers from 0 up, or above 0."""

    def read(value: Any) -> float:
        try:
            found = -1.0 if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            found = -1.0
        if not 0 <= found < inf or (above_zero and not found):
            raise ValueError(f"{value!r} is not a {unit}; try {example}")
        return found

    return ValueType(unit, read)


def optional_path(what: str, example: str) -> ValueType[Path | None]:
    """Return the type of paths; a false value, such as an empty text, is read as `None`."""

    def read(value: Any) -> Path | None:
        if not value:
            return None
        if not isinstance(value, str | os.PathLike) or "://" in str(value):
            raise ValueError(f"{value!r} is not a path of {what}; try {example!r}")
        return Path(value)

    return ValueType(f"path of {what}", read)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} is not text")  # the value may be secret
    return value


def _switch(value: Any) -> bool:
    words = {"true": True, "false": False, "": False}
    try:
        return words[value.lower()] if isinstance(value, str) and value.lower() in words else bool(int(value))
    except (TypeError, ValueError):
        raise ValueError(f"{value!r} is neither True nor False") from None


def _table(value: Any) -> dict[str, Any]:
    try:
        return dict(json.loads(value) if isinstance(value, str) else value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{value!r} is not a JSON object: {error}") from error


def _names(value: Any) -> list[str]:
    if isinstance(value, str):
        return [name.strip() for name in value.split(",") if name.strip()]
    if not isinstance(value, list | tuple | set | frozenset):
        raise TypeError(f"{value!r} is not a list of names")
    return list(value)


def _use(value: Any) -> str | None:
    if value and value not in USES:
        raise ValueError(f"{value!r} is no use; there are {', '.join(USES)}")
    return value or None


TEXT = ValueType("text", _text)
OPTIONAL_TEXT: ValueType[str | None] = ValueType("text", lambda value: _text(value) if value else None)
SWITCH = ValueType("switch", _switch)
TABLE = ValueType("table", _table)
NAMES = ValueType("list of names", _names)


PREFIX = "NEWSEXTRACT_"

ENVIRONMENT = ("NEWSEXTRACT_OUTPUT", "NEWSEXTRACT_DESK_PASSWORD", "NEWSEXTRACT_DESK_TOKEN")
"""Variables of the environment that are no settings."""

MOST_WORKERS = 8
"""By default: a crawl cannot fetch what more of them read."""


def workers_that_pay() -> int:
    """Return how many processes are worth their start here; 0, for a thread, where they would share one processor."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(count, MOST_WORKERS) if count > 1 else 0


# The checks import what they need when a value is not the default: every command loads this module.
# ruff: noqa: PLC0415

_SAMPLE = "<p>A first sentence, and a second. Enough for an extractor to use its options.</p>" * 3


def check_extractor(name: str, _: Values) -> None:
    """Extract a sample, as an option of the wrong type may fail only when it is used."""
    if name == DEFAULT_EXTRACTOR:
        return
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import create_reader

    create_reader(name).extract(Page(_SAMPLE))


def check_secrets(file: Path, _: Values) -> None:
    """Check that the file can be read, and by its owner alone."""
    from newsextract.sites.subscriptions import read_secrets

    read_secrets(file)


def check_page_kinds(names: list[str], _: Values) -> None:
    """Check that each kind exists."""
    if not names or not set(ALL_KINDS).issuperset(names):
        from newsextract.reading.kinds import check_kinds

        check_kinds(names)


def check_sources(orders: Mapping[str, list[str]], _: Values) -> None:
    """Check that each field and source exists."""
    if not orders:
        return
    from newsextract.reading.metadata.precedence import with_overrides

    with_overrides(orders)


def check_folder(folder: Path, _: Values) -> None:
    """Check that files can be written into a folder, or that it can be created."""
    if trouble := _trouble_with(folder):
        raise ValueError(f"cannot write to {folder}: {trouble}")


def check_file(path: Path, _: Values) -> None:
    """Check that a file can be written."""
    trouble = _trouble_with(path.parent)
    if not trouble and path.is_dir():
        trouble = "it is a folder; name a file in it"
    elif not trouble and path.exists() and not os.access(path, os.W_OK):
        trouble = "permission denied; choose another file"
    if trouble:
        raise ValueError(f"cannot write {path}: {trouble}")


def _trouble_with(folder: Path) -> str | None:
    try:
        there = next(each for each in (folder, *folder.parents) if each.exists())
    except OSError as error:
        return error.strerror
    if not there.is_dir():
        return f"{there} is a file"
    return None if os.access(there, os.W_OK | os.X_OK) else f"permission denied in {there}"


def check_watch(path: Path, _: Values) -> None:
    """Check that the rules can be read."""
    from newsextract.newsroom.watch import read_rules

    read_rules(path)


def check_alerts(path: Path, _: Values) -> None:
    """Check that the file can be read, and that Apprise is installed and knows its addresses."""
    for module in ("apprise", "jinja2"):
        if importlib.util.find_spec(module) is None:
            raise ValueError(f"it needs the module {module}: pip install 'newsextract[alerts]'")
    from newsextract.newsroom.delivery.alerts import read_alerts

    read_alerts(path)


def check_broker(url: str, _: Values) -> None:
    """Check that the URL is that of a broker, and that its client is installed."""
    if trouble := url_error(url, SCHEMES):
        raise ValueError(f"{trouble}; try redis://HOST:6379/0 or amqp://USER@HOST//")
    for module in ("kombu", "redis" if url.startswith("redis") else "amqp"):
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            raise ValueError(f"it needs the module {error.name}: pip install 'newsextract[broker]'") from error


def check_atom(folder: Path, _: Values) -> None:
    """Check that the path is not a file; a missing disk may come back, and messages wait for it."""
    if folder.is_file():
        raise ValueError(f"{str(folder)!r} is a file; try 'output/feeds'")


def check_messages(path: Path, _: Values) -> None:
    """Check that the path is not a folder; a missing disk may come back, and messages wait for it."""
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder; try {str(path / 'messages.jsonl')!r}")


NEVER, AUTO, ALWAYS = MODES = ("never", "auto", "always")
"""When pages are rendered."""

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
"""Names of browsers that are looked for on the path, before Playwright's own."""


def read_mode(value: Any) -> str:
    """Return when pages are rendered; raises `ValueError`."""
    word = value.strip().lower() if isinstance(value, str) else value
    if word not in MODES:
        raise ValueError(f"{value!r} is not among {', '.join(MODES)}")
    return str(word)


def find_browser(wanted: Path | None) -> Path | None:
    """Return the browser's program: the wanted one, one on the path, or Playwright's own; `None` if there is none."""
    if wanted is not None:
        return wanted if wanted.is_file() and os.access(wanted, os.X_OK) else None
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found:
        return Path(found)
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    own = sorted(folder.glob("chromium-*/chrome-linux*/chrome"))
    return own[-1] if own else None


def browser_trouble(wanted: Path | None) -> str | None:
    """Return what is missing to render pages, and what would be right; `None` if nothing is."""
    if find_spec("playwright") is None:
        return "pages are rendered by the module playwright: pip install 'newsextract[render]'"
    if find_browser(wanted) is None:
        advice = "apt-get install chromium, or playwright install --with-deps chromium"
        return f"no browser is found: {advice}" if wanted is None else f"{wanted} is no program of a browser: {advice}"
    return None


def _check_render(mode: str, values: Values) -> None:
    if mode != NEVER and (trouble := browser_trouble(values["NEWSEXTRACT_RENDER_BROWSER"])):
        raise ValueError(f"{trouble}; or set it to 'never'")


def _check_browser(wanted: Path, _: Values) -> None:
    if find_browser(wanted) is None:
        raise ValueError(f"{wanted} is no program of a browser; try '/usr/bin/chromium'")


_COUNT = whole("whole number from 0 on", 2)
_WORKERS = ValueType(_COUNT.words, lambda value: workers_that_pay() if value in (None, "") else _COUNT.read(value))
_POLICY = ValueType("switch, or list of hosts and networks", AddressPolicy.parse)
_WEBHOOKS = ValueType("list of URLs and tables", webhooks_of)
_FEEDS_FOLDER = optional_path("a folder", "output/feeds")
_WARC_FOLDER = optional_path("a folder", "output/warc")
_OUTBOX = "where messages wait until they are delivered"

EXTRACTOR = Setting(
    "NEWSEXTRACT_EXTRACTOR", TEXT, DEFAULT_EXTRACTOR, "a name or a dotted path, with options as in `eatiht:version=2`",
    check=check_extractor,
)  # fmt: skip
KINDS = Setting(
    "NEWSEXTRACT_KINDS", NAMES, list(ARTICLE_LIKE),
    "kinds of pages that become items; there are also `thread`, `listing` and `other`", check=check_page_kinds,
)  # fmt: skip
METADATA_SOURCES = Setting(
    "NEWSEXTRACT_METADATA_SOURCES", TABLE, {}, "orders of sources that differ from the default, by field",
    check=check_sources,
)  # fmt: skip
COMMENTS = Setting("NEWSEXTRACT_COMMENTS", SWITCH, False, "read the comments of readers that a page has")
MARKDOWN = Setting("NEWSEXTRACT_MARKDOWN", SWITCH, False, "give the text as Markdown, too, in `articleMarkdown`")
DATABASE = Setting(
    "NEWSEXTRACT_DATABASE", OPTIONAL_TEXT, None, "an SQLAlchemy URL; empty: no database",
    shown='none; in this project `"sqlite:///output/newsextract.db"`',
)  # fmt: skip
REVISIONS = Setting("NEWSEXTRACT_REVISIONS", SWITCH, True, "keep changes of stored articles as revisions")
STORIES = Setting("NEWSEXTRACT_STORIES", SWITCH, True, "link stored articles with their copies on other sites")
WARC = Setting(
    "NEWSEXTRACT_WARC", _WARC_FOLDER, None,
    'a folder, such as `"output/warc"`, for WARC files with all that a crawl fetches: see '
    "[Evidence](how-to/evidence.md)", check=check_folder,
)  # fmt: skip
BROKER = Setting(
    "NEWSEXTRACT_BROKER", OPTIONAL_TEXT, None,
    "a message broker that gets the messages, `redis://…` or `amqp://…`: see [Delivery](how-to/delivery.md)",
    needs=_OUTBOX, check=check_broker,
)  # fmt: skip
WEBHOOKS = Setting(
    "NEWSEXTRACT_WEBHOOKS", _WEBHOOKS, [],
    "webhooks that messages are posted to: URLs, or tables with `url`, `kinds` and `secret`",
    needs=_OUTBOX,
)  # fmt: skip
ATOM = Setting(
    "NEWSEXTRACT_ATOM", _FEEDS_FOLDER, None, "a folder of feeds, as Atom and as JSON Feed", needs=_OUTBOX,
    check=check_atom,
)  # fmt: skip
MESSAGES = Setting(
    "NEWSEXTRACT_MESSAGES", optional_path("a file", "output/messages.jsonl"), None, "a file of JSON Lines",
    needs=_OUTBOX, check=check_messages,
)  # fmt: skip
ALERTS = Setting(
    "NEWSEXTRACT_ALERTS", optional_path("a file", "alerts.yml"), None,
    "a file that says who is told of matches, removals and sites with problems: see [Alerts](how-to/alerts.md)",
    needs=_OUTBOX, check=check_alerts,
)  # fmt: skip
JOIN_PAGES = Setting("NEWSEXTRACT_JOIN_PAGES", SWITCH, False, "join articles of several pages")
PAGE_BYTES = Setting(
    "NEWSEXTRACT_PAGE_BYTES", whole("number of bytes", MAX_BYTES, least=1), MAX_BYTES,
    "larger pages end as `error`, `too large`", shown="20 MiB",
)  # fmt: skip
PRIVATE_ADDRESSES = Setting(
    "NEWSEXTRACT_PRIVATE_ADDRESSES", _POLICY, False,
    "allow requests of the `news` spider inside your own network: `True`, or a list of hosts and networks, "
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
    needs="where its matches go", check=check_watch,
)  # fmt: skip
DELIVERY_RIGHTS = Setting(
    "NEWSEXTRACT_DELIVERY_RIGHTS", ValueType(f"one of {', '.join(USES)}", _use), None,
    "a use: no message is sent of articles whose pages or sites [reserve it](explanation/rights.md)",
)  # fmt: skip
SECRETS = Setting(
    "NEWSEXTRACT_SECRETS", optional_path("a file", "secrets.env"), None,
    "a file of `NAME=value` lines that only its owner can read: what the environment lacks of the "
    "[secrets that `sites.yml` names](how-to/subscriptions.md)", check=check_secrets,
)  # fmt: skip
PROMETHEUS = Setting(
    "NEWSEXTRACT_PROMETHEUS", optional_path("a file", "news.prom"), None,
    "a file, such as `news.prom`, for node_exporter's textfile collector, with all sites visited in the last 30 "
    "days; replaced at the end of every crawl", needs="where the runs are compared", check=check_file,
)  # fmt: skip
RENDER = Setting(
    "NEWSEXTRACT_RENDER", ValueType(f"one of {', '.join(MODES)}", read_mode), NEVER,
    "whether pages are rendered in a browser, see [Pages that need scripts](how-to/render.md); "
    "`render` in `sites.yml` says it for a site", check=_check_render,
)  # fmt: skip
RENDER_BROWSER = Setting(
    "NEWSEXTRACT_RENDER_BROWSER", optional_path("a browser", "/usr/bin/chromium"), None,
    "the program of a Chromium", shown="none: the one on the path, else Playwright's own",
    check=_check_browser,
)  # fmt: skip


SETTINGS: dict[str, Setting[Any]] = {each.name: each for each in globals().values() if isinstance(each, Setting)}
"""All of them, by name, in the order of the docs."""

TARGETS: tuple[Setting[Any], ...] = (BROKER, WEBHOOKS, ATOM, MESSAGES, ALERTS)
"""Those that say who gets messages."""


def is_unknown(name: str) -> bool:
    """Return whether a name looks like one of our settings, and is none."""
    return name.startswith(PREFIX) and name not in SETTINGS


def no_such(name: str) -> str:
    """Return the sentence on an unknown setting."""
    advice = "set it in the environment" if name in ENVIRONMENT else f"did you mean {nearest(name)}?"
    return f"{name}: there is no such setting; {advice}"


def troubles(settings: Mapping[str, Any], among: Iterable[Setting[Any]] = ()) -> Iterator[BadSetting]:
    """Yield what is wrong with the settings; nothing is opened, made or changed.

    `among` is of which the values are checked too, and not only their types: by default of all.
    """
    for name in settings:
        if is_unknown(name):
            yield BadSetting(no_such(name))
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
