"""The verbs for what crawls have stored: `search`, `watch`, `deliver`, `health` and `desk`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from errno import EADDRINUSE
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from newsextract.reading.usage_rights import USES, left_out_line
from newsextract.terminal import (
    DONE,
    NOTHING,
    FileToWrite,
    Refusal,
    console,
    heed_interrupts,
    printable,
    say,
    show,
    standard_input,
    until_stopped,
    verb,
    why,
)
from newsextract.tools.project import CRAWL_FIRST, database_of, moment_of, settings_of, with_json, with_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.text import Text
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection

    from newsextract.newsroom.delivery.sending import Report
    from newsextract.newsroom.delivery.targets import Target
    from newsextract.newsroom.health.report import SiteHealth
    from newsextract.newsroom.watch import Found, Match, Passage, RuleIndex
    from newsextract.storage.search.article_search import Hit

PRUNE_SECONDS = 3600.0
"""Between two prunings of the outbox, for `deliver --follow`."""

HEALTH_WIDTH = 160
"""Columns of the table of sites if there is no terminal to ask."""


@verb(
    "newsextract search 'bridge OR harbour'",
    "newsextract search 'headline:bridge NOT toll' -n 5 --json",
    nothing="no article was found",
)
@click.argument("query", nargs=-1, required=True, metavar="WORDS", help="a query, as in watch rules")
@click.option("-n", "--number", type=click.IntRange(1), default=20, metavar="N", help="at most N articles")
@with_json
@with_settings
def search(query: tuple[str, ...], number: int, json: bool, given: tuple[str, ...]) -> int:
    """Find stored articles by their words, the newest first.

    All words must be found, whatever their accents and case. There are also '"a phrase"', 'begin*', 'a OR b',
    'a NOT b', 'a NEAR/5 b', 'headline:a', 'author:', 'site:' and 'lang:'.
    """
    from newsextract.storage.search import article_search

    words = " ".join(query)
    _check_query(words)
    with database_of(settings_of(given), "there is nothing to search", is_named=not json) as engine:
        hits = article_search.search(engine, words, number)
        is_empty = not hits and not article_search.has_articles(engine)
    if json:
        _print_json(asdict(hit) for hit in hits)
    elif hits:
        _print_hits(hits)
    if not hits:
        say(f"no article found: none is stored yet; {CRAWL_FIRST}" if is_empty else "no article found")
    return DONE if hits else NOTHING


def _check_query(query: str) -> None:
    """Refuse an invalid query, with a caret below the character that is wrong."""
    from rich.cells import cell_len

    from newsextract.storage.search.queries import QueryError, parse_query

    try:
        parse_query(query)
    except QueryError as error:
        line = "".join(char if char.isprintable() else " " for char in query)
        caret = " " * cell_len(line[: error.position]) + "^"
        raise Refusal(f"{error}\n  {line}\n  {caret}") from error


def _print_hits(hits: Sequence[Hit]) -> None:
    from rich.text import Text

    terminal = console(highlight=False)
    for hit in hits:
        dated = " ".join(filter(None, ((hit.date_published or "")[:10], hit.site)))
        lines = (Text(dated, "cyan"), Text(hit.headline or "", "bold"), Text(hit.snippet), Text(f"{hit.url}\n", "dim"))
        show(terminal, *filter(None, lines))


def _print_json(values: Any) -> None:
    for value in values:
        sys.stdout.write(json.dumps(value, ensure_ascii=False, default=str) + "\n")


@verb(
    "newsextract watch watch.yml --since 7d",
    "newsextract watch watch.yml --check",
    nothing="no rule matches an article",
)
@click.argument("file", required=False, metavar="[FILE]", help="a watch.yml (default: NEWSEXTRACT_WATCH)")
@click.option("--since", metavar="WHEN", help="only articles first seen since: 7d, 36h, 2026-11-01")
@click.option("--check", is_flag=True, help="only check the rules")
@click.option(
    "--article", metavar="FILE", help="match the articles in this JSON Lines file (- for standard input); store nothing"
)
@with_json
@with_settings
def watch(
    file: str | None, since: str | None, check: bool, article: str | None, json: bool, given: tuple[str, ...]
) -> int:
    """Compare stored articles with the rules of a watch.yml.

    The matches are printed, and stored as a crawl with these rules would have.
    """
    settings = settings_of(given)
    index = _rules(file, settings)
    if check:
        print(f"{_counted(index)}, found by {len(index.triggers)} words, beginnings, sites and languages")
        return DONE
    found = _given_articles(index, article) if article else _stored_articles(index, settings, since, is_named=not json)
    articles = count = 0
    for row, matches in found:
        articles += 1
        count += len(matches)
        if json:
            _print_json(_plain_match(row, match) for match in matches)
        elif matches:
            _print_matches(row, matches)
    if articles and not count:
        say(f"no match: {_counted(index)}, {articles} article{'s' * (articles != 1)}")
    elif not articles:
        stored = f"none was first seen since {since}" if since else f"none is stored yet; {CRAWL_FIRST}"
        say("no article to look at" + (f" in {article}" if article else f": {stored}"))
    return DONE if count else NOTHING


def _rules(file: str | None, settings: BaseSettings) -> RuleIndex:
    from newsextract.newsroom.watch import RuleIndex, read_rules
    from newsextract.settings import WATCH

    path = file or WATCH.of(settings)
    if not path:
        raise Refusal("name a file of rules: newsextract watch watch.yml")
    return RuleIndex(read_rules(Path(path)))


def _given_articles(index: RuleIndex, name: str) -> Iterator[Found]:
    """Yield the articles of a file with their matches."""
    try:
        text = standard_input().read() if name == "-" else Path(name).read_text("utf-8")
        whole = [text] if text.lstrip().startswith("{\n") else [line for line in text.splitlines() if line.strip()]
        for row in map(_row_of_line, whole):
            yield row, index.match(row)
    except OSError as error:
        raise Refusal(f"--article: {why(error)}") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise Refusal(f"--article: {name}: no article as JSON: {error}") from error


def _row_of_line(line: str) -> dict[str, Any]:
    """Return an exported article as a row of the table."""
    from newsextract.page.urls import site_of
    from newsextract.storage.schema import snake_case

    row = {snake_case(name): value for name, value in json.loads(line).items()}
    return row | {"site": row.get("site") or site_of(row.get("url") or "")}


def _stored_articles(index: RuleIndex, settings: BaseSettings, since: str | None, *, is_named: bool) -> Iterator[Found]:
    from newsextract.newsroom.watch import match_again

    first = moment_of("--since", since) if since else None
    with database_of(settings, "there are no articles to look at", is_named=is_named) as engine:
        for found in match_again(engine, index, first):
            yield from found


def _counted(index: RuleIndex) -> str:
    return "1 rule" if len(index.rules) == 1 else f"{len(index.rules)} rules"


def _plain_match(row: Mapping[str, Any], match: Match) -> dict[str, Any]:
    return {
        "rule": match.rule.name,
        "revision": match.rule.revision,
        **{name: row.get(name) for name in ("url", "site", "headline")},
        "passages": [asdict(passage) | {"words": passage.words} for passage in match.passages],
    }


def _print_matches(row: Mapping[str, Any], matches: Sequence[Match]) -> None:
    """Print an article's matches below its headline, with hits in colour or in brackets."""
    from rich.padding import Padding
    from rich.text import Text

    terminal = console(highlight=False)
    show(terminal, Text(row.get("headline") or "", "bold"))
    show(terminal, Text(" ".join(filter(None, ((row.get("date_published") or "")[:10], row.get("url")))), "dim"))
    for match in matches:
        terminal.print(Padding(Text(match.rule.name, "cyan"), (0, 0, 0, 2)))
        for passage in match.passages:
            terminal.print(Padding(_passage(passage, in_colour=terminal.color_system is not None), (0, 0, 0, 4)))
    terminal.print()


def _passage(passage: Passage, *, in_colour: bool) -> Text:
    from rich.text import Text

    shown = Text(f"{passage.field}: ", "dim")
    text, at = passage.text.replace("\n", " "), 0
    for start, end in passage.marks:
        shown.append(text[at:start], "none")
        shown.append(text[start:end] if in_colour else f"[{text[start:end]}]", "bold yellow" if in_colour else "none")
        at = end
    return shown.append(text[at:], "none")


@verb(
    "newsextract deliver",
    "newsextract deliver --since 30d --to messages.jsonl",
    nothing="messages are left",
)
@click.option("--follow", is_flag=True, help="keep running until stopped")
@click.option("--since", metavar="WHEN", help="send stored articles that were new since: 30d")
@click.option(
    "--rights", type=click.Choice(USES), metavar="USE",
    help=f"leave out where a use is reserved: {', '.join(USES)}; else as NEWSEXTRACT_DELIVERY_RIGHTS says",
)  # fmt: skip
@click.option("--to", metavar="TEXT", help="only to targets whose name contains TEXT")
@with_json
@with_settings
def deliver(
    follow: bool, since: str | None, rights: str | None, to: str | None, json: bool, given: tuple[str, ...]
) -> int:
    """Send the messages that wait for brokers, webhooks, feeds and files.

    A crawl sends its messages itself; this sends what it has left, or goes on beside crawls. A new target gets what
    is new from then on; --since sends it what is stored.
    """
    from newsextract.newsroom.delivery import sending
    from newsextract.storage.database_thread import DatabaseThread
    from newsextract.storage.outbox import Seeking, register

    if follow and since:
        raise Refusal("--follow and --since do not go together")
    settings = settings_of(given)
    targets = _targets(settings, to)
    for target in targets:
        target.use = rights or target.use
    first = moment_of("--since", since) if since else None
    seconds = sending.END_SECONDS
    with database_of(settings, "there is no outbox", is_named=False) as engine:
        thread = DatabaseThread(engine)
        if first is None:
            senders = sending.Senders(targets, thread)
            senders.start()
            if follow:
                with until_stopped() as stopped:
                    while not stopped(PRUNE_SECONDS):
                        senders.prune()
            reports = senders.finish(seconds, is_patient=not follow)
        else:
            # First, so that no article is missed between those stored and those to come.
            for target in targets:
                thread.submit(register, Seeking(target.name, "", datetime.now(UTC))).result()
            reports = [sending.send_stored(engine, target, first, seconds) for target in targets]
        thread.close(seconds)
    if json:
        _print_json(map(asdict, reports))
    else:
        print(*(_report_line(each, target.use) for each, target in zip(reports, targets, strict=True)), sep="\n")
    return NOTHING if any(report.left != 0 for report in reports) else DONE


def _targets(settings: BaseSettings, wanted: str | None) -> list[Target]:
    from newsextract.crawl.effects import targets_from
    from newsextract.settings import TARGETS, check

    check(settings, TARGETS)
    targets = targets_from(settings)
    if not targets:
        named = ", ".join(setting.name for setting in TARGETS)
        raise Refusal(f"there is nowhere to deliver to: set one of {named}")
    found = [target for target in targets if (wanted or "") in target.name]
    if not found:
        names = ", ".join(target.name for target in targets)
        raise Refusal(f"--to: no target has {wanted!r} in its name; there are {names}")
    return found


def _report_line(report: Report, use: str | None) -> str:
    left = "an unknown number" if report.left is None else str(report.left)
    dead = f", {report.dead} put aside" if report.dead else ""
    waiting = f", {report.waiting} wait for their time" if report.waiting else ""
    away = f"is away ({report.away}): " if report.away else ""
    out = f"; {left_out_line(use, report.left_out)}" if use else ""
    return f"{report.target}{'' if away else ':'} {away}{report.delivered} delivered{dead}, {left} left{waiting}{out}"


@verb("newsextract health", "newsextract health --runs 10 --json", nothing="a site is degraded or failing")
@click.option("--site", metavar="SITE", help="only this site")
@click.option("--runs", type=click.IntRange(1), default=30, metavar="N", help="number of past runs")
@click.option(
    "--prometheus", type=FileToWrite(), metavar="FILE", help="write a file for node_exporter's textfile collector"
)
@with_json
@with_settings
def health(site: str | None, runs: int, prometheus: Path | None, json: bool, given: tuple[str, ...]) -> int:
    """Show the state of each site: silent, blocked, changed layout.

    Judges the newest run of each site by the runs before it, as the crawl did when it ended.
    """
    from newsextract.newsroom.health.report import statement_of, write_exposition

    settings = settings_of(given)
    missing = "nothing is known of any site"
    with database_of(settings, missing, is_named=not json) as engine, engine.connect() as connection:
        sites = _examined(connection, site, runs)
    if prometheus:
        write_exposition(prometheus, sites)
    if json:
        _print_json(map(statement_of, sites))
    else:
        _print_sites(sites)
    return NOTHING if any(each.problems for each in sites) else DONE


def _examined(connection: Connection, site: str | None, runs: int) -> list[SiteHealth]:
    from newsextract.newsroom.health.report import examine, examine_all

    if site is None:
        return list(examine_all(connection, datetime.now(UTC), runs))
    found = examine(connection, site, runs)
    if found is None:
        raise Refusal(f"--site: no run has seen {site!r}")
    return [found]


def _print_sites(sites: Sequence[SiteHealth]) -> None:
    from newsextract.newsroom.health.report import GIVEN_UP, health_table, lines_of

    if not sites:
        say(f"no run has seen a site in the last {GIVEN_UP.days} days")
        return
    terminal = console(HEALTH_WIDTH)
    show(terminal, health_table(sites, datetime.now(UTC)))
    for line in (line for each in sites for line in lines_of(each)):
        terminal.print(printable(line), style="red", soft_wrap=True, highlight=False, markup=False)


@verb("newsextract desk --open", "newsextract desk news.db --port 8001")
@click.argument(
    "database", required=False, metavar="[DATABASE]", help="a file of SQLite or a URL; by default the project's"
)
@click.option("--port", type=click.IntRange(0, 65_535), default=0, metavar="PORT", help="port; 0 picks a free one")
@click.option("--open", "is_opened", is_flag=True, help="open it in the browser")
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on")
@click.option(
    "--name", "names", multiple=True, metavar="HOST", help="host name that browsers use, such as your proxy's"
)
@click.option(
    "--proxy", "proxies", multiple=True, metavar="ADDRESS", help="address of your proxy, if it is on another machine"
)
@with_settings
def desk(
    database: str | None,
    port: int,
    is_opened: bool,
    host: str,
    names: tuple[str, ...],
    proxies: tuple[str, ...],
    given: tuple[str, ...],
) -> int:
    """Serve the desk, where articles are looked at in a browser: read only, until Ctrl-C.

    Others than you can see it with the password in NEWSEXTRACT_DESK_PASSWORD, and programs with the token in
    NEWSEXTRACT_DESK_TOKEN.
    """
    from newsextract.newsroom.desk.access import Access
    from newsextract.newsroom.desk.application import serve
    from newsextract.settings import DATABASE, SECRETS
    from newsextract.sites.subscriptions import Secrets

    heed_interrupts()
    settings = settings_of(given)
    database = database or DATABASE.of(settings) or ""
    if not database:
        raise Refusal("name a database: newsextract desk output/newsextract.db")
    try:
        serve(database, port, Access.of(host, names, proxies, Secrets.read(SECRETS.of(settings))), is_opened=is_opened)
    except KeyboardInterrupt:
        return DONE
    except OSError as error:
        cause = "taken; --port 0 takes a free one" if error.errno == EADDRINUSE else error.strerror or error
        raise Refusal(f"cannot serve at {host}, port {port}: {cause}") from error
    return DONE


@verb("newsextract mcp", "newsextract mcp news.db")
@click.argument(
    "database", required=False, metavar="[DATABASE]", help="a file of SQLite or a URL; by default the project's"
)
@with_settings
def mcp(database: str | None, given: tuple[str, ...]) -> int:
    """Answer an assistant by the Model Context Protocol, on standard streams: search, articles, stories, health.

    It only reads. Over HTTP the desk answers at /mcp, with the token in NEWSEXTRACT_DESK_TOKEN.
    """
    from newsextract.newsroom.desk.mcp_server import serve
    from newsextract.settings import DATABASE

    database = database or DATABASE.of(settings_of(given)) or ""
    if not database:
        raise Refusal("name a database: newsextract mcp output/newsextract.db")
    serve(database)
    return DONE
