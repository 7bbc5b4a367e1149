"""Builds the egg that scrapyd runs: the project with its settings, its weights and its other package data."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory


class EggError(RuntimeError):
    """The egg cannot be built; the message has the output of the build."""


def build_egg(project: Path, folder: Path) -> Path:
    """Build the egg of the project whose `setup.py` is in this folder, and return its path.

    Nothing is written into the project, unlike with `scrapyd-deploy`: two builds at once must not collide.

    Raises:
        EggError: the build failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="newsextract-egg-") as work:
        built = Path(work, "dist")
        _setup(project, Path(work), built)
        (egg,) = built.glob("*.egg")
        return Path(shutil.copy(egg, folder))


def _setup(project: Path, work: Path, built: Path) -> None:
    steps = [
        ("egg_info", "--egg-base", str(work)),
        ("build", "--build-base", str(work / "build")),
        ("bdist_egg", "--bdist-dir", str(work / "bdist"), "--dist-dir", str(built)),
    ]
    command = [sys.executable, "setup.py", "--quiet", *(word for step in steps for word in step)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)  # noqa: S603 - our own file
    if done.returncode:
        raise EggError(f"{project / 'setup.py'} built no egg:\n{(done.stderr or done.stdout).strip()}")
