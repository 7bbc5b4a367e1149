"""The verb `doctor`: what is wrong with an installation, a project and its database, and what to do about it.

Nothing is changed. A check yields findings with advice; no finding means that it does not apply.
"""

from __future__ import annotations

import asyncio
import json as json_form
import os
import sys
from collections import Counter
from configparser import ConfigParser, Error
from enum import StrEnum
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import click

from newsextract.terminal import DONE, NOTHING, console, verb
from newsextract.tools.project import settings_of, with_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scrapy.settings import BaseSettings


class Verdict(StrEnum):
    """How bad it is."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing, nothing to do."""
    WARNING = "warning"
    """Crawls run, but not quite as expected."""
    FAILURE = "failure"
    """Crawls, or jobs of scrapyd, cannot run."""


class Finding(NamedTuple):
    """One result of a check."""

    verdict: Verdict
    found: str
    advice: str = ""
    """What to do about a warning or a failure."""


ok, note, warning, failure = (partial(Finding, verdict) for verdict in Verdict)


Check: TypeAlias = "Callable[[BaseSettings, str], Iterable[Finding]]"
"""Of the settings as `scrapy list` sees them, before any add-on, and the list of sites, empty if not given."""

STYLES = {Verdict.OK: "green", Verdict.NOTE: "cyan", Verdict.WARNING: "bold yellow", Verdict.FAILURE: "bold red"}


@verb("newsextract doctor", "newsextract doctor --sites sites.yml", nothing="something fails")
@click.option("--sites", metavar="FILE", help="also check this list of sites")
@click.option("--json", is_flag=True, help="print JSON")
@with_settings
def doctor(sites: str | None, json: bool, given: tuple[str, ...]) -> int:
    """Examine settings, sites, database, disk and browser, and say what to do. Nothing is changed."""
    findings = list(_examined(settings_of(given), sites or ""))
    if json:
        plain = [{"check": name, **finding._asdict()} for name, finding in findings]
        print(json_form.dumps(plain, ensure_ascii=False, indent=2))
    else:
        _show(findings)
    return NOTHING if any(finding.verdict is Verdict.FAILURE for _, finding in findings) else DONE


def _examined(settings: BaseSettings, sites: str) -> Iterator[tuple[str, Finding]]:
    """Run the checks and yield their findings with the names of the checks."""
    for name, check in CHECKS.items():
        try:
            found = list(check(settings, sites))
        except Exception as error:  # noqa: BLE001 - a check that fails is a finding, and the others continue
            found = [failure(f"could not be examined: {type(error).__name__}: {error}", "look at the setting it names")]
        for finding in found:
            yield name, finding


def _show(findings: Sequence[tuple[str, Finding]]) -> None:
    """Print a line for each finding, with its advice below, and a summary, the worst first."""
    from rich.text import Text

    terminal = console(None, highlight=False)
    for name, finding in findings:
        style = STYLES[finding.verdict]
        terminal.print(Text.assemble((f"{finding.verdict:9}", style), f"{name:10}{finding.found}"), soft_wrap=True)
        if finding.advice:
            terminal.print(Text(f"{'':19}→ {finding.advice}", style), soft_wrap=True)
    counts = Counter(finding.verdict for _, finding in findings)
    shown = ", ".join(f"{each} {counts[each]}" for each in reversed(Verdict) if counts[each])
    terminal.print(f"\n{shown}", markup=False)


PACKAGES = ("newsextract", "scrapy", "lxml", "numpy", "sqlalchemy")
"""The packages whose versions belong in a bug report."""


def packages(_: BaseSettings, _sites: str) -> Iterator[Finding]:
    """Give the versions of Python and of the main packages, and which extras are installed."""
    from newsextract.terminal import EXTRAS

    versions = (f"{name} {metadata.version(name)}" for name in PACKAGES)
    yield ok(f"Python {'.'.join(map(str, sys.version_info[:3]))} at {sys.executable}; {', '.join(versions)}")
    missing = {extra for module, extra in EXTRAS.items() if not find_spec(module)}
    there = ", ".join(sorted(set(EXTRAS.values()) - missing)) or "none"
    yield note(f"extras installed: {there}" + (f"; not: {', '.join(sorted(missing))}" if missing else ""))


# The project.


def settings(given: BaseSettings, _sites: str) -> Iterator[Finding]:
    """Look whether settings of a project were found, and what is wrong with ours."""
    from newsextract.settings import troubles

    module = os.environ.get("SCRAPY_SETTINGS_MODULE")
    if module is None:
        yield warning("no Scrapy project here: Scrapy's own settings are examined", "run it where scrapy.cfg is")
    else:
        yield ok(f"{module}, of the project {given['BOT_NAME']}")
    for error in troubles(given):
        yield failure(str(error), "correct it: docs/settings.md says what each setting may be")


def addon(given: BaseSettings, _sites: str) -> Iterator[Finding]:
    """Check whether the add-on is enabled."""
    from scrapy.utils.misc import load_object

    from newsextract.addon import NewsExtract

    advice = 'ADDONS = {"newsextract.addon.NewsExtract": 500}'
    try:
        names = {load_object(name): order for name, order in given.getdict("ADDONS").items()}
    except (ImportError, NameError, ValueError, TypeError) as error:
        yield failure(f"ADDONS cannot be loaded: {error}", advice)
        return
    if names.get(NewsExtract) is None:
        yield failure("newsextract's add-on is not in ADDONS: no page would become an article", advice)
    else:
        yield ok("newsextract.addon.NewsExtract")


def sites(given: BaseSettings, listed: str) -> Iterator[Finding]:
    """Read the list of sites, if one is given, and look up the secrets that it names; no value is shown."""
    from newsextract.crawl.subscription import subscriptions_of
    from newsextract.settings import SECRETS
    from newsextract.sites.site_list import read_sites
    from newsextract.sites.subscriptions import SecretError, Secrets

    if not listed:
        yield note("none named: newsextract doctor --sites FILE reads one")
        return
    try:
        found = read_sites(listed)
        secrets = Secrets.read(SECRETS.of(given))
    except (ValueError, OSError) as error:
        # A file that is not there may as well be a URL without its scheme.
        is_there = Path(listed).exists()
        yield failure(str(error), "correct the list of sites" if is_there else "name a file that is there, or URLs")
        return
    yield ok(f"{len(found)} in {listed}")
    for site in (each for each in found if each.access and each.enabled):
        try:
            subscriptions_of([site], secrets)
        except SecretError as error:
            yield failure(str(error), "docs/how-to/subscriptions.md says where secrets are")
        else:
            yield ok(f"the subscription to {site.name} has what it needs")


def feeds(given: BaseSettings, _sites: str) -> Iterator[Finding]:
    """Check FEEDS, and whether a scrapyd would replace them by its items_dir."""
    from newsextract.settings import DATABASE

    folder, home = Path.cwd(), Path.home()
    # In the order in which scrapyd reads them: the last one that has a setting decides.
    files = (Path("/etc/scrapyd/scrapyd.conf"), folder / "scrapyd.conf", home / ".scrapyd.conf", folder / "scrapy.cfg")
    parser = ConfigParser(interpolation=None)
    try:
        read = parser.read(files, encoding="utf-8")
    except (Error, UnicodeDecodeError) as error:
        yield failure(str(error).splitlines()[0], "correct the file: scrapyd does not start with it")
    else:
        if items := parser.get("scrapyd", "items_dir", fallback="").strip():
            where = f"in {' or '.join(read)}"
            yield warning(f"items_dir = {items} {where}: scrapyd replaces FEEDS in every job", f"`items_dir =` {where}")
    if targets := given.getdict("FEEDS"):
        yield ok(f"articles go to {', '.join(map(str, targets))}")
    elif DATABASE.of(given):
        yield ok("FEEDS is empty: articles go to the database only")
    else:
        yield warning("neither FEEDS nor NEWSEXTRACT_DATABASE: articles go nowhere", "set one of them, or use -O FILE")


# The machine.


def database(given: BaseSettings, _sites: str) -> Iterator[Finding]:
    """Connect to the database and look at its tables; a file that is not there is not made."""
    from newsextract.settings import DATABASE
    from newsextract.storage.database import StorageError, make_engine, opening, shown
    from newsextract.storage.migrations import REVISIONS, revision_of

    url = DATABASE.of(given)
    if not url:
        yield note("none: NEWSEXTRACT_DATABASE is not set, so every run starts from nothing")
        return
    file = url.removeprefix("sqlite:///")
    if file != url and not Path(file).exists():
        yield note(f"{file} is not there yet: the first crawl makes it")
        return
    try:
        with opening(url):
            engine = make_engine(url)
            with engine.connect() as connection:
                revision = revision_of(connection)
    except StorageError as error:
        yield failure(str(error), "start it, or correct NEWSEXTRACT_DATABASE")
        return
    if revision is None:
        yield ok(f"{shown(url)} has no tables yet: the first crawl makes them")
    elif revision == REVISIONS[-1]:
        yield ok(f"{shown(url)} has tables that are up to date")
    else:
        advice = "the next crawl updates older ones: make a backup first; for newer ones, upgrade newsextract"
        yield warning(f"tables are at {revision}, this newsextract has {REVISIONS[-1]}", advice)


START_SECONDS = 30.0
"""A browser that takes longer to start does not."""


def browser(given: BaseSettings, listed: str) -> Iterator[Finding]:
    """Start the browser that pages are rendered in, if any page is to be rendered."""
    from newsextract.crawl.rendering.proxy import GuardedProxy
    from newsextract.crawl.rendering.rendering import limits_of, trouble_of
    from newsextract.settings import NEVER, PRIVATE_ADDRESSES, RENDER
    from newsextract.sites.site_list import read_sites

    try:
        rendered = [site for site in read_sites(listed) if site.render] if listed else []
        if RENDER.of(given) == NEVER and all(site.render == NEVER for site in rendered):
            return
        limits, error = limits_of(given), trouble_of(given)
    except ValueError:
        return  # the checks of the settings and of the sites report it
    if error:
        advice = f"it is looked for because of {RENDER.name}, or render in sites.yml"
        yield failure(error.partition(": ")[2], advice)
        return
    yield asyncio.run(_started(limits, GuardedProxy(PRIVATE_ADDRESSES.of(given))))
    if not limits.has_sandbox:
        yield warning("the browser has no sandbox", "crawl as another user than root")


async def _started(limits: Any, proxy: Any) -> Finding:
    from newsextract.crawl.outcome import NotSent
    from newsextract.crawl.rendering.browser import Browser

    found = Browser(proxy, limits)
    try:
        async with asyncio.timeout(START_SECONDS):
            return ok(f"the browser starts: {await found.version()} at {limits.executable}")
    except (NotSent, TimeoutError) as error:
        why = str(error) or f"the browser did not start in {START_SECONDS:.0f} seconds"
        return failure(
            why, "look at NEWSEXTRACT_RENDER_BROWSER; in a container it may be a script that adds --no-sandbox"
        )
    finally:
        await found.close()
        await proxy.close()


CHECKS: dict[str, Check] = {
    "packages": packages,
    "settings": settings,
    "add-on": addon,
    "sites": sites,
    "feeds": feeds,
    "database": database,
    "browser": browser,
}
"""All checks, in the order in which a person would make them."""
