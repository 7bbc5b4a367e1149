"""The command `newsextract archive`, with worker processes: what it writes, resumes, refuses and counts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("brotli", reason="wants the extra `archive`")
pytest.importorskip("pyarrow", reason="wants the extra `archive`")

import pyarrow.parquet as pq

from newsextract import Page, read_article
from newsextract.cli import main
from tests.archives.archive_pages import capture, text_of, write_archive
from tests.archives.hanging import DIES, FAILS, HANGS

if TYPE_CHECKING:
    from pathlib import Path

Rows = list[dict[str, Any]]


def archive(*arguments: object) -> int:
    """Run the command in this process, with two processes."""
    return main(["archive", "--jobs", "2", *map(str, arguments)])


def rows_of(folder: Path, part: str = "articles") -> Rows:
    """Return the rows of all tables of a kind, by file."""
    paths = sorted(path for path in (folder / part).rglob("*.parquet") if not path.name.startswith("_"))
    return [row for path in paths for row in pq.read_table(path, partitioning=None).to_pylist()]


def table_of(folder: Path, name: str, part: str = "records") -> Path:
    (found,) = (folder / part).glob(f"{name}-*.parquet")
    return found


@pytest.fixture
def warcs(tmp_path: Path) -> Path:
    """Return a folder with two archives; the second ends within a member, and goes over two months."""
    folder = tmp_path / "warcs"
    write_archive(folder / "one.warc.gz", [capture(number) for number in range(4)])
    late = [capture(number, date=f"2026-0{number - 3}-01T00:00:00Z") for number in (8, 9)]
    write_archive(folder / "two.warc.gz", late, rest=b"\x1f\x8b\x08\0\0\0\0\0\0\3torn")
    return folder


def test_writes_the_articles_that_read_article_gives(warcs: Path, tmp_path: Path) -> None:
    assert archive(warcs, "-o", tmp_path / "out") == 0
    found = {row["url"]: row for row in rows_of(tmp_path / "out")}
    for number in range(4):
        page = capture(number)
        wanted = read_article(Page(page.html, page.url, charset="utf-8"))
        row = found[page.url]
        assert row["article_body"] == wanted.articleBody
        assert row["headline"] == wanted.headline
        assert (row["warc_file"], row["warc_record_id"], row["warc_date"]) == (
            "one.warc.gz",
            page.record_id,
            datetime.fromisoformat(page.date),
        )
        assert row["date_downloaded"] == datetime.fromisoformat(page.date)
    months = {path.parent.name for path in (tmp_path / "out" / "articles").rglob("two-*.parquet")}
    assert months == {"month=2026-05", "month=2026-06"}


def test_counts_every_record(warcs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert archive(warcs, "-o", tmp_path / "out") == 0
    counted = json.loads((tmp_path / "out" / "summary.json").read_text())
    records = rows_of(tmp_path / "out", "records")
    assert counted["records"] == len(records) == sum(counted["ends"].values())
    assert counted["ends"]["article"] == counted["articles"] == 6
    assert [row["state"] for row in records if row["warc_file"] == "two.warc.gz"] == ["article", "article", "damaged"]
    assert all(row["reason"] for row in records if row["state"] != "article")
    assert "6 articles in tables" in capsys.readouterr().out
    assert (tmp_path / "out" / "README.md").exists()


def test_leaves_out_what_pages_and_headers_reserve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tag = b'<meta name="robots" content="noai, noarchive">'
    tagged = [replace(capture(n), html=capture(n).html.replace(b"<head>", b"<head>" + tag)) for n in (1, 2)]
    told = replace(capture(3), headers="TDM-Reservation: 1\r\nContent-Usage: search=y\r\n")
    warc = write_archive(tmp_path / "a.warc.gz", [*tagged, told, capture(4)])
    assert archive(warc, "-o", tmp_path / "out", "--rights", "train-ai") == 0
    line = "3 left out, where train-ai is reserved: 2 by noai in meta, 1 by tdm-reservation: 1 in header"
    assert line in capsys.readouterr().out
    assert [row["url"] for row in rows_of(tmp_path / "out")] == [capture(4).url]
    reasons = [row["reason"] for row in rows_of(tmp_path / "out", "records")]
    assert reasons[1:3] == ["reserved by noai in meta", "reserved by tdm-reservation: 1 in header"]
    assert line in (tmp_path / "out" / "README.md").read_text()
    assert archive(warc, "-o", tmp_path / "other", "--rights", "archive") == 0
    assert {row["url"] for row in rows_of(tmp_path / "other")} == {told.url, capture(4).url}


def test_reads_no_file_twice_and_adds_new_ones(warcs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert archive(warcs, "-o", tmp_path / "out") == 0
    before = table_of(tmp_path / "out", "one").stat().st_mtime_ns
    write_archive(warcs / "three.warc.gz", [capture(20)])
    capsys.readouterr()
    assert archive(warcs, "-o", tmp_path / "out") == 0
    assert "2 of 3 files were read before" in capsys.readouterr().err
    assert table_of(tmp_path / "out", "one").stat().st_mtime_ns == before
    assert len(rows_of(tmp_path / "out")) == 7


def test_files_called_alike_are_different_files(tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "news.warc", tmp_path / "b" / "news.warc"
    write_archive(first, [capture(1), capture(2)])
    write_archive(second, [capture(11), capture(12)])
    assert archive(first, "-o", tmp_path / "out") == 0
    for _ in range(2):
        assert archive(second, first, "-o", tmp_path / "out") == 0
        assert len(rows_of(tmp_path / "out", "records")) == len(rows_of(tmp_path / "out")) == 4


def test_tables_of_a_killed_run_go_if_their_file_is_left_out(warcs: Path, tmp_path: Path) -> None:
    assert archive(warcs, "-o", tmp_path / "out") == 0
    table_of(tmp_path / "out", "two").unlink()  # as if killed before the records appeared
    assert archive(warcs / "one.warc.gz", "-o", tmp_path / "out") == 0
    assert {row["warc_file"] for row in rows_of(tmp_path / "out")} == {"one.warc.gz"}
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["articles"] == 4


def test_a_page_that_hangs_is_killed_and_its_file_goes_on(tmp_path: Path) -> None:
    pages = [capture(1), capture(2, HANGS), capture(3), capture(4, DIES), capture(5)]
    write_archive(tmp_path / "a.warc.gz", pages)
    started = time.monotonic()
    extractor = "tests.archives.hanging.Hanging"
    assert archive(tmp_path / "a.warc.gz", "-o", tmp_path / "out", "-x", extractor, "--page-seconds", 2) == 0
    assert time.monotonic() - started < 120
    records = rows_of(tmp_path / "out", "records")
    assert [row["state"] for row in records] == ["article", "killed", "article", "killed", "article"]
    assert records[1]["reason"] == "not read within 2 seconds"
    assert records[3]["reason"] == "the process that reads it dies"


def test_a_run_in_which_every_page_fails_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    extractor = "tests.archives.hanging.Hanging"
    write_archive(tmp_path / "in" / "a.warc.gz", [capture(1, FAILS), capture(2, FAILS)])
    assert archive(tmp_path / "in", "-o", tmp_path / "out", "-x", extractor) == 1
    assert "every page failed" in capsys.readouterr().err
    assert {row["state"] for row in rows_of(tmp_path / "out", "records")} == {"error"}
    write_archive(tmp_path / "in" / "b.warc.gz", [capture(3)])
    assert archive(tmp_path / "in", "-o", tmp_path / "out", "-x", extractor) == 0


def test_another_command_into_the_same_folder_is_refused(
    warcs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert archive(warcs / "one.warc.gz", "-o", tmp_path / "out") == 0
    assert archive(warcs / "one.warc.gz", "-o", tmp_path / "out", "-x", "mss") == 2
    assert "were made with --extractor auto, and would now be with --extractor mss;" in capsys.readouterr().err
    assert archive(warcs / "one.warc.gz", "-o", tmp_path / "out", "--languages", "de") == 2
    assert "were made without --languages, and would now be with --languages de;" in capsys.readouterr().err
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("")
    assert archive(warcs, "-o", tmp_path / "mine") == 2
    assert "holds something else" in capsys.readouterr().err


def test_a_run_with_nothing_to_do_does_not_wait_for_scrapy(warcs: Path, tmp_path: Path) -> None:
    given = ["archive", str(warcs), "-o", str(tmp_path / "out")]
    assert main(given) == 0
    script = f"import sys; from newsextract.cli import main; main({given}); print('scrapy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_a_file_that_has_changed_is_read_again(warcs: Path, tmp_path: Path) -> None:
    assert archive(warcs, "-o", tmp_path / "out") == 0
    write_archive(warcs / "one.warc.gz", [capture(1)])
    assert archive(warcs, "-o", tmp_path / "out") == 0
    assert len(rows_of(tmp_path / "out")) == 3


def test_a_file_that_is_no_archive_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / "a.warc.gz"
    wrong.write_bytes(b"%PDF-1.7 and so on")
    assert archive(wrong, "-o", tmp_path / "out") == 2
    assert capsys.readouterr().err == f"newsextract archive: {wrong}: no record of a WARC file is in it\n"
    assert not (tmp_path / "out").exists()
    write_archive(tmp_path / "b.warc.gz", [capture(1)])
    assert archive(tmp_path, "-o", tmp_path / "out") == 1
    assert f"{wrong}: no record of a WARC file" in capsys.readouterr().err


@pytest.mark.parametrize(("arguments", "told"), [
    (["--jobs", "0"], "--jobs"), (["--page-seconds", "0"], "--page-seconds"),
    (["--address", "auto"], "--address"), (["-x", "nonesuch"], "nonesuch"), (["--since", "soon"], "since"),
    (["--kinds", "poem"], "poem"),
])  # fmt: skip
def test_a_wrong_argument_is_named(
    warcs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    given = ["archive", str(warcs), "-o", str(tmp_path / "out"), *arguments]
    assert main(given) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_filters_leave_records_out_and_say_so(warcs: Path, tmp_path: Path) -> None:
    assert archive(warcs, "-o", tmp_path / "out", "--url", "story-[12]-") == 0
    assert len(rows_of(tmp_path / "out")) == 2
    counted = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert counted["ends"]["filtered"] == 4


def done(folder: Path) -> list[Path]:
    return list((folder / "records").glob("[!_]*.parquet"))


def test_a_killed_run_goes_on_to_the_same_rows(tmp_path: Path) -> None:
    for name in "abcd":
        numbers = range(ord(name) * 100, ord(name) * 100 + 12)
        write_archive(tmp_path / "in" / f"{name}.warc.gz", [capture(number) for number in numbers])
    assert archive(tmp_path / "in", "-o", tmp_path / "quiet") == 0
    command = [sys.executable, "-m", "newsextract", "archive", str(tmp_path / "in"), "-o", str(tmp_path / "out")]
    run = subprocess.Popen([*command, "--engine", "processes", "--jobs", "1"], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not done(tmp_path / "out") and time.monotonic() < until:
        time.sleep(0.05)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert 0 < len(done(tmp_path / "out")) < 4
    assert archive(tmp_path / "in", "-o", tmp_path / "out") == 0
    for part in ("articles", "records"):
        assert rows_of(tmp_path / "out", part) == rows_of(tmp_path / "quiet", part)
    assert not list((tmp_path / "out").rglob("_*.parquet.*"))


def test_the_rules_of_the_list_of_hosts_count(warcs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sites, out = tmp_path / "sites.yml", tmp_path / "out"
    lines = "sites:\n  - start: https://paper.example/\n    rules: {strip: 'p:last-child'}\n"
    sites.write_text(lines)
    assert archive(warcs, "-o", out, "--hosts", sites) == 0
    bodies = {row["url"]: row["article_body"] for row in rows_of(out)}
    *kept, last = text_of(1)
    assert last not in bodies[capture(1).url]
    assert all(paragraph in bodies[capture(1).url] for paragraph in kept)
    sites.write_text(lines.replace("last", "first"))
    assert archive(warcs, "-o", out, "--hosts", sites) == 2
    assert "its articles were made with rules" in capsys.readouterr().err


def test_ray_gives_the_rows_that_processes_give(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="wants the extra `archive`")
    write_archive(tmp_path / "in" / "a.warc.gz", [capture(number) for number in range(3)])
    write_archive(tmp_path / "in" / "b.warc.gz", [capture(number) for number in range(3, 5)])
    found = {}
    for engine in ("processes", "ray"):
        folder = tmp_path / engine
        assert main(["archive", str(tmp_path / "in"), "-o", str(folder), "--engine", engine, "--jobs", "1"]) == 0
        tables = sorted(path for path in folder.rglob("*.parquet") if not path.name.startswith("_"))
        found[engine] = {
            str(path.relative_to(folder)): pq.read_table(path, partitioning=None).to_pylist() for path in tables
        }
    assert found["processes"] == found["ray"]
    assert len(found["ray"]) == 4
