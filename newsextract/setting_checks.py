"""Check values that have the right type but cannot work: unknown names, unwritable files, missing packages.

Each check takes a value and the values of all settings, and raises `ValueError`. It creates and changes nothing.
What a default needs to be checked is not imported: a command begins with them.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import importlib
import os
import pickle
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.delivery.targets import SCHEMES, trouble_with
from newsextract.reading.extraction.extractor_errors import BadExtractorOption, UnknownExtractor
from newsextract.reading.notices import DEFAULT_EXTRACTOR, KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from newsextract.setting_types import Values

_SAMPLE = "<p>A first sentence, and a second. Enough for an extractor to use its options.</p>" * 3

_IN_MEMORY = re.compile(r"sqlite(\+\w+)?://(/(:memory:)?)?(\?.*)?")


def check_extractor(name: str, values: Values) -> None:
    """Check that the extractor exists; its options are another setting."""
    if name == DEFAULT_EXTRACTOR:
        return
    from newsextract.reading.extraction.contract import create_extractor

    with suppress(BadExtractorOption):
        create_extractor(name, **values["NEWSEXTRACT_EXTRACTOR_OPTIONS"])


def check_secrets(file: Path, _: Values) -> None:
    """Check that the file can be read, and by its owner alone."""
    from newsextract.sites.subscriptions.secrets import read_secrets

    read_secrets(file)


def check_options(options: Mapping[str, Any], values: Values) -> None:
    """Extract a sample, as an option of the wrong type fails only when it is used."""
    if not options and values["NEWSEXTRACT_EXTRACTOR"] == DEFAULT_EXTRACTOR:
        return
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import create_extractor

    with suppress(UnknownExtractor):
        create_extractor(values["NEWSEXTRACT_EXTRACTOR"], **options).extract(Page(_SAMPLE))
    _check_travels(options, values)


def check_page_kinds(names: list[str], _: Values) -> None:
    """Check that each kind exists."""
    if not names or not set(KINDS).issuperset(names):
        from newsextract.reading.kinds import check_kinds

        check_kinds(names)


def check_sources(orders: Mapping[str, list[str]], values: Values) -> None:
    """Check that each field and source exists."""
    if not orders:
        return
    from newsextract.reading.metadata.precedence import with_overrides

    with_overrides(orders)
    _check_travels(orders, values)


def _check_travels(value: Mapping[str, Any], values: Values) -> None:
    try:
        pickle.dumps(value if values["NEWSEXTRACT_WORKERS"] else None)
    except Exception as error:
        advice = "which NEWSEXTRACT_WORKERS = 0 does without"
        raise ValueError(f"it cannot be sent to a worker process, {advice}: {error}") from error


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


def check_health_webhook(url: str, _: Values) -> None:
    """Check that messages can be posted to the URL."""
    if trouble := trouble_with(url):
        raise ValueError(f"not a usable webhook URL, such as https://example.com/hooks/news: {trouble}")


def check_watch(path: Path, _: Values) -> None:
    """Check that the rules can be read."""
    from newsextract.newsroom.watch.watch_file import read_rules

    read_rules(path)


def check_outlives(value: object, values: Values) -> None:
    """Check that the database, and so the outbox, outlives the crawl."""
    if value and _IN_MEMORY.fullmatch(values["NEWSEXTRACT_DATABASE"]):
        advice = 'set it, for instance to "sqlite:///output/newsextract.db"'
        raise ValueError(f"messages must outlive the crawl, and NEWSEXTRACT_DATABASE is in memory: {advice}")


def check_broker(url: str, values: Values) -> None:
    """Check that the URL is that of a broker, and that its client is installed."""
    if trouble := trouble_with(url, SCHEMES):
        raise ValueError(f"{trouble}; try redis://HOST:6379/0 or amqp://USER@HOST//")
    for module in ("kombu", "redis" if url.startswith("redis") else "amqp"):
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            raise ValueError(f"it needs the module {error.name}: pip install 'newsextract[broker]'") from error
    check_outlives(url, values)


def check_atom(folder: Path, values: Values) -> None:
    """Check that the path is not a file; a missing disk may come back, and messages wait for it."""
    if folder.is_file():
        raise ValueError(f"{str(folder)!r} is a file; try 'output/feeds'")
    check_outlives(folder, values)


def check_messages(path: Path, values: Values) -> None:
    """Check that the path is not a folder; a missing disk may come back, and messages wait for it."""
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder; try {str(path / 'messages.jsonl')!r}")
    check_outlives(path, values)
