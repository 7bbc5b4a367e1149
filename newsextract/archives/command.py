"""The command `newsextract archive`: the articles of WARC files as a data set."""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from newsextract.archives.command_options import PROGRAM, check, make_parser
from newsextract.archives.engine.worker_events import EngineError
from newsextract.command_streams import whole_or_piped
from newsextract.interrupts import INTERRUPTED
from newsextract.reading.extraction_options import named_value

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from newsextract.archives.engine.archive_run import ArchiveRun, RunReport
    from newsextract.archives.engine.reading_plan import ReadingPlan
    from newsextract.archives.engine.worker_events import Engine
    from newsextract.reading.rules import SiteRules

ALL_WELL, SOME_FAILED, USAGE = 0, 1, 2

EXIT_CODES = {
    ALL_WELL: "all files were read, and their copies are flagged",
    SOME_FAILED: "a file could not be read, or the disk is full: the same command again reads what is left; or every "
    "page failed",
    USAGE: "a wrong argument, or a package is missing",
    INTERRUPTED: "interrupted; the same command again goes on",
}

_NEEDED = ("brotli", "fsspec", "pyarrow")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = make_parser(EXIT_CODES)
    options = parser.parse_args(sys.argv[2:] if arguments is None else list(arguments))
    if missing := [name for name in _NEEDED if find_spec(name) is None]:
        return _refuse(f"{', '.join(missing)} not installed: pip install 'newsextract[archive]'")
    try:
        check(options)
        code = ALL_WELL
        with whole_or_piped(PROGRAM):
            code = _run(options)
    except (ValueError, EngineError) as error:
        return _refuse(str(error))
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)  # noqa: T201 - of a command
        return INTERRUPTED
    return code


def _run(options: argparse.Namespace) -> int:
    """Read what is left to be read, print the summary, and return the exit code.

    Raises:
        ValueError: an argument is wrong; the message names it.
        EngineError: Ray cannot be used.
    """
    # What follows needs packages that may be missing, and a second to import.
    from newsextract.archives.engine.archive_run import ArchiveRun  # noqa: PLC0415
    from newsextract.archives.engine.output_layout import OutputFolder  # noqa: PLC0415
    from newsextract.archives.engine.run_record import alone_in, keep_record, read_record  # noqa: PLC0415
    from newsextract.archives.locations import expand_locations  # noqa: PLC0415

    folder = OutputFolder(options.output)
    record = read_record(folder)
    started = record.started
    plan = _plan(options, started)
    locations = expand_locations(options.inputs, base=options.base)
    keep_record(folder, record, _made(options, plan.rules), started)
    with alone_in(folder):
        return _go(ArchiveRun(folder, locations, plan, options.drop_duplicates), options)


def _go(run: ArchiveRun, options: argparse.Namespace) -> int:
    from newsextract.archives.engine.progress_display import display  # noqa: PLC0415 - as above
    from newsextract.archives.engine.run_summary import describe  # noqa: PLC0415

    engine = _engine(options)
    try:
        with display() as shown:
            report = run.go(engine, shown)
    finally:
        engine.close()
    describe(run.folder, report)
    return _exit_code(report)


def _exit_code(report: RunReport) -> int:
    wrong = report.counts.trouble(report.dropped)
    if wrong and report.has_marks:
        print(f"{PROGRAM}: the counts do not add up: {wrong}", file=sys.stderr)  # noqa: T201 - of a command
        return SOME_FAILED
    if report.troubles:
        left = f"{len(report.troubles)} files are not done, and copies are flagged only then"
        print(f"{PROGRAM}: {left}; give the same command again, or leave them out", file=sys.stderr)  # noqa: T201
    if report.counts.has_failed_throughout:
        told = "every page failed; `reason` in records/ says why. Delete the folder to read them again"
        print(f"{PROGRAM}: {told}", file=sys.stderr)  # noqa: T201 - of a command
        return SOME_FAILED
    return SOME_FAILED if report.troubles else ALL_WELL


def _plan(options: argparse.Namespace, now: datetime) -> ReadingPlan:
    """Return how pages are chosen and read; tries the extractor, so that a wrong name is said at once."""
    from newsextract.archives.engine.reading_plan import ReadingPlan  # noqa: PLC0415 - as above
    from newsextract.archives.filters import page_filter, record_filter  # noqa: PLC0415
    from newsextract.reading.extraction.contract import create_extractor  # noqa: PLC0415

    own = dict(map(named_value, options.option))
    create_extractor(options.extractor, **own)
    records = record_filter(
        hosts=options.hosts, languages=options.languages, since=options.since, until=options.until,
        statuses=options.statuses, types=options.types, urls=options.url, not_urls=options.not_url, now=now,
    )  # fmt: skip
    pages = page_filter(languages=options.languages, kinds=options.kinds)
    return ReadingPlan(
        options.extractor, own, tuple(options.kinds), options.comments, options.markdown, options.page_seconds,
        options.page_bytes, records, pages, _rules(options),
    )  # fmt: skip


def _rules(options: argparse.Namespace) -> dict[str, SiteRules]:
    """Return the rules in the list of sites that `--hosts` names, by host."""
    from newsextract.sites.site import rules_of  # noqa: PLC0415 - as above
    from newsextract.sites.site_list import read_sites  # noqa: PLC0415

    return rules_of(read_sites(options.hosts)) if options.hosts.strip() else {}


def _made(options: argparse.Namespace, rules: Mapping[str, SiteRules]) -> dict[str, Any]:
    """Return what decides on the articles, for `run.json`: not the inputs, to which others may be added."""
    import newsextract  # noqa: PLC0415 - the version is looked up only here

    names = (
        "extractor", "option", "kinds", "comments", "markdown", "page_seconds", "page_bytes", "hosts", "languages",
        "since", "until", "statuses", "types", "url", "not_url", "drop_duplicates",
    )  # fmt: skip
    given = {name: getattr(options, name) for name in names}
    plain = {host: repr(each) for host, each in sorted(rules.items())}
    given["rules"] = sha256(repr(plain).encode()).hexdigest()[:12] if plain else ""  # of a thousand sites, perhaps
    return {"newsextract": newsextract.__version__, **{name: value for name, value in given.items() if value}}


def _engine(options: argparse.Namespace) -> Engine:
    jobs = options.jobs or (0 if options.address else os.cpu_count() or 1)
    if options.engine == "ray" or options.address or (options.engine is None and find_spec("ray")):
        from newsextract.archives.engine.ray_engine import RayEngine  # noqa: PLC0415 - an extra

        where = f"at {options.address}" if options.address else "on this machine"
        print(f"starting on Ray {where} …", file=sys.stderr, flush=True)  # noqa: T201 - takes up to a minute
        return RayEngine(jobs, options.address)
    from newsextract.archives.engine.process_engine import ProcessEngine  # noqa: PLC0415 - as above

    return ProcessEngine(jobs)


def _refuse(message: str) -> int:
    print(f"{PROGRAM}: {message}", file=sys.stderr)  # noqa: T201 - it is a command
    return USAGE
