"""Checks Python, the packages that newsextract and scrapyd need, and that the configured extractor reads a page."""

from __future__ import annotations

import json
import sys
from importlib import metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.version import Version

from newsextract.crawl.readers import plan_from_settings
from newsextract.page.page import Page
from newsextract.reading.extraction.block_classifier.model import load as load_block_classifier
from newsextract.reading.kinds import load as load_page_classifier
from newsextract.reading.trained_models.boosted_trees import BadWeights
from newsextract.tools.doctor.finding import failure, note, ok, warning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from newsextract.tools.doctor.finding import Finding, Subject

PYTHON = (3, 11)

EXTRAS = {
    "postgres": "psycopg",
    "mysql": "pymysql",
    "render": "playwright",
    "scrapyd": "scrapyd",
    "evaluate": "matplotlib",
    "template": "apted",
    "archive": "pyarrow",
    "broker": "kombu",
    "desk": "starlette",
}
"""A module of each extra."""

SHOWN = ("scrapy", "lxml", "numpy", "sqlalchemy")
"""The packages whose versions belong in a bug report."""

PKG_RESOURCES = "pkg_resources"


def python(_: Subject) -> Iterator[Finding]:
    """Check the version of Python."""
    yield python_finding(tuple(sys.version_info[:3]))


def python_finding(version: tuple[int, ...]) -> Finding:
    """Check whether a version of Python is new enough."""
    written = ".".join(map(str, version))
    if version < PYTHON:
        return failure(f"Python {written}", "newsextract needs Python 3.11 or newer: make a new virtual environment")
    return ok(f"Python {written} at {sys.executable}")


def packages(_: Subject) -> Iterator[Finding]:
    """Check the versions of the dependencies."""
    try:
        required = metadata.requires("newsextract") or []
    except metadata.PackageNotFoundError:
        yield note("newsextract is not installed as a package, so its requirements are unknown")
        return
    yield from package_findings(required, installed_version)


def package_findings(required: Iterable[str], installed: Callable[[str], str | None]) -> Iterator[Finding]:
    """Return the dependencies that are missing or too old, or else the versions of the most important ones."""
    wanted = [requirement for requirement in map(Requirement, required) if _is_always_needed(requirement)]
    versions = {requirement.name.lower(): installed(requirement.name) for requirement in wanted}
    lacking = [need for need in wanted if not _is_met(need, versions[need.name.lower()])]
    for need in lacking:
        yield failure(f"{need.name} is {versions[need.name.lower()] or 'not installed'}", f"pip install '{need}'")
    if not lacking:
        named = ", ".join(f"{name} {versions[name]}" for name in SHOWN if name in versions)
        yield ok(f"all {len(wanted)} are new enough: {named}")


def _is_always_needed(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


def _is_met(requirement: Requirement, version: str | None) -> bool:
    return version is not None and requirement.specifier.contains(version, prereleases=True)


def extras(_: Subject) -> Iterator[Finding]:
    """Report which extras are installed."""
    there = [name for name, module in EXTRAS.items() if find_spec(module)]
    missing = [name for name in EXTRAS if name not in there]
    yield note(f"installed: {', '.join(there) or 'none'}" + (f"; not: {', '.join(missing)}" if missing else ""))


def scrapyd(_: Subject) -> Iterator[Finding]:
    """Check the dependencies of scrapyd, if it is installed."""
    yield from scrapyd_findings(installed_version("scrapyd"), has_pkg_resources=find_spec(PKG_RESOURCES) is not None)


def scrapyd_findings(version: str | None, *, has_pkg_resources: bool) -> Iterator[Finding]:
    """Check whether a version of scrapyd can start."""
    if version is None:
        yield note("scrapyd is not installed: pip install 'newsextract[scrapyd]'")
    elif Version(version) < Version("1.7") and not has_pkg_resources:
        yield failure(f"scrapyd {version} imports {PKG_RESOURCES}, which is missing", "pip install 'setuptools<81'")
    else:
        yield ok(f"scrapyd {version} can be imported")


def eggs(_: Subject) -> Iterator[Finding]:
    """Check whether jobs would import an installed newsextract instead of the deployed one."""
    if find_spec("scrapyd"):
        yield from shadow_findings(installed_version("newsextract"), is_editable=_is_editable())


def shadow_findings(version: str | None, *, is_editable: bool) -> Iterator[Finding]:
    """Check whether jobs run the egg; an editable installation comes after it on the path, any other before."""
    if version is not None and not is_editable:
        yield warning(
            f"newsextract {version} is installed beside scrapyd: jobs run it instead of the deployed egg",
            "give scrapyd an environment with the requirements alone (`make scrapyd` puts the egg first by itself)",
        )


def _is_editable() -> bool:
    # In a checkout its own metadata come first, which do not tell how it was installed.
    found = (each.read_text("direct_url.json") for each in metadata.distributions(name="newsextract"))
    return any(json.loads(origin).get("dir_info", {}).get("editable") for origin in found if origin)


def installed_version(name: str) -> str | None:
    """Return the version of a distribution; `None` if it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


WORDS = 80
"""Words that an extractor must find in the sample, which has twice as many."""

_SENTENCE = "Part {} of the story says that the mayor of the town opened the bridge after many years of waiting."
SAMPLE = (
    '<html><head><title>A bridge</title><meta property="og:type" content="article"></head><body>'
    '<nav><a href="/">Home</a> <a href="/sport">Sport</a></nav><h1>A bridge for the town</h1>'
    + "".join(f"<p>{_SENTENCE.format(number)}</p>" for number in range(9))
    + '<footer><a href="/imprint">Imprint</a></footer></body></html>'
)
"""A page that any extractor reads."""


def weights(_: Subject) -> Iterator[Finding]:
    """Read the weights that come with the package."""
    for name, load in (("blocks", load_block_classifier), ("pages", load_page_classifier)):
        try:
            load()
        except BadWeights as error:
            yield failure(f"the weights for {name} cannot be read: {error}", "install newsextract again")
        else:
            yield ok(f"the weights for {name} can be read")


def extractors(subject: Subject) -> Iterator[Finding]:
    """Read a sample page with every extractor named in the settings."""
    try:
        plan = plan_from_settings(subject.settings)
        reader = plan.create()
        chosen = {plan.extractor: reader.default, **reader.by_site}
        texts = {name: extractor.extract(Page(SAMPLE)).text for name, extractor in chosen.items()}
    except (ImportError, TypeError, ValueError) as error:
        yield failure(str(error), "correct the setting: NEWSEXTRACT_EXTRACTOR, …_OPTIONS, …_KINDS or the like")
        return
    for name, text in texts.items():
        words = len(text.split())
        if words < WORDS:
            yield warning(f"{name} found {words} words of a sample page with 180", "choose another, or its options")
        else:
            yield ok(f"{name} found {words} words of a sample page")
