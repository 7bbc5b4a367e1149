"""The width of what is printed, and its colours, as `COLUMNS` and `NO_COLOR` say."""

from __future__ import annotations

import io

import pytest
from rich.text import Text

from newsextract.terminal import console_for


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
