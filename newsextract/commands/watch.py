"""`scrapy watch`: checks rules, and matches them against stored or given articles."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.commands.preflight import opened_database
from newsextract.newsroom.watch.match_printing import print_json, printer
from newsextract.newsroom.watch.match_store import match_again
from newsextract.newsroom.watch.rule_index import RuleIndex
from newsextract.newsroom.watch.watch_file import WatchFileError, read_rules
from newsextract.page.urls.clean_urls import site_of
from newsextract.settings import WATCH
from newsextract.sites.published.stated_dates import parse_since
from newsextract.storage.schema.article_columns import snake_case

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from newsextract.newsroom.watch.match_store import Found

NOTHING_FOUND = 1
"""Exit code if no rule matches an article."""


class Command(ScrapyCommand):
    """Matches articles against rules."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Return what follows the command's name."""
        return "[options] [FILE]"

    def short_desc(self) -> str:
        """Return the line for the list of commands."""
        return "Compare stored articles with the rules of a watch.yml"

    def long_desc(self) -> str:
        """Return the help text."""
        return (
            "FILE is a watch.yml, else that of NEWSEXTRACT_WATCH. The matches of the articles in NEWSEXTRACT_DATABASE "
            "are printed, and stored as a crawl with these rules would have."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        group = parser.add_argument_group("Watch")
        group.add_argument(
            "--since", metavar="AGE", help="articles first seen since: 7d, 36h, 2026-11-01 (default: all)"
        )
        group.add_argument("--check", action="store_true", help="check the rules only, and say how many there are")
        group.add_argument(
            "--article", metavar="FILE", help="articles as JSON lines, - for the standard input; nothing is stored"
        )
        group.add_argument("--json", action="store_true", help="print JSON, a match a line")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the rules, match, and print."""
        index = self._index(args)
        if opts.check:
            print(f"{len(index.rules)} rules, found by {len(index.triggers)} words, beginnings, sites and languages")
            return
        show = print_json if opts.json else printer()
        found = self._given(index, opts.article) if opts.article else self._stored(index, opts.since)
        count = 0
        for row, matches in found:
            show(row, matches)
            count += len(matches)
        if not count:
            print("no rule is true of an article", file=sys.stderr)
            self.exitcode = NOTHING_FOUND

    def _index(self, args: list[str]) -> RuleIndex:
        path = args[0] if args else WATCH.of(self.settings or {})
        if len(args) > 1 or not path:
            raise UsageError("name one file of rules: scrapy watch watch.yml")
        try:
            return RuleIndex(read_rules(Path(path)))
        except WatchFileError as error:
            raise UsageError(str(error), print_help=False) from error

    def _given(self, index: RuleIndex, name: str) -> Iterator[Found]:
        try:
            text = sys.stdin.read() if name == "-" else Path(name).read_text("utf-8")
            rows = [_row_of_line(json.loads(line)) for line in _lines(text)]
        except (OSError, ValueError, TypeError) as error:
            raise UsageError(f"--article: {name}: no article as JSON: {error}", print_help=False) from error
        return ((row, matches) for row in rows if (matches := index.match(row)))

    def _stored(self, index: RuleIndex, since: str | None) -> Iterator[Found]:
        try:
            first = parse_since(since, datetime.now(UTC)) if since else None
        except ValueError as error:
            raise UsageError(f"--since: {error}", print_help=False) from error
        engine = opened_database(self.settings, "there are no articles to look at")
        for found in match_again(engine, index, first):
            yield from ((row, matches) for row, matches in found if matches)
        engine.dispose()


def _lines(text: str) -> list[str]:
    """Return the articles of a file: a single JSON object over several lines, or one per line."""
    return [text] if text.lstrip().startswith("{\n") else [line for line in text.splitlines() if line.strip()]


def _row_of_line(article: Any) -> dict[str, Any]:
    """Return an exported article as a row of the table; raises `ValueError` if it is not one."""
    if not isinstance(article, dict):
        raise TypeError(f"{type(article).__name__} is no table of an article's fields")
    for name in _TEXTS:
        _check(name, article.get(name) is None or isinstance(article[name], str), "text")
    for name, is_one, what in _LISTS:
        values = article.get(name)
        _check(name, values is None or (isinstance(values, list) and all(map(is_one, values))), what)
    row = {snake_case(name): value for name, value in article.items()}
    return row | {"site": row.get("site") or site_of(row.get("url") or "")}


def _check(name: str, is_right: bool, what: str) -> None:
    if not is_right:
        raise ValueError(f"{name} is no {what}")


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
