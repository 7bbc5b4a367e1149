"""The Pythons of this machine, and environments of them with the lowest or the latest dependencies."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from release.commands import ReleaseError, run
from release.contents import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = ".".join(map(str, sys.version_info[:2]))
"""The version that runs this."""

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
"""Those that pyproject.toml names."""

RESOLUTIONS = {"lowest": "lowest-direct", "latest": "highest"}
"""How uv calls the two ends of what pyproject.toml allows."""

_NO_WHEELS = ("sgmllib3k",)
"""Packages that exist as sources only. All others must have a wheel: a compiler is more than a user should need."""


_PINNED = "dependencies.txt"
"""What is installed in an environment, written when it is complete."""


def environment_of(work: Path, version: str, resolution: str, extra: str = "") -> Path:
    """Return the folder of an environment."""
    return work / f"{version}-{resolution}" / (extra or "base")


def find_python(version: str) -> Path | None:
    """Return the interpreter of a version, from PATH or pyenv, `None` where there is none."""
    return next((path for path in _places(version) if _is_python(path, version)), None)


def _places(version: str) -> Iterator[Path]:
    if version == HERE:
        yield Path(sys.executable)
    if found := shutil.which(f"python{version}"):
        yield Path(found)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted((pyenv / "versions").glob(f"{version}.*/bin/python"), reverse=True)


def _is_python(path: Path, version: str) -> bool:
    """Return whether it is one: what pyenv puts on PATH is there for versions, too, that are switched off."""
    try:
        return run(path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip() == version
    except ReleaseError:
        return False


def uv(*arguments: str | Path) -> str:
    """Run uv, which is installed beside this Python, and return what it printed."""
    return run(sys.executable, "-m", "uv", *arguments)


def make_environment(folder: Path, python: Path, wheel: Path, resolution: str, extra: str = "") -> list[str]:
    """Install the wheel, its dependencies and those of an extra, and return the dependencies as `name==version`.

    It is made once: what the bill of materials lists is then tried.
    """
    if (made := folder / _PINNED).exists():
        return made.read_text("utf-8").split()
    uv("venv", "--quiet", "--python", python, folder)
    wanted = folder / "wanted.txt"
    extras = ("--extra", extra) if extra else ()
    # With the wheel as what is wanted, all its dependencies would be indirect, and so the latest.
    wheels_only = ["--only-binary", ":all:", *(word for name in _NO_WHEELS for word in ("--no-binary", name))]
    uv(
        "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--resolution", RESOLUTIONS[resolution],
        "--python", folder, *wheels_only, *extras, "--output-file", wanted, PROJECT / "pyproject.toml",
    )  # fmt: skip
    uv("pip", "install", "--quiet", "--python", folder, "--constraint", wanted, f"{wheel}[{extra}]" if extra else wheel)
    return wanted.rename(made).read_text("utf-8").split()
