"""Whether a command of ours that stands in the docs could be understood: its name, options, arguments and settings."""

from __future__ import annotations

import re
import shlex
import tomllib
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from docs.generators.commands import options_of
from newsextract.cli import VERBS
from newsextract.crawl import spider_arguments
from newsextract.settings import ENVIRONMENT, SETTINGS
from tests.docs.examples import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ENDS = {"|", "||", "&&", ";", "&", ">", ">>", "<", "(", ")"}
"""What the shell ends a command by."""

SCRAPYS_OWN = {"startproject", "list", "shell", "genspider", "version", "settings", "check"}


def misunderstood(line: str) -> list[str]:
    """Return what is wrong with our commands in a line of a shell.

    >>> misunderstood("newsextract health --runs 3 | less && scrapy heal && make desks")
    ['scrapy heal: there is no such command', 'make desks: there is no such target']
    >>> misunderstood("scrapy crawl news -a site=x -s NEWSEXTRACT_PAGES=1 --jsn")
    ['--jsn: no option of scrapy crawl', 'NEWSEXTRACT_PAGES: no setting', 'site: no argument of the spider']
    """
    return [trouble for words in _commands(line) for trouble in _troubles(words)]


def _commands(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    for word in lexer:
        if word in ENDS or set(word) <= set("();<>|&"):
            yield words
            words = []
        else:
            words.append(word)
    yield words


def _troubles(words: Sequence[str]) -> Iterator[str]:
    match [word.rpartition("/")[2] if number == 0 else word for number, word in enumerate(words)]:
        case ["scrapy", "crawl", *_]:
            yield from _options("crawl", "scrapy crawl", words[2:])
        case ["scrapy", command, *_] if command not in SCRAPYS_OWN and not command.startswith("-"):
            yield f"scrapy {command}: there is no such command"
        case ["newsextract", verb, *_] if verb in VERBS:
            yield from _options(verb, f"newsextract {verb}", words[2:])
        case ["newsextract", *_]:
            yield from _options("extract", "newsextract", words[1:])
        case ["make", *targets]:
            wanted = [each for each in targets if "=" not in each and not each.startswith("-")]
            yield from (f"make {each}: there is no such target" for each in wanted if each not in _targets())
        case ["pip", "install", *packages]:
            extras = [extra for each in packages for extra in re.findall(r"newsextract\[([a-z,]+)\]", each)]
            named = {name for each in extras for name in each.split(",")}
            yield from (f"newsextract[{name}]: there is no such extra" for name in sorted(named - _extras()))


def _options(name: str, shown: str, words: Sequence[str]) -> Iterator[str]:
    known = options_of(name)
    for word in words:
        if re.match(r"--?[a-zA-Z]", word) and word.partition("=")[0] not in known:
            yield f"{word}: no option of {shown}"
    for word in words:
        if re.match(r"NEWSEXTRACT_\w+=", word) and word.partition("=")[0] not in {*SETTINGS, *ENVIRONMENT}:
            yield f"{word.partition('=')[0]}: no setting"
    for option, value in pairwise(words):
        if option == "-a" and value.partition("=")[0] not in spider_arguments.NAMES:
            yield f"{value.partition('=')[0]}: no argument of the spider"


@cache
def _targets() -> set[str]:
    return set(re.findall(r"(?m)^([a-z][\w-]*):", (PROJECT / "Makefile").read_text("utf-8")))


@cache
def _extras() -> set[str]:
    return set(tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])
