"""The files of a release: the wheel, the sdist, the bill of materials, and their checksums."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING

from release.commands import ReleaseError, run
from release.contents import PACKAGE, PROJECT, sdist_faults, wheel_faults

if TYPE_CHECKING:
    from pathlib import Path

TOOLS = {"build": "build", "twine": "twine", "cyclonedx_py": "cyclonedx-bom", "uv": "uv"}
"""What a release is made with: modules, and the packages that bring them."""


@dataclass(frozen=True)
class Artefacts:
    """A wheel and an sdist of one version."""

    wheel: Path
    sdist: Path

    @property
    def version(self) -> str:
        """Return the version, as the name of the wheel has it."""
        return self.wheel.name.split("-")[1]


def check_tools() -> None:
    """Raise `ReleaseError` if a tool is not installed."""
    missing = [package for module, package in TOOLS.items() if find_spec(module) is None]
    if missing:
        raise ReleaseError(f"not installed: {', '.join(missing)}. pip install '.[release]' brings them")


def build(folder: Path) -> Artefacts:
    """Build the sdist, and the wheel from it, so that the sdist is known to be complete; older files are removed.

    The time of the last commit is that of all files: the same commit gives the same wheel.
    """
    for old in (*folder.glob(f"{PACKAGE}-*"), folder / "SHA256SUMS"):
        old.unlink(missing_ok=True)
    run(sys.executable, "-m", "build", "--outdir", folder, PROJECT, more={"SOURCE_DATE_EPOCH": commit_time()})
    (wheel,), (sdist,) = folder.glob(f"{PACKAGE}-*.whl"), folder.glob(f"{PACKAGE}-*.tar.gz")
    return Artefacts(wheel, sdist)


def commit_time() -> str:
    """Return the seconds since 1970 of the last commit; 1980, where ZIP files begin, outside a repository."""
    try:
        return run("git", "log", "-1", "--format=%ct", folder=PROJECT).strip()
    except ReleaseError:
        return "315532800"


def check(made: Artefacts) -> None:
    """Raise `ReleaseError` with all that is wrong with the metadata or the contents."""
    run(sys.executable, "-m", "twine", "--no-color", "check", "--strict", made.wheel, made.sdist)
    faults = [f"{made.wheel.name}: {each}" for each in wheel_faults(made.wheel)]
    faults += [f"{made.sdist.name}: {each}" for each in sdist_faults(made.sdist)]
    if faults:
        raise ReleaseError("\n  ".join(["wrong contents:", *faults]))


def digest(file: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(file.read_bytes()).hexdigest()


def write_checksums(files: list[Path]) -> Path:
    """Write a file that `sha256sum --check` reads, beside the first file."""
    sums = files[0].with_name("SHA256SUMS")
    sums.write_text("".join(f"{digest(file)}  {file.name}\n" for file in files), "utf-8")
    return sums
