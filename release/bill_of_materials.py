"""The software bill of materials of the wheel, CycloneDX JSON: its dependencies, and what it brings from elsewhere."""

from __future__ import annotations

import json
import sys
import zipfile
from email.parser import HeaderParser
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release.artefacts import Artefacts, commit_time, digest
from release.commands import ReleaseError, run
from release.contents import CARDS, MODELS, PACKAGE, PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCHEMA = "1.6"

_WEIGHTS = {
    f"{MODELS}/block_weights.npz": ("classifier of blocks", CARDS["docs/model-card.md"]),
    f"{MODELS}/page_weights.npz": ("classifier of pages", CARDS["docs/page-kinds.md"]),
    f"{MODELS}/token_weights.npz": ("classifier of tokens, after Pasternack and Roth", f"{MODELS}/README.md"),
}
"""What each file of weights is, and where the wheel describes it."""

_TABLES = {f"{PACKAGE}/page/languages.json": ("names and data of languages, made from CLDR", "Unicode-3.0")}
"""Data with another licence than the package's."""


def write_bill(made: Artefacts, environment: Path) -> Path:
    """Write the bill beside the wheel, given an environment in which the wheel is installed and nothing else."""
    bill = made.wheel.with_name(f"{PACKAGE}-{made.version}.cdx.json")
    run(
        sys.executable, "-m", "cyclonedx_py", "environment", "--mc-type", "library", "--spec-version", SCHEMA,
        "--pyproject", PROJECT / "pyproject.toml", "--output-reproducible", "--output-file", bill, environment,
        more={"SOURCE_DATE_EPOCH": commit_time()},
    )  # fmt: skip
    text = json.dumps(_completed(json.loads(bill.read_text("utf-8")), made.wheel), indent=2, ensure_ascii=False)
    _validate(text)
    bill.write_text(text + "\n", "utf-8")
    return bill


def _completed(bill: dict[str, Any], wheel: Path) -> dict[str, Any]:
    """Add the wheel's digest and parts; leave out, as its direct dependencies, those of the extras alone."""
    root = bill["metadata"]["component"]
    root["purl"] = f"pkg:pypi/{PACKAGE}@{root['version']}"
    root["hashes"] = [{"alg": "SHA-256", "content": digest(wheel)}]
    with zipfile.ZipFile(wheel) as packed:
        root["components"] = list(_parts(packed))
        needed = set(_needed(packed))
    names = {each["bom-ref"]: canonicalize_name(each["name"]) for each in bill["components"]}
    (links,) = (each for each in bill["dependencies"] if each["ref"] == root["bom-ref"])
    links["dependsOn"] = [ref for ref in links["dependsOn"] if names[ref] in needed]
    if missing := needed - {names[ref] for ref in links["dependsOn"]}:
        raise ReleaseError(f"the bill of materials lacks {', '.join(sorted(missing))}")
    return bill


def _needed(packed: zipfile.ZipFile) -> Iterator[str]:
    (about,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
    for line in HeaderParser().parsestr(packed.read(about).decode()).get_all("Requires-Dist", []):
        wanted = Requirement(line)
        if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
            yield canonicalize_name(wanted.name)


def _parts(packed: zipfile.ZipFile) -> Iterator[dict[str, Any]]:
    def part(kind: str, name: str, what: str) -> dict[str, Any]:
        hashes = [{"alg": "SHA-256", "content": sha256(packed.read(name)).hexdigest()}]
        return {"type": kind, "bom-ref": name, "name": name, "description": what, "hashes": hashes}

    for name, (what, card) in _WEIGHTS.items():
        yield part("machine-learning-model", name, what) | {"externalReferences": [{"type": "model-card", "url": card}]}
    for name, (what, licence) in _TABLES.items():
        yield part("data", name, what) | {"licenses": [{"license": {"id": licence}}]}


def _validate(text: str) -> None:
    """Raise `ReleaseError` if it does not follow the standard's schema."""
    from cyclonedx.schema import SchemaVersion  # noqa: PLC0415 - an extra
    from cyclonedx.validation.json import JsonStrictValidator  # noqa: PLC0415 - likewise

    error = JsonStrictValidator(SchemaVersion.from_version(SCHEMA)).validate_str(text)
    if error is not None:
        raise ReleaseError(f"the bill of materials is not valid: {error}")
