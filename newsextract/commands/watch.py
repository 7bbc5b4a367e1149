"""`scrapy watch`: checks rules, and matches them against stored or given articles."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.commands.command_frame import Described, console, refusing
from newsextract.commands.preflight import CRAWL_FIRST, moment_of, stored_database
from newsextract.page.urls import site_of
from newsextract.settings import WATCH
from newsextract.storage.schema import snake_case

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping

    from newsextract.newsroom.watch import Found, Match, Passage, RuleIndex

NOTHING_FOUND = 1
"""Exit code if no rule matches an article."""


class Command(Described, ScrapyCommand):
    """Matches articles against rules."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    usage = "[options] [FILE]"
    summary = "Compare stored articles with the rules of a watch.yml"
    details = (
        "FILE is a watch.yml, else that of NEWSEXTRACT_WATCH. The matches of the articles in NEWSEXTRACT_DATABASE "
        "are printed, and stored as a crawl with these rules would have."
    )
    examples = (
        "scrapy watch watch.yml --since 7d",
        "scrapy watch watch.yml --check",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {
        0: "a rule matches, or the rules are right",
        NOTHING_FOUND: "no rule matches an article",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        parser.add_argument(
            "--since", metavar="WHEN", help="articles first seen since: 7d, 36h, 2026-11-01 (default: all)"
        )
        parser.add_argument("--check", action="store_true", help="check the rules only, and say how many there are")
        parser.add_argument(
            "--article", metavar="FILE", help="articles as JSON lines, - for the standard input; nothing is stored"
        )
        parser.add_argument("--json", action="store_true", help="print JSON, a match a line")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the rules, match, and print."""
        index = self._index(args)
        if opts.check:
            print(f"{_rules(index)}, found by {len(index.triggers)} words, beginnings, sites and languages")
            return
        show = print_json if opts.json else printer()
        found = self._given(index, opts.article) if opts.article else self._stored(index, opts.since, is_json=opts.json)
        articles = count = 0
        for row, matches in found:
            articles += 1
            if matches:
                show(row, matches)
            count += len(matches)
        if not count:
            print(_why_none(index, articles, opts), file=sys.stderr)
            self.exitcode = NOTHING_FOUND

    def _index(self, args: list[str]) -> RuleIndex:
        path = args[0] if args else WATCH.of(self.settings or {})
        if len(args) > 1 or not path:
            raise UsageError("name one file of rules: scrapy watch watch.yml")
        from newsextract.newsroom.watch import (  # noqa: PLC0415 - likewise
            RuleIndex,
            WatchFileError,
            read_rules,
        )

        with refusing(WatchFileError):
            return RuleIndex(read_rules(Path(path)))

    def _given(self, index: RuleIndex, name: str) -> Iterator[Found]:
        if name != "-" and not Path(name).exists():
            raise UsageError(f"--article: {name}: no such file", print_help=False)
        with refusing(OSError, ValueError, TypeError, prefix=f"--article: {name}: no article as JSON: "):
            text = sys.stdin.read() if name == "-" else Path(name).read_text("utf-8")
            rows = [_row_of_line(json.loads(line)) for line in _lines(text)]
        return ((row, index.match(row)) for row in rows)

    def _stored(self, index: RuleIndex, since: str | None, *, is_json: bool) -> Iterator[Found]:
        from newsextract.newsroom.watch import match_again  # noqa: PLC0415 - likewise

        first = moment_of("--since", since) if since else None
        engine = stored_database(self.settings, "there are no articles to look at", is_told=not is_json)
        try:
            for found in match_again(engine, index, first):
                yield from found
        finally:
            engine.dispose()


def _rules(index: RuleIndex) -> str:
    """Return how many rules there are, in words."""
    return "1 rule" if len(index.rules) == 1 else f"{len(index.rules)} rules"


def _why_none(index: RuleIndex, articles: int, opts: argparse.Namespace) -> str:
    """Return why there is no match: no article to look at, or none that a rule matches."""
    if articles:
        return f"no match: {_rules(index)}, {articles} article{'s' * (articles != 1)}"
    if opts.article:
        return f"no article to look at in {opts.article}"
    if opts.since:
        return f"no article to look at: none was first seen since {opts.since}"
    return f"no article to look at: none is stored yet; {CRAWL_FIRST}"


def _lines(text: str) -> list[str]:
    """Return the articles of a file: a single JSON object over several lines, or one per line."""
    return [text] if text.lstrip().startswith("{\n") else [line for line in text.splitlines() if line.strip()]


def _row_of_line(article: Any) -> dict[str, Any]:
    """Return an exported article as a row of the table; raises `TypeError` or `ValueError` if it is not one."""
    if not isinstance(article, dict):
        raise TypeError(f"{type(article).__name__} is not a table of an article's fields")
    for name in _TEXTS:
        _check(name, article.get(name) is None or isinstance(article[name], str), "text")
    for name, is_one, what in _LISTS:
        values = article.get(name)
        _check(name, values is None or (isinstance(values, list) and all(map(is_one, values))), what)
    row = {snake_case(name): value for name, value in article.items()}
    return row | {"site": row.get("site") or site_of(row.get("url") or "")}


def _check(name: str, is_right: bool, what: str) -> None:
    if not is_right:
        raise ValueError(f"{name} is not a {what}")


def _is_author(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("name"), str | None)


_TEXTS = (
    "url", "site", "headline", "description", "articleBody", "section", "publisher", "inLanguage", "datePublished",
)  # fmt: skip
"""Fields of an article that rules look at, or that are shown."""

_LISTS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("authors", _is_author, 'list of tables such as {"name": "Ada Byron"}'),
    ("keywords", lambda value: isinstance(value, str), "list of texts"),
)


def print_json(row: Mapping[str, Any], matches: list[Match]) -> None:
    """Print the matches of an article, one JSON object per line."""
    for match in matches:
        line = {
            "rule": match.rule.name,
            "revision": match.rule.revision,
            **{name: row.get(name) for name in ("url", "site", "headline")},
            "passages": [asdict(passage) | {"words": passage.words} for passage in match.passages],
        }
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")


def printer() -> Callable[[Mapping[str, Any], list[Match]], None]:
    """Return a function that prints an article's matches below its headline, with hits in colour or in brackets."""
    from rich.padding import Padding  # noqa: PLC0415 - only where something is printed
    from rich.text import Text  # noqa: PLC0415 - likewise

    terminal = console(highlight=False)

    def show(row: Mapping[str, Any], matches: list[Match]) -> None:
        # Not as markup: a headline may have brackets.
        terminal.print(Text(row.get("headline") or "", "bold"))
        terminal.print(Text(" ".join(filter(None, ((row.get("date_published") or "")[:10], row.get("url")))), "dim"))
        for match in matches:
            terminal.print(Padding(Text(match.rule.name, "cyan"), (0, 0, 0, 2)))
            for passage in match.passages:
                text = Text.assemble(
                    (f"{passage.field}: ", "dim"), *_pieces(passage, in_colour=terminal.color_system is not None)
                )
                terminal.print(Padding(text, (0, 0, 0, 4)))
        terminal.print()

    return show


def _pieces(passage: Passage, *, in_colour: bool) -> list[tuple[str, str]]:
    """Return the pieces of a passage with their styles; without colours, hits are in brackets."""
    pieces = []
    at = 0
    text = passage.text.replace("\n", " ")
    for start, end in passage.marks:
        found = text[start:end]
        pieces += [(text[at:start], ""), (found, "bold yellow") if in_colour else (f"[{found}]", "")]
        at = end
    return [*pieces, (text[at:], "")]
