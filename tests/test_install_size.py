"""The table of what each dependency weighs, as docs/dependencies.md has it."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.install_size import PURPOSES

PROJECT = Path(__file__).parents[1]


def _dependencies() -> set[str]:
    declared = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = declared["dependencies"] + declared["optional-dependencies"]["crawl"]
    return {canonicalize_name(Requirement(each).name) for each in needed}


def test_every_dependency_has_a_purpose_and_nothing_else_has() -> None:
    assert set(PURPOSES) == _dependencies()


def test_the_page_of_dependencies_has_a_row_for_each_with_its_purpose() -> None:
    lines = (PROJECT / "docs" / "dependencies.md").read_text("utf-8").splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    assert {row[0].split()[0]: row[-1] for row in cells if len(row) == 6 and row[1][0].isdigit()} == PURPOSES
