"""`make scrapyd`: deploys the project to a scrapyd, runs one crawl to its articles, and leaves the server running."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from rich.console import Console
from scrapy.utils.conf import closest_scrapy_cfg

from newsextract.command_help import complete, port
from newsextract.tools.demo import build_newsroom
from newsextract.tools.demo import serve as serve_newsroom
from newsextract.tools.demo.__main__ import FIRST_PORT
from newsextract.tools.deployment.deployment_report import articles_table, how_to_go_on, why_it_failed
from newsextract.tools.deployment.project_egg import EggError, build_egg
from newsextract.tools.deployment.scrapyd_api import ENDED_WELL, PROJECT, ScrapydError, schedule
from newsextract.tools.deployment.scrapyd_server import serve

if TYPE_CHECKING:
    from newsextract.tools.deployment.scrapyd_api import ScrapydClient

DEMO_SETTINGS = {
    # The demo newsroom is on loopback, which other crawls may not visit.
    "NEWSEXTRACT_PRIVATE_ADDRESSES": "1",
    # It is our own server, so no delay is needed.
    "CONCURRENT_REQUESTS_PER_DOMAIN": "8",
    "DOWNLOAD_DELAY": "0",
    "RETRY_TIMES": "0",
}

FAILED = 1

_EXAMPLES = (
    "python -m newsextract.tools.deployment",
    "python -m newsextract.tools.deployment --once -a limit=5",
)


def main(arguments: list[str]) -> int:
    """Serve, deploy, crawl, show, and wait for Ctrl-C; return the exit code."""
    options = _parser().parse_args(arguments)
    # SIGTERM ends it like Ctrl-C, also if a shell that started it in the background ignores Ctrl-C.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    console = Console(highlight=False, soft_wrap=True)
    try:
        return run(options, console)
    except (ScrapydError, EggError) as error:
        console.print(f"error: {error}", style="red", markup=False)
        return FAILED
    except KeyboardInterrupt:
        console.print("scrapyd and its jobs are stopped.")
        return 0


def run(options: argparse.Namespace, console: Console) -> int:
    """Serve a scrapyd and, unless there are sites, the demo newsroom; Ctrl-C ends it at any time."""
    options.project = _project()
    options.output = Path(os.environ.get("NEWSEXTRACT_OUTPUT") or options.folder / "output").resolve()
    settings = dict(options.s)
    with ExitStack() as stack:
        if not options.sites:
            options.sites = ",".join(stack.enter_context(serve_newsroom(build_newsroom(), FIRST_PORT)))
            settings = DEMO_SETTINGS | settings
            console.print(f"No SITES given: the demo newsroom is at {options.sites.replace(',', ' ')}")
        environment = {"NEWSEXTRACT_OUTPUT": str(options.output)}
        client = stack.enter_context(serve(options.folder.resolve(), options.port, environment))
        try:
            return crawl(client, options, settings, console)
        except KeyboardInterrupt:
            console.print("\nstopping, after what is being fetched; Ctrl-C again stops at once")
            raise


def crawl(client: ScrapydClient, options: argparse.Namespace, settings: dict[str, str], console: Console) -> int:
    """Deploy, crawl, show the articles, and wait unless `--once` is given; return the exit code."""
    console.print(f"scrapyd   {client.url}/  user {client.username}, password {_shown(client)}", markup=False)
    deploy(client, options.project, options.folder, console)
    job = schedule(client, {"sites": _absolute(options.sites), **dict(options.a)}, settings)
    console.print(f"scheduled job {job.name}; its log:\n", markup=False)
    log = job.follow(lambda line: console.print(line, style="dim", markup=False))
    console.print()
    is_good = ENDED_WELL in log
    if is_good:
        articles_table(job.articles(options.output), console)
    else:
        console.print(why_it_failed(options.folder), style="red", markup=False)
    if not options.once:
        console.print(how_to_go_on(client, options.folder, options.output), markup=False)
        Event().wait()
    return 0 if is_good else FAILED


def deploy(client: ScrapydClient, project: Path, folder: Path, console: Console) -> None:
    """Build the egg and upload it, with the current time as its version."""
    egg = build_egg(project, folder / "built")
    version = str(int(time.time()))
    client.deploy(PROJECT, version, egg)
    spiders = ", ".join(client.spiders(PROJECT))
    console.print(f"deployed  {egg.name} as version {version}; spiders: {spiders}", markup=False)


def _project() -> Path:
    path = closest_scrapy_cfg()
    if not path or not Path(path).with_name("setup.py").exists():
        raise EggError("no project here: run it in a checkout of newsextract, where setup.py and scrapy.cfg are")
    return Path(path).resolve().parent


def _absolute(sites: str) -> str:
    """Return a file's absolute path, since the job runs in another folder; URLs are returned unchanged."""
    is_file = "://" not in sites and Path(sites).is_file()
    return str(Path(sites).resolve()) if is_file else sites


def _shown(client: ScrapydClient) -> str:
    return "as in SCRAPYD_PASSWORD" if os.environ.get("SCRAPYD_PASSWORD") else client.password


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m newsextract.tools.deployment",
        description="Start a scrapyd on loopback, deploy the project, run one crawl and show its log and articles.\n\n"
        "The password is new each time, unless SCRAPYD_USERNAME and SCRAPYD_PASSWORD are set.",
    )
    parser.add_argument("--sites", default="", help="as in -a sites=…; without it, the demo newsroom is crawled")
    parser.add_argument("--port", type=port, default=0, help="of scrapyd (default: a free one)")
    parser.add_argument(
        "--folder", type=Path, default=Path("output/scrapyd"), help="for scrapyd (default: %(default)s)"
    )
    parser.add_argument("--once", action="store_true", help="stop scrapyd when the crawl is finished")
    parser.add_argument("-a", type=_pair, action="append", default=[], metavar="NAME=VALUE", help="a spider argument")
    parser.add_argument("-s", type=_pair, action="append", default=[], metavar="NAME=VALUE", help="a setting")
    complete(parser, _EXAMPLES, {0: "it was stopped", FAILED: "the crawl failed", 2: "a wrong argument"})
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
