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
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal

import typer

from newsextract.terminal import DONE, NOTHING, Refusal, progress, say, verb
from newsextract.tools.project import Given, check_urls, is_project, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from newsextract.article import Article
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.rules import SiteRules

MAX_SECONDS = 86_400.0

SUFFIXES = (".html", ".htm", ".xhtml", ".shtml")
"""The files of a folder that are pages; a file named by itself may be called anything."""

STANDARD_INPUT = "-"
MAX_NAME_CHARS = 100
"""Of a file that is written; file systems take 255 bytes, and a number and a suffix follow."""

_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_URL = re.compile(r"https?://", re.IGNORECASE)


@verb(
    "newsextract https://example.com/story.html",
    "newsextract story.html --format markdown",
    "newsextract pages --format jsonl > articles.jsonl",
    nothing="some pages cannot be read, or have no article",
)
def extract(
    pages: Annotated[
        list[str], typer.Argument(metavar="PAGE", help="files, folders of .html files, URLs, or - for standard input")
    ],
    format: Annotated[  # noqa: A002 - the option's name
        Literal["text", "markdown", "html", "json", "jsonl", "csv"], typer.Option(help="what to print")
    ] = "text",
    extractor: Annotated[
        str | None,
        typer.Option("-x", "--extractor", metavar="NAME", help="as in mss; else the project's, or auto"),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="an option of the extractor, as version=2")
    ] = None,
    url: Annotated[str | None, typer.Option(help="the page's own URL, for a file or standard input")] = None,
    prefer: Annotated[
        Literal["balance", "precision", "recall"],
        typer.Option(help="leave out what is doubtful (precision), or keep it (recall)"),
    ] = "balance",
    sites: Annotated[str, typer.Option(metavar="FILE", help="a sites.yml, for its rules")] = "",
    min_words: Annotated[int, typer.Option(metavar="N", help="a shorter body counts as none")] = 0,
    comments: Annotated[
        bool, typer.Option("--comments", help="read the comments of readers, for JSON and CSV")
    ] = False,
    tables: Annotated[bool, typer.Option("--tables/--no-tables", help="keep tables")] = True,
    links: Annotated[bool, typer.Option("--links/--no-links", help="keep links")] = True,
    images: Annotated[bool, typer.Option("--images/--no-images", help="keep images")] = True,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="write a file for each page into this folder")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="replace files that are there already")] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="processes for several pages (default: one a processor)")
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.001, max=MAX_SECONDS, metavar="SECONDS", help="to fetch a page, and to read one")
    ] = 30.0,
    private: Annotated[
        str, typer.Option(metavar="HOSTS", help="private addresses that may be fetched: hosts and networks")
    ] = "",
    given: Given = None,
) -> int:
    """Print the articles of pages. The word extract may be left out.

    robots.txt is obeyed, and private addresses are not fetched. To crawl a site: scrapy crawl news -a sites=URL.
    """
    check_urls(*pages, url)
    is_folder = os.path.isdir(pages[0])  # noqa: PTH112 - `Path` raises an error for a name that is too long
    _check(pages, url, output, overwrite=overwrite, is_folder=is_folder)
    wish = Wish(
        format, *_reading(extractor, option or [], given),
        {
            "tables": tables, "links": links, "images": images, "prefer": prefer, "min_words": min_words,
            "comments": comments,
        },
        timeout, fetching_of(private, timeout, given), rules_of_list(sites),
    )  # fmt: skip
    wish.check()
    sources = list(sources_of(pages, url))
    form = FORMS[format]
    several = len(sources) > 1 or is_folder
    out = FileEach(output, form, sources, overwrite) if output else OneStream(sys.stdout, form, several)
    processes = min(jobs or os.cpu_count() or 1, len(sources)) if len(sources) > 1 else 0
    failed = 0
    with closing(read_all(sources, wish, processes)) as outcomes:
        for outcome in progress(outcomes, "pages", len(sources)) if len(sources) > 1 else outcomes:
            error = _written(outcome, out)
            failed += error is not None
            if error:
                say(f"{outcome.source.name}: {error}")
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


def rules_of_list(sites: str) -> Mapping[str, SiteRules]:
    """Return the rules in a list of sites, by host."""
    if not sites:
        return {}
    from newsextract.sites.site import rules_of
    from newsextract.sites.site_list import read_sites

    try:
        return rules_of(read_sites(sites))
    except ValueError as error:
        raise Refusal(f"--sites: {error}") from error


def named_options(written: Sequence[str]) -> dict[str, Any]:
    """Return the extractor's own options, each given as NAME=VALUE."""
    from newsextract.reading.extraction_options import named_value

    try:
        return dict(map(named_value, written))
    except ValueError as error:
        raise Refusal(f"--option: {error}") from error


def _reading(extractor: str | None, written: Sequence[str], given: list[str] | None) -> tuple[str, dict[str, Any]]:
    """Return the extractor with its own options: those that are named, else the project's."""
    own = named_options(written)
    if extractor is not None or not (given or is_project()):
        return extractor or "auto", own
    from newsextract.settings import EXTRACTOR, EXTRACTOR_OPTIONS

    settings = settings_of(given)
    return EXTRACTOR.of(settings), {**EXTRACTOR_OPTIONS.of(settings), **own}


def fetching_of(private: str, seconds: float | None, given: list[str] | None) -> dict[str, Any]:
    """Return the arguments of a `PageFetcher`, for which the project's settings count."""
    fetching: dict[str, Any] = {"seconds": seconds} if seconds else {}
    if private:
        from newsextract.sites.private_addresses import AddressPolicy

        fetching["policy"] = AddressPolicy.parse(private)
    if given or is_project():
        from newsextract.settings import PRIVATE_ADDRESSES

        settings = settings_of(given)
        fetching.setdefault("policy", PRIVATE_ADDRESSES.of(settings))
        if settings.getpriority("USER_AGENT"):
            fetching["user_agent"] = settings["USER_AGENT"]
    return fetching


def _written(outcome: Outcome, output: OneStream | FileEach) -> str | None:
    """Write an article; return the error of its page, or of its file."""
    if outcome.written is not None:
        try:
            output.write(outcome.source, outcome.written)
        except FileExistsError as error:
            return str(error)
    return outcome.error


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


def is_url(name: str) -> bool:
    """Return whether a name is a URL rather than a file.

    >>> is_url("HTTPS://example.com/"), is_url("https.html")
    (True, False)
    """
    return _URL.match(name) is not None


def sources_of(names: Iterable[str], url: str | None = None) -> Iterator[Source]:
    """Yield the pages that names stand for, those of folders in alphabetical order."""
    for name in names:
        if name == STANDARD_INPUT:
            yield Source(name, url, "stdin")
        elif is_url(name):
            yield Source(name, name, _file_name(_URL.sub("", name)))
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
    own: Mapping[str, Any]
    """The extractor's own options."""
    options: Mapping[str, Any]
    """The fields of `ExtractionOptions`."""
    seconds: float
    """Time for one page to be fetched, and as much for it to be read."""
    fetching: Mapping[str, Any]
    """The arguments of a `PageFetcher`."""
    rules: Mapping[str, SiteRules]
    """The rules of sites, by host."""

    def check(self) -> None:
        """Raise an error for a wrong extractor or option, before anything is fetched."""
        from newsextract.reading.extraction_options import ExtractionOptions

        ExtractionOptions(**self.options).extractor(self.extractor, self.own)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one page: its article as written, an error, or both if it has no body."""

    source: Source
    written: str | None = None
    error: str | None = None


def read_all(sources: Iterable[Source], wish: Wish, jobs: int) -> Generator[Outcome]:
    """Yield what became of each page, in order; with `jobs` above 0 they are read in as many processes."""
    if not jobs:
        yield from (read_one(source, wish) for source in sources)
        return
    from concurrent.futures import Future

    from newsextract.processes.pool import WorkerPool, in_order

    with WorkerPool(f"{__name__}:PageTasks", wish, processes=jobs, seconds=wish.seconds) as pool:

        def submit(source: Source) -> Future[Outcome]:
            # Standard input is this process's, and pages of one host are not fetched at the same time.
            loaded = _loaded(source, wish) if source.is_url or source.name == STANDARD_INPUT else None
            if not isinstance(loaded, Outcome):
                return pool.submit("read", source, loaded)
            failed: Future[Outcome] = Future()
            failed.set_result(loaded)
            return failed

        for source, answer in in_order(submit, sources, _AHEAD * jobs):
            yield _outcome(source, answer, wish)


class PageTasks:
    """Reads pages in a worker process."""

    def __init__(self, wish: Wish) -> None:
        self._wish = wish

    def read(self, source: Source, page: Page | None) -> Outcome:
        """Read a page and write its article; no error of the page is raised."""
        return read_one(source, self._wish, page)


def _outcome(source: Source, answer: Future[Outcome], wish: Wish) -> Outcome:
    """Return what became of a page that was given to a process; waits for it."""
    from newsextract.processes.pool import Crashed, TooSlow

    try:
        return answer.result()
    except TooSlow:
        return Outcome(source, error=f"not read within {wish.seconds:g} seconds")
    except Crashed as error:
        return Outcome(source, error=f"its process died: {error}")
    except Exception as error:  # noqa: BLE001 - a fault that one page brings to light may not lose the others
        return Outcome(source, error=f"it was not read, for a fault: {type(error).__name__}: {error}")


def read_one(source: Source, wish: Wish, page: Page | None = None) -> Outcome:
    """Read a page and write its article; no error of the page is raised."""
    from newsextract.reading.extraction_options import ExtractionOptions
    from newsextract.reading.reader import of_host, read_page

    loaded = page or _loaded(source, wish)
    if isinstance(loaded, Outcome):
        return loaded
    form = FORMS[wish.form]
    try:
        options, rules = ExtractionOptions(**wish.options), of_host(wish.rules, loaded.url)
        extraction, article = read_page(loaded, wish.extractor, options, wish.own, rules)
    except (ValueError, OSError) as error:
        return Outcome(source, error=str(error))
    if extraction:
        return Outcome(source, form.write(extraction, article))
    return Outcome(source, form.write(extraction, article) if form.keeps_empty else None, _why_empty(extraction))


def _why_empty(extraction: Extraction) -> str:
    from newsextract.reading.notices import NoticeCode, noticed

    return next(noticed(NoticeCode.TOO_FEW_WORDS, extraction.warnings), f"{extraction.extractor} found no main content")


def _loaded(source: Source, wish: Wish) -> Page | Outcome:
    try:
        return load(source, wish.fetching)
    except (ValueError, OSError) as error:
        return Outcome(source, error=why_unread(error))


def load(source: Source, fetching: Mapping[str, Any]) -> Page:
    """Return the page of a source; `fetching` are the arguments of a `PageFetcher`.

    Raises:
        PageError, OSError: it cannot be read.
    """
    from newsextract.page.page import MAX_BYTES, Page

    if source.is_url:
        from newsextract.sites.fetching import PageFetcher

        return PageFetcher(**fetching).fetch(source.name)
    if source.name == STANDARD_INPUT:
        return Page(sys.stdin.buffer.read(MAX_BYTES + 1), source.url)
    with Path(source.name).open("rb") as file:  # no more than a page may have, as a device never ends
        return Page(file.read(MAX_BYTES + 1), source.url)


def why_unread(error: Exception) -> str:
    """Return a phrase for an error of loading a page, without the number and the name, which stands before it.

    >>> why_unread(FileNotFoundError(2, "No such file or directory", "page.html"))
    'no such file'
    """
    if isinstance(error, FileNotFoundError):
        return "no such file"
    return error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)


# How articles are written.


@dataclass(frozen=True, slots=True)
class Form:
    """How one article is written, and several one after another."""

    suffix: str
    """Of a file with one article."""
    write: Callable[[Extraction, Article], str]
    opening: Callable[[], str] = str
    """Returns what stands before the first of several articles in one stream."""
    title: Callable[[str], str] = lambda _: ""
    """Returns what stands before each of several, given the name of its page."""
    between: str = "\n"
    """Between two of several."""
    ending: str = ""
    """After each of several."""
    closing: str = ""
    """After the last of several."""
    is_table: bool = False
    """Whether one article alone has the opening, too."""
    keeps_empty: bool = False
    """Whether an article without a body is written, for its metadata."""

    def alone(self, written: str) -> str:
        """Return an article as a file of its own has it."""
        return f"{self.opening() if self.is_table else ''}{written}\n"


def _markdown(extraction: Extraction, article: Article) -> str:
    from newsextract.page.rendering.renderer import heading

    return "\n\n".join(filter(None, (heading(article.headline), extraction.markdown)))


def _row(_: Extraction, article: Article) -> str:
    """Return the values of an article as one line of CSV; lists and what has parts as JSON, absent ones empty."""
    return _csv_line(
        "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for value in article.to_dict().values()
    )


def _csv_line(cells: Iterable[str]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerow(cells)  # it quotes cells with what ends a line
    return written.getvalue().removesuffix("\r\n")


def _csv_header() -> str:
    from dataclasses import fields

    from newsextract.article import Article

    return _csv_line(field.name for field in fields(Article)) + "\n"


def _article_of(name: str) -> str:
    return f'<article data-source="{escape(name)}">\n'


FORMS: dict[str, Form] = {
    "text": Form(".txt", lambda found, _: found.text, title="==> {} <==\n".format, between="\n\n"),
    "markdown": Form(".md", _markdown, between="\n\n---\n\n"),
    "html": Form(".html", lambda found, _: found.html, title=_article_of, ending="\n</article>"),
    "json": Form(
        ".json", lambda _, article: article.to_json(indent=2), lambda: "[\n", between=",\n", closing="]\n",
        keeps_empty=True,
    ),
    "jsonl": Form(".jsonl", lambda _, article: article.to_json(), keeps_empty=True),
    "csv": Form(".csv", _row, _csv_header, is_table=True, keeps_empty=True),
}  # fmt: skip
"""The formats by name."""


@dataclass
class OneStream:
    """Writes all articles one after another; a form wraps `are_several`."""

    stream: IO[str]
    form: Form
    are_several: bool
    is_begun: bool = False

    def write(self, source: Source, written: str) -> None:
        """Write one article, at once."""
        if not self.are_several:
            self.stream.write(self.form.alone(written))
        else:
            before = self.form.between if self.is_begun else self.form.opening()
            self.stream.write(f"{before}{self.form.title(source.name)}{written}{self.form.ending}")
        self.is_begun = True
        self.stream.flush()

    def close(self) -> None:
        """Write what follows the last article; a form of several is complete even without any."""
        if self.are_several:
            self.stream.write("\n" if self.is_begun else self.form.opening())
            self.stream.write(self.form.closing)


@dataclass
class FileEach:
    """Writes each article to a file of its own, named after its page; pages of one name get numbers.

    A file that was there before is replaced only if `is_replacing`, and never one of the pages that are read.
    """

    folder: Path
    form: Form
    pages: Iterable[Source] = ()
    is_replacing: bool = False
    taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._pages = {os.path.realpath(source.name) for source in self.pages if not source.is_url}

    def write(self, source: Source, written: str) -> None:
        """Write the file, whole or not at all."""
        path = self._path(source)
        if os.path.realpath(path) in self._pages:
            raise FileExistsError(f"{path} is a page that is read; -o names another folder")
        if path.exists() and not self.is_replacing:
            raise FileExistsError(f"{path} is there already; --overwrite replaces it")
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{path.name}.part")
        unfinished.write_text(self.form.alone(written), "utf-8", newline="\n")
        unfinished.replace(path)

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _path(self, source: Source) -> Path:
        """Return a path that no other page of this run has, on file systems that ignore case too."""
        number = 1
        while (
            place := f"{source.place}{f'-{number}' if number > 1 else ''}{self.form.suffix}"
        ).casefold() in self.taken:
            number += 1
        self.taken.add(place.casefold())
        return self.folder / place
