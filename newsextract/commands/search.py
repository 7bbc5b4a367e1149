"""`scrapy search`: finds stored articles by their words."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.commands.command_frame import Described, console
from newsextract.commands.preflight import CRAWL_FIRST, closing_database, stored_database

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from newsextract.storage.search.article_search import Hit

NOTHING_FOUND = 1
"""Exit code if no article matches the query."""


class Command(Described, ScrapyCommand):
    """Searches the database."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    usage = "[options] <QUERY>"
    summary = "Find stored articles by their words, the newest first"
    details = (
        "QUERY is in the language of watch rules: words of which all must be found, whatever their accents and case, "
        "'\"a phrase\"', 'begin*', 'a OR b', 'a NOT b', 'a NEAR/5 b', 'headline:a', 'author:', 'site:', 'lang:'. "
        "The database is the one of NEWSEXTRACT_DATABASE."
    )
    examples = (
        "scrapy search 'bridge OR harbour'",
        "scrapy search 'headline:bridge NOT toll' -n 5 --json",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {0: "articles were found", NOTHING_FOUND: "no article was found"}

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        parser.add_argument("-n", "--number", type=int, default=20, metavar="N", help="articles at most (default: 20)")
        parser.add_argument("--json", action="store_true", help="print JSON, an article a line")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Search, and print what is found."""
        from newsextract.storage.search.article_search import has_articles, search  # noqa: PLC0415 - Scrapy imports every command

        if not args:
            raise UsageError("name the words to look for: scrapy search bridge")
        query = " ".join(args)
        if opts.number < 1:
            raise UsageError(f"-n: {opts.number} is not a number of articles", print_help=False)
        _check(query)
        engine = stored_database(self.settings, "there is nothing to search", is_told=not opts.json)
        with closing_database(engine):
            hits = search(engine, query, opts.number)
            is_empty = not hits and not has_articles(engine)
        if not hits:
            why = f": none is stored yet; {CRAWL_FIRST}" if is_empty else ""
            print(f"no article found{why}", file=sys.stderr)
            self.exitcode = NOTHING_FOUND
        elif opts.json:
            for hit in hits:
                print(json.dumps(asdict(hit), ensure_ascii=False))
        else:
            _print(hits)


def _check(query: str) -> None:
    """Raise `UsageError` for an invalid query, with a caret below the character that is wrong."""
    from rich.cells import cell_len  # noqa: PLC0415 - only where something is printed

    from newsextract.storage.search.queries import QueryError, parse_query  # noqa: PLC0415 - likewise

    try:
        parse_query(query)
    except QueryError as error:
        line = "".join(char if char.isprintable() else " " for char in query)
        caret = " " * cell_len(line[: error.position]) + "^"
        raise UsageError(f"{error}\n  {line}\n  {caret}", print_help=False) from error


def _print(hits: Sequence[Hit]) -> None:
    from rich.box import SIMPLE  # noqa: PLC0415 - only where something is printed
    from rich.table import Column, Table  # noqa: PLC0415 - likewise
    from rich.text import Text  # noqa: PLC0415 - likewise

    article = Column("article", ratio=1, overflow="fold")
    table = Table(Column("date", no_wrap=True), Column("site", overflow="fold"), article, box=SIMPLE, expand=True)
    for hit in hits:
        # Not as markup: a headline may have brackets.
        told = Text.assemble((hit.headline or "", "bold"), "\n", hit.snippet, "\n", (hit.url, "dim"))
        table.add_row((hit.date_published or "")[:10], Text(hit.site), told)
    console().print(table)
