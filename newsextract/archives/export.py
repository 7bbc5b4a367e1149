"""The verb `export`: the articles of a crawl's database as lines of JSON, CSV, Markdown files, or Parquet."""

from __future__ import annotations

import sys
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from newsextract.archives.whole_files import whole_file, whole_folder
from newsextract.article_forms import to_json_ld, to_ninjs
from newsextract.reading.usage_rights import USES, LeftOut, left_out_line
from newsextract.terminal import DONE, NOTHING, Refusal, say, verb

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_FORMS = {"jsonld": to_json_ld, "ninjs": to_ninjs}
_FILES, _FOLDERS = ("jsonl", "csv", *_FORMS), ("markdown", "parquet")
_ENDINGS = {f".{name}": name for name in (*_FILES, *_FOLDERS)} | {"": "jsonl", ".md": "markdown"}


@verb(
    "newsextract export output/newsextract.db > articles.jsonl",
    "newsextract export news.db -q bridge -f csv -o bridges.csv",
    "newsextract export news.db --since 30d -f parquet -o month",
    nothing="no article matches, or the disk failed; no file or folder was left",
)
@click.argument("database", metavar="DATABASE", help="a file of SQLite, or a database URL")
@click.option("-q", "--query", metavar="QUERY", help="a query, as in watch rules")
@click.option("--since", metavar="TIME", help="only since a date, a time or an age (30d, 36h)")
@click.option("--until", metavar="TIME", help="only until a date (included), a time or an age")
@click.option(
    "--date", type=click.Choice(["published", "seen"]), default="published", metavar="DATE",
    help="what --since and --until compare: published (seen if a page states no date), or seen",
)  # fmt: skip
@click.option(
    "-f", "--format", "form", type=click.Choice((*_FILES, *_FOLDERS)), metavar="FORM",
    help=f"{', '.join((*_FILES, *_FOLDERS))}; by default, what PATH ends in, or jsonl",
)  # fmt: skip
@click.option(
    "-o", "--output", type=Path, metavar="PATH",
    help="a file (default: standard output); for markdown and parquet a new folder",
)  # fmt: skip
@click.option(
    "--rights", type=click.Choice(USES), metavar="USE",
    help=f"leave out where a use is reserved: {', '.join(USES)}",
)  # fmt: skip
@click.option("--overwrite", is_flag=True, help="replace an existing file")
def export(  # noqa: PLR0913, PLR0917 - an option each
    database: str, query: str | None, since: str | None, until: str | None, date: str, form: str | None,
    output: Path | None, rights: str | None, overwrite: bool,
) -> int:  # fmt: skip
    """Write the articles of a crawl's database, the newest first.

    DATABASE is a file of SQLite, or a URL as NEWSEXTRACT_DATABASE has it.
    """
    form = form or _form_of(output)
    _check_output(form, output, overwrite=overwrite)
    selection = _selection(query or "", since or "", until or "", date)
    left_out = LeftOut(rights) if rights else None
    engine = _opened(database)
    from newsextract.storage.search.article_search import stream_articles  # noqa: PLC0415 - slow to import

    try:
        with closing(stream_articles(engine, *selection)) as found:
            rows = (row for row in found if left_out is None or left_out.keeps(row["usage_rights"]))
            first = next(rows, None)
            if first is None:
                say("no article matches" + (f"; {left_out_line(left_out.use, left_out.counts)}" if left_out else ""))
                return NOTHING
            stated = {"query": query, "since": since, "until": until, "date": date if since or until else ""}
            summary: dict[str, Any] = {name: value for name, value in stated.items() if value}
            # Counted while they are written.
            summary |= {"rights": left_out.use, "left_out": left_out.counts} if left_out else {}
            count = _write(chain([first], rows), form, output, summary)
    finally:
        engine.dispose()
    say(f"{count:,} articles written to {output or 'standard output'}")
    if left_out:
        say(left_out_line(left_out.use, left_out.counts))
    return DONE


def _selection(query: str, since: str, until: str, by: str) -> tuple[str, str, str, str]:
    from newsextract.archives.filters import time_span  # noqa: PLC0415

    try:
        span = time_span(since, until, datetime.now(UTC))
    except ValueError as error:
        raise Refusal(str(error)) from error
    if query:
        from newsextract.storage.search.queries import parse_query  # noqa: PLC0415

        try:
            parse_query(query)
        except ValueError as error:
            raise Refusal(f"--query: {error}") from error
    first, after = (each.astimezone(UTC).isoformat(timespec="seconds") if each else "" for each in span)
    return query, first, after, by


def _form_of(output: Path | None) -> str:
    """Return the format that the ending of a path names."""
    ending = output.suffix.lower() if output else ""
    if ending not in _ENDINGS:
        known = ", ".join(filter(None, _ENDINGS))
        raise Refusal(f"-o: {output} has an unknown ending: there are {known}, or -f says the format")
    return _ENDINGS[ending]


def _check_output(form: str, output: Path | None, *, overwrite: bool) -> None:
    if form in _FOLDERS:
        if output is None:
            raise Refusal(f"--format {form} is a folder; name a new one with -o")
        if output.exists() and not (output.is_dir() and not any(output.iterdir())):
            raise Refusal(f"-o: {output} is there already; name a new folder")
    elif output and output.is_dir():
        raise Refusal(f"-o: {output} is a folder; --format {form} is a file")
    elif output and output.exists() and not overwrite:
        raise Refusal(f"-o: {output} is there already; name another file, or add --overwrite")


def _opened(database: str) -> Any:
    """Return the engine of a database that is there: a mistyped name makes no new one."""
    url = database if "://" in database else f"sqlite:///{database}"
    path = url.partition("?")[0].removeprefix("sqlite:///")
    if url.startswith("sqlite") and not Path(path).is_file():
        raise Refusal(f"{path}: no such file; name the database of a crawl, as output/newsextract.db")
    from newsextract.storage.database import open_engine  # noqa: PLC0415 - as above

    return open_engine(url, may_share=False)


def _write(rows: Iterable[Mapping[str, Any]], form: str, output: Path | None, summary: Mapping[str, Any]) -> int:
    from newsextract.storage.export import write_csv, write_json_lines, write_markdown  # noqa: PLC0415 - as above

    if form in _FOLDERS and output is not None:
        with whole_folder(output) as folder:
            return write_parquet(rows, folder, summary) if form == "parquet" else write_markdown(rows, folder)
    write = write_csv if form == "csv" else partial(write_json_lines, form=_FORMS.get(form, dict))
    if output is None:
        return write(rows, sys.stdout)
    with whole_file(output) as path, path.open("w", encoding="utf-8", newline="") as file:
        return write(rows, file)


def write_parquet(rows: Iterable[Mapping[str, Any]], folder: Path, summary: Mapping[str, Any]) -> int:
    """Write `articles/month=YYYY-MM/articles.parquet`, then describe them; return how many articles there were.

    The rows come in the order of their moment, so that each month is written once; those without a day, in which
    order they come, have a file for each run of them. `summary` says how they were chosen.
    """
    from newsextract.archives.dataset_card import describe_dataset  # noqa: PLC0415 - pyarrow is an extra
    from newsextract.archives.tables import STORED, WholeTable, stored_row  # noqa: PLC0415
    from newsextract.storage.search.article_search import UNKNOWN, day_of  # noqa: PLC0415

    count = 0
    months = groupby(rows, lambda row: day if (day := day_of(row)) == UNKNOWN else day[:7])
    for number, (month, of_month) in enumerate(months):
        name = "articles.parquet" if month != UNKNOWN else f"articles-{number}.parquet"
        table = WholeTable(folder / "articles" / f"month={month}" / name, STORED)
        try:
            for stored in of_month:
                table.add(stored_row(stored))
            table.publish()
        finally:
            table.discard()
        count += table.rows
    describe_dataset(folder, {**summary, "articles": count})
    return count
