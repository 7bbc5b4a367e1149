"""Settings that cannot work: an error before the start names them."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from newsextract.tools.crawl import check_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy

HAS_PSYCOPG = importlib.util.find_spec("psycopg") is not None


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("NEWSEXTRACT_EXTRACTOR", "msss", "there are"),
        ("NEWSEXTRACT_EXTRACTOR", "no.such.Extractor", "cannot import the extractor"),
        ("NEWSEXTRACT_EXTRACTOR", "pathlib.Path", "has no method `extract`"),
        ("NEWSEXTRACT_EXTRACTOR", "auto:tags=1", "has no option 'tags'"),
        ("NEWSEXTRACT_EXTRACTOR", "auto:min_probability=low", "extractor 'auto'"),
        ("NEWSEXTRACT_EXTRACTOR", "template", "needs 5 pages of a site or more, see `newsextract template`"),
        ("NEWSEXTRACT_EXTRACTOR_OPTIONS", "{}", "NEWSEXTRACT_EXTRACTOR"),
        ("NEWSEXTRACT_METADATA_SOURCES", "headline=h1", "is not a JSON object"),
        ("NEWSEXTRACT_KINDS", "article,story", "no kind of page is called 'story'; there are article, live"),
        ("NEWSEXTRACT_PAGE_BYTES", "20 MB", "is not a number of bytes"),
        ("NEWSEXTRACT_PRIVATE_ADDRESSES", "[10", "is not a JSON list"),
        ("NEWSEXTRACT_WORKERS", "many", "is not a whole number from 0 on"),
        ("NEWSEXTRACT_PAGE_SECONDS", "0", "is not a number of seconds"),
        ("NEWSEXTRACT_DATABASE", "articles.db", "is not a database URL"),
        ("NEWSEXTRACT_DATABASE", "sqlite:///{file}/articles.db", "cannot open the database"),
        ("NEWSEXTRACT_DATABASE", "sqlite:///{file}", "cannot open the database"),
        (
            "NEWSEXTRACT_DATABASE",
            "postgresql://reader:secret@127.0.0.1:9/news",
            "reader:***@127.0.0.1:9/news" if HAS_PSYCOPG else "pip install 'newsextract[postgres]'",
        ),
        ("NEWSEXTRACT_ALERTS", "alerts.yml", "it needs NEWSEXTRACT_DATABASE"),
        ("NEWSEXTRACT_PROMETHEUS", "{folder}/news.prom", "it needs NEWSEXTRACT_DATABASE"),
        ("FEEDS", '{"{file}/articles.jsonl": {"format": "jsonlines"}}', "cannot write"),
        ("LOG_FILE", "{file}/crawl.log", "cannot write"),
        ("LOG_LEVEL", "LOUD", "is not among CRITICAL, "),
        ("DOWNLOAD_DELAY", "slow", "'slow' is not a number; try 0"),
        ("FEEDS", '{"file://{folder}": {"format": "jsonlines"}}', "cannot write"),
    ],
)
def test_names_the_setting_and_the_reason(name: str, value: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    filled = value.replace("{file}", str(file)).replace("{folder}", str(tmp_path))
    with pytest.raises(ValueError, match=name) as caught:
        check_settings(Settings({name: filled}))
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("NEWSEXTRACT_ALERTS", "{folder}/alerts.yml", "no such file"),
        ("NEWSEXTRACT_PROMETHEUS", "{folder}", "cannot write"),
        ("NEWSEXTRACT_PROMETHEUS", "{folder}/file/news.prom", "cannot write"),
    ],
)
def test_names_who_cannot_be_told_of_the_health(name: str, value: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    settings = {"NEWSEXTRACT_DATABASE": f"sqlite:///{tmp_path}/a.db", name: value.replace("{folder}", str(tmp_path))}
    with pytest.raises(ValueError, match=f"{name}: .*{message}"):
        check_settings(Settings(settings))


@pytest.mark.parametrize(
    "target", ["stdout:", "{folder}/%(name)s/%(time)s.jsonl", "s3://bucket/a.jsonl", "{folder}/a/b.jsonl"]
)
def test_leaves_alone_what_can_be_written(target: str, tmp_path: Path) -> None:
    target = target.replace("{folder}", str(tmp_path))
    check_settings(Settings({"FEEDS": {target: {"format": "jsonlines"}}, "NEWSEXTRACT_DATABASE": None}))
    assert not list(tmp_path.glob("*%*"))


def test_an_output_in_the_way_stops_the_command(crawl: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    run = crawl(tmp_path, "http://127.0.0.1:9/", "-O", "file/articles.jsonl")
    assert run.code == 2
    assert "FEEDS: cannot write file/articles.jsonl" in run.err
    assert "Traceback" not in run.err


def test_a_job_folder_and_a_ledger_do_not_go_together(tmp_path: Path) -> None:
    database = {"NEWSEXTRACT_DATABASE": f"sqlite:///{tmp_path}/a.db"}
    with pytest.raises(ValueError, match="leave JOBDIR out, or set NEWSEXTRACT_DATABASE to nothing"):
        check_settings(Settings({"JOBDIR": "job", **database}))
    check_settings(Settings({"JOBDIR": "job"}))
    check_settings(Settings(database))
