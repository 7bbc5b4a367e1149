"""Builds the release, checks it, and tries the wheel on the Pythons of this machine: `python -m release`.

Nothing is published. What git tracks is built, and nothing else; a tree with uncommitted changes is refused. If nothing
failed, the exit code is 0 and the files are in `dist/`: wheel, sdist, bill of materials, checksums. Other files stay.
A Python that is not here is named and passed over, unless `--python` asks for it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from rich.console import Console
from rich.table import Table

from release.artefacts import Artefacts, build, check, check_room, check_tools, check_tree, place, write_checksums
from release.bill_of_materials import write_bill
from release.commands import ReleaseError
from release.contents import PROJECT
from release.pythons import HERE, RESOLUTIONS, VERSIONS, environment_of, find_python, make_environment
from release.trials import TRIALS

SHOWN = ("scrapy", "lxml", "numpy", "sqlalchemy", "pydantic")
"""Dependencies whose versions are named."""

OUT = Console(highlight=False)


def main(arguments: list[str]) -> int:
    """Make the release and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m release", description="Build, check and try a release.")
    parser.add_argument("--python", action="append", choices=VERSIONS, help="try this version only; may be repeated")
    parser.add_argument("--dist", type=Path, default=PROJECT / "dist", metavar="FOLDER", help="(default: dist)")
    parser.add_argument("--no-trials", action="store_true", help="build and check only")
    parser.add_argument("--uncommitted", action="store_true", help="build tracked files as they are, changes included")
    chosen = parser.parse_args(arguments)
    try:
        check_tools()
        if left_out := check_tree(uncommitted=chosen.uncommitted):
            OUT.print(f"left out, as git does not track it: {', '.join(left_out)}", markup=False, soft_wrap=True)
        check_room(chosen.dist)
        with TemporaryDirectory(prefix="newsextract-release-") as work:
            return 0 if _release(chosen, Path(work)) else 1
    except ReleaseError as error:
        OUT.print(str(error), style="red", markup=False, soft_wrap=True)
        return 1


def _release(chosen: argparse.Namespace, work: Path) -> bool:
    """Make the files, and put them where they were asked for if all that is tried passes; return whether it did."""
    made = build(work / "dist")
    check(made)
    OUT.print(f"built and checked {made.wheel.name} and {made.sdist.name}")
    files = _describe(made, work)
    check_room(chosen.dist, [file.name for file in files])
    if not (chosen.no_trials or _try_all(made, work, chosen.python)):
        return False
    place(files, chosen.dist)
    OUT.print(f"wrote {', '.join(file.name for file in files)} into {chosen.dist}", markup=False, soft_wrap=True)
    return True


def _describe(made: Artefacts, work: Path) -> list[Path]:
    """Write the bill of materials and the checksums, and return all files of the release."""
    environment = environment_of(work, HERE, "latest")
    make_environment(environment, Path(sys.executable), made.wheel, "latest")
    bill = write_bill(made, environment)
    return [made.wheel, made.sdist, bill, write_checksums([made.wheel, made.sdist, bill])]


def _try_all(made: Artefacts, work: Path, wanted: list[str] | None) -> bool:
    """Try the wheel on each Python, print the table, and return whether nothing failed."""
    names = [name for attempts in TRIALS.values() for name in attempts]
    table = Table("Python", "versions", *names, "seconds")
    failures: list[str] = []
    for version in wanted or VERSIONS:
        python = find_python(version)
        if python is None:
            table.add_row(version, "not here")
            if wanted:
                failures.append(f"Python {version} is not on this machine")
            continue
        for resolution in RESOLUTIONS:
            OUT.print(f"Python {version}, {resolution} dependencies: ", end="", soft_wrap=True)
            began = monotonic()
            marks = [
                mark
                for extra in TRIALS
                for mark in _try(
                    made, python, environment_of(work, version, resolution, extra), resolution, extra, failures
                )
            ]
            table.add_row(version, resolution, *marks, f"{monotonic() - began:.0f}")
    OUT.print(table)
    for failure in failures:
        OUT.print(failure, style="red", markup=False)
    return not failures


def _try(
    made: Artefacts, python: Path, environment: Path, resolution: str, extra: str, failures: list[str]
) -> list[str]:
    """Install the wheel with an extra, return a mark for each trial, and say in `failures` what went wrong."""
    project = environment.with_name(f"{environment.name}-project")
    project.mkdir(parents=True)
    marks: list[str] = []
    try:
        pinned = make_environment(environment, python, made.wheel, resolution, extra)
        installed = dict(line.split("==") for line in pinned if "==" in line)
        OUT.print(", ".join(f"{name} {installed[name]}" for name in SHOWN if name in installed), soft_wrap=True)
        for attempt in TRIALS[extra].values():
            attempt(environment / "bin", project)
            marks.append("ok")
    except ReleaseError as error:
        marks.append("failed")
        failures.append(f"{environment.parent.name}: {error}")
    return marks + ["–"] * (len(TRIALS[extra]) - len(marks))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
