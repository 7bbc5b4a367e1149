"""The declarations of settings, and what is derived from them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docs.generators.settings_table import PAGE, with_table
from newsextract.settings import ENVIRONMENT, SETTINGS, BadSetting, check, troubles

PROJECT = Path(__file__).parents[1]

_DATABASE = {"NEWSEXTRACT_DATABASE": "sqlite:///output/a.db"}

_WRONG: dict[str, Any] = {
    "NEWSEXTRACT_EXTRACTOR": 5,
    "NEWSEXTRACT_KINDS": ["story"],
    "NEWSEXTRACT_METADATA_SOURCES": {"headlin": []},
    "NEWSEXTRACT_DATABASE": 5,
    "NEWSEXTRACT_WARC": "/dev/null/pages",
    "NEWSEXTRACT_BROKER": "kafka://a.example",
    "NEWSEXTRACT_WEBHOOKS": ["ftp://a.example"],
    "NEWSEXTRACT_ATOM": __file__,
    "NEWSEXTRACT_MESSAGES": "/dev",
    "NEWSEXTRACT_PRIVATE_ADDRESSES": ["10.0.0.1/8"],
    "NEWSEXTRACT_WATCH": "/dev/null/watch.yml",
    "NEWSEXTRACT_ALERTS": "/dev/null/alerts.yml",
    "NEWSEXTRACT_PROMETHEUS": "/dev",
}


def test_every_default_passes_its_own_check() -> None:
    assert list(troubles({})) == []
    assert list(troubles({name: setting.default for name, setting in SETTINGS.items()})) == []
    assert list(troubles(dict.fromkeys(SETTINGS, "None"))) == []


def test_every_check_names_its_setting() -> None:
    for name in SETTINGS:
        with pytest.raises(BadSetting, match=f"^{name}: ."):
            check(_DATABASE | {name: _WRONG.get(name, "perhaps")})


@pytest.mark.parametrize(
    "value",
    [float("inf"), 10**400, "[" * 100_000, "x" * 5_000, "a\nb", "a\0b", {1: 2}, "amqp://u:s3cret@a:9999999/"],
    ids=lambda value: repr(value)[:12],
)
def test_absurd_values_are_told_in_one_short_line(value: Any) -> None:
    for error in (each for name in SETTINGS for each in troubles(_DATABASE | {name: value})):
        assert str(error).startswith("NEWSEXTRACT_")
        assert len(str(error).splitlines()) == 1
        assert len(str(error)) < 600
        assert ":s3cret@a" not in str(error)


@pytest.mark.parametrize(
    ("name", "value"), [("BROKER", "redis://a.example/0"), ("ATOM", "feeds"), ("PROMETHEUS", "news.prom")]
)
def test_what_needs_a_database_says_so(name: str, value: str) -> None:
    with pytest.raises(BadSetting, match=f"NEWSEXTRACT_{name}: it needs NEWSEXTRACT_DATABASE, where "):
        check({f"NEWSEXTRACT_{name}": value})


@pytest.mark.parametrize(("name", "meant"), [
    ("NEWSEXTRACT_EXTRACTERS", "did you mean NEWSEXTRACT_EXTRACTOR?"),
    ("NEWSEXTRACT_WEBHOOK", "did you mean NEWSEXTRACT_WEBHOOKS?"),
    ("NEWSEXTRACT_DB", "did you mean NEWSEXTRACT_"),
    ("NEWSEXTRACT_OUTPUT", "set it in the environment"),
])  # fmt: skip
def test_an_unknown_name_is_told_with_the_nearest(name: str, meant: str) -> None:
    with pytest.raises(BadSetting, match=re.escape(f"{name}: there is no such setting; {meant}")):
        check({name: "secret"})


@pytest.mark.parametrize(("name", "written", "value"), [
    ("REVISIONS", "true", True), ("REVISIONS", 1, True), ("DATABASE", "", None), ("DATABASE", False, None),
    ("ATOM", False, None), ("WARC", "None", None), ("WARC", "output/warc", Path("output/warc")),
    ("PAGE_SECONDS", "2.5", 2.5), ("WORKERS", "0", 0), ("KINDS", "article, live", ["article", "live"]),
    ("KINDS", None, ["article", "live", "gallery", "video"]), ("WEBHOOKS", "", []), ("WEBHOOKS", False, []),
])  # fmt: skip
def test_a_command_line_and_a_module_say_the_same(name: str, written: object, value: object) -> None:
    found = SETTINGS[f"NEWSEXTRACT_{name}"].of({f"NEWSEXTRACT_{name}": written})
    assert (found, type(found)) == (value, type(value))


def test_all_that_is_wrong_is_told_at_once() -> None:
    wrong = {"NEWSEXTRACT_PAGE_BYTES": "many", "NEWSEXTRACT_WORKERS": "many", "NEWSEXTRACT_PAGES": 1}
    assert {str(error).partition(":")[0] for error in troubles(wrong)} == set(wrong)


def test_every_name_in_the_source_is_declared() -> None:
    folders = ("newsextract", "settings", "docs", "benchmarks")
    files = [path for folder in folders for path in (PROJECT / folder).rglob("*") if path.suffix in (".py", ".md")]
    used = {
        (name, path.name)
        for path in (*files, PROJECT / "README.md")
        for name in re.findall(r"\bNEWSEXTRACT_[A-Z_]*[A-Z]\b", path.read_text("utf-8"))
    }
    known = {*SETTINGS, *ENVIRONMENT}
    # What settings.py's doctest and the docs misspell on purpose, and where tests find their servers.
    excused = ("NEWSEXTRACT_EXTRACTERS", "NEWSEXTRACT_TEST_")
    assert {use for use in used if use[0] not in known and not use[0].startswith(excused)} == set()
    assert {name for name, _ in used} >= set(SETTINGS)


def test_no_component_reads_a_setting_past_its_declaration() -> None:
    raw = re.compile(r"""settings(?:\.get\w*\(|\[)["']NEWSEXTRACT_""")
    sources = [*(PROJECT / "newsextract").rglob("*.py")]
    assert [path for path in sources if raw.search(path.read_text("utf-8"))] == []


def test_the_table_in_the_docs_is_todays() -> None:
    page = (PROJECT / PAGE).read_text("utf-8")
    assert page == with_table(page), "run python -m docs.generators.settings_table"


def test_the_package_loads_no_settings_and_the_settings_nothing_heavy() -> None:
    told = "import sys, newsextract; print('newsextract.settings' in sys.modules); import newsextract.settings; "
    told += "print(*({'scrapy', 'sqlalchemy', 'kombu', 'starlette', 'pydantic', 'lark'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True, cwd=PROJECT)
    assert done.stdout.split() == ["False"]


def test_a_value_of_the_wrong_type_hides_no_other_that_cannot_work() -> None:
    told = [str(error) for error in troubles({"NEWSEXTRACT_WORKERS": "many", "NEWSEXTRACT_EXTRACTOR": "msss"})]
    assert [line.partition(":")[0] for line in told] == ["NEWSEXTRACT_WORKERS", "NEWSEXTRACT_EXTRACTOR"]
