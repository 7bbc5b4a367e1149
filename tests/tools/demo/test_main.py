"""`python -m newsextract.tools.demo`, with a command and without."""

from __future__ import annotations

import gc
import io
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.request import urlopen

from newsextract.tools.demo.__main__ import main, run, wait
from tests.scrapy_process import SECONDS

if TYPE_CHECKING:
    import pytest

DEMO = (sys.executable, "-m", "newsextract.tools.demo")

FETCH_ALL = """
import sys, urllib.request
homes = sys.argv[1].removeprefix("sites=").split(",")
print(*(urllib.request.urlopen(home).status for home in homes))
sys.exit(7)
"""


def test_runs_a_command_with_the_sites_filled_in_and_returns_its_code() -> None:
    command = (*DEMO, "--", sys.executable, "-c", FETCH_ALL, "sites={sites}")
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (done.returncode, done.stdout.split(), done.stderr) == (7, ["200"] * 3, "")


def test_a_later_double_dash_belongs_to_the_command() -> None:
    command = (*DEMO, "--", sys.executable, "-c", "import sys; print(sys.argv[1:])", "--", "-x")
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.stdout.strip() == "['--', '-x']"


def test_a_command_that_does_not_exist_fails_as_in_a_shell() -> None:
    done = subprocess.run((*DEMO, "--", "no-such-command"), capture_output=True, timeout=SECONDS, check=False)
    assert done.returncode == 127


def test_serves_until_ctrl_c() -> None:
    with subprocess.Popen(DEMO, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        homes = [demo.stdout.readline().strip() for _ in range(3)]
        with urlopen(homes[2]) as response:
            assert response.status == 200
        demo.send_signal(signal.SIGINT)
        try:
            assert demo.wait(timeout=SECONDS) == 0
        finally:
            demo.kill()  # or leaving the block would wait for ever


class Impatient(io.StringIO):
    """A reader who has seen enough before all is printed."""

    def write(self, text: str) -> int:
        signal.raise_signal(signal.SIGINT)
        return super().write(text)


def test_ends_in_order_when_it_is_stopped_while_it_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(sys, "stdout", Impatient())
    gc.disable()  # an interrupt inside a callback of the collector, such as Hypothesis has, would be swallowed
    try:
        assert wait(("http://127.0.0.1:1/", "http://127.0.0.1:2/")) == 0
    finally:
        gc.enable()
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_lets_the_command_finish_in_its_own_way() -> None:
    patient = """
import signal, sys, time
signal.signal(signal.SIGINT, lambda *_: sys.exit(3))
print("ready", flush=True)
time.sleep(600)
"""
    command = (*DEMO, "--", sys.executable, "-c", patient)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as demo:
        assert demo.stdout is not None
        assert demo.stdout.readline() == "ready\n"
        # A terminal sends Ctrl-C to everything in the foreground.
        os.killpg(demo.pid, signal.SIGINT)
        try:
            assert demo.wait(timeout=SECONDS) == 3
        finally:
            demo.kill()


def test_ctrl_c_before_there_are_sites_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("newsextract.tools.demo.__main__.build_newsroom", interrupted)
    assert main([]) == 130


def test_a_command_that_is_being_started_when_it_is_told_to_stop_does_not_outlive_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def start(command: list[str]) -> subprocess.Popen[bytes]:
        started.append(popen(command))
        signal.raise_signal(signal.SIGTERM)
        return started[0]

    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    assert run([sys.executable, "-c", "import time; time.sleep(600)"], "") == 128 + signal.SIGTERM
    assert started[0].returncode == -signal.SIGTERM
