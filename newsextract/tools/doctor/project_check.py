"""Checks the project: its settings, add-on, spiders, politeness, and where articles are written."""

from __future__ import annotations

import os
from configparser import ConfigParser, Error
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import default_settings
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.misc import load_object

from newsextract.addon import NewsExtract
from newsextract.settings import DATABASE, troubles
from newsextract.sites.site import SiteListError
from newsextract.sites.site_list import read_sites
from newsextract.tools.doctor.finding import failure, note, ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.tools.doctor.finding import Finding, Subject

SHIPPED_AGENT = "pypi.org/project/newsextract"
"""Part of the default USER_AGENT, which names the software and not who runs it."""

PORTS = {
    "TELNETCONSOLE_ENABLED": "the telnet console",
    "REMOTE_CONTROL_ENABLED": "remote control",
}
"""Settings that open a port through which Python code can be run."""


def settings(subject: Subject) -> Iterator[Finding]:
    """Look whether settings of a project were found, and what is wrong with ours."""
    module = os.environ.get("SCRAPY_SETTINGS_MODULE")
    if module is None:
        yield warning("no Scrapy project here: Scrapy's own settings are examined", "run it where scrapy.cfg is")
    else:
        yield ok(f"{module}, of the project {subject.settings['BOT_NAME']}")
    for error in troubles(subject.settings):
        yield failure(str(error), "correct it: docs/settings.md says what each setting may be")


def addon(subject: Subject) -> Iterator[Finding]:
    """Check whether the add-on is enabled."""
    try:
        names = {load_object(name): order for name, order in subject.settings.getdict("ADDONS").items()}
    except (ImportError, NameError, ValueError, TypeError) as error:
        yield failure(f"ADDONS cannot be loaded: {error}", 'ADDONS = {"newsextract.addon.NewsExtract": 500}')
        return
    if names.get(NewsExtract) is None:
        advice = 'ADDONS = {"newsextract.addon.NewsExtract": 500} in the settings'
        yield failure("newsextract's add-on is not in ADDONS: no page would become an article", advice)
    else:
        yield ok("newsextract.addon.NewsExtract")


def spiders(subject: Subject) -> Iterator[Finding]:
    """List the spiders as scrapyd does, by `scrapy list`, which runs no add-on."""
    modules = subject.settings.getlist("SPIDER_MODULES")
    if not modules:
        advice = "set SPIDER_MODULES in the settings themselves: scrapyd lists spiders before any add-on runs"
        yield failure("SPIDER_MODULES is empty: scrapyd would say 'spider not found'", advice)
        return
    try:
        names = get_spider_loader(subject.settings).list()
    except (ImportError, SyntaxError) as error:
        yield failure(f"SPIDER_MODULES {modules}: {error}", "name modules that can be imported")
        return
    if names:
        yield ok(f"scrapyd will find: {', '.join(sorted(names))}")
    else:
        yield failure(f"no spider in SPIDER_MODULES {modules}", "name the modules that hold spiders")


def manners(subject: Subject) -> Iterator[Finding]:
    """Check that robots.txt is obeyed and that the user agent names a contact."""
    if not subject.settings.getbool("ROBOTSTXT_OBEY"):
        yield warning("ROBOTSTXT_OBEY is off: robots.txt is ignored", "ROBOTSTXT_OBEY = True")
    else:
        yield ok("robots.txt is obeyed")
    yield agent_finding(str(subject.settings["USER_AGENT"] or ""))


def agent_finding(agent: str) -> Finding:
    """Check whether a user agent tells a site whom to contact."""
    advice = 'USER_AGENT = "your-newsroom (+https://example.com/bot; bot@example.com)"'
    if SHIPPED_AGENT in agent or agent == default_settings.USER_AGENT:
        return warning(f"USER_AGENT names the software and not you: {agent}", advice)
    if "@" not in agent and "://" not in agent:
        return warning(f"USER_AGENT has neither an e-mail address nor a URL: {agent or 'empty'}", advice)
    return ok(f"the user agent names a contact: {agent}")


def ports(subject: Subject) -> Iterator[Finding]:
    """Check for open ports through which Python code can be run."""
    opened = [name for name in PORTS if subject.settings.getbool(name)]
    for name in opened:
        yield warning(f"{PORTS[name]} lets anyone who reaches its port run code", f"{name} = False")
    if not opened:
        yield ok("no telnet console, no remote control")


def job_folder(subject: Subject) -> Iterator[Finding]:
    """Look for a JOBDIR beside the ledger."""
    folder, database = subject.settings["JOBDIR"], DATABASE.of(subject.settings)
    if folder and database:
        advice = "leave JOBDIR out: after an interruption the same command goes on, by the database alone"
        yield warning(f"JOBDIR {folder} remembers pages that the database would visit again", advice)


def sites(subject: Subject) -> Iterator[Finding]:
    """Read the list of sites, if one is given."""
    if not subject.sites:
        yield note("none named: scrapy doctor -a sites=FILE reads one")
        return
    try:
        found = read_sites(subject.sites)
    except (SiteListError, OSError) as error:
        # A file that is not there may as well be a URL without its scheme.
        is_there = Path(subject.sites).exists()
        yield failure(f"{error}", "correct the list of sites" if is_there else "name a file that is there, or URLs")
        return
    yield ok(f"{len(found)} in {subject.sites}")


ETC = Path("/etc/scrapyd")


def feeds(subject: Subject) -> Iterator[Finding]:
    """Check FEEDS, and whether a scrapyd would replace them."""
    yield from override_findings(configuration_files(subject.folder, Path.home(), ETC))
    targets = subject.settings.getdict("FEEDS")
    if targets:
        yield ok(f"articles go to {', '.join(map(str, targets))}")
    elif DATABASE.of(subject.settings):
        yield ok("FEEDS is empty: articles go to the database only")
    else:
        yield warning("neither FEEDS nor NEWSEXTRACT_DATABASE: articles go nowhere", "set one of them, or use -O FILE")


def configuration_files(folder: Path, home: Path, etc: Path) -> tuple[Path, ...]:
    """Return the files from which a scrapyd in a folder reads its configuration; the last one takes precedence."""
    projects = [place / "scrapy.cfg" for place in (folder, *folder.parents) if (place / "scrapy.cfg").exists()]
    own = (etc / "scrapyd.conf", *sorted((etc / "conf.d").glob("*")), folder / "scrapyd.conf", home / ".scrapyd.conf")
    return (*own, *projects[:1])


def override_findings(files: Sequence[Path]) -> Iterator[Finding]:
    """Check whether one of scrapyd's files sets items_dir, which replaces FEEDS."""
    setting, by = "", None
    for file in files:
        parser = ConfigParser(interpolation=None)
        try:
            parser.read(file, encoding="utf-8")
        except (Error, UnicodeDecodeError) as error:
            yield failure(f"{file}: {str(error).splitlines()[0]}", "correct it: scrapyd does not start with it")
            continue
        if parser.has_option("scrapyd", "items_dir"):
            setting, by = parser.get("scrapyd", "items_dir").strip(), file
    if setting:
        yield warning(f"items_dir = {setting} in {by}: scrapyd replaces FEEDS in every job", f"`items_dir =` in {by}")
