"""The command `newsextract VERB`: finds the verb, and makes one line of whatever ends it early.

Verbs are functions with typed options, in the module that does the work; it is imported only when it is asked for.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core
import typer.main

from newsextract.terminal import DONE, EXTRAS, INTERRUPTED, NOTHING, USAGE, drop_the_rest, prepare_streams, say

if TYPE_CHECKING:
    from collections.abc import Sequence

VERBS = {
    "extract": ("newsextract.tools.pages", "Print the articles of files, folders, URLs or -; the word may be left out"),
    "probe": ("newsextract.tools.probe", "Show what a site offers, what blocks it, and its lines for sites.yml"),
    "rules": ("newsextract.tools.rules", "Try the rules in sites.yml on their test_urls"),
    "compare": ("newsextract.tools.compare", "Show what each extractor keeps of a page, side by side"),
    "replay": ("newsextract.tools.replay", "Read kept pages again, and show what would change in the database"),
    "search": ("newsextract.tools.stored", "Find stored articles by their words, the newest first"),
    "watch": ("newsextract.tools.stored", "Compare stored articles with the rules of a watch.yml"),
    "deliver": ("newsextract.tools.stored", "Send the messages that wait for brokers, webhooks, feeds and files"),
    "health": ("newsextract.tools.stored", "Show the state of each site: silent, blocked, changed layout"),
    "doctor": ("newsextract.tools.doctor", "Examine settings, database, disk and scrapyd, and say what to do"),
    "evaluate": ("newsextract.tools.evaluate", "Compare extractors on annotated pages"),
    "template": ("newsextract.tools.evaluate", "Group the pages of a site by structure, and draw what they share"),
    "archive": ("newsextract.archives.command", "Read the articles of WARC files into a data set"),
    "export": ("newsextract.archives.export", "Write stored articles as Parquet, CSV, JSON Lines or Markdown"),
    "desk": ("newsextract.tools.stored", "Look at the articles in a browser"),
}
"""The module of each verb, in which a function has its name, and its line in the list of verbs."""

HELP = ("-h", "--help")


class Verbs(typer.core.TyperGroup):
    """The verbs, each imported when it is asked for; without one, pages are extracted."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override] # noqa: ARG002 - as Typer has it
        """Return the names of the verbs."""
        return list(VERBS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override] # noqa: ARG002 - likewise
        """Return a verb; `None` if there is none of this name."""
        return command_of(cmd_name) if cmd_name in VERBS else None

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override] # noqa: ARG002
        """Write the list of verbs, without importing any."""
        with formatter.section("Verbs"):
            formatter.write_dl([(name, summary) for name, (_, summary) in VERBS.items()])

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Put `extract` before arguments that begin with no verb."""
        first = args[0] if args else HELP[0]
        if first not in VERBS and first not in (*HELP, "--version"):
            near = get_close_matches(first, VERBS, 1)
            if near and first.isalpha() and not os.path.exists(first):  # noqa: PTH110 - any text may be given
                ctx.fail(f"{first}: neither a verb nor a page; did you mean newsextract {near[0]}?")
            args = ["extract", *args]
        return super().parse_args(ctx, args or ["--help"])


def _version(is_wanted: bool) -> None:
    if is_wanted:
        import newsextract  # noqa: PLC0415 - the version is looked up only then

        print(f"newsextract {newsextract.__version__}")
        raise typer.Exit


def _main(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")] = (
        False
    ),
) -> None:
    """Turn pages of news into articles, and look after what a crawl has stored.

    In a folder with a scrapy.cfg, the settings of that project hold. To crawl: scrapy crawl news -a sites=URL.
    """


def group() -> Any:
    """Return the command with all verbs."""
    app = typer.Typer(
        name="newsextract", cls=Verbs, add_completion=False, rich_markup_mode=None, subcommand_metavar="VERB [ARGS]",
        context_settings={"help_option_names": list(HELP), "max_content_width": 100},
        epilog=f"newsextract VERB --help has the options of each.\n\n{_lines('Exit codes', CODES)}",
    )  # fmt: skip
    app.callback()(_main)
    return typer.main.get_group(app)


CODES = {
    DONE: "done",
    NOTHING: "done, and the answer is no: nothing found, a page unread, a message left",
    USAGE: "a wrong argument or setting, or a package that is missing",
    INTERRUPTED: "Ctrl-C",
}


def function_of(name: str) -> Any:
    """Return the function of a verb."""
    module, _ = VERBS[name]
    return getattr(import_module(module), name)


def command_of(name: str) -> Any:
    """Return a verb with its options."""
    function = function_of(name)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    settings = {"help_option_names": list(HELP), "max_content_width": 100}
    app.command(name, epilog=_epilog(function), context_settings=settings)(function)
    return typer.main.get_command(app)


def _epilog(function: Any) -> str | None:
    if not hasattr(function, "examples"):
        return None
    examples = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in function.examples)
    return f"{examples}\n\n{_lines('Exit codes', function.exit_codes)}"


def _lines(title: str, codes: dict[int, str]) -> str:
    return f"\b\n{title}:\n" + "\n".join(f"  {code:<3}  {meaning}" for code, meaning in codes.items())


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
        line, code = _told(error)
        if line is None:
            raise
        if isinstance(error, OSError):
            drop_the_rest(sys.stdout)  # of which the disk may be full
        named = [word for word in given[:1] if word in VERBS]
        say(f"{' '.join(['newsextract', *named])}: {line}")
    return code


def _run(given: list[str]) -> int:
    try:
        command = group()
        with command.make_context("newsextract", given) as context:
            return int(command.invoke(context) or DONE)
    except typer.Exit as end:
        return end.exit_code


def _told(error: Exception) -> tuple[str | None, int]:
    """Return an error's line and exit code; no line for one that no user can mend."""
    if isinstance(error, typer.TyperException):
        return _usage(error), USAGE
    if isinstance(error, ModuleNotFoundError) and (extra := EXTRAS.get((error.name or "").partition(".")[0])):
        return f"the module {error.name} is not installed: pip install 'newsextract[{extra}]'", USAGE
    if type(error).__module__.startswith("newsextract."):  # an error of our own is a sentence for people
        return str(error), NOTHING if isinstance(error, OSError) else USAGE
    if isinstance(error, OSError):
        return str(error), NOTHING
    return None, NOTHING


def _usage(error: Any) -> str:
    """Return what is wrong with the arguments; an unknown option is answered with those that there are."""
    told = str(error.format_message()).replace("Value error, ", "").rstrip(".")
    if hasattr(error, "possibilities") and error.ctx is not None:
        known = [name for each in error.ctx.command.params for name in each.opts if name.startswith("-")]
        wrong = told.partition(" (Possible")[0].partition(" Did you")[0].rstrip(".")
        told = f"{wrong}; there are {', '.join(known)}"
    return " ".join(told.split()) if "\n" not in told else told


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        sys.exit(main())
