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

from docs.generators.extractors import known_extractors
from docs.generators.markdown import code, table
from newsextract import extractor_names
from newsextract.command_help import EXAMPLES
from newsextract.newsroom.desk import __main__ as desk_command
from newsextract.tools.page_reading import command_line

if TYPE_CHECKING:
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
        return desk_command._parser()  # noqa: SLF001 - private only because no other code needs it
    command = scrapy_commands()[name]
    command.settings = Settings()
    parser = argparse.ArgumentParser(f"scrapy {name}", conflict_handler="resolve")
    command.add_options(parser)
    return parser


def commands_reference() -> str:
    """Return the section of each command."""
    sections = [
        _section(f"scrapy {name}", parser_of(name), command.syntax(), command.long_desc())
        for name, command in scrapy_commands().items()
    ]
    reader, viewer = parser_of("newsextract"), parser_of("desk")
    sections.append(_section("newsextract", reader, "[options] PAGE ...", str(reader.description)))
    sections.append(
        _section("python -m newsextract.newsroom.desk", viewer, "[options] DATABASE", str(viewer.description))
    )
    return "\n".join(sections)


def global_options() -> str:
    """Return the table of Scrapy's options for all its commands."""
    return "".join(_options(group) for group in _groups(parser_of("extract")) if group.title == GLOBAL)


def _section(title: str, parser: argparse.ArgumentParser, usage: str, about: str) -> str:
    own = [group for group in _groups(parser) if group.title != GLOBAL]
    listed = [_options(group) for group in own] + [_lines(group) for group in own if group.description]
    call = f"```text\n{title} {usage}\n```\n"
    return "\n".join([f"## `{title}`\n", f"{_escaped(about.strip())}\n", call, *filter(None, listed)])


def _groups(parser: argparse.ArgumentParser) -> list[argparse._ArgumentGroup]:
    return parser._action_groups  # noqa: SLF001 - argparse shows them in no other way


def _lines(group: argparse._ArgumentGroup) -> str:
    """Return what a group says instead of options: examples, exit codes, or arguments of the spider."""
    lines = [line.strip() for line in str(group.description).splitlines()]
    if group.title == EXAMPLES:
        return "".join(["```console\n", *(f"$ {line}\n" for line in lines), "```\n"])
    rows = [re.split(r"\s{2,}", line, maxsplit=1) for line in lines]
    return table([str(group.title), ""], ([code(name), _escaped(meaning)] for name, meaning in rows))


def _options(group: argparse._ArgumentGroup) -> str:
    shown = [
        action
        for action in group._group_actions  # noqa: SLF001 - likewise
        if action.option_strings and action.help != argparse.SUPPRESS and "--help" not in action.option_strings
    ]
    head = "option" if group.title == "options" else str(group.title).lower()
    return table([head, ""], ([_written(each), _escaped(_help(each))] for each in shown)) if shown else ""


def _help(action: argparse.Action) -> str:
    """Return what the help says where every extractor is installed."""
    return str(action.help or "").replace(", ".join(extractor_names()), ", ".join(known_extractors()))


def _written(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else f" {action.metavar or '|'.join(action.choices or [action.dest.upper()])}"
    return ", ".join(code(f"{each}{value}") for each in action.option_strings)


def _escaped(text: str) -> str:
    r"""Return a help text as Markdown, with what it writes as code left as it is.

    >>> _escaped("files NAME_*.html, see `scrapy *`")
    'files NAME\\_\\*.html, see `scrapy *`'
    """
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*_<>\[\]$])", r"\\\1", part) for part in parts)
