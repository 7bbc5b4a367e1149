"""The verb `extract`: the articles of files, folders, URLs and standard input, in one stream or a file each.

One page that crashes or takes too long is an error of its own, and the others go on.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from contextlib import closing
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from newsextract.terminal import DONE, NOTHING, Refusal, progress, say, standard_input, verb
from newsextract.tools.project import (
    check_urls,
    fetcher_of,
    is_project,
    is_url,
    settings_of,
    why_unfetched,
    with_settings,
    with_url,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from newsextract.article import Article
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.extraction_options import ExtractionOptions
    from newsextract.reading.rules import SiteRules
    from newsextract.sites.fetching import PageFetcher

MAX_SECONDS = 86_400.0

SUFFIXES = (".html", ".htm", ".xhtml", ".shtml")
"""The files of a folder that are pages; a file named by itself may be called anything."""

_FILES = (".csv", ".html", ".json", ".jsonl", ".jsonld", ".markdown", ".md", ".ninjs", ".txt")
"""Endings by which a folder was meant as a file."""

STANDARD_INPUT = "-"
MAX_NAME_CHARS = 100
"""Of a file that is written; file systems take 255 bytes, and a number and a suffix follow."""

_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_LIKE_A_URL = re.compile(r"(?:[\w-]+\.)+([a-z]{2,})(/|$)", re.IGNORECASE)


def _listed_extractors() -> list[tuple[str, str]]:
    """Return each extractor with its options and their defaults."""
    from newsextract.reading.extraction.contract import options_of, reader_names

    written = {name: [f"{each}={value}".lower() for each, value in options_of(name).items()] for name in reader_names()}
    return [(name, " ".join(options) or "no options") for name, options in written.items()] + [
        ("any", "cleaning=wutsi")
    ]


@verb(
    "newsextract https://example.com/story.html",
    "newsextract story.html --format markdown",
    "newsextract pages --format jsonl > articles.jsonl",
    nothing="some pages cannot be read, or have no article",
    listing=("Extractors and their options, as in -x eatiht:version=2:cleaning=wutsi", _listed_extractors),
)
@click.argument(
    "pages", nargs=-1, required=True, metavar="PAGE ...",
    help="files, folders of .html files, URLs, or - for standard input",
)  # fmt: skip
@click.option(
    "--format", type=click.Choice(["text", "markdown", "html", "json", "jsonl", "csv", "jsonld", "ninjs"]),
    default="text", help="what to print",
)  # fmt: skip
@click.option("-x", "--extractor", metavar="NAME", help="such as eatiht:version=2; default: the project's, or auto")
@with_url
@click.option(
    "--prefer", type=click.Choice(["balance", "precision", "recall"]), default="balance",
    help="leave out what is doubtful (precision), or keep it (recall)",
)  # fmt: skip
@click.option("--sites", metavar="FILE", help="use the rules of this sites.yml")
@click.option("--min-words", default=0, metavar="N", help="discard a shorter body")
@click.option("--comments", is_flag=True, help="include readers' comments, in JSON and CSV")
@click.option("--tables/--no-tables", default=True, help="keep tables")
@click.option("--links/--no-links", default=True, help="keep links")
@click.option("--images/--no-images", default=True, help="keep images")
@click.option("-o", "--output", type=Path, metavar="DIR", help="write a file for each page into this folder")
@click.option("--overwrite", is_flag=True, help="replace existing files")
@click.option(
    "--jobs", type=click.IntRange(1), metavar="N", help="processes for several pages (default: one per processor)"
)
@click.option(
    "--timeout", type=click.FloatRange(0.001, MAX_SECONDS), default=30.0, metavar="SECONDS",
    help="limit to fetch a page, and to read it",
)  # fmt: skip
@with_settings
def extract(
    pages: tuple[str, ...], format: str, extractor: str | None, url: str | None, sites: str | None,  # noqa: A002
    output: Path | None, overwrite: bool, jobs: int | None, timeout: float, given: tuple[str, ...],
    **body: Any,
) -> int:  # fmt: skip
    """Print the articles of pages. The word extract may be left out.

    robots.txt is obeyed. To crawl a site: scrapy crawl news -a sites=URL.
    """
    from newsextract.reading.extraction_options import ExtractionOptions

    check_urls(*pages)
    is_folder = os.path.isdir(pages[0])  # noqa: PTH112 - `Path` raises an error for a name that is too long
    _check(pages, url, output, overwrite=overwrite, is_folder=is_folder)
    name = extractor or _extractor_of(given)
    options = ExtractionOptions(**body)
    options.extractor(name, {})  # an error before anything is fetched
    found = list(sources_of(pages, url))
    several = len(found) > 1 or is_folder
    wish = Wish(format, name, options, rules_of_list(sites), timeout, is_named=several and not output)
    out = FileEach(output, format, found, is_replacing=overwrite) if output else OneStream(format, are_several=several)
    processes = min(jobs or os.cpu_count() or 1, len(found)) if len(found) > 1 else 0
    has_bar = len(found) > 1 and (output or not sys.stdout.isatty())  # none among the articles on a terminal
    failed = 0
    with closing(read_all(found, wish, fetcher_of(given, seconds=timeout), processes)) as outcomes:
        for outcome in progress(outcomes, "pages", len(found)) if has_bar else outcomes:
            error = outcome.error
            if outcome.written is not None:
                try:
                    out.write(outcome.source, outcome.written)
                except FileExistsError as refusal:
                    error = str(refusal)
            failed += error is not None
            if error or outcome.hint:
                say(f"{outcome.source.name}: {error or outcome.hint}")
    out.close()
    return NOTHING if failed else DONE


def _check(pages: Sequence[str], url: str | None, output: Path | None, *, overwrite: bool, is_folder: bool) -> None:
    """Refuse arguments that do not go together."""
    if pages.count(STANDARD_INPUT) > 1:
        raise Refusal("-: standard input is one page")
    if url and (len(pages) > 1 or is_url(pages[0]) or is_folder):
        raise Refusal("--url is the URL of one page, from a file or standard input")
    if overwrite and not output:
        raise Refusal("--overwrite is of files; -o names their folder")
    if output and output.exists() and not output.is_dir():
        raise Refusal(f"-o: {output} is a file, not a folder")
    if output and not output.exists() and output.suffix.lower() in _FILES:
        raise Refusal(f"-o names a folder, for a file of each page; for one file of all: > {output}")


def rules_of_list(sites: str | None) -> Mapping[str, SiteRules]:
    """Return the rules in a list of sites, by host."""
    if not sites:
        return {}
    from newsextract.sites.site import rules_of
    from newsextract.sites.site_list import read_sites

    try:
        return rules_of(read_sites(sites))
    except ValueError as error:
        raise Refusal(f"--sites: {error}") from error


def _extractor_of(given: Sequence[str]) -> str:
    """Return the project's extractor."""
    from newsextract.settings import EXTRACTOR

    return EXTRACTOR.of(settings_of(given)) if given or is_project() else EXTRACTOR.default


# Where pages come from.


@dataclass(frozen=True, slots=True)
class Source:
    """One page: a file, a URL, or standard input."""

    name: str
    """As it was given; in a folder, with the folder before it."""
    url: str | None = None
    """The page's own URL."""
    place: str = ""
    """The path of its file in a folder of output, without its suffix."""

    @property
    def is_url(self) -> bool:
        """Whether the page is to be fetched."""
        return is_url(self.name)


def sources_of(names: Iterable[str], url: str | None = None) -> Iterator[Source]:
    """Yield the pages that names stand for, those of folders in alphabetical order."""
    for name in names:
        if name == STANDARD_INPUT:
            yield Source(name, url, "stdin")
        elif is_url(name):
            yield Source(name, name, _file_name(name.partition("://")[2]))
        elif os.path.isdir(name):  # noqa: PTH112 - as above
            yield from _pages_in(Path(name))
        else:
            yield Source(name, url, _file_name(_stem(Path(name).name)))


def _pages_in(folder: Path) -> Iterator[Source]:
    # A pipe or a device would never end; a link to nowhere is an error of its page.
    files = sorted(path for path in folder.rglob("*") if path.name.lower().endswith(SUFFIXES))
    found = [path for path in files if path.is_file() or not path.exists()]
    if not found:
        raise Refusal(f"{folder}: no file in this folder ends in {', '.join(SUFFIXES)}")
    for path in found:
        yield Source(str(path), None, str(path.relative_to(folder).with_name(_file_name(_stem(path.name)))))


def _stem(file: str) -> str:
    """Return the name of a file without the suffix of a page.

    >>> _stem("a.b.HTML"), _stem("page.php"), _stem(".html")
    ('a.b', 'page.php', '.html')
    """
    suffix = next((suffix for suffix in SUFFIXES if file.lower().endswith(suffix)), "")
    return file[: -len(suffix)] if suffix and len(file) > len(suffix) else file


def _file_name(written: str) -> str:
    """Return a name that any file system takes.

    >>> _file_name("example.com/2026/05/a-story/?id=5"), _file_name("../.."), _file_name("...")
    ('example.com-2026-05-a-story-id-5', 'page', 'page')
    """
    name = _NOT_IN_NAMES.sub("-", written)[:MAX_NAME_CHARS]
    return name.encode()[: 2 * MAX_NAME_CHARS].decode(errors="ignore").strip(".-") or "page"


# How they are read.

_AHEAD = 4
"""Pages given to the processes before their turn, for each process: a slow one holds up the order, not the others."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of every page."""

    form: str
    """One of `FORMS`."""
    extractor: str
    options: ExtractionOptions
    rules: Mapping[str, SiteRules]
    """The rules of sites, by host."""
    seconds: float
    """Time for a page to be read."""
    is_named: bool
    """Whether each article stands under the name of its page."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one page: its article as written, an error, or both if it has no body."""

    source: Source
    written: str | None = None
    error: str | None = None
    hint: str | None = None


def read_all(sources: Iterable[Source], wish: Wish, fetcher: PageFetcher, jobs: int) -> Generator[Outcome]:
    """Yield what became of each page, in order; with `jobs` above 0 they are read in as many processes."""
    if not jobs:
        yield from (read_one(source, wish, _loaded(source, fetcher)) for source in sources)
        return

    from newsextract.processes.pool import Crashed, TooSlow, WorkerPool, in_order

    with WorkerPool(f"{__name__}:PageTasks", wish, processes=jobs, seconds=wish.seconds) as pool:

        def submit(source: Source) -> Future[Outcome]:
            # Standard input is this process's, and pages of one host are not fetched at the same time.
            loaded = _loaded(source, fetcher) if source.is_url or source.name == STANDARD_INPUT else None
            return pool.submit("read", source, loaded)

        for source, answer in in_order(submit, sources, _AHEAD * jobs):
            try:
                yield answer.result()
            except TooSlow:
                yield Outcome(source, error=f"not read within {wish.seconds:g} seconds")
            except Crashed as error:
                yield Outcome(source, error=f"its process died: {error}")
            except Exception as error:  # noqa: BLE001 - a fault that one page brings to light may not lose the others
                yield Outcome(source, error=f"it was not read, for a fault: {type(error).__name__}: {error}")


class PageTasks:
    """Reads pages in a worker process."""

    def __init__(self, wish: Wish) -> None:
        self._wish = wish

    def read(self, source: Source, page: Page | str | None) -> Outcome:
        """Read a page and write its article; no error of the page is raised."""
        return read_one(source, self._wish, _loaded(source, None) if page is None else page)


def read_one(source: Source, wish: Wish, page: Page | str) -> Outcome:
    """Read a page, or pass on why there is none, and write its article; no error of the page is raised."""
    from newsextract.reading.notices import NoticeCode, noticed
    from newsextract.reading.reader import of_host, read_page

    if isinstance(page, str):
        return Outcome(source, error=page)
    try:
        extraction, article = read_page(page, wish.extractor, wish.options, {}, of_host(wish.rules, page.url))
    except (ValueError, OSError) as error:
        return Outcome(source, error=str(error))
    article.url = article.url or article.canonicalUrl
    text = written(wish.form, extraction, article, source.name if wish.is_named else "")
    if extraction:
        is_listing = article.metadata is not None and article.metadata.pageKind == "listing"
        return Outcome(source, text, hint=f"{LISTING}{source.name}" if is_listing and source.is_url else None)
    nothing = f"{extraction.extractor} found no main content"
    why = next(noticed(NoticeCode.TOO_FEW_WORDS, extraction.warnings), nothing)
    return Outcome(source, text if wish.form in OF_FIELDS else None, why)


LISTING = "a listing of articles rather than one; to crawl it: scrapy crawl news -a sites="


def _loaded(source: Source, fetcher: PageFetcher | None) -> Page | str:
    """Return the page of a source, or why it cannot be read."""
    try:
        return load(source, fetcher)
    except (ValueError, OSError) as error:
        return why_unread(error, source.name)


def load(source: Source, fetcher: PageFetcher | None) -> Page:
    """Return the page of a source; without a fetcher it is a file.

    Raises:
        PageError, OSError: it cannot be read.
    """
    from newsextract.page.page import MAX_BYTES, Page

    if source.is_url and fetcher:
        return fetcher.fetch(source.name)
    if source.name == STANDARD_INPUT:
        return Page(standard_input().buffer.read(MAX_BYTES + 1), source.url)
    with Path(source.name).open("rb") as file:  # no more than a page may have, as a device never ends
        return Page(file.read(MAX_BYTES + 1), source.url)


def why_unread(error: Exception, name: str) -> str:
    """Return a phrase for an error of loading a page, without the number and the name, which stands before it.

    >>> why_unread(FileNotFoundError(2, "No such file or directory"), "page.html")
    'no such file'
    >>> why_unread(FileNotFoundError(2, "No such file or directory"), "example.com/story.html")
    'no such file; if it is a URL: https://example.com/story.html'
    """
    if isinstance(error, FileNotFoundError):
        return "no such file" + (f"; if it is a URL: https://{name}" if _is_like_a_url(name) else "")
    if isinstance(error, IsADirectoryError):
        return "a folder; name a page in it"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return why_unfetched(error, name)


def _is_like_a_url(name: str) -> bool:
    from newsextract.page.urls import is_public_suffix

    found = _LIKE_A_URL.match(name)
    return found is not None and (bool(found[2]) or is_public_suffix(found[1].lower()))


# How articles are written.


class Form(NamedTuple):
    """How several articles stand one after another, and the suffix of a file with one."""

    suffix: str
    between: str = "\n"
    opening: str = ""
    closing: str = ""


FORMS = {
    "text": Form(".txt", "\n\n"),
    "markdown": Form(".md", "\n\n---\n\n"),
    "html": Form(".html"),
    "json": Form(".json", ",\n", "[\n", "]\n"),
    "jsonl": Form(".jsonl"),
    "csv": Form(".csv"),
    "jsonld": Form(".jsonld", ",\n", "[\n", "]\n"),
    "ninjs": Form(".json", ",\n", "[\n", "]\n"),
}
"""The formats by name."""

OF_FIELDS = ("json", "jsonl", "csv", "jsonld", "ninjs")
"""Those in which an article without a body is written, too, for its metadata."""


def written(form: str, extraction: Extraction, article: Article, name: str = "") -> str:
    """Return an article in a format, under the name of its page if one is given."""
    if form == "text":
        return f"==> {name} <==\n{extraction.text}" if name else extraction.text
    if form == "markdown":
        from newsextract.page.rendering.renderer import heading

        return "\n\n".join(filter(None, (heading(article.headline), extraction.markdown)))
    if form == "html":
        html = extraction.html
        return f'<article data-source="{escape(name)}">\n{html}\n</article>' if name else html
    if form in ("jsonld", "ninjs"):
        other = article.to_json_ld() if form == "jsonld" else article.to_ninjs()
        return json.dumps(other, ensure_ascii=False, indent=2)
    values = ({"source": name} if name else {}) | article.to_dict()
    if form != "csv":
        return json.dumps(values, ensure_ascii=False, indent=2 if form == "json" else None)
    # Lists and what has parts as JSON, absent values empty.
    return _csv_line(
        "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for value in values.values()
    )


def _csv_line(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)  # it quotes cells with what ends a line
    return line.getvalue().removesuffix("\r\n")


def _csv_header(*, is_named: bool) -> str:
    from dataclasses import fields

    from newsextract.article import Article

    return _csv_line([*(["source"] if is_named else []), *(field.name for field in fields(Article))]) + "\n"


class OneStream:
    """Writes all articles one after another to standard output."""

    def __init__(self, form: str, *, are_several: bool) -> None:
        self._form = FORMS[form] if are_several else Form("", between="")
        self._before = _csv_header(is_named=are_several) if form == "csv" else self._form.opening
        self._end = "" if are_several else "\n"
        self._is_begun = False

    def write(self, _: Source, text: str) -> None:
        """Write one article, at once."""
        sys.stdout.write(f"{self._form.between if self._is_begun else self._before}{text}{self._end}")
        self._is_begun = True
        sys.stdout.flush()

    def close(self) -> None:
        """Write what follows the last of several articles; an array is complete even without any."""
        if self._form.between:
            sys.stdout.write(("\n" if self._is_begun else self._before) + self._form.closing)


class FileEach:
    """Writes each article to a file of its own, named after its page; pages of one name get numbers.

    A file that was there before is replaced only if `is_replacing`, and never one of the pages that are read.
    """

    def __init__(self, folder: Path, form: str, sources: Iterable[Source], *, is_replacing: bool) -> None:
        self._folder = folder
        self._suffix = FORMS[form].suffix
        self._before = _csv_header(is_named=False) if form == "csv" else ""
        self._is_replacing = is_replacing
        self._taken: set[str] = set()
        self._pages = {os.path.realpath(source.name) for source in sources if not source.is_url}

    def write(self, source: Source, text: str) -> None:
        """Write the file, whole or not at all."""
        place, number = source.place, 1
        while (place + self._suffix).casefold() in self._taken:  # some file systems ignore case
            number += 1
            place = f"{source.place}-{number}"
        self._taken.add((place + self._suffix).casefold())
        path = self._folder / (place + self._suffix)
        if os.path.realpath(path) in self._pages:
            raise FileExistsError(f"{path} is a page that is read; -o names another folder")
        if path.exists() and not self._is_replacing:
            raise FileExistsError(f"{path} is there already; --overwrite replaces it")
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{path.name}.part")
        unfinished.write_text(f"{self._before}{text}\n", "utf-8", newline="\n")
        unfinished.replace(path)

    def close(self) -> None:
        """Do nothing: no file stays open."""
