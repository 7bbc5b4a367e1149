"""`scrapy deliver`: sends the messages in the outbox without a crawl."""

from __future__ import annotations

import json
import logging
import signal
import threading
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.commands.command_frame import Described, refusing
from newsextract.commands.preflight import moment_of, opened_database
from newsextract.crawl.effects import targets_from
from newsextract.newsroom.delivery import sending
from newsextract.newsroom.delivery.sending import Senders, send_stored
from newsextract.settings import TARGETS, BadSetting, check
from newsextract.storage.database_thread import DatabaseThread
from newsextract.storage.outbox import Seeking, register

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from newsextract.newsroom.delivery.sending import Report
    from newsextract.newsroom.delivery.targets import Target

SOMETHING_LEFT = 1
"""Exit code if messages are left for a target."""

_PRUNE_SECONDS = 3600.0

_TARGETS = ", ".join(setting.name for setting in TARGETS)


class Command(Described, ScrapyCommand):
    """Sends the messages of the outbox."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}
    usage = "[options]"
    summary = "Send the messages that wait for brokers, webhooks, feeds and files"
    details = (
        f"A crawl sends its messages itself; this sends what it has left, or goes on beside crawls. The targets are "
        f"those of {_TARGETS}. A new target gets what is new from then on; --since sends it what is stored."
    )
    examples = (
        "scrapy deliver",
        "scrapy deliver --since 30d --to messages.jsonl",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {
        0: "everything is delivered",
        SOMETHING_LEFT: "something is left, or a target is away",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        group = parser.add_mutually_exclusive_group()
        group.add_argument("--once", action="store_true", help="end when nothing is left (the default)")
        group.add_argument("--follow", action="store_true", help="go on until it is stopped")
        group.add_argument(
            "--since", metavar="WHEN", help="send the stored articles instead that were new since then: 30d, 2026-11-01"
        )
        parser.add_argument(
            "--to", metavar="TEXT", help="only to targets with this in their names, as the report has them"
        )
        parser.add_argument("--json", action="store_true", help="print JSON, a target a line")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Send, and print a report."""
        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it runs a command
        if args:
            raise UsageError("it takes no arguments")
        targets, seconds = self._plan(opts.to), sending.END_SECONDS
        since = moment_of("--since", opts.since) if opts.since else None
        engine = opened_database(self.settings, "there is no outbox")
        thread = DatabaseThread(engine)
        if since is None:
            # What ends soon says at its end which target is away: once is enough.
            told_at = logging.WARNING if opts.follow else logging.INFO
            reports = self._send(Senders(targets, thread, told_at), seconds, follows=opts.follow)
        else:
            # First, so that no article is missed between those stored and those to come.
            for target in targets:
                thread.submit(register, Seeking(target.name, "", datetime.now(UTC))).result()
            reports = [send_stored(engine, target, since, seconds) for target in targets]
        thread.close(seconds)
        engine.dispose()
        for report in reports:
            print(json.dumps(asdict(report)) if opts.json else _line(report))
        self.exitcode = SOMETHING_LEFT if any(report.left != 0 or report.away for report in reports) else 0

    def _send(self, senders: Senders, seconds: float, *, follows: bool) -> list[Report]:
        senders.start()
        if follows:
            _wait_for_the_end(senders)
        return senders.finish(seconds, is_patient=not follows)

    def _plan(self, wanted: str | None) -> list[Target]:
        settings = self.settings
        assert settings is not None  # noqa: S101 - as above
        with refusing(BadSetting):
            check(settings, TARGETS)
        targets = targets_from(settings)
        if not targets:
            raise UsageError(f"there is nowhere to deliver to: set one of {_TARGETS}", print_help=False)
        names = ", ".join(target.name for target in targets)
        targets = [target for target in targets if (wanted or "") in target.name]
        if not targets:
            raise UsageError(f"--to: no target has {wanted!r} in its name; there are {names}", print_help=False)
        return targets


def _wait_for_the_end(senders: Senders) -> None:
    """Wait until the process is asked to end, pruning the outbox meanwhile."""
    end = threading.Event()
    for number_ in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number_, lambda *_: end.set())
    while not end.wait(_PRUNE_SECONDS):
        senders.prune()


def _line(report: Report) -> str:
    left = "an unknown number" if report.left is None else str(report.left)
    dead = f", {report.dead} put aside" if report.dead else ""
    away = f"is away ({report.away}): " if report.away else ""
    return f"{report.target}{'' if away else ':'} {away}{report.delivered} delivered{dead}, {left} left"
