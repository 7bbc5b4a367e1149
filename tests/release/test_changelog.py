"""The changelog: a section for each version, and in it each kind of change once."""

from __future__ import annotations

import re
import tomllib

from release.contents import PROJECT

CHANGELOG = (PROJECT / "CHANGELOG.md").read_text("utf-8")
SECTIONS = re.split(r"^## ", CHANGELOG, flags=re.MULTILINE)[1:]
KINDS = ["Added", "Changed", "Deprecated", "Fixed", "Security", "Removed"]


def test_the_version_of_the_package_is_the_newest_release() -> None:
    version = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    headings = [section.splitlines()[0] for section in SECTIONS]
    assert headings[0] == "[Unreleased]"
    assert re.fullmatch(rf"\[{re.escape(version)}\] - 20\d\d-\d\d-\d\d", headings[1])


def test_each_kind_of_change_stands_once_in_a_release_and_no_line_twice() -> None:
    for section in SECTIONS:
        kinds = re.findall(r"^### (.*)$", section, re.MULTILINE)
        assert kinds == [kind for kind in KINDS if kind in kinds], section.splitlines()[0]
        entries = re.findall(r"^- .*$", section, re.MULTILINE)
        assert len(entries) == len(set(entries))


def test_its_links_lead_to_files() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)", CHANGELOG) if "://" not in link]
    assert [link for link in links if not (PROJECT / link).exists()] == []
