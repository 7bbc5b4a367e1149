"""`scrapy doctor`: what is wrong with the installation and the project, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.utils.conf import arglist_to_dict

from newsextract.commands.command_frame import Described, console

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

UNWELL = 1
"""Exit code if a check fails."""


class Command(Described, ScrapyCommand):
    """Examines the project, its settings and the machine."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    summary = "Examine settings, database, disk and scrapyd, and say what to do"
    details = "Nothing is changed."
    examples = (
        "scrapy doctor",
        "scrapy doctor -a sites=sites.yml",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {
        0: "nothing fails, though there may be warnings",
        UNWELL: "something fails",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        parser.add_argument("-a", dest="spargs", action="append", default=[], metavar="sites=FILE", help="read it too")
        parser.add_argument("--json", action="store_true", help="print a list of objects instead of lines")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the checks and print what they find."""
        from newsextract.tools.doctor.all_checks import examine, is_well  # noqa: PLC0415 - imports all that is examined
        from newsextract.tools.doctor.finding import (  # noqa: PLC0415 - likewise
            Subject,
            as_json,
            show,
        )

        if args:
            raise UsageError("it takes no argument but options")
        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it runs a command
        findings = list(examine(Subject(self.settings, sites=_sites(opts.spargs))))
        self.exitcode = 0 if is_well(findings) else UNWELL
        if opts.json:
            print(as_json(findings))
        else:
            show(findings, console(None, highlight=False))


def _sites(arguments: list[str]) -> str:
    try:
        given = arglist_to_dict(arguments)
    except ValueError as error:
        raise UsageError("-a takes sites=FILE", print_help=False) from error
    if unknown := sorted(set(given) - {"sites"}):
        raise UsageError(f"-a {unknown[0]}: the doctor reads sites=FILE alone", print_help=False)
    return given.get("sites", "")
