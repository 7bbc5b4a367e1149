"""`scrapy deliver`: sends the messages in the outbox without a crawl."""

from __future__ import annotations

import json
import signal
import threading
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.commands.command_frame import Described, refusing
from newsextract.commands.preflight import opened_database
from newsextract.crawl.extensions.outbox_delivery import targets_from
from newsextract.newsroom.delivery.all_senders import Senders
from newsextract.setting_types import BadSetting
from newsextract.settings import BROKER_QUEUE, DELIVERY_SECONDS, OUTBOX_DAYS, TARGETS, check
from newsextract.storage.database.database_thread import DatabaseThread

if TYPE_CHECKING:
    import argparse

    from newsextract.newsroom.delivery.all_senders import Report
    from newsextract.newsroom.delivery.target import Target

SOMETHING_LEFT = 1
"""Exit code if messages are left for a target."""

_PRUNE_SECONDS = 3600.0

_TARGETS = ", ".join(setting.name for setting in TARGETS)


class Command(Described, ScrapyCommand):
    """Sends the messages of the outbox."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}
    usage = "[--once | --follow]"
    summary = "Send the messages that wait for brokers, webhooks, feeds and files"
    details = (
        f"A crawl sends its messages itself; this sends what it has left, or goes on beside crawls. The targets "
        f"are those of {_TARGETS}. The exit code is 1 when something is left: a target is away."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        group = parser.add_argument_group("Delivery").add_mutually_exclusive_group()
        group.add_argument("--once", action="store_true", help="end when nothing is left (the default)")
        group.add_argument("--follow", action="store_true", help="go on until it is stopped")
        parser.add_argument("--json", action="store_true", help="print JSON, a target a line")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Send, and print a report."""
        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it runs a command
        if args:
            raise UsageError("it takes no arguments")
        targets, seconds, keep_days = self._plan()
        engine = opened_database(self.settings, "there is no outbox")
        thread = DatabaseThread(engine)
        senders = Senders(targets, thread, keep_days)
        senders.start()
        if opts.follow:
            _wait_for_the_end(senders)
        reports = senders.finish(seconds, is_patient=not opts.follow)
        thread.close(seconds)
        engine.dispose()
        for report in reports:
            print(json.dumps(asdict(report)) if opts.json else _line(report))
        self.exitcode = SOMETHING_LEFT if any(report.left != 0 for report in reports) else 0

    def _plan(self) -> tuple[list[Target], float, float]:
        settings = self.settings
        assert settings is not None  # noqa: S101 - as above
        with refusing(BadSetting):
            check(settings, (*TARGETS, BROKER_QUEUE))
        targets = targets_from(settings)
        if not targets:
            raise UsageError(f"there is nowhere to deliver to: set one of {_TARGETS}", print_help=False)
        return targets, DELIVERY_SECONDS.of(settings), OUTBOX_DAYS.of(settings)


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
    return f"{report.target}: {report.delivered} delivered{dead}, {left} left"
