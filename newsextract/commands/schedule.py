"""`scrapy schedule`: prints crontab lines or systemd units that run the crawl at the schedule in `sites.yml`.

With `--now` it gives the crawl to scrapyds at once, which is what the crontab for several of them runs.
"""

from __future__ import annotations

import configparser
import getpass
import os
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.conf import closest_scrapy_cfg

from newsextract.commands.command_frame import Described, refusing
from newsextract.commands.preflight import check_shared_database
from newsextract.setting_types import without_passwords
from newsextract.settings import BROKER, DATABASE, OVERLAP
from newsextract.sites.site_list.site import SiteListError
from newsextract.sites.site_list.site_list import read_sites
from newsextract.tools.deployment import timers
from newsextract.tools.deployment.scrapyd_nodes import NodesError, SharedCrawl, addresses_of, clients_of, give

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from datetime import timedelta

    from scrapy.settings import BaseSettings

CRONTAB, SERVICE, TIMER = "newsextract.crontab", "newsextract.service", "newsextract.timer"

OUTPUT = "NEWSEXTRACT_OUTPUT"
PLACES = (OUTPUT, DATABASE.name, BROKER.name, "SCRAPY_SETTINGS_MODULE", "SCRAPY_PROJECT")
"""Environment variables that set the output or the settings."""

_SQLITE = "sqlite:///"

NO_NODE, NODES_MISSING = 1, 5
"""Exit codes of `--now`: no node has the crawl, or some do not."""

UNIT_FOLDER = "/etc/systemd/system"
"""Where systemd looks for units of the administrator."""


class Command(Described, ScrapyCommand):
    """Writes timers for cron, systemd or scrapyd."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    usage = "[options] <SITES.yml>"
    summary = "Print timers for cron, systemd or scrapyd that run the crawl at the schedule of a list of sites"
    details = (
        "One timer runs at the shortest schedule of the list; the crawl skips sites that are not due. Several scrapyds "
        "share one crawl in one database, PostgreSQL or MariaDB; their names and passwords are those of ~/.netrc, else "
        "SCRAPYD_USERNAME and SCRAPYD_PASSWORD."
    )
    examples = (
        "scrapy schedule sites.yml",
        "scrapy schedule sites.yml --systemd --out timers",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {
        0: "the timers are printed or written; with --now, every scrapyd has the crawl",
        NO_NODE: "with --now: no scrapyd has the crawl",
        NODES_MISSING: "with --now: some scrapyds do not have the crawl, the others do",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        kinds = parser.add_mutually_exclusive_group()
        kinds.add_argument("--cron", action="store_true", help="lines for a crontab (default)")
        kinds.add_argument("--systemd", action="store_true", help="a service and a timer")
        parser.add_argument(
            "--scrapyd", metavar="URL[,URL…]", help="lines for a crontab that has these scrapyds run the crawl"
        )
        parser.add_argument(
            "--now", action="store_true", help="give the crawl to every --scrapyd that does not still have it; no timer"
        )
        parser.add_argument(
            "--project", type=Path, metavar="DIR", help="the folder of scrapy.cfg (default: this one's)"
        )
        parser.add_argument("--out", type=Path, metavar="DIR", help="write the files there instead of printing them")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the list, write or print the timers, and say how to enable them."""
        if len(args) != 1:
            raise UsageError("name one list of sites: scrapy schedule sites.yml --cron")
        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it runs a command
        with refusing(SiteListError):
            shortest = timers.shortest_schedule(read_sites(args[0]))
        nodes = _nodes(opts, self.settings)
        sites = Path(args[0].strip()).absolute()
        if not sites.is_file():
            raise UsageError(f"{args[0]!r} is not a file; write the sites into a sites.yml", print_help=False)
        project = _project(opts.project)
        if not f"{sites}{project}".isprintable():
            raise UsageError("a crontab holds no path with a line break; move the files", print_help=False)
        if opts.now:
            self.exitcode = _give_now(nodes, _deployed(project), str(sites))
            return
        output, environment = _in_force(self.settings)
        crawl = timers.Crawl(_scrapy(), str(project), str(sites), output, environment)
        _hand_out(_files(crawl, shortest, nodes, is_systemd=opts.systemd), opts.out)


def _nodes(opts: argparse.Namespace, settings: BaseSettings) -> list[str]:
    """Return the addresses of the scrapyds, none without `--scrapyd`; raises `UsageError` for what cannot work."""
    if opts.now and not opts.scrapyd:
        raise UsageError("--now gives the crawl to a scrapyd: name it, --scrapyd URL", print_help=False)
    if not opts.scrapyd:
        return []
    if opts.systemd or (opts.now and (opts.cron or opts.out)):
        more = "--systemd" if opts.systemd else "--cron and --out"
        does = "--now writes no timer" if opts.now else "--scrapyd writes lines for a crontab"
        raise UsageError(f"{does}; leave out {more}", print_help=False)
    with refusing(NodesError, prefix="--scrapyd: "):
        nodes = addresses_of(opts.scrapyd)
    if len(nodes) > 1:
        check_shared_database(settings, len(nodes))
    return nodes


def _give_now(nodes: Sequence[str], project: str, sites: str) -> int:
    """Give the crawl to the nodes, print what became of it, and return the exit code."""
    # Or the database would take the second node's crawl for the first one's, started twice.
    settings = {OVERLAP.name: "True"} if len(nodes) > 1 else {}
    with refusing(NodesError):
        clients = clients_of(nodes)
    answers = give(clients, SharedCrawl(project, sites, settings), datetime.now(UTC))
    for answer in answers:
        print(answer, file=sys.stderr if answer.error else sys.stdout)
    missing = sum(bool(answer.error) for answer in answers)
    return 0 if not missing else NO_NODE if missing == len(answers) else NODES_MISSING


def _files(
    crawl: timers.Crawl, shortest: timedelta | None, nodes: Sequence[str], *, is_systemd: bool
) -> dict[str, str]:
    """Return the requested texts by file name."""
    if is_systemd:
        return {SERVICE: timers.systemd_service(crawl, getpass.getuser()), TIMER: timers.systemd_timer(shortest)}
    if len(nodes) > 1:
        return {CRONTAB: timers.nodes_crontab(crawl, ",".join(nodes), shortest)}
    if nodes:
        return {CRONTAB: timers.scrapyd_crontab(nodes[0], _deployed(Path(crawl.project)), crawl.sites, shortest)}
    return {CRONTAB: timers.crontab(crawl, shortest)}


def _in_force(settings: BaseSettings) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the output folder, and the variables with which cron's crawl writes to the same places as ours.

    Raises:
        UsageError: a URL in them has a password, which everybody could read in the timer's file.
    """
    given = {name: value for name in PLACES if (value := os.environ.get(name))}
    given |= {name: settings[name] for name in PLACES if settings.getpriority(name) == SETTINGS_PRIORITIES["cmdline"]}
    for name, value in given.items():
        if without_passwords(value) != value:
            raise UsageError(
                f"{name}: its password would stand in the crontab; write the URL into the project's settings",
                print_help=False,
            )
    if output := given.get(OUTPUT):
        given[OUTPUT] = str(Path(output).absolute())
    if (file := given.get(DATABASE.name, "")).startswith(_SQLITE):
        given[DATABASE.name] = f"{_SQLITE}{Path(file.removeprefix(_SQLITE)).absolute()}"
    return given.get(OUTPUT, "output"), tuple(given.items())


def _project(asked: Path | None) -> Path:
    found = Path(asked) / "scrapy.cfg" if asked else Path(closest_scrapy_cfg() or "scrapy.cfg")
    if not found.is_file():
        where = asked or Path.cwd()
        raise UsageError(f"{where} is in no Scrapy project; name the folder of its scrapy.cfg: --project DIR")
    return found.absolute().parent


def _scrapy() -> tuple[str, ...]:
    """Return the command for this Python's Scrapy; links are not resolved, as a virtual environment is one."""
    script = Path(sys.executable).with_name("scrapy")
    return (str(script),) if script.is_file() else (sys.executable, "-m", "scrapy")


def _deployed(project: Path) -> str:
    """Return the project's name on scrapyd."""
    config = configparser.ConfigParser(interpolation=None)
    config.read(project / "scrapy.cfg", "utf-8")
    return config.get("deploy", "project", fallback="newsextract")


def _hand_out(files: dict[str, str], folder: Path | None) -> None:
    for name, text in files.items():
        if folder is None:
            print(f"# {name}\n{text}")
        else:
            _write(folder / name, text)
    where = shlex.quote(str(folder.absolute())) if folder else "."
    print("# To enable, save the above (or name a folder with --out), then:" if folder is None else "To enable:")
    for line in _enabling(where, is_systemd=TIMER in files):
        print(f"#   {line}" if folder is None else f"  {line}")


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--out: cannot write {path}: {error.strerror}", print_help=False) from error
    print(f"wrote {path}")


def _enabling(folder: str, *, is_systemd: bool) -> list[str]:
    if is_systemd:
        return [
            f"sudo cp {folder}/{SERVICE} {folder}/{TIMER} {UNIT_FOLDER}/",
            "sudo systemctl daemon-reload",
            f"sudo systemctl enable --now {TIMER}",
            f"systemctl list-timers {TIMER}; journalctl -u {SERVICE} -f",
        ]
    return [f"(crontab -l 2> /dev/null; cat {folder}/{CRONTAB}) | crontab -"]
