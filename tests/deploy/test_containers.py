"""The image, the compose file and the Kubernetes manifests: valid by their schemas, and as strict as the docs say.

No container is built or started here: what runs in them is tested elsewhere, and the schemas are those of the packages.
"""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.scrapy_process import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPLOY = PROJECT / "deploy"
DOCKERFILE, COMPOSE = DEPLOY / "Dockerfile", DEPLOY / "compose.yml"
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
DOCUMENTS = [document for path in MANIFESTS for document in yaml.safe_load_all(path.read_text("utf-8"))]
VERSION = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
OLDEST_KUBERNETES = "1.33"
"""The first in which an index of a job may fail for itself by its exit code, as the crawl's does."""

PINNED = re.compile(r"\S+:\d+(\.\d+)+(-\w+)*$")


def linted(program: str, *arguments: str | Path) -> None:
    """Run a linter of the environment; fail with what it says."""
    beside = Path(sys.executable).with_name(program)
    found = str(beside) if beside.is_file() else shutil.which(program)
    if not found:
        pytest.skip(f"{program} is not installed: pip install 'newsextract[dev]'")
    done = subprocess.run([found, *arguments], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE.read_text("utf-8"))["services"]
    return found


def pods() -> Iterator[dict[str, Any]]:
    for document in DOCUMENTS:
        spec = document.get("spec", {})
        template = spec["jobTemplate"]["spec"] if document["kind"] == "CronJob" else spec
        if "template" in template:
            yield template["template"]["spec"]


def test_the_linter_of_dockerfiles_finds_nothing() -> None:
    linted("hadolint", "--failure-threshold", "style", DOCKERFILE)


def test_the_compose_file_is_valid_by_the_specification() -> None:
    linted("check-jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE)


@pytest.mark.parametrize("version", [OLDEST_KUBERNETES, "1.37"])
def test_the_manifests_are_valid_by_the_schemas_of_kubernetes(version: str) -> None:
    linted("kubernetes-validate", "--strict", "--kubernetes-version", version, *MANIFESTS)


def test_every_image_has_an_exact_version_and_ours_is_that_of_the_project() -> None:
    text = DOCKERFILE.read_text("utf-8")
    in_compose = [service["image"] for service in services().values()]
    in_pods = [container["image"] for pod in pods() for container in pod["containers"]]
    images = [*re.findall(r"(?m)^FROM (\S+)", text), *in_compose, *in_pods]
    assert all(map(PINNED.match, images)), images
    ours = {image for image in images if image.startswith("newsextract:")}
    assert ours == {f"newsextract:{VERSION}"}
    assert {image.partition("-")[0] for image in images if image.startswith("python:")} == {"python:3.13.9"}
    assert len({image for image in images if image.startswith("postgres:")}) == 1


def test_nothing_runs_as_root() -> None:
    lines = DOCKERFILE.read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("USER ")][-1] == "USER 10001:10001"
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 0
        for container in pod["containers"]:
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_everything_has_limits() -> None:
    assert all({"mem_limit", "restart", "logging"} <= set(service) for service in services().values())
    for pod in pods():
        for container in pod["containers"]:
            assert {"cpu", "memory"} <= set(container["resources"]["requests"])
            assert "memory" in container["resources"]["limits"]


def test_secrets_stand_in_no_file() -> None:
    written = {path: path.read_text("utf-8") for path in DEPLOY.rglob("*") if path.is_file()}
    for path, text in written.items():
        assert not re.search(r"://[^\s:@/]+:[^\s@]+@", text), path
    for service in services().values():
        given = {name: value for name, value in service.get("environment", {}).items() if "PASSWORD" in name}
        assert all(re.fullmatch(r"\$\{\w+_PASSWORD:\?.+\}", value) for value in given.values())
    assert {document["kind"] for document in DOCUMENTS} == {"ConfigMap", "CronJob", "Service", "StatefulSet"}
    for pod in pods():
        for variable in (each for container in pod["containers"] for each in container.get("env", ())):
            assert ("PASSWORD" in variable["name"]) == ("valueFrom" in variable), variable


def test_all_nodes_share_the_work() -> None:
    nodes = [name for name, service in services().items() if "node" in name]
    given = services()["schedule"]["environment"]["NODES"]
    assert re.findall(r"node\d", given) == nodes
    (crawl,) = (document for document in DOCUMENTS if document["metadata"]["name"] == "crawl")
    job = crawl["spec"]["jobTemplate"]["spec"]
    assert job["parallelism"] == job["completions"] > 1
    assert f"shard=/{job['completions']}" in job["template"]["spec"]["containers"][0]["args"]


def test_the_image_has_what_its_configuration_and_its_build_name() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    sent = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    copied = re.findall(r"(?m)^COPY (?!--)(.+) \S+$", DOCKERFILE.read_text("utf-8"))
    assert {name for line in copied for name in line.split()} == sent
    assert all((PROJECT / name).exists() for name in sent)
    config = configparser.ConfigParser(interpolation=None)
    config.read(DEPLOY / "scrapy.cfg", "utf-8")
    assert all((PROJECT / f"{name.replace('.', '/')}.py").is_file() for name in config["settings"].values())
    ours = configparser.ConfigParser(interpolation=None)
    ours.read(PROJECT / "scrapyd.conf", "utf-8")
    same = ("items_dir", "jobs_dir", "jobs_to_keep", "finished_to_keep", "jobstorage", "poll_interval")
    assert all(config["scrapyd"][name] == ours["scrapyd"][name] for name in same)
