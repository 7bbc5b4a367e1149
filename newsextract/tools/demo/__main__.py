"""Serves the demo newsroom: until Ctrl-C, or for as long as a command runs.

`python -m newsextract.tools.demo -- COMMAND ARG…` replaces `{sites}` in the arguments by the home pages.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from contextlib import suppress
from threading import Event

from newsextract.command_help import complete
from newsextract.interrupts import heed_interrupts
from newsextract.tools.demo import build_newsroom, serve

FIRST_PORT = 8801
"""The sites use this port and the next two if they are free, so that a second crawl meets the same URLs."""

SIGNALLED = 128
"""Added to the number of the signal that ended a command, as shells do."""

NOT_RUN = 127
"""The exit code of shells for a command that cannot be run."""


_EXAMPLES = (
    "python -m newsextract.tools.demo",
    "python -m newsextract.tools.demo -- echo {sites}",
)


def main(arguments: list[str]) -> int:
    """Serve the newsroom and return the exit code."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    command = arguments[split + 1 :]
    parser = argparse.ArgumentParser(
        prog="python -m newsextract.tools.demo",
        usage="%(prog)s [-- COMMAND ARG…]",
        description="Serve the demo newsroom, three made-up news sites on loopback, until Ctrl-C or COMMAND ends.\n\n"
        "{sites} in COMMAND stands for the URLs of the home pages, with commas between.",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="another number, other stories (default: 1)")
    complete(parser, _EXAMPLES, {NOT_RUN: "the command cannot be run; else its own exit code"})
    seed = parser.parse_args(arguments[:split]).seed
    try:
        with serve(build_newsroom(seed), FIRST_PORT) as sites:
            return run(command, ",".join(sites)) if command else wait(sites)
    except KeyboardInterrupt:  # before there was anything to wait for
        return SIGNALLED + signal.SIGINT


def wait(sites: tuple[str, ...]) -> int:
    """Show the home pages and wait for Ctrl-C."""
    with suppress(KeyboardInterrupt):  # which may come as soon as the first address is read
        heed_interrupts()
        print(*sites, sep="\n", flush=True)  # noqa: T201 - what it was started for
        Event().wait()
    return 0


def run(command: list[str], sites: str) -> int:
    """Run the command with `{sites}` filled in and return its exit code."""
    filled = [part.replace("{sites}", sites) for part in command]
    # A terminal sends Ctrl-C to the command as well: the command decides when to stop, and we stop after it.
    # A handler rather than SIG_IGN, which the command would inherit.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    asked: list[int] = []  # to end, while the command is being started, which would outlive us
    signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
    try:
        with subprocess.Popen(filled) as child:  # noqa: S603 - running what the caller typed is the point
            signal.signal(signal.SIGTERM, lambda *_: child.terminate())
            if asked:
                child.terminate()
            code = child.wait()
    except OSError as error:
        print(f"{filled[0]}: {error.strerror}", file=sys.stderr)  # noqa: T201 - as a shell would
        return NOT_RUN
    finally:
        signal.signal(signal.SIGINT, before)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return code if code >= 0 else SIGNALLED - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
