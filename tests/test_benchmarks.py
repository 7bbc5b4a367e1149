"""The benchmarks start; what they measure takes too long for a test."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import crawl

NAMES = sorted(path.stem for path in Path(crawl.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_loads(name: str) -> None:
    assert import_module(f"benchmarks.{name}").__doc__


def test_comparisons_of_crawls_share_the_arguments_of_their_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawl, "BENCHMARKS", Path(__file__).parent / "there is no server")
    monkeypatch.setattr(sys, "executable", "echo")  # its only line is the one that a server begins with
    with crawl.mirrors(crawl.crawl_arguments(None, 8896).parse_args(["SHARED", "daniel"])) as server:
        assert server.address == "http://127.0.0.1:8896"
