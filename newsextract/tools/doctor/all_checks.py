"""All checks, in the order in which a person would make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.tools.doctor import (
    browser_check,
    database_check,
    installation_check,
    machine_check,
    project_check,
    secrets_check,
)
from newsextract.tools.doctor.finding import Finding, Verdict, failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from newsextract.tools.doctor.finding import Check, Subject

CHECKS: dict[str, Check] = {
    "python": installation_check.python,
    "packages": installation_check.packages,
    "extras": installation_check.extras,
    "settings": project_check.settings,
    "add-on": project_check.addon,
    "spiders": project_check.spiders,
    "sites": project_check.sites,
    "secrets": secrets_check.secrets,
    "weights": installation_check.weights,
    "extractor": installation_check.extractors,
    "feeds": project_check.feeds,
    "output": machine_check.output,
    "disk": machine_check.disk,
    "database": database_check.database,
    "browser": browser_check.browser,
    "job folder": project_check.job_folder,
    "manners": project_check.manners,
    "open ports": project_check.ports,
    "open files": machine_check.open_files,
    "clock": machine_check.clock,
    "scrapyd": installation_check.scrapyd,
    "eggs": installation_check.eggs,
}


def examine(subject: Subject, checks: Mapping[str, Check] = CHECKS) -> Iterator[tuple[str, Finding]]:
    """Run the checks and yield their findings with the names of the checks."""
    for name, check in checks.items():
        try:
            found = list(check(subject))
        except Exception as error:  # noqa: BLE001 - a check that fails is a finding, and the others continue
            found = [failure(f"could not be examined: {type(error).__name__}: {error}", "look at the setting it names")]
        for finding in found:
            yield name, finding


def is_well(findings: list[tuple[str, Finding]]) -> bool:
    """Return whether crawls can run: no finding is a failure."""
    return not any(finding.verdict is Verdict.FAILURE for _, finding in findings)
