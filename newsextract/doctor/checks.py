"""All checks, in the order in which a person would look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.doctor import databases, extraction, feeds, installation, machine, project
from newsextract.doctor.finding import Finding, Verdict, failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from newsextract.doctor.finding import Check, Subject

CHECKS: dict[str, Check] = {
    "python": installation.python,
    "packages": installation.packages,
    "extras": installation.extras,
    "settings": project.settings,
    "add-on": project.addon,
    "spiders": project.spiders,
    "sites": project.sites,
    "weights": extraction.weights,
    "extractor": extraction.extractors,
    "feeds": feeds.feeds,
    "output": machine.output,
    "disk": machine.disk,
    "database": databases.database,
    "job folder": project.job_folder,
    "manners": project.manners,
    "open ports": project.ports,
    "open files": machine.open_files,
    "clock": machine.clock,
    "scrapyd": installation.scrapyd,
    "eggs": installation.eggs,
}


def examine(subject: Subject, checks: Mapping[str, Check] = CHECKS) -> Iterator[tuple[str, Finding]]:
    """Run the checks and yield what they find, with their names."""
    for name, check in checks.items():
        try:
            found = list(check(subject))
        except Exception as error:  # noqa: BLE001 - a check that breaks down is a finding, and the others go on
            found = [failure(f"could not be examined: {type(error).__name__}: {error}", "look at the setting it names")]
        for finding in found:
            yield name, finding


def is_well(findings: list[tuple[str, Finding]]) -> bool:
    """Tell whether crawls can run."""
    return not any(finding.verdict is Verdict.FAILURE for _, finding in findings)
