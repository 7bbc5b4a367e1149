"""A reader who types what the docs say, in a folder of their own, beside a demo newsroom."""

from __future__ import annotations

import doctest
import os
import shutil
import sqlite3
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from tests.docs.examples import PROJECT
from tests.scrapy_process import SECONDS, _server

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.docs.examples import Example

_SCRAPY = """#!{python} -IS
# `scrapy`, forked from a process that has imported everything, if that can be reached from here.
import json, os, socket, sys
arguments = [sys.argv[1], "-s", "NEWSEXTRACT_PRIVATE_ADDRESSES=127.0.0.1", "-s", "DOWNLOAD_DELAY=0", *sys.argv[2:]]
if sys.argv[1] == "startproject":
    arguments = sys.argv[1:]
try:
    server = socket.socket(fileno={number})
except OSError:
    os.execv({python!r}, [{python!r}, "-m", "scrapy", *arguments])
end, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
request = {{"folder": os.getcwd(), "arguments": arguments, "environment": dict(os.environ)}}
socket.send_fds(server, [json.dumps(request).encode()], [theirs.fileno(), 0, 1, 2])
theirs.close()
end.recv(64)
code = int(end.recv(64))
sys.exit(code if code >= 0 else 128 - code)
"""
_SHIMS = {
    "newsextract": (
        'case "$1" in archive|export|desk|mcp|template|evaluate|search|watch|health|deliver|doctor|replay) ;; '
        'compare|probe|rules) set -- "$@" -s NEWSEXTRACT_PRIVATE_ADDRESSES=127.0.0.1;; '
        '*) set -- "$@" --jobs 1 -s NEWSEXTRACT_PRIVATE_ADDRESSES=127.0.0.1;; esac; exec {python} -m newsextract "$@"'
    ),
    "python": 'exec {python} "$@"',
    "pip": "exit 0",
}
"""What a new environment would have, by name. The demo newsroom has private addresses, which are refused by default."""


@dataclass
class Reader:
    """Somebody with a clone of the project, who reads a page and does what it says."""

    folder: Path
    addresses: Mapping[str, str]
    """What stands for the addresses in the docs, and for other words that mean something else here."""
    names: dict[str, Any] = field(default_factory=dict)
    """Of the Python session."""

    def follow(self, example: Example) -> None:
        """Do what a block says; raises `AssertionError` if it does not work."""
        path = example.marks.get("file") or example.marks.get("append")
        text = self._placed(example.text)
        if path:
            target = self.folder / path
            before = target.read_text("utf-8") if "append" in example.marks else ""
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(before + text, "utf-8")
        elif example.language in {"console", "bash"}:
            for command in example.commands:
                self._run(command, example)
        elif example.language == "python":
            exec(compile(text, example.where, "exec"), self.names)  # noqa: S102 - our own examples
        elif example.language == "pycon":
            self._type(text, example)
        elif example.language == "yaml":
            assert yaml.safe_load(text), example.where
        elif example.language == "sql":
            with sqlite3.connect(self.folder / "output" / "newsextract.db") as database:
                assert database.execute(text).fetchall(), f"{example.where}: finds nothing"

    def _run(self, command: str, example: Example) -> None:
        environ = environment() | {"PATH": f"{self.folder / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", self._placed(command)],
            cwd=self.folder / example.marks.get("in", ""),
            env=environ,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            pass_fds=[_server().fileno()],
            stdin=subprocess.DEVNULL,
            check=False,
        )
        wanted = int(example.marks.get("exit code", 0))
        said = f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        assert done.returncode == wanted, f"{example.where}: {command}: exit code {done.returncode}\n{said}"

    def _type(self, session: str, example: Example) -> None:
        parsed = doctest.DocTestParser().get_doctest(session, self.names, "session", example.where, example.line)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
        said: list[str] = []
        runner.run(parsed, out=said.append, clear_globs=False)
        assert not runner.failures, "".join(said)

    def _placed(self, text: str) -> str:
        for documented, real in self.addresses.items():
            text = text.replace(documented, real)
        return text


def environment() -> dict[str, str]:
    """Return the environment of a reader: nothing of the one that tests run in but the path to this code."""
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    return kept | {"PYTHONPATH": str(PROJECT), "COLUMNS": "120", "PATH": os.environ["PATH"]}


def clone(folder: Path) -> None:
    """Put into a folder what a clone has of the project, with an environment that is installed already."""
    for name in ("Makefile", "pyproject.toml", "requirements.txt", "settings"):
        (folder / name).symlink_to(PROJECT / name)
    ways = (PROJECT / "scrapy.cfg").read_text("utf-8")
    (folder / "scrapy.cfg").write_text(ways.replace("default = settings.production", "default = settings.development"))
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    filled = {name: f"#!/bin/sh\n{text.format(python=sys.executable)}\n" for name, text in _SHIMS.items()}
    filled["scrapy"] = _SCRAPY.format(python=sys.executable, number=_server().fileno())
    for name, text in filled.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    declared = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    for stamp in ("installed", *(f"with-{extra}" for extra in declared["optional-dependencies"])):
        (folder / ".venv" / stamp).touch()


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def copied(folder: Path, to: Path) -> Path:
    """Return a copy of a prepared folder."""
    shutil.copytree(folder, to, symlinks=True, dirs_exist_ok=True)
    return to
