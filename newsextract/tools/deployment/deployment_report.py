"""The output when the crawl has finished: its articles, and how to use the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console

    from newsextract.tools.deployment.scrapyd_api import ScrapydClient

SHOWN = 10
"""Articles in a table that fits a terminal."""


def articles_table(articles: Sequence[dict[str, Any]], console: Console) -> None:
    """Print the first articles of a job, and how many there are."""
    if not articles:
        console.print("The job wrote no article: none was new. What was stored before is not stored again.")
        return
    headline = Column("headline", ratio=1, no_wrap=True, overflow="ellipsis")
    table = Table("published", Column("words", justify="right"), headline, box=SIMPLE_HEAD, expand=True)
    for article in articles[:SHOWN]:
        published = str(article.get("datePublished") or "")[:10] or "–"
        table.add_row(published, str(article.get("wordCount") or 0), article.get("headline") or "–")
    console.print(table)
    more = len(articles) - SHOWN
    console.print(f"{len(articles)} new articles" + (f", {more} of them not shown" if more > 0 else ""))


def why_it_failed(folder: Path) -> str:
    """Return the last output of a job that failed: until its log begins, it is in scrapyd's log."""
    lines = (folder / "scrapyd.log").read_text("utf-8", "replace").splitlines()
    said = [line for line in lines if not line.startswith("20") or "/stderr]" in line][-SHOWN:]
    return "\n".join(("The crawl did not finish. Output that is not in the log above:", *said))


def how_to_go_on(client: ScrapydClient, folder: Path, output: Path) -> str:
    """Return where everything is, how to schedule another crawl, and how to stop."""
    login = f"{client.username}:PASSWORD"
    return f"""
articles  {output}/articles/, a file a job
database  NEWSEXTRACT_DATABASE, or {output}/newsextract.db
server    {folder}/scrapyd.log; jobs at {client.url}/jobs
again     curl -u {login} {client.url}/schedule.json \\
            -d project=newsextract -d spider=news -d sites=https://example.com

scrapyd runs until Ctrl-C."""
