"""What there is to see after the two days, read from the database, and where the desk shows it."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text
from sqlalchemy import func, select

from newsextract.newsroom.desk.desk_database import Tables
from newsextract.newsroom.desk.removed_pages import removals
from newsextract.newsroom.health.report import examine_all
from newsextract.storage.database.connection import make_engine
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.history_tables import matches, revisions, story_articles
from newsextract.terminal import console_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

WIDTH = 110
"""Columns of the guide if there is no terminal to ask."""

_NAMED = (
    func.coalesce(articles.c.publisher, articles.c.site).label("publisher"),
    func.coalesce(articles.c.headline, articles.c.url).label("headline"),
)


def print_guide(url: str, rules: Path) -> None:
    """Print what there is to see in the desk, and commands to try."""
    engine = make_engine(url)
    with engine.connect() as connection:
        seen = list(sights(connection))
    engine.dispose()
    console = console_for(sys.stdout, WIDTH, highlight=False)
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
    for publisher, headline in _removed(connection):
        yield "Articles", f"{publisher} has removed “{headline}”: its text is kept"
    copies = select(func.count()).select_from(story_articles).group_by(story_articles.c.story_id)
    if stories := connection.execute(copies).all():
        yield "Stories", f"{len(stories)} stories have copies: side by side, with what each adds"
    found = select(matches.c.rule, func.count()).group_by(matches.c.rule).order_by(matches.c.rule)
    for rule, count in connection.execute(found):
        yield "Matches", f"the rule “{rule}” matches {count} article{'s' if count > 1 else ''}"
    for health in examine_all(connection, datetime.now(UTC)):
        for trouble in health.troubles:
            yield "Sites", f"{health.site} is ill: {trouble.reason}"


def _removed(connection: Connection) -> Iterator[tuple[str, str]]:
    """Yield publisher and headline of each article that the desk shows as removed."""
    sqlite: Any = connection.connection.driver_connection
    stored = connection.execute(select(articles.c.id, *_NAMED).order_by(articles.c.number)).all()
    gone = removals(sqlite, Tables.of(sqlite), [row.id for row in stored])
    for row in stored:
        if row.id in gone:
            yield row.publisher, row.headline
