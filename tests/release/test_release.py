"""The release: what is in the wheel and the sdist, the bill of materials, and sentences for what is missing."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from release import artefacts, bill_of_materials, pythons
from release.artefacts import Artefacts, write_checksums
from release.commands import ReleaseError, run
from release.contents import CARDS, PROJECT, sdist_faults, wheel_faults
from release.trials import TRIALS, try_command, try_library

if TYPE_CHECKING:
    from collections.abc import Iterable


PRIVATE = Path("/srv/somebody")
STRANGERS = (
    "newsextract/local_secrets.py", "newsextract/tools/demo/secret_tokens.json", "settings/local.env", "tests/.env",
    "tests/output/newsextract.db", "docs/.venv/secret", "newsextract/page/stray.so",
)  # fmt: skip
"""What may lie in a checkout, and is in no commit."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Artefacts:
    """Build from a checkout in which more lies than git tracks."""
    pytest.importorskip("build", reason="pip install build")
    folder = tmp_path_factory.mktemp("release")
    checkout, source = folder / "checkout", folder / "source"
    try:
        artefacts.copy_tracked(PROJECT, checkout)
    except ReleaseError as error:
        pytest.skip(str(error))
    run("git", "init", "--quiet", checkout)
    run("git", "add", "--all", "--force", folder=checkout)
    for name in STRANGERS:
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).write_text("token")
    artefacts.copy_tracked(checkout, source)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, source)
    return Artefacts(next(folder.glob("*.whl")), next(folder.glob("*.tar.gz")))


def rewritten(wheel: Path, target: Path, *, without: str = "", more: Iterable[str] = ()) -> Path:
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            if name != without:
                new.writestr(name, old.read(name))
        for name in more:
            new.writestr(name, f"made in {PRIVATE}/project, tried in /data/one")
    return target


def test_wheel_and_sdist_hold_what_they_must_and_nothing_else(made: Artefacts) -> None:
    assert [*wheel_faults(made.wheel), *sdist_faults(made.sdist)] == []


@pytest.mark.parametrize("name", [
    "newsextract/py.typed", "newsextract/reading/trained_models/block_weights.npz",
    "newsextract/reading/trained_models/model-card.md", "newsextract/newsroom/desk/templates/base.html",
])  # fmt: skip
def test_a_wheel_without_what_users_need_has_a_fault(made: Artefacts, tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(made.wheel) as packed:
        assert name in packed.namelist()
    assert list(wheel_faults(rewritten(made.wheel, tmp_path / "less.whl", without=name))) == [f"{name} is missing"]


def test_a_wheel_with_tests_or_settings_has_a_fault(made: Artefacts, tmp_path: Path) -> None:
    more = ("settings/base.py", "tests/test_article_forms.py")
    wheel = rewritten(made.wheel, tmp_path / "more.whl", more=more)
    strange = [f"{name} does not belong there" for name in more]
    telling = [f"{name} names a folder of this machine" for name in more]
    assert list(wheel_faults(wheel, private=[PRIVATE])) == strange + telling
    # Where the project or the home is such a folder, it is named by chance.
    assert list(wheel_faults(wheel, private=[Path("/"), Path("/data"), Path("/srv/some")])) == strange


def test_an_archive_with_what_git_does_not_track_has_a_fault(made: Artefacts, tmp_path: Path) -> None:
    wheel = rewritten(made.wheel, tmp_path / "more.whl", more=STRANGERS[:2])
    assert {f"{name} does not belong there" for name in STRANGERS[:2]} <= set(wheel_faults(wheel))
    (tmp_path / "secret").write_text("token")
    sdist = tmp_path / "more.tar.gz"
    with tarfile.open(made.sdist) as old, tarfile.open(sdist, "w:gz") as new:
        for member in old.getmembers():
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
        for name in STRANGERS:
            new.add(tmp_path / "secret", f"newsextract-1/{name}")
    assert list(sdist_faults(sdist)) == [f"{name} does not belong there" for name in sorted(STRANGERS)]


def test_the_model_cards_in_the_wheel_are_those_of_the_docs(made: Artefacts) -> None:
    with zipfile.ZipFile(made.wheel) as packed:
        for document, name in CARDS.items():
            assert packed.read(name) == (PROJECT / document).read_bytes()


def test_the_bill_names_the_dependencies_without_the_extras_and_the_weights(made: Artefacts) -> None:
    with zipfile.ZipFile(made.wheel) as packed:
        needed = sorted(bill_of_materials._needed(packed))
    assert {"numpy", "lxml"} <= set(needed)
    assert not {"pytest", "scrapy"} & set(needed)
    bill: dict[str, Any] = {
        "metadata": {"component": {"bom-ref": "root", "name": "newsextract", "version": made.version}},
        "components": [{"bom-ref": f"{name}==1", "name": name} for name in (*needed, "pytest")],
        "dependencies": [{"ref": "root", "dependsOn": [f"{name}==1" for name in (*needed, "pytest")]}],
    }
    whole = json.loads(json.dumps(bill_of_materials._completed(bill, made.wheel)))
    assert whole["dependencies"][0]["dependsOn"] == [f"{name}==1" for name in needed]
    parts = {each["name"]: each for each in whole["metadata"]["component"]["components"]}
    weights = {name for name, each in parts.items() if each["type"] == "machine-learning-model"}
    with zipfile.ZipFile(made.wheel) as packed:
        names = set(packed.namelist())
    assert weights == {name for name in names if name.endswith(".npz")}
    assert {parts[name]["externalReferences"][0]["url"] for name in weights} <= names

    bill["components"] = [each for each in bill["components"] if each["name"] != "lxml"]
    bill["dependencies"][0]["dependsOn"].remove("lxml==1")
    with pytest.raises(ReleaseError, match="lacks lxml"):
        bill_of_materials._completed(bill, made.wheel)


def test_checksums_are_as_sha256sum_writes_them(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_bytes(b"one\n")
    sums = write_checksums([tmp_path / "one.txt"]).read_text("utf-8")
    assert sums == "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806  one.txt\n"


@pytest.mark.parametrize("trial", [try_library, try_command])
def test_the_trials_pass_here(trial: Any, tmp_path: Path) -> None:
    trial(Path(sys.executable).parent, tmp_path)
    assert trial in TRIALS[""].values()


def test_a_trial_fails_where_the_package_is_not(tmp_path: Path) -> None:
    (tmp_path / "python").write_text("#!/bin/sh\necho no module named newsextract\nexit 1\n")
    (tmp_path / "python").chmod(0o755)
    with pytest.raises(ReleaseError, match="exit code 1:\n  no module named newsextract"):
        try_library(tmp_path, tmp_path)


def test_it_tries_the_pythons_that_the_metadata_names() -> None:
    text = (PROJECT / "pyproject.toml").read_text("utf-8")
    assert tuple(re.findall(r"Python :: (3\.\d+)", text)) == pythons.VERSIONS
    assert f'requires-python = ">={pythons.VERSIONS[0]}"' in text


def test_only_files_of_the_same_names_are_replaced(tmp_path: Path) -> None:
    dist, wheel = tmp_path / "dist", tmp_path / "newsextract-2-py3-none-any.whl"
    (dist / "newsextract-data").mkdir(parents=True)
    for name in ("newsextract-thesis.odt", "newsextract-1-py3-none-any.whl", wheel.name):
        (dist / name).write_text("old")
    (dist / "SHA256SUMS").write_text(f"{'0' * 64}  newsextract-1-py3-none-any.whl\n")
    wheel.write_text("new")
    artefacts.place([wheel, write_checksums([wheel])], dist)
    left = {path.name: path.read_text("utf-8") for path in dist.iterdir() if path.is_file()}
    assert left.pop("SHA256SUMS") == (tmp_path / "SHA256SUMS").read_text("utf-8")
    assert left == {
        "newsextract-thesis.odt": "old", "newsextract-1-py3-none-any.whl": "old", wheel.name: "new",
    }  # fmt: skip
    assert (dist / "newsextract-data").is_dir()


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_uncommitted_changes_are_refused_and_strangers_left_out(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"a release holds what git tracks, and .* is not the top of a checkout"):
        artefacts.check_tree(tmp_path)
    run("git", "init", "--quiet", tmp_path)
    (tmp_path / "story é.txt").write_text("one")
    (tmp_path / "notes.txt").touch()
    run("git", "add", "story é.txt", folder=tmp_path)
    with pytest.raises(ReleaseError, match="not committed"):
        artefacts.check_tree(tmp_path)
    assert artefacts.check_tree(tmp_path, uncommitted=True) == ["notes.txt"]
    somebody = ("-c", "user.name=A", "-c", "user.email=a@a.example", "-c", "commit.gpgsign=false")
    run("git", *somebody, "commit", "--quiet", "-m", "One", folder=tmp_path)
    assert artefacts.check_tree(tmp_path) == ["notes.txt"]
    artefacts.copy_tracked(tmp_path, tmp_path / "copy")
    assert [path.name for path in (tmp_path / "copy").iterdir()] == ["story é.txt"]
    with pytest.raises(ReleaseError, match="not the top of a checkout: copy/"):
        artefacts.check_tree(tmp_path / "copy")


CHANGELOG = (PROJECT / "CHANGELOG.md").read_text("utf-8")
SECTIONS = re.split(r"^## ", CHANGELOG, flags=re.MULTILINE)[1:]


def test_the_newest_section_is_that_of_the_package_s_version() -> None:
    version = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    heading = SECTIONS[0].splitlines()[0]
    assert re.fullmatch(rf"\[{re.escape(version)}\] - (not released yet|20\d\d-\d\d-\d\d)", heading)


def test_no_heading_and_no_line_stands_twice_in_a_version() -> None:
    for section in SECTIONS:
        lines = re.findall(r"^(?:###|-) .*$", section, re.MULTILINE)
        assert len(lines) == len(set(lines)), section.splitlines()[0]


def test_its_links_lead_to_files() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)", CHANGELOG) if "://" not in link]
    assert [link for link in links if not (PROJECT / link).exists()] == []
