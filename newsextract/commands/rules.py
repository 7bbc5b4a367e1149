"""`scrapy rules`: imports the rules of another program into a list of sites."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.commands.command_frame import Described, console, refusing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from newsextract.tools.site_rules.rules_import import RulesImport

NOTHING = 1
"""Exit code if no file holds a rule."""


class Command(Described, ScrapyCommand):
    """Imports rules."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    usage = "[options] import <FOLDER>"
    summary = "Import the site configurations of Full-Text RSS as rules for sites.yml"
    details = (
        "FOLDER holds a .txt file per host. The list goes to -o FILE and the counts of what was taken over to standard "
        "output; without -o, the list goes there, and the counts to standard error. No site of it is enabled."
    )
    examples = ("scrapy rules import ftr-site-config -o rules.yml",)
    exit_codes: ClassVar[Mapping[int, str]] = {
        0: "the rules are written",
        NOTHING: "no file of the folder holds a rule",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the list there")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the folder, write the list, print the counts."""
        if len(args) != 2 or args[0] != "import":
            raise UsageError("name the folder: scrapy rules import ftr-site-config -o rules.yml")
        folder = Path(args[1])
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder", print_help=False)
        from newsextract.tools.site_rules.rules_import import as_yaml, read_folder  # noqa: PLC0415 - Scrapy imports every command

        with refusing(OSError):
            found = read_folder(folder)
            if not found.sites:
                print(f"{folder}: no .txt file there holds a rule", file=sys.stderr)
                self.exitcode = NOTHING
                return
            text = as_yaml(found.sites.values())
            if opts.output:
                opts.output.write_text(text, "utf-8")
            else:
                print(text, end="")
        _print(found, is_piped=not opts.output)


def _print(found: RulesImport, *, is_piped: bool) -> None:
    from rich.box import SIMPLE  # noqa: PLC0415 - only where something is printed
    from rich.table import Table  # noqa: PLC0415 - likewise

    table = Table("directive", "taken over", "not needed", "not taken over", "broken", box=SIMPLE)
    tally = found.tally
    for name in tally.names():
        counts = (each[name] for each in (tally.taken, tally.needless, tally.left, tally.broken))
        table.add_row(name, *(str(count or "") for count in counts))
    shown = console(stderr=is_piped)
    shown.print(table)
    shown.print(
        f"{found.files} files: {len(found.sites)} sites, {found.empty} without a rule, {found.refused} of no host or "
        f"one met before; {found.with_body_rule} of {found.with_body} with a body have their body rule"
    )
