"""The changelog: a section for each version, the newest first, and no line twice."""

from __future__ import annotations

import re
import tomllib

from release.contents import PROJECT

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
