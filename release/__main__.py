"""Builds the release, checks it, and tries the wheel on the Pythons of this machine: `python -m release`.

Nothing is published. The files are in `dist/`: wheel, sdist, bill of materials, checksums. A Python that is not here is
named and passed over, unless `--python` asks for it. The exit code is 0 if nothing failed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from rich.console import Console
from rich.table import Table

from release.artefacts import Artefacts, build, check, check_tools, write_checksums
from release.bill_of_materials import write_bill
from release.commands import ReleaseError
from release.contents import PROJECT
from release.pythons import RESOLUTIONS, VERSIONS, find_python, make_environment
from release.trials import TRIALS

SHOWN = ("scrapy", "lxml", "numpy", "sqlalchemy", "alembic", "pydantic")
"""Dependencies whose versions are named."""

OUT = Console(highlight=False)


def main(arguments: list[str]) -> int:
    """Make the release and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m release", description="Build, check and try a release.")
    parser.add_argument("--python", action="append", choices=VERSIONS, help="try this version only; may be repeated")
    parser.add_argument("--dist", type=Path, default=PROJECT / "dist", metavar="FOLDER", help="(default: dist)")
    parser.add_argument("--no-trials", action="store_true", help="build and check only")
    chosen = parser.parse_args(arguments)
    try:
        check_tools()
        made = build(chosen.dist.resolve())
        check(made)
        OUT.print(f"built and checked {made.wheel.name} and {made.sdist.name}")
        with TemporaryDirectory(prefix="newsextract-release-") as work:
            _describe(made, Path(work))
            return 0 if chosen.no_trials or _try_all(made, Path(work), chosen.python) else 1
    except ReleaseError as error:
        OUT.print(str(error), style="red", markup=False)
        return 1


def _describe(made: Artefacts, work: Path) -> None:
    environment = work / "bill"
    make_environment(environment, Path(sys.executable), made.wheel, "latest")
    bill = write_bill(made, environment)
    sums = write_checksums([made.wheel, made.sdist, bill])
    OUT.print(f"wrote {bill.name} and {sums.name}")


def _try_all(made: Artefacts, work: Path, wanted: list[str] | None) -> bool:
    """Try the wheel on each Python, print the table, and return whether nothing failed."""
    table = Table("Python", "versions", "install", *TRIALS, "seconds")
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
            marks = _try(made, python, work / f"{version}-{resolution}", resolution, failures)
            table.add_row(version, resolution, *marks, f"{monotonic() - began:.0f}")
    OUT.print(table)
    for failure in failures:
        OUT.print(failure, style="red", markup=False)
    return not failures


def _try(made: Artefacts, python: Path, folder: Path, resolution: str, failures: list[str]) -> list[str]:
    """Return a mark for each column, and say in `failures` what went wrong."""
    environment, project = folder / "environment", folder / "project"
    project.mkdir(parents=True)
    marks: list[str] = []
    try:
        pinned = make_environment(environment, python, made.wheel, resolution)
        installed = dict(line.split("==") for line in pinned if "==" in line)
        OUT.print(", ".join(f"{name} {installed[name]}" for name in SHOWN), soft_wrap=True)
        marks.append("ok")
        for attempt in TRIALS.values():
            attempt(environment / "bin", project)
            marks.append("ok")
    except ReleaseError as error:
        marks.append("failed")
        failures.append(f"{folder.name}: {error}")
    return marks + ["–"] * (1 + len(TRIALS) - len(marks))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
