"""What can be known to fail before a crawl starts, as errors that name the setting and what would be right."""

from __future__ import annotations

import os
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.exceptions import UsageError

from newsextract.addon import NewsExtract
from newsextract.crawl.pipelines.reading_settings import BadSetting, plan_from_settings, worker_settings
from newsextract.newsroom.delivery.delivery_plan import BadDelivery, targets_from
from newsextract.newsroom.delivery.target_urls import trouble_with
from newsextract.newsroom.watch.watch_file import WatchFileError, read_rules
from newsextract.page.page import Page
from newsextract.reading.extraction.contract import BadExtractorOption, UnknownExtractor
from newsextract.reading.metadata import BadPrecedence
from newsextract.reading.page_kinds.page_kind import UnknownKind
from newsextract.sites.addresses.private_addresses import AddressPolicy, PrivateAddressesError
from newsextract.storage.database.connection import StorageError, open_engine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.settings import BaseSettings

    from newsextract.sites.site_list.site import Site

_TABLES = ("NEWSEXTRACT_EXTRACTOR_OPTIONS", "NEWSEXTRACT_SITE_EXTRACTORS", "NEWSEXTRACT_METADATA_SOURCES")
"""Settings that are dictionaries, and JSON on a command line."""

_SWITCHES = (
    "NEWSEXTRACT_JOIN_PAGES", "NEWSEXTRACT_TDMREP", "NEWSEXTRACT_ALL_RESPONSES", "NEWSEXTRACT_PROGRESS",
    "NEWSEXTRACT_SITE_MEMORY", "NEWSEXTRACT_OVERLAP", "NEWSEXTRACT_HEALTH", "NEWSEXTRACT_REVISIONS",
    "NEWSEXTRACT_STORIES",
)  # fmt: skip

_STANDARD_OUTPUT = ("-", "stdout:")

_SAMPLE = "<p>A first sentence, and a second. Enough for an extractor to use its options.</p>" * 3


def check_settings(settings: BaseSettings) -> None:
    """Raise `UsageError` for a setting with which no crawl can succeed."""
    settings = settings.copy()
    NewsExtract().update_settings(settings)  # Scrapy runs add-ons later, when a crawl starts
    _check_tables(settings)
    _check_extractors(settings)
    _check_size(settings)
    _check_workers(settings)
    _check_switches(settings)
    _check_patience(settings)
    _check_delivery(settings)
    _check_database(settings)
    _check_job_folder(settings)
    _check_health(settings)
    _check_watch(settings)
    _check_kept_pages(settings)
    _address_policy(settings)
    for target in settings.getdict("FEEDS"):
        _check_output(str(target))


def check_sites(sites: Iterable[Site], settings: BaseSettings) -> None:
    """Raise `UsageError` for a site that may not be visited because its address is private."""
    policy = _address_policy(settings)
    for site in sites:
        host = urlsplit(site.home).hostname or ""
        if policy.refuses_host(host):
            raise UsageError(
                f"-a sites: {site.home} is a private address; "
                f"if it is meant, allow it: -s NEWSEXTRACT_PRIVATE_ADDRESSES={host}",
                print_help=False,
            )


def _address_policy(settings: BaseSettings) -> AddressPolicy:
    try:
        return AddressPolicy.parse(settings["NEWSEXTRACT_PRIVATE_ADDRESSES"])
    except PrivateAddressesError as error:
        raise UsageError(f"NEWSEXTRACT_PRIVATE_ADDRESSES: {error}", print_help=False) from error


def _check_tables(settings: BaseSettings) -> None:
    for name in _TABLES:
        try:
            settings.getdict(name)
        except (ValueError, TypeError) as error:
            value = settings[name]
            raise UsageError(f"{name}: {value!r} is no JSON object: {error}", print_help=False) from error


def _check_extractors(settings: BaseSettings) -> None:
    try:
        reader = plan_from_settings(settings).create()
        # An option of the wrong type shows only when it is used.
        for extractor in (reader.default, *reader.by_site.values()):
            extractor.extract(Page(_SAMPLE))
    except UnknownKind as error:
        raise UsageError(f"NEWSEXTRACT_KINDS: {error}", print_help=False) from error
    except BadPrecedence as error:
        raise UsageError(f"NEWSEXTRACT_METADATA_SOURCES: {error}", print_help=False) from error
    except (UnknownExtractor, BadExtractorOption, TypeError, ValueError) as error:
        names = "NEWSEXTRACT_EXTRACTOR, NEWSEXTRACT_EXTRACTOR_OPTIONS or NEWSEXTRACT_SITE_EXTRACTORS"
        raise UsageError(f"{names}: {error}", print_help=False) from error


def _check_size(settings: BaseSettings) -> None:
    value = settings["NEWSEXTRACT_PAGE_BYTES"]
    if not str(value).isdecimal() or int(value) < 1:
        raise UsageError(f"NEWSEXTRACT_PAGE_BYTES: {value!r} is no number of bytes", print_help=False)


def _check_workers(settings: BaseSettings) -> None:
    try:
        worker_settings(settings)
    except BadSetting as error:
        raise UsageError(str(error), print_help=False) from error


def _check_switches(settings: BaseSettings) -> None:
    for name in _SWITCHES:
        try:
            settings.getbool(name)
        except ValueError as error:
            raise UsageError(f"{name}: {settings[name]!r} is neither True nor False", print_help=False) from error


def _check_patience(settings: BaseSettings) -> None:
    value = settings["NEWSEXTRACT_DATABASE_PATIENCE"]
    try:
        is_right = not isinstance(value, bool) and 0 <= float(value) < inf
    except (TypeError, ValueError):
        is_right = False
    if not is_right:
        raise UsageError(
            f"NEWSEXTRACT_DATABASE_PATIENCE: {value!r} is no number of seconds, such as 600", print_help=False
        )


def _check_job_folder(settings: BaseSettings) -> None:
    if settings["JOBDIR"] and settings["NEWSEXTRACT_DATABASE"]:
        raise UsageError(
            "JOBDIR: the ledger in the database knows what is left of a crawl, and Scrapy's own record of it would keep"
            " requests away that a crash has lost; leave JOBDIR out, or set NEWSEXTRACT_DATABASE to nothing",
            print_help=False,
        )


def _check_delivery(settings: BaseSettings) -> None:
    try:
        targets_from(settings)
    except BadDelivery as error:
        raise UsageError(str(error), print_help=False) from error


def _check_database(settings: BaseSettings) -> None:
    if not settings["NEWSEXTRACT_DATABASE"]:
        return
    try:
        open_engine(settings["NEWSEXTRACT_DATABASE"]).dispose()
    except StorageError as error:
        raise UsageError(f"NEWSEXTRACT_DATABASE: {error}", print_help=False) from error


def _check_health(settings: BaseSettings) -> None:
    for name in ("NEWSEXTRACT_HEALTH_WEBHOOK", "NEWSEXTRACT_PROMETHEUS"):
        if settings[name] and not settings["NEWSEXTRACT_DATABASE"]:
            raise UsageError(f"{name}: it needs NEWSEXTRACT_DATABASE, where the runs are compared", print_help=False)
        if settings[name] and not settings.getbool("NEWSEXTRACT_HEALTH"):
            raise UsageError(f"{name}: it needs NEWSEXTRACT_HEALTH = True, which judges the sites", print_help=False)
    if (url := settings["NEWSEXTRACT_HEALTH_WEBHOOK"]) and (trouble := trouble_with(url)):
        told = f"it is no web address, such as https://example.com/hooks/news: {trouble}"
        raise UsageError(f"NEWSEXTRACT_HEALTH_WEBHOOK: {told}", print_help=False)
    if path := settings["NEWSEXTRACT_PROMETHEUS"]:
        _check_file("NEWSEXTRACT_PROMETHEUS", Path(path), "choose another file")


def _check_watch(settings: BaseSettings) -> None:
    path = settings["NEWSEXTRACT_WATCH"]
    if not path:
        return
    if not settings["NEWSEXTRACT_DATABASE"]:
        raise UsageError("NEWSEXTRACT_WATCH: matches need NEWSEXTRACT_DATABASE, which is not set", print_help=False)
    try:
        read_rules(Path(path))
    except WatchFileError as error:
        raise UsageError(f"NEWSEXTRACT_WATCH: {error}", print_help=False) from error


def _check_kept_pages(settings: BaseSettings) -> None:
    folder = settings["NEWSEXTRACT_KEEP_PAGES"]
    if folder in (None, "", "None"):
        return
    if not isinstance(folder, str | os.PathLike):
        told = f'{folder!r} is no folder, such as "output/pages"'
    elif not settings["NEWSEXTRACT_DATABASE"]:
        told = "pages are kept beside a database, and NEWSEXTRACT_DATABASE is not set"
    elif trouble := _trouble_with(Path(folder)):
        told = f"cannot write to {folder}: {trouble}"
    else:
        return
    raise UsageError(f"NEWSEXTRACT_KEEP_PAGES: {told}", print_help=False)


def _trouble_with(folder: Path) -> str | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return error.strerror
    return None if os.access(folder, os.W_OK | os.X_OK) else "permission denied"


def _check_output(target: str) -> None:
    if "://" in target and not target.startswith("file://"):
        return  # remote storages answer for themselves
    path = Path(target.removeprefix("file://"))
    if target in _STANDARD_OUTPUT or "%(" in target:
        return  # always there; or known only when Scrapy fills in the time or the spider's name
    _check_file("FEEDS", path, "choose another file with -O")


def _check_file(setting: str, path: Path, advice: str) -> None:
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{setting}: cannot write {path}: {error.strerror}", print_help=False) from error
    if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise UsageError(f"{setting}: cannot write {path}: {advice}", print_help=False)
