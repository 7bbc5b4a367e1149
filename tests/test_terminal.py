"""What is printed: its width and colours, as `COLUMNS` and `NO_COLOR` say; and servers that Ctrl-C ends."""

from __future__ import annotations

import io
import logging
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from rich.table import Column
from rich.text import Text

from newsextract.terminal import CleanLog, console_for, printable, progress, say, show, table
from tests.article_store import ArticleStore
from tests.scrapy_process import SECONDS
from tests.scrapy_runs import STORY, TinySite, html, listing, run_new_scrapy, run_scrapy, serving, story

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("columns", "width"), [("60", 60), ("", 110), ("wide", 110)])
def test_columns_hold_in_a_pipe(columns: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert console_for(io.StringIO(), 110).width == width


def test_no_color_is_plain_text_without_bold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    told = []
    for value in ("", "1"):
        monkeypatch.setenv("NO_COLOR", value)
        stream = Terminal()
        console_for(stream, None).print(Text("Ferry closes", "bold red"))
        told.append(stream.getvalue())
    coloured, plain = told
    assert "\x1b[" in coloured
    assert plain == "Ferry closes\n"


def test_a_bar_makes_way_for_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    for name in progress(["a.html", "b.html"], "pages", 2):
        say(f"{name}: no such file")
    assert stream.getvalue().count("\r\x1b[K") == 2
    assert "\x1b[Kb.html: no such file\n" in stream.getvalue()


IGNORING = ("sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, "-m")
"""Starts a module as a shell does that ignores Ctrl-C for what runs in the background."""


def test_servers_in_the_background_can_be_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEWSEXTRACT_OUTPUT", str(tmp_path))  # the project's own may name ports that are in use
    assert end_of("demo", "--serve") == 0
    pytest.importorskip("starlette", reason="Starlette is not installed: pip install 'newsextract[desk]'")
    ArticleStore.open(f"sqlite:///{tmp_path}/empty.db").close()
    assert end_of("newsextract", "desk", str(tmp_path / "empty.db")) == 0


def end_of(*module: str) -> int:
    """Interrupt a server as soon as it says where it is, and return its exit code."""
    with subprocess.Popen((*IGNORING, *module), stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert "http://127.0.0.1:" in server.stdout.readline()
        server.send_signal(signal.SIGINT)
        try:
            return server.wait(timeout=SECONDS)
        finally:
            server.kill()


def test_no_line_of_the_log_moves_the_cursor(caplog: pytest.LogCaptureFixture) -> None:
    caplog.handler.addFilter(CleanLog(printable))
    try:
        int("\x1b[2J")
    except ValueError as error:
        logging.getLogger("a.library").exception("a page says %s", RuntimeError("\x1b[31m"), exc_info=error)
    assert "a page says \\x1b[31m" in caplog.text
    assert "\x1b" not in caplog.text


def test_no_word_of_a_table_is_cut_and_only_the_column_that_may_be_is_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    stream = io.StringIO()
    terminal = console_for(stream, None)
    figures = table("extractor", Column("remarks"), "precision", title="Of one page, and of a second")
    figures.add_row("dom_criteria", "no vote: it chooses nothing", "0.912")
    url = "https://example.com/2026/03/02/a-long-name-of-a-story"
    show(terminal, figures, Text(f"From\n{url}"), Text("one line of many words is folded"))
    told = stream.getvalue()
    assert {"precision", "dom_criteria", "vote:", "chooses", "nothing", "0.912"} <= {*told.split()}
    assert f"{url}\n" in told
    assert told.endswith("one line of many words is \nfolded\n")
    assert terminal.width == 30


@pytest.fixture(scope="module")
def site() -> Iterator[TinySite]:
    with serving(TinySite()) as site:
        site.routes = {"/": html(listing(STORY)), STORY: html(story())}
        yield site


def test_prints_and_returns_the_same(tmp_path: Path) -> None:
    command = ("crawl", "news", "-a", "limits=3", "--nolog")
    forked, new = (run(tmp_path, *command) for run in (run_scrapy, run_new_scrapy))
    assert (forked.code, forked.out, forked.err) == (new.code, new.out, new.err)


def test_crawls_the_same(site: TinySite, tmp_path: Path) -> None:
    command = ("crawl", "news", "-a", f"sites={site.home}", "-s", "STATS_CLASS=tests.file_stats.FileStats")
    done = []
    for run in (run_scrapy, run_new_scrapy):
        (tmp_path / run.__name__).mkdir()
        done.append(run(tmp_path / run.__name__, *command))
    forked, new = done
    assert (forked.code, forked.states, len(forked.rows)) == (new.code, new.states, len(new.rows)) == (
        0, {"article": 1, "listing": 1}, 1,
    )  # fmt: skip
    assert [line["articleBody"] for line in forked.lines] == [line["articleBody"] for line in new.lines]
    # Scrapy's own differ with what answers first, the home page or a sitemap.
    ours = [{name for name in run.stats if name.startswith("newsextract/")} for run in done]
    assert ours[0] == ours[1]
    assert "Traceback" not in forked.err + new.err
