"""The common parts of the training commands: options, requirements and progress reports."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.command_help import complete

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from importlib.resources.abc import Traversable

EXIT_CODES = {0: "the files are written", 2: "a wrong argument, or a missing package or corpus"}


def add_weights_option(parser: argparse.ArgumentParser, packaged: Traversable) -> None:
    """Add `--weights`, by default those that come with the package."""
    told = "write the weights there (default: into the package)"
    parser.add_argument("--weights", type=Path, default=Path(str(packaged)), metavar="FILE", help=told)


def read_options(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None, names: Sequence[str], packages: Iterable[str]
) -> argparse.Namespace | None:
    """Return the options of a training on corpora of these names, or `None` after printing what is missing."""
    parser.add_argument(
        "corpora", type=Path, metavar="CORPORA", help="a folder with NAME.jsonl.xz of " + ", ".join(names)
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (default: one a processor)"
    )
    complete(parser, (f"{parser.prog} corpora",), EXIT_CODES)
    options = parser.parse_args(arguments)
    problem = missing_for(options.corpora, names, packages)
    if not problem and "weights" in options and not options.weights.parent.is_dir():
        problem = f"there is no folder {options.weights.parent} to write the weights to"
    if problem:
        print(problem, file=sys.stderr)  # noqa: T201
        return None
    return options


def missing_for(corpora: Path, names: Iterable[str], packages: Iterable[str]) -> str | None:
    """Return a message on missing packages, or else on missing corpora; `None` if nothing is missing."""
    if absent := [name for name in packages if importlib.util.find_spec(name) is None]:
        return f"training needs {', '.join(absent)}: pip install 'newsextract[train]'"
    absent = [f"{name}.jsonl.xz" for name in names if not (corpora / f"{name}.jsonl.xz").exists()]
    return f"training needs annotated corpora, and {corpora} has no {', '.join(absent)}" if absent else None


def teller() -> Callable[[str], None]:
    """Return a function that prints a line with the minutes since this call."""
    started = time.monotonic()

    def tell(line: str) -> None:
        print(f"{(time.monotonic() - started) / 60:5.1f} min  {line}", flush=True)  # noqa: T201

    return tell


def fill_card(path: Path, template: str, values: Mapping[str, str]) -> None:
    """Write a model card: a template of this folder with a value for each `{name}`."""
    text = (files("training") / template).read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
