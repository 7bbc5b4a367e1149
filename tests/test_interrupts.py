"""Ctrl-C while a program is starting, and of servers in the background."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from newsextract.interrupts import INTERRUPTED
from newsextract.storage.articles import ArticleStore
from tests.scrapy_process import SECONDS

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = "from newsextract.interrupts import end_quietly; end_quietly(130); raise {error}"


def ended(start: str, error: str) -> tuple[int, str]:
    program = (sys.executable, "-c", start.format(error=error))
    done = subprocess.run(program, capture_output=True, text=True, timeout=SECONDS, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("start", [COMMANDS])
def test_is_a_word_and_the_usual_exit_code(start: str) -> None:
    assert ended(start, "KeyboardInterrupt") == (INTERRUPTED, "interrupted\n")


def test_other_errors_are_told_as_before() -> None:
    code, told = ended(COMMANDS, "ValueError('x')")
    assert code == 1
    assert told.endswith("ValueError: x\n")
    assert told.startswith("Traceback")


IGNORING = ("sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, "-m")
"""Starts a module as a shell does that ignores Ctrl-C for what runs in the background."""


def test_the_demo_in_the_background_can_be_interrupted() -> None:
    assert end_of("demo", "--serve") == 0


def test_the_desk_in_the_background_can_be_interrupted(tmp_path: Path) -> None:
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
