"""The doctor's findings about a database, which it does not change."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings
from sqlalchemy import create_engine, text

from newsextract.tools.doctor.database_check import database, migration_finding, version_finding
from newsextract.tools.doctor.finding import Finding, Subject, Verdict
from tests.conftest import POSTGRES

if TYPE_CHECKING:
    from pathlib import Path

MARIADB = os.environ.get("NEWSEXTRACT_TEST_MARIADB", "mysql+pymysql://root@127.0.0.1/test")

NOTE, OK, WARNING, FAILURE = Verdict.NOTE, Verdict.OK, Verdict.WARNING, Verdict.FAILURE


def examined(url: str | None, folder: Path) -> list[Finding]:
    return list(database(Subject(Settings({"NEWSEXTRACT_DATABASE": url}), folder)))


@pytest.mark.parametrize(
    ("name", "version", "verdict"),
    [
        ("SQLite", (3, 34, 1), FAILURE),
        ("SQLite", (3, 35, 0), OK),
        ("PostgreSQL", (11, 22), FAILURE),
        ("PostgreSQL", (12, 0), OK),
        ("MariaDB", (10, 5, 25, "MariaDB"), FAILURE),
        ("MariaDB", (10, 6, 18, "MariaDB"), OK),
        ("MySQL", (5, 7, 44), FAILURE),
        ("MySQL", (8, 0, 37), OK),
        ("oracle", (23, 4), FAILURE),
    ],
)
def test_wants_a_version_that_is_new_enough(name: str, version: tuple[int | str, ...], verdict: Verdict) -> None:
    assert version_finding(name, version, "here").verdict is verdict


@pytest.mark.parametrize(
    ("stored", "known", "has_articles", "verdict"),
    [
        (("0002",), ("0001", "0002"), True, OK),
        (("0001",), ("0001", "0002"), True, WARNING),
        ((), ("0001", "0002"), True, FAILURE),
        ((), ("0001", "0002"), False, NOTE),
        (("0003",), ("0001", "0002"), True, FAILURE),
    ],
)
def test_knows_tables_of_another_version(
    stored: tuple[str, ...], known: tuple[str, ...], has_articles: bool, verdict: Verdict
) -> None:
    assert migration_finding(stored, known, has_articles=has_articles).verdict is verdict


def test_examines_a_file_that_is_not_there_without_making_it(tmp_path: Path) -> None:
    found = examined("sqlite:///output/news.db", tmp_path)
    assert [finding.verdict for finding in found] == [OK, OK]
    assert "(not there yet)" in found[0].found
    assert not list(tmp_path.iterdir())


def test_reads_the_migration_that_the_tables_are_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsextract.tools.doctor.database_check.REVISIONS", ("0001", "0002"))
    engine = create_engine(f"sqlite:///{tmp_path}/news.db")
    with engine.begin() as connection:
        connection.execute(text("create table alembic_version (version_num varchar(32))"))
        connection.execute(text("insert into alembic_version values ('0001')"))
    engine.dispose()
    assert examined("sqlite:///news.db", tmp_path)[-1].found == "tables are at 0001, the newest is 0002"


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("news.db", "is not a URL"),
        ("nosql://host/news", "no database we know"),
        ("postgresql+psycopg://reader:secret@127.0.0.1:9/news", "does not answer"),
        ("sqlite:///file", "does not answer"),
    ],
)
def test_says_what_is_wrong_and_no_password(url: str, word: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("this is no database, but long enough to be taken for one" * 20)
    (finding,) = [found for found in examined(url, tmp_path) if found.verdict is FAILURE]
    assert word in finding.found
    assert finding.advice
    assert "secret" not in finding.found


def test_no_database_is_worth_knowing(tmp_path: Path) -> None:
    assert [finding.verdict for finding in examined(None, tmp_path)] == [NOTE]


@pytest.mark.parametrize(("url", "name"), [(POSTGRES, "PostgreSQL"), (MARIADB, "MariaDB")])
def test_examines_a_server(url: str, name: str, tmp_path: Path) -> None:
    found = examined(url, tmp_path)[0]
    if found.verdict is FAILURE:
        pytest.skip(f"no {name} to test with: {found.found}")
    assert found.verdict is OK
    assert found.found.startswith(f"{name} ")
