"""What the doctor says of Python, packages and scrapyd."""

from __future__ import annotations

import pytest

from newsextract.tools.doctor.finding import Verdict
from newsextract.tools.doctor.installation_check import (
    package_findings,
    python_finding,
    scrapyd_findings,
    shadow_findings,
)

REQUIRED = ("scrapy>=2.18", "lxml>=6.0", 'psycopg>=3.2; extra == "postgres"', 'tzdata; sys_platform == "nowhere"')


@pytest.mark.parametrize(("version", "verdict"), [((3, 11, 0), Verdict.OK), ((3, 10, 14), Verdict.FAILURE)])
def test_wants_a_python_that_is_new_enough(version: tuple[int, ...], verdict: Verdict) -> None:
    assert python_finding(version).verdict is verdict


def test_names_the_versions_when_all_are_new_enough() -> None:
    (finding,) = package_findings(REQUIRED, {"scrapy": "2.19.0", "lxml": "6.1"}.get)
    assert finding.verdict is Verdict.OK
    assert finding.found == "all 2 are new enough: scrapy 2.19.0, lxml 6.1"


def test_names_each_package_that_is_missing_or_too_old_and_how_to_get_it() -> None:
    found = list(package_findings(REQUIRED, {"scrapy": "2.11.2"}.get))
    assert [(finding.verdict, finding.found, finding.advice) for finding in found] == [
        (Verdict.FAILURE, "scrapy is 2.11.2", "pip install 'scrapy>=2.18'"),
        (Verdict.FAILURE, "lxml is not installed", "pip install 'lxml>=6.0'"),
    ]


@pytest.mark.parametrize(
    ("version", "has_pkg_resources", "verdict"),
    [
        ("1.6.0", True, Verdict.OK),
        ("1.6.0", False, Verdict.FAILURE),
        ("1.7.0", False, Verdict.OK),
        (None, False, Verdict.NOTE),
    ],
)
def test_knows_which_scrapyd_needs_an_old_setuptools(
    version: str | None, has_pkg_resources: bool, verdict: Verdict
) -> None:
    (finding,) = scrapyd_findings(version, has_pkg_resources=has_pkg_resources)
    assert finding.verdict is verdict
    assert verdict is not Verdict.FAILURE or finding.advice == "pip install 'setuptools<81'"


def test_warns_of_an_installed_newsextract_that_stands_before_the_egg() -> None:
    (finding,) = shadow_findings("0.1.0", is_editable=False)
    assert finding.verdict is Verdict.WARNING
    assert not list(shadow_findings("0.1.0", is_editable=True))
    assert not list(shadow_findings(None, is_editable=False))
