"""What there is to see after the two days, read from the database, and where the desk shows it."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text
from sqlalchemy import func, select

from newsextract.newsroom.health.examination import examine_all
from newsextract.storage.database.connection import make_engine
from newsextract.storage.schema.crawl_tables import articles, ledger
from newsextract.storage.schema.history_tables import cluster_articles, matches, revisions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

_GONE = ("http 404", "http 410")
"""The ledger's reasons for pages that are not there any more."""

WIDTH = 110
"""Columns of the guide if there is no terminal to ask."""

_NAMED = (articles.c.publisher, articles.c.headline)


def print_guide(url: str, rules: Path) -> None:
    """Print what there is to see in the desk, and commands to try."""
    engine = make_engine(url)
    with engine.connect() as connection:
        seen = list(sights(connection))
    engine.dispose()
    console = Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)
    console.print("\nWhat there is to see with  [bold]make desk")
    table = Table.grid(padding=(0, 2), pad_edge=True)
    for page, sentence in seen:
        table.add_row(Text(page, "bold"), Text(sentence))
    console.print(table)
    console.print("\nCommands to try")
    for command, purpose in _commands(rules):
        # A line that is wrapped by us cannot be copied.
        console.print(Text.assemble("  ", (command, "bold")), soft_wrap=True)
        console.print(Text(f"      {purpose}", "dim"), soft_wrap=True)


def _commands(rules: Path) -> list[tuple[str, str]]:
    programs = _shown(Path(sys.executable).parent)
    return [
        (f"{programs}/scrapy search harbour bridge", "the articles that have these words"),
        (f"{programs}/scrapy health", "what is wrong with each site, and since when"),
        (f"{programs}/scrapy watch {_shown(rules)}", "the rules once more, when you have changed them"),
        (
            f"{programs}/python -m newsextract.tools.demo_days --serve",
            "the sites, to which the desk's articles link",
        ),
        ("make crawl SITES=https://example.com ARGS='-a limit=20'", "a site of yours, into the same database"),
    ]


def _shown(path: Path) -> str:
    """Return a path below the working folder relative to it."""
    near = os.path.relpath(path)
    return str(path) if near.startswith("..") else near


def sights(connection: Connection) -> Iterator[tuple[str, str]]:
    """Yield what has happened, as a page of the desk and a sentence; nothing that is not in the database."""
    changed = (
        select(*_NAMED, revisions.c.changes)
        .join(revisions, revisions.c.article_id == articles.c.id)
        .where(revisions.c.number > 0)
    )
    # Few pages of a new site may be read without its memory at first, which is a revision, too, but no news.
    rewritten = [row for row in connection.execute(changed) if (row.changes or {}).get("headline")]
    for publisher, headline, _ in rewritten:
        yield "Articles", f"{publisher} has changed “{headline}”: the article's page shows what"
    gone = select(*_NAMED).join(ledger, ledger.c.article_id == articles.c.id).where(ledger.c.reason.in_(_GONE))
    for publisher, headline in connection.execute(gone):
        yield "Articles", f"{publisher} has removed “{headline}”: its text is kept"
    copies = select(func.count()).select_from(cluster_articles).group_by(cluster_articles.c.cluster_id)
    if stories := connection.execute(copies).all():
        yield "Stories", f"{len(stories)} stories have copies: side by side, with what each adds"
    found = select(matches.c.rule, func.count()).group_by(matches.c.rule).order_by(matches.c.rule)
    for rule, count in connection.execute(found):
        yield "Matches", f"the rule “{rule}” matches {count} article{'s' if count > 1 else ''}"
    for health in examine_all(connection, datetime.now(UTC)):
        for trouble in health.troubles:
            yield "Sites", f"{health.site} is ill: {trouble.reason}"
