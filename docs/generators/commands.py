"""The commands and their options, from the parsers that read them."""

from __future__ import annotations

import argparse
import pkgutil
import re
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import Settings

from docs.generators.markdown import code, table
from newsextract.newsroom.desk import __main__ as desk
from newsextract.tools.page_reading import command_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.commands import ScrapyCommand

PROJECT = Path(__file__).resolve().parents[2]

GLOBAL = "Global Options"
"""Scrapy's group of the options that all its commands have."""


@cache
def scrapy_commands() -> dict[str, ScrapyCommand]:
    """Return the commands that newsextract adds to `scrapy`, and `crawl`, to which it adds exit codes."""
    scripts = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    names = {"crawl", *scripts["scrapy.commands"]}
    package = import_module("newsextract.commands")
    assert names <= {module.name for module in pkgutil.iter_modules(package.__path__)}
    return {name: import_module(f"newsextract.commands.{name}").Command() for name in sorted(names)}


@cache
def parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser of a command: `newsextract`, `desk`, or one of `scrapy`."""
    if name == "newsextract":
        return command_line.make_parser(is_helping=True)
    if name == "desk":
        return desk._parser()  # noqa: SLF001 - private only because no other code needs it
    command = scrapy_commands()[name]
    command.settings = Settings()
    parser = argparse.ArgumentParser(f"scrapy {name}", conflict_handler="resolve")
    command.add_options(parser)
    return parser


def commands_reference() -> str:
    """Return the section of each command."""
    sections = [_section(f"scrapy {name}", name, *_words(command)) for name, command in scrapy_commands().items()]
    reader = parser_of("newsextract")
    about = f"{reader.description}\n\n{_sentence(str(reader.epilog))}"
    sections.append(_section("newsextract", "newsextract", "[options] PAGE …", about))
    viewer = parser_of("desk")
    sections.append(
        _section("python -m newsextract.newsroom.desk", "desk", "[options] DATABASE", str(viewer.description))
    )
    return "\n".join(sections)


def global_options() -> str:
    """Return the table of Scrapy's options for all its commands."""
    return _options([each for each in _actions(parser_of("extract")) if each[0] == GLOBAL])


def _words(command: ScrapyCommand) -> tuple[str, str]:
    short, long = command.short_desc(), command.long_desc()
    return command.syntax(), long if long.startswith(short) else f"{_sentence(short)}\n\n{long}"


def _section(title: str, name: str, usage: str, about: str) -> str:
    own = [each for each in _actions(parser_of(name)) if each[0] != GLOBAL]
    call = f"```text\n{title} {usage}\n```\n"
    return f"## `{title}`\n\n{_escaped(_sentence(about))}\n\n{call}\n{_options(own)}"


def _actions(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.Action]]:
    for group in parser._action_groups:  # noqa: SLF001 - argparse shows them in no other way
        for action in group._group_actions:  # noqa: SLF001 - likewise
            if action.help != argparse.SUPPRESS and "--help" not in action.option_strings:
                yield str(group.title), action


def _options(actions: list[tuple[str, argparse.Action]]) -> str:
    rows = [[_written(action), _escaped(action.help or "")] for _, action in actions if action.option_strings]
    return table(["option", ""], rows) if rows else ""


def _written(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else f" {action.metavar or '|'.join(action.choices or [action.dest.upper()])}"
    return ", ".join(code(f"{each}{value}") for each in action.option_strings)


def _sentence(text: str) -> str:
    """Return a text with a capital at its start and a stop at its end."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', ':')) else '.'}"


def _escaped(text: str) -> str:
    r"""Return a help text as Markdown, with what it writes as code left as it is.

    >>> _escaped("files NAME_*.html, see `scrapy *`")
    'files NAME\\_\\*.html, see `scrapy *`'
    """
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*_<>\[\]$])", r"\\\1", part) for part in parts)
