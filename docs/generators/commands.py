"""The commands and their options, from the commands themselves."""

from __future__ import annotations

import argparse
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from scrapy.settings import Settings

from docs.generators.markdown import code, table
from newsextract import cli
from newsextract.terminal import CODES
from newsextract.tools import crawl

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def verb_of(name: str) -> Any:
    """Return a verb of `newsextract`."""
    return cli.command_of(name)


def options_of(name: str) -> set[str]:
    """Return the options of a verb, or of `crawl`, which is Scrapy's."""
    if name == "crawl":
        command = crawl.Command()
        command.settings = Settings()
        parser = argparse.ArgumentParser("scrapy crawl", conflict_handler="resolve")
        command.add_options(parser)
        return set(parser._option_string_actions)  # noqa: SLF001 - argparse shows them in no other way
    written = {option for each in verb_of(name).params for option in (*each.opts, *each.secondary_opts)}
    return written | {"-h", "--help"}


def commands_reference() -> str:
    """Return the section of each command."""
    sections = map(_section, cli.VERBS)
    return "\n".join([_section_of_crawl(), *sections])


def exit_codes() -> str:
    """Return the table of the exit codes that all verbs share."""
    return _codes(CODES)


def _section_of_crawl() -> str:
    about = "Scrapy's own, with checks before it starts. Its arguments are in [The news spider](news-spider.md).\n"
    call = f"```console\n$ {crawl.EXAMPLE}\n```\n"
    return "\n".join(["## `scrapy crawl`\n", about, call, _codes(crawl.EXIT_CODES)])


def _section(name: str) -> str:
    verb = verb_of(name)
    arguments = [each for each in verb.params if each.param_type_name == "argument"]
    words = " ".join(each.metavar for each in arguments)
    about = "\n\n".join(" ".join(part.split()) for part in str(verb.help).split("\n\n"))
    rows = [
        [", ".join(code(f"{each}{_value(option)}") for each in (*option.opts, *option.secondary_opts)), _help(option)]
        for option in verb.params
        if option.param_type_name == "option"
    ]
    examples = "".join(["```console\n", *(f"$ {line}\n" for line in verb.examples), "```\n"])
    parts = [
        f"## `newsextract {name}`\n",
        f"{_escaped(about)}\n",
        f"```text\nnewsextract {name} [options] {words}".rstrip(),
    ]
    return "\n".join([*parts, "```\n", table(["option", ""], rows), examples, _codes(verb.exit_codes)])


def _value(option: Any) -> str:
    if option.is_flag:
        return ""
    return f" {option.metavar or str(option.name).upper()}"


def _help(option: Any) -> str:
    shown = option.default if isinstance(option.default, str | float | int) else None
    is_said = shown not in (None, "", False, True)
    return _escaped(f"{option.help}{f' (default: {shown})' if is_said else ''}")


def _codes(codes: Mapping[int, str]) -> str:
    return table(["exit code", ""], ([code(str(each)), _escaped(meaning)] for each, meaning in codes.items()))


def _escaped(text: str) -> str:
    r"""Return a help text as Markdown, with what it writes as code left as it is.

    >>> _escaped("files NAME_*.html, see `scrapy *`")
    'files NAME\\_\\*.html, see `scrapy *`'
    """
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*_<>\[\]$])", r"\\\1", part) for part in parts)
