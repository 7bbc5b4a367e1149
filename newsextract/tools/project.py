"""The project's settings and its database, as verbs use them."""

from __future__ import annotations

import os
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from newsextract.terminal import Refusal, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy.settings import BaseSettings
    from sqlalchemy import Engine

    from newsextract.sites.fetching import PageFetcher
    from newsextract.storage.warc_store import WarcStore

with_settings = click.option(
    "-s", "--set", "given", multiple=True, metavar="NAME=VALUE", help="a setting, as in -s NEWSEXTRACT_DATABASE=URL"
)
with_url = click.option(
    "--url", metavar="URL", callback=lambda *given: _own_url(given[-1]),
    help="the page's own URL, for a file or standard input",
)  # fmt: skip
with_json = click.option("--json", is_flag=True, help="print JSON, one object per line")

_NAME_ONE = "name the database of your crawl: -s NEWSEXTRACT_DATABASE=sqlite:///FILE"
CRAWL_FIRST = "crawl first, see scrapy crawl news -a sites=https://example.com"


def is_project() -> bool:
    """Return whether there is a project: a `scrapy.cfg` here or above, or settings in the environment."""
    here = Path.cwd()
    return bool(os.environ.get("SCRAPY_SETTINGS_MODULE")) or any(
        (folder / "scrapy.cfg").is_file() for folder in (here, *here.parents)
    )


def settings_of(given: Sequence[str]) -> BaseSettings:
    """Return the project's settings, Scrapy's own where there is no project, with those that are given."""
    from scrapy.utils.project import get_project_settings

    from newsextract.settings import PREFIX, SETTINGS, is_unknown, no_such

    try:
        settings = get_project_settings()
    except (ImportError, SyntaxError) as error:
        raise Refusal(f"{os.environ.get('SCRAPY_SETTINGS_MODULE')}: the project's settings: {error}") from error
    if (project := os.environ.get("SCRAPY_PROJECT")) and is_project() and "SCRAPY_SETTINGS_MODULE" not in os.environ:
        raise Refusal(f"SCRAPY_PROJECT={project}: scrapy.cfg names no settings for it")
    for each in given:
        name, equals, value = each.partition("=")
        if not (name and equals):
            raise Refusal(f"-s {each}: write NAME=VALUE")
        if is_unknown(name) or (PREFIX + name in SETTINGS and name not in settings):
            raise Refusal(f"-s {no_such(name)}")
        settings.set(name, value, priority="cmdline")
    return settings


@contextmanager
def database_of(settings: BaseSettings, missing: str, *, is_named: bool = True) -> Iterator[Engine]:
    """Give the engine of the database, and say on standard error which it is, unless `is_named` is off.

    Raises:
        Refusal: none is set or it cannot be opened; the message begins with `missing`. A file that is not there is
            not made.
    """
    from newsextract.settings import DATABASE
    from newsextract.storage.database import StorageError, open_engine, shown

    url = DATABASE.of(settings)
    if not url:
        raise Refusal(f"{DATABASE.name} is not set: {missing}; {_NAME_ONE}")
    file = _file_of(url)
    if file is not None and not file.exists():
        raise Refusal(f"{DATABASE.name}: {file} is not there: {missing}; {CRAWL_FIRST}, or {_NAME_ONE}")
    try:
        engine = open_engine(url, may_share=False)
        if is_named:
            say(f"database: {file or shown(url)}")
        try:
            yield engine
        finally:
            engine.dispose()
    except StorageError as error:
        raise Refusal(f"{DATABASE.name}: {error}") from error


def store_of(settings: BaseSettings) -> WarcStore:
    """Return the store of what crawls have fetched; raises `Refusal` where none is set."""
    from newsextract.settings import WARC
    from newsextract.storage.warc_store import WarcStore

    folder = WARC.of(settings)
    if folder is None:
        raise Refusal(f'{WARC.name} is not set: no page is kept; set it to a folder, such as "output/warc"')
    return WarcStore(folder)


def _file_of(url: str) -> Path | None:
    """Return the file of an SQLite database, `None` for one in memory and for any other URL."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # the latter for a port
        return None
    is_file = parsed.drivername.startswith("sqlite") and parsed.database not in (None, "", ":memory:")
    return Path(parsed.database or "") if is_file else None


def fetcher_of(given: Sequence[str], **options: Any) -> PageFetcher:
    """Return what fetches single pages, by the proxies of the environment and the settings that hold or are given."""
    from urllib.request import getproxies

    from newsextract.sites.fetching import PageFetcher

    if given or is_project():
        from newsextract.settings import PRIVATE_ADDRESSES

        settings = settings_of(given)
        options["policy"] = PRIVATE_ADDRESSES.of(settings)
        if settings.getpriority("USER_AGENT"):
            options["user_agent"] = settings["USER_AGENT"]
    return PageFetcher(**options, proxies=getproxies())


def why_unfetched(error: Exception, url: str) -> str:
    """Return why a page could not be fetched, without its URL, and what helps, if anything does."""
    from newsextract.sites.fetching import NOT_FOUND, PRIVATE

    why = str(error).replace(f"{url}: ", "").removesuffix(f": {url}").removesuffix(url).rstrip()
    reason, detail = getattr(error, "reason", ""), getattr(error, "detail", "")
    if reason == NOT_FOUND:
        where = "" if detail in url else f": {detail}"
        return f"{NOT_FOUND}{where}. Is the address right, and is this machine online?"
    if reason == PRIVATE:
        why += f"; if it is meant, allow it: -s NEWSEXTRACT_PRIVATE_ADDRESSES={detail}"
    return why


def moment_of(option: str, written: str) -> datetime:
    """Return the time that an option's value means, such as `7d` or `2026-11-01`."""
    from newsextract.sites.site_files import parse_since

    try:
        return parse_since(written, datetime.now(UTC))
    except ValueError as error:
        raise Refusal(f"{option}: {error}") from error


def is_url(name: str) -> bool:
    """Return whether a name is a URL rather than a file.

    >>> is_url("HTTPS://example.com/"), is_url("https.html")
    (True, False)
    """
    return name[:8].lower().startswith(("http://", "https://"))


def check_urls(*names: str) -> None:
    """Refuse what can be neither a URL that is fetched nor a file; a URL with a password is not quoted."""
    for name in names:
        if not name.strip():
            raise Refusal("the name of a page is empty")
        scheme, is_there, rest = name.partition("://")
        if is_there and scheme.isalnum():
            from newsextract.sites.site import HAS_USER, has_user

            if has_user(name):
                raise Refusal(HAS_USER)
            if scheme == "file":
                raise Refusal(f"{name}: a file is named by its path: {rest}")
            if not is_url(name):
                raise Refusal(f"{name}: only URLs that begin with https:// or http:// are fetched")


def _own_url(url: str | None) -> str | None:
    if url:
        check_urls(url)
        if not is_url(url):
            raise Refusal(f"--url {url}: not a URL; one begins with https:// or http://")
    return url
