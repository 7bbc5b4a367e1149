"""The verb `archive`: the articles of WARC files as a data set."""

from __future__ import annotations

import os
import shutil
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from newsextract.reading.notices import ARTICLE_LIKE, KINDS
from newsextract.reading.usage_rights import USES, left_out_line
from newsextract.terminal import DONE, NOTHING, Refusal, say, verb

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from newsextract.archives.reading import ReadingPlan
    from newsextract.archives.run import RunReport
    from newsextract.reading.rules import SiteRules

PAGE_BYTES, MOST_BYTES = 3 * 1024 * 1024, 256 * 1024 * 1024
"""A larger page of plain paragraphs than the first would take a worker beyond 400 MB; news have a fifteenth of it."""


@verb(
    "newsextract archive CC-NEWS-20260501.warc.gz -o articles",
    "newsextract archive warcs -o may --languages de,fr",
    "newsextract archive warc.paths.gz -o may --hosts sites.yml",
    nothing="a file could not be read, or the disk is full: the same command again reads what is left; or every page "
    "failed",
)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT ...", help="WARC files, folders, lists of paths")
@click.option("-o", "--output", type=Path, required=True, metavar="FOLDER", help="folder for the tables")
@click.option("--base", metavar="URL", help="URL or folder that the paths of a list are relative to")
@click.option("--hosts", metavar="HOSTS", help="only these hosts, or the sites of a sites.yml, with its rules")
@click.option("--languages", metavar="TAGS", help="only these languages: de,fr")
@click.option("--since", metavar="TIME", help="only archived since a date or an age: 30d")
@click.option("--until", metavar="TIME", help="only archived until a date (included)")
@click.option("--url", multiple=True, metavar="REGEX", help="only URLs that match")
@click.option("--kinds", default=",".join((*ARTICLE_LIKE, "thread")), metavar="KINDS", help=f"of {', '.join(KINDS)}")
@click.option(
    "--rights", type=click.Choice(USES), metavar="USE",
    help=f"leave out where a use is reserved: {', '.join(USES)}",
)  # fmt: skip
@click.option("-x", "--extractor", default="auto", metavar="NAME", help="extractor, such as eatiht:version=2")
@click.option("--markdown", is_flag=True, help="also write the text as Markdown")
@click.option("--comments", is_flag=True, help="include readers' comments")
@click.option(
    "--page-seconds", type=click.FloatRange(0.1, 3600), default=20.0, metavar="S", help="kill a page that takes longer"
)
@click.option(
    "--page-bytes", type=click.IntRange(1, MOST_BYTES), default=PAGE_BYTES, metavar="N",
    help="a larger page counts as damaged",
)  # fmt: skip
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="processes at once; with Ray, files")
@click.option("--engine", default="processes", metavar="NAME", help="processes (this machine) or ray")
@click.option("--address", metavar="ADDRESS", help="a running Ray cluster")
def archive(
    inputs: tuple[str, ...], output: Path, base: str | None, jobs: int | None, engine: str, address: str | None,
    **articles: Any,
) -> int:  # fmt: skip
    """Read the articles of web archives (WARC) into Parquet files, with an account of every record.

    INPUT is a WARC file (.warc, .warc.gz, .warc.zst), a folder of them, or a list of paths such as warc.paths.gz; on
    this machine, at https:// or at s3://.

    The same command again goes on where the last one ended, however it ended.
    """
    given = {name: value for name, value in articles.items() if value}
    if engine not in {"processes", "ray"}:
        raise Refusal(f"--engine is processes or ray, not {engine}")
    if address and engine != "ray":
        raise Refusal("--address is that of a Ray cluster: add --engine ray")
    # What follows needs packages that may be missing, and a second to import.
    from newsextract.archives.locations import expand_locations  # noqa: PLC0415
    from newsextract.archives.reading import NO_ARCHIVE  # noqa: PLC0415
    from newsextract.archives.run import RunFolder, read_here, read_on_ray, run  # noqa: PLC0415

    processes = os.cpu_count() or 1
    if engine == "ray":
        read = partial(read_on_ray, jobs or (0 if address else processes), address)
    else:
        read = partial(read_here, jobs or processes)
    folder = RunFolder(output)
    started = folder.started()
    is_new = not (output / "run.json").exists()
    plan = _plan(given, started)
    locations = expand_locations(inputs, base=base)
    with folder.open(_made(given, plan.rules), started):
        report = run(folder, locations, plan, read)
    if not report.files and set(report.errors.values()) == {NO_ARCHIVE}:
        if is_new:
            shutil.rmtree(output)  # all in it is of this run
        raise Refusal(f"{', '.join(report.errors)}: {NO_ARCHIVE}")
    _print(report, output, plan.wanted.rights)
    return _exit_code(report)


def _plan(given: Mapping[str, Any], now: datetime) -> ReadingPlan:
    """Return how pages are chosen and read; creates the extractor, so that a wrong name is an error at once."""
    from newsextract.archives.filters import record_filter  # noqa: PLC0415 - as above
    from newsextract.archives.reading import ReadingPlan  # noqa: PLC0415
    from newsextract.reading.extraction.contract import create_reader  # noqa: PLC0415
    from newsextract.reading.kinds import check_kinds  # noqa: PLC0415

    create_reader(given["extractor"])
    try:
        kinds = check_kinds(_names(given["kinds"]))
        wanted = record_filter(
            hosts=given.get("hosts", ""), languages=_names(given.get("languages", "")), since=given.get("since", ""),
            until=given.get("until", ""), urls=given.get("url", ()), rights=given.get("rights", ""), now=now,
        )  # fmt: skip
    except ValueError as error:
        raise Refusal(str(error)) from error
    return ReadingPlan(
        given["extractor"], kinds, "comments" in given, "markdown" in given, given["page_seconds"],
        given["page_bytes"], wanted, _rules(given.get("hosts", "")),
    )  # fmt: skip


def _rules(hosts: str) -> dict[str, SiteRules]:
    """Return the rules in the list of sites that `--hosts` names, by host."""
    from newsextract.sites.site import rules_of  # noqa: PLC0415 - as above
    from newsextract.sites.site_list import read_sites  # noqa: PLC0415

    return rules_of(read_sites(hosts)) if hosts.strip() else {}


def _made(given: Mapping[str, Any], rules: Mapping[str, SiteRules]) -> dict[str, Any]:
    """Return what decides on the articles, for `run.json`: not the inputs, to which others may be added."""
    import newsextract  # noqa: PLC0415 - the version is looked up only here

    plain = {host: repr(each) for host, each in sorted(rules.items())}
    made = {"newsextract": newsextract.__version__, **given}
    return made | ({"rules": sha256(repr(plain).encode()).hexdigest()[:12]} if plain else {})


def _print(report: RunReport, output: Path, rights: str) -> None:
    print(f"{report.files:>12,} files")
    print(f"{report.ends.total():>12,} records")
    for end, count in report.ends.most_common():
        print(f"{count:>14,} {end.replace('_', ' ')}")
    if rights:
        print(f"{left_out_line(rights, report.left_out)}")
    print(f"{report.articles:>12,} articles in tables\nin {output}")


def _exit_code(report: RunReport) -> int:
    for url, reason in report.errors.items():
        say(f"{url}: {reason}")
    if report.errors:
        which = "1 file was" if len(report.errors) == 1 else f"{len(report.errors)} files were"
        say(f"{which} not read; give the same command again, or leave what cannot be read out")
    if report.has_failed_throughout:
        say("every page failed; `reason` in records/ says why. Delete the folder to read them again")
    if report.articles != report.ends["article"]:
        say(f"{report.ends['article']:,} articles were found, but {report.articles:,} are in tables")
        return NOTHING
    return NOTHING if report.errors or report.has_failed_throughout else DONE


def _names(written: str) -> tuple[str, ...]:
    return tuple(name for part in written.split(",") if (name := part.strip()))
