"""What the wheel and the sdist must hold, and what they must not."""

from __future__ import annotations

import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from typing import TYPE_CHECKING

from release.commands import ReleaseError, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from email.message import Message

PROJECT = Path(__file__).parents[1]
PACKAGE = "newsextract"

MODELS = f"{PACKAGE}/reading/trained_models"
CARDS = {"docs/model-card.md": f"{MODELS}/model-card.md", "docs/page-kinds.md": f"{MODELS}/page-kinds.md"}
"""The model cards, and where the wheel has them: beside the weights."""

IN_SDIST = (
    "LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml", "setup.py",
    "requirements.txt", "scrapy.cfg", "scrapyd.conf", "settings/base.py", "docs/versions.md", *CARDS,
    "tests/conftest.py", "benchmarks/speed.py", "release/contents.py",
)  # fmt: skip
"""What a distribution packager needs to build, test and document the project."""

_WRITTEN_BY_SETUPTOOLS = ("PKG-INFO", "setup.cfg", f"{PACKAGE}.egg-info/")


def tracked_files(project: Path = PROJECT) -> set[str]:
    """Return the names of the files that git tracks: what else lies in the folder may be a secret, or scratch.

    Raises:
        ReleaseError: the folder is not the top of a checkout, as an unpacked sdist is not.
    """
    try:
        above = run("git", "rev-parse", "--show-prefix", folder=project).strip()
    except ReleaseError as error:
        above = str(error).partition("\n")[2].strip() or str(error)
    if above:
        raise ReleaseError(f"a release holds what git tracks, and {project} is not the top of a checkout: {above}")
    names = run("git", "ls-files", "-z", folder=project).split("\0")
    return {name for name in names if (project / name).is_file()}


def package_files(project: Path = PROJECT) -> set[str]:
    """Return the tracked files of the package, as the wheel names them."""
    return {name for name in tracked_files(project) if name.startswith(f"{PACKAGE}/")}


def wheel_faults(
    wheel: Path, project: Path = PROJECT, private: Iterable[Path] = (PROJECT, Path.home())
) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with a wheel of pure Python; it may name no `private` folder."""
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if not name.endswith("/")}
        about = next((name.partition("/")[0] for name in names if name.endswith(".dist-info/METADATA")), "")
        if not about:
            yield "it has no metadata"
            return
        wanted = package_files(project) | set(CARDS.values())
        yield from (f"{name} is missing" for name in sorted(wanted - names))
        yield from (f"{name} does not belong there" for name in sorted(names - wanted) if not name.startswith(about))
        yield from _metadata_faults(HeaderParser().parsestr(packed.read(f"{about}/METADATA").decode()), project)
        licences = [f"{about}/licenses/{name}" for name in ("LICENSE", f"{PACKAGE}/page/LICENSE.unicode")]
        yield from (f"{name} is missing" for name in licences if name not in names)
        # A folder such as / or /data is in any text about files.
        telling = [f"{folder}/".encode() for folder in private if len(folder.parts) > 2]
        yield from (
            f"{name} names a folder of this machine"
            for name in sorted(names)
            if any(folder in packed.read(name) for folder in telling)
        )


def _metadata_faults(metadata: Message, project: Path) -> Iterator[str]:
    import tomllib  # noqa: PLC0415 - beside its one use

    declared = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    for field, value in {
        "Version": declared["version"],
        "Requires-Python": declared["requires-python"],
        "License-Expression": declared["license"],
    }.items():
        if metadata[field] != value:
            yield f"its {field} is {metadata[field]}, and pyproject.toml has {value}"


def sdist_faults(sdist: Path, project: Path = PROJECT) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with an sdist."""
    with tarfile.open(sdist) as packed:
        names = {member.name.partition("/")[2] for member in packed.getmembers() if member.isfile()}
    yield from (f"{name} is missing" for name in sorted((package_files(project) | set(IN_SDIST)) - names))
    strange = (name for name in names - tracked_files(project) if not name.startswith(_WRITTEN_BY_SETUPTOOLS))
    yield from (f"{name} does not belong there" for name in sorted(strange))
