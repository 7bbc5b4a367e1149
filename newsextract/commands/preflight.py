"""Checks before a command starts: errors name the setting or option and what would be right."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.exceptions import UsageError
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from newsextract.commands.command_frame import refusing
from newsextract.crawl.subscription import subscriptions_of
from newsextract.settings import DATABASE, PRIVATE_ADDRESSES, SECRETS, BadSetting, check, check_file
from newsextract.sites.site import HAS_USER, has_user
from newsextract.sites.stated_dates import parse_since
from newsextract.sites.subscriptions import SecretError, Secrets
from newsextract.storage.database import StorageError, open_engine, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy.settings import BaseSettings
    from sqlalchemy import Engine

    from newsextract.sites.site import Site

CRAWL_FIRST = "crawl first, see scrapy crawl news -a sites=https://example.com"

_STANDARD_OUTPUT = ("-", "stdout:")


def check_settings(settings: BaseSettings) -> None:
    """Raise `UsageError` for a setting with which no crawl can succeed."""
    with refusing(BadSetting):
        check(settings)
        for target in settings.getdict("FEEDS"):
            _check_output(str(target))
    if not DATABASE.of(settings):
        return
    if settings["JOBDIR"]:
        raise UsageError(
            "JOBDIR: the ledger in the database knows what is left of a crawl, and Scrapy's own record of it would keep"
            " requests away that a crash has lost; leave JOBDIR out, or set NEWSEXTRACT_DATABASE to nothing",
            print_help=False,
        )
    opened_database(settings, "").dispose()


def check_urls(*names: str | None) -> None:
    """Raise `UsageError` for a URL with a password, without quoting it; names that are not URLs pass."""
    if any("://" in name and has_user(name) for name in names if name):
        raise UsageError(HAS_USER, print_help=False)


def check_sites(sites: Iterable[Site], settings: BaseSettings) -> None:
    """Raise `UsageError` for a site that may not be visited because its address is private."""
    with refusing(BadSetting):
        policy = PRIVATE_ADDRESSES.of(settings)
    for site in sites:
        host = urlsplit(site.home).hostname or ""
        if policy.refuses_host(host):
            raise UsageError(
                f"-a sites: {site.home} is a private address; "
                f"if it is meant, allow it: -s {PRIVATE_ADDRESSES.name}={host}",
                print_help=False,
            )


def check_secrets(sites: Iterable[Site], settings: BaseSettings) -> None:
    """Raise `UsageError` for a site whose subscription names a secret or a file that is not there."""
    with refusing(BadSetting, SecretError):
        subscriptions_of(sites, Secrets.read(SECRETS.of(settings)))


def check_shared_database(settings: BaseSettings, nodes: int) -> None:
    """Raise `UsageError` if crawls on several machines cannot share the database."""
    with refusing(BadSetting):
        url = DATABASE.of(settings)
    if url and not url.startswith("sqlite"):
        return
    found = "SQLite is a file of one machine" if url else "none is set"
    raise UsageError(
        f"{DATABASE.name}: {nodes} nodes share their work in one database, and {found}; "
        "set postgresql://USER@HOST/DATABASE, here and in the environment of every node",
        print_help=False,
    )


def opened_database(settings: BaseSettings | None, missing: str) -> Engine:
    """Return the engine of the database; raises `UsageError` with `missing` if none is set."""
    with refusing(BadSetting), refusing(StorageError, prefix=f"{DATABASE.name}: "):
        url = DATABASE.of(settings or {})
        if not url:
            raise UsageError(f"{DATABASE.name} is not set: {missing}", print_help=False)
        return open_engine(url)


def stored_database(settings: BaseSettings | None, missing: str, *, is_told: bool = True) -> Engine:
    """Return the engine of a database to read, and say on standard error which it is, unless `is_told` is off.

    Raises `UsageError` with `missing` if none is set, and for a file of SQLite that is not there: it is not made.
    """
    with refusing(BadSetting):
        url = DATABASE.of(settings or {})
    file = _file_of(url) if url else None
    if file is not None and not file.exists():
        raise UsageError(
            f"{DATABASE.name}: {file} is not there: {missing}; {CRAWL_FIRST}, "
            f"or name the database of your crawl: -s {DATABASE.name}=sqlite:///FILE",
            print_help=False,
        )
    engine = opened_database(settings, missing)
    if is_told and url:
        print(f"database: {file or shown(url)}", file=sys.stderr)
    return engine


def _file_of(url: str) -> Path | None:
    """Return the file of an SQLite database, `None` for one in memory and for any other URL."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        return None
    is_file = parsed.drivername.startswith("sqlite") and parsed.database not in (None, "", ":memory:")
    return Path(parsed.database or "") if is_file and not (parsed.database or "").startswith("file:") else None


@contextmanager
def closing_database(engine: Engine) -> Iterator[None]:
    """Close a database at the end; raise `UsageError` if reading it fails."""
    try:
        with refusing(StorageError, prefix=f"{DATABASE.name}: "):
            yield
    finally:
        engine.dispose()


def moment_of(option: str, written: str) -> datetime:
    """Return the time that an option's value means; raises `UsageError` if it is not a time."""
    with refusing(ValueError, prefix=f"{option}: "):
        return parse_since(written, datetime.now(UTC))


def _check_output(target: str) -> None:
    if target in _STANDARD_OUTPUT and getattr(sys.stdout, "buffer", None) is None:
        raise BadSetting("FEEDS: standard output is closed; -O names a file")
    if "://" in target and not target.startswith("file://"):
        return  # remote storages answer for themselves
    if target in _STANDARD_OUTPUT or "%(" in target:
        return  # always there; or known only when Scrapy fills in the time or the spider's name
    try:
        check_file(Path(target.removeprefix("file://")), {})
    except ValueError as error:
        raise BadSetting(f"FEEDS: {error}; -O names another") from error
