"""The files of a release: the wheel, the sdist, the bill of materials, and their checksums."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from release.commands import ReleaseError, run
from release.contents import PACKAGE, PROJECT, sdist_faults, tracked_files, wheel_faults

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def check_tree(project: Path = PROJECT, *, uncommitted: bool = False) -> list[str]:
    """Return the names that git neither tracks nor ignores: they are left out.

    Raises:
        ReleaseError: tracked files differ from the last commit, unless they may be `uncommitted`; or there is no git.
    """
    tracked_files(project)
    lines = run("git", "status", "--porcelain", "--untracked-files=normal", folder=project).splitlines()
    changed = [line for line in lines if not line.startswith("??")]
    if changed and not uncommitted:
        raise ReleaseError("\n  ".join(["not committed (--uncommitted releases it all the same):", *changed]))
    return [line.removeprefix("?? ") for line in lines if line not in changed]


def copy_tracked(project: Path, target: Path) -> None:
    """Copy what git tracks, as it is now, and nothing that lies beside it."""
    for name in sorted(tracked_files(project)):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(project / name, target / name)


def build(folder: Path) -> Artefacts:
    """Build the sdist, and the wheel from it, so that the sdist is known to be complete, into an empty folder.

    The time of the last commit is that of all files: the same commit gives the same wheel.
    """
    with TemporaryDirectory(prefix="newsextract-sources-") as sources:
        copy_tracked(PROJECT, Path(sources))
        run(sys.executable, "-m", "build", "--outdir", folder, sources, more={"SOURCE_DATE_EPOCH": commit_time()})
    (wheel,), (sdist,) = folder.glob(f"{PACKAGE}-*.whl"), folder.glob(f"{PACKAGE}-*.tar.gz")
    return Artefacts(wheel, sdist)


def commit_time() -> str:
    """Return the seconds since 1970 of the last commit."""
    return run("git", "log", "-1", "--format=%ct", folder=PROJECT).strip()


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


def check_room(folder: Path, names: Iterable[str] = ("SHA256SUMS",)) -> None:
    """Raise `ReleaseError` if something that is not of a release is in the way of these files; make the folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = [folder / name for name in names if not _may_be_replaced(folder / name)]
    except OSError as error:
        raise ReleaseError(f"nothing can be put into {folder}: {error.strerror}") from error
    if taken:
        raise ReleaseError(f"in the way: {', '.join(map(str, taken))}")


def _may_be_replaced(old: Path) -> bool:
    if not old.exists():
        return True
    if old.name != "SHA256SUMS" or not old.is_file():
        return old.is_file()
    # Anybody's checksums have this name.
    ours = re.compile(rf"[0-9a-f]{{64}}  {PACKAGE}-\d\S*")
    return all(map(ours.fullmatch, old.read_text("utf-8", "replace").splitlines()))


def place(files: list[Path], folder: Path) -> None:
    """Put the files into the folder in place of those of the same names; all else in it stays."""
    check_room(folder, [file.name for file in files])
    try:
        # On the same file system a file is there whole or not at all.
        with TemporaryDirectory(dir=folder, prefix=".new-") as near:
            copies = [Path(shutil.copy(file, near)) for file in files]
            for copy in copies:
                copy.replace(folder / copy.name)
    except OSError as error:
        raise ReleaseError(f"nothing can be put into {folder}: {error.strerror}") from error
