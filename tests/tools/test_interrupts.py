"""Ctrl-C while a program is starting."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.scrapy_process import SECONDS

STARTING = """
import {package}
raise {error}
"""


def ended(package: str, error: str) -> tuple[int, str]:
    program = (sys.executable, "-c", STARTING.format(package=package, error=error))
    done = subprocess.run(program, capture_output=True, text=True, timeout=SECONDS, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("package", ["newsextract.commands", "newsextract.tools.demo_days"])
def test_is_a_word_and_the_usual_exit_code(package: str) -> None:
    assert ended(package, "KeyboardInterrupt") == (-signal.SIGINT, "interrupted\n")


def test_other_errors_are_told_as_before() -> None:
    code, told = ended("newsextract.commands", "ValueError('x')")
    assert code == 1
    assert told.endswith("ValueError: x\n")
    assert told.startswith("Traceback")
