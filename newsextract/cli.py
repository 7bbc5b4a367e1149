"""The command `newsextract VERB`: finds the verb, and makes one line of whatever ends it early.

Verbs are commands of click, in the module that does the work; it is imported only when it is asked for.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING

import click

from newsextract.terminal import (
    DONE,
    EXTRAS,
    INTERRUPTED,
    NOTHING,
    USAGE,
    Verb,
    codes_help,
    drop_the_rest,
    prepare_streams,
    say,
    why,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

VERBS = {
    "extract": ("newsextract.tools.pages", "Print the articles of files, folders or URLs (default command)"),
    "probe": ("newsextract.tools.probe", "Show what a site offers, what blocks it, and a sites.yml entry"),
    "rules": ("newsextract.tools.rules", "Test the rules in sites.yml on their test_urls"),
    "compare": ("newsextract.tools.evaluate", "Show what each extractor keeps of a page, side by side"),
    "replay": ("newsextract.tools.replay", "Read kept pages again and show what would change"),
    "evidence": ("newsextract.tools.evidence", "Pack an article's records as WACZ, for replayweb.page"),
    "search": ("newsextract.tools.stored", "Search stored articles, newest first"),
    "watch": ("newsextract.tools.stored", "Match stored articles against the rules in watch.yml"),
    "deliver": ("newsextract.tools.stored", "Send waiting messages to brokers, webhooks, feeds and files"),
    "health": ("newsextract.tools.stored", "Show the state of each site: silent, blocked, changed layout"),
    "doctor": ("newsextract.tools.doctor", "Check settings, sites, database, disk and browser"),
    "evaluate": ("newsextract.tools.evaluate", "Compare extractors on annotated pages"),
    "template": ("newsextract.tools.evaluate", "Group the pages of a site by structure"),
    "archive": ("newsextract.archives.command", "Turn WARC files into a data set of articles"),
    "export": ("newsextract.archives.export", "Export stored articles as Parquet, CSV, JSON Lines or Markdown"),
    "desk": ("newsextract.tools.stored", "Serve the desk: stored articles in the browser"),
    "mcp": ("newsextract.tools.stored", "Serve stored articles to an assistant (Model Context Protocol)"),
}
"""The module of each verb, in which a function has its name, and its line in the list of verbs."""

HELP = ("-h", "--help")

_OWN_EXTRAS = {"evaluate": "evaluate", "template": "evaluate", "archive": "archive", "desk": "desk"}
"""The extras of some verbs, of which all but `evaluate` bring `crawl`; that brings rich alone of it."""

_IS_OF_ARGUMENTS = re.compile("Missing |Got unexpected extra ")
_NUMBER = re.compile("is not a valid integer( range)?")
"""Of click's messages."""


class Verbs(click.Group):
    """The verbs, each imported when it is asked for; without one, pages are extracted."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as click has it
        """Return the names of the verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Verb | None:  # noqa: ARG002 - likewise
        """Return a verb; `None` if there is none of this name."""
        return command_of(cmd_name) if cmd_name in VERBS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of verbs, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in VERBS.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `extract` before arguments that begin with no verb."""
        first = args[0] if args else HELP[0]
        if first not in VERBS and first not in (*HELP, "--version"):
            if first.isalpha() and not os.path.exists(first):  # noqa: PTH110 - any text may be given
                ctx.fail(f"{first}: neither a command nor a page; {_meant(first, args[1:])}")
            late = [word for before, word in pairwise(args) if word in VERBS and not before.startswith("-")]
            if first.startswith("-") and late:
                ctx.fail(f"{late[0]}: put the command first: newsextract {late[0]} {first} …")
            args = ["extract", *args]
        return super().parse_args(ctx, args or ["--help"])


def _meant(word: str, others: Sequence[str]) -> str:
    """Return what to type instead of a word that is no verb."""
    site = next((each for each in others if not each.startswith("-")), "https://example.com")
    instead = {"crawl": f"scrapy crawl news -a sites={site}", "help": "newsextract --help"}
    instead |= {"version": "newsextract --version"} | {name: f"newsextract {name}" for name in VERBS}
    near = get_close_matches(word, instead, 1)
    return f"did you mean {instead[near[0]]}?" if near else "newsextract --help lists the commands"


def _version(context: click.Context, _option: click.Parameter, is_wanted: bool) -> None:
    if is_wanted:
        import newsextract  # noqa: PLC0415 - the version is looked up only then

        print(f"newsextract {newsextract.__version__}")
        context.exit()


@click.group(
    cls=Verbs, subcommand_metavar="COMMAND [ARGS]",
    context_settings={"help_option_names": HELP, "max_content_width": 100, "show_default": True},
    epilog=f"newsextract COMMAND --help shows the options of a command.\n\n{codes_help()}",
)  # fmt: skip
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="print the version")
def newsextract() -> None:
    """Extract articles from news pages, and work with what a crawl has stored.

    In a folder with a scrapy.cfg, the settings of that project apply. To crawl a site: scrapy crawl news -a sites=URL.
    """


def command_of(name: str) -> Verb:
    """Return a verb."""
    found: Verb = getattr(import_module(VERBS[name][0]), name)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: each error that a user can mend is one line on standard error."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    prepare_streams()
    try:
        code = _run(given)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader has enough, as `head` has
        drop_the_rest(sys.stdout)
        return DONE
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except Exception as error:
        verb = next((word for word in given[:1] if word in VERBS), "")
        line, code = _told(error, verb)
        if line is None:
            raise
        if isinstance(error, OSError):
            drop_the_rest(sys.stdout)  # of which the disk may be full
        say(f"{f'newsextract {verb}'.strip()}: {line}")
    return code


def _run(given: list[str]) -> int:
    try:
        with newsextract.make_context("newsextract", given) as context:
            return int(newsextract.invoke(context) or DONE)
    except click.exceptions.Exit as end:
        return end.exit_code


def _told(error: Exception, verb: str) -> tuple[str | None, int]:
    """Return an error's line and exit code; no line for one that no user can mend."""
    if isinstance(error, click.ClickException):
        return _usage(error), USAGE
    module = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if extra := EXTRAS.get(module):
        own = _OWN_EXTRAS.get(verb, extra)
        if extra == "crawl" and (own != "evaluate" or module == "rich"):
            extra = own
        return f"the module {module} is not installed: pip install 'newsextract[{extra}]'", USAGE
    if isinstance(error, OSError):
        return why(error), NOTHING
    if type(error).__module__.startswith("newsextract."):  # an error of our own is a sentence for people
        return str(error), USAGE
    return None, NOTHING


def _usage(error: click.ClickException) -> str:
    """Return what is wrong with the arguments; an unknown option is answered with those that there are."""
    message = error.format_message().rstrip(".")
    command = getattr(getattr(error, "ctx", None), "command", None)
    if isinstance(error, click.NoSuchOption) and command is not None:
        known = [name for each in command.params for name in (*each.opts, *each.secondary_opts) if name[0] == "-"]
        near = get_close_matches(error.option_name, (*known, *HELP, "--version"), 1)
        meant = f"did you mean {near[0]}? There are" if near else "there are"
        return f"No such option: {error.option_name}; {meant} {', '.join(known)}"
    if isinstance(command, Verb) and _IS_OF_ARGUMENTS.match(message):
        return f"{message}; as in: {command.examples[0]}"
    return _NUMBER.sub("is not a whole number", message)


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        sys.exit(main())
