"""`scrapy extract`: the article of one page, from a URL, a file or standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable  # noqa: TC003 - the table below is built from it
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.commands.command_frame import Described, whole_or_piped
from newsextract.commands.preflight import check_urls
from newsextract.crawl.page_responses import page_of
from newsextract.page.page import Page, PageError
from newsextract.reading.extraction.extractor_errors import BadExtractorOption, UnknownExtractor
from newsextract.settings import EXTRACTOR

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator

    from scrapy.http import Response
    from twisted.python.failure import Failure

    from newsextract.article import Article
    from newsextract.reading.extraction.contract import Extraction

FORMATS: dict[str, Callable[[Extraction, Article], str]] = {
    "text": lambda extraction, _: extraction.text,
    "json": lambda _, article: _json(article),
    "html": lambda extraction, _: extraction.html,
    "markdown": lambda extraction, article: "\n\n".join(filter(None, (_title(article), extraction.markdown))),
}
"""What each `--format` prints."""

NOT_READ = 1
"""Exit code for a page that cannot be read or has no article."""


class Command(Described, ScrapyCommand):
    """Extracts one page."""

    requires_project = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}
    usage = "[options] <URL|FILE|->"
    summary = "Print the article of a page: its text, JSON, clean HTML or Markdown"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        from newsextract.reading.extraction.contract import extractor_names  # noqa: PLC0415 - Scrapy imports every command

        super().add_options(parser)
        group = parser.add_argument_group("Extraction")
        group.add_argument("-x", "--extractor", metavar="NAME", help=f"one of {', '.join(extractor_names())}")
        group.add_argument("--format", choices=sorted(FORMATS), default="text", help="what to print (default: text)")
        group.add_argument("--url", help="the page's own URL, for a file or standard input")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Set the log level to warnings, unless another is given: one page needs no report."""
        if self.settings:
            self.settings.set("LOG_LEVEL", "WARNING", "cmdline")
        super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the page, extract it and print the result."""
        # Not above: Scrapy imports every command.
        from newsextract.reading.article_reader import compose  # noqa: PLC0415
        from newsextract.reading.extraction.contract import create_extractor  # noqa: PLC0415
        from newsextract.reading.metadata import read_metadata  # noqa: PLC0415
        from newsextract.reading.page_kinds.page_kind import judge  # noqa: PLC0415

        if len(args) != 1:
            raise UsageError("name one page: a URL, a file, or - for standard input")
        check_urls(args[0], opts.url)
        name = opts.extractor or EXTRACTOR.of(self.settings or {})
        try:
            extractor = create_extractor(name)
            page = self._page(args[0], opts.url)
            extraction = extractor.extract(page)
            metadata = read_metadata(page)
            article = compose(page, extraction, metadata, kind=judge(page, extraction, metadata))
        except (UnknownExtractor, BadExtractorOption) as error:
            raise UsageError(f"-x: {error}", print_help=False) from error
        except (PageError, OSError) as error:
            self._fail(f"{args[0]}: {error}")
            return
        with whole_or_piped():
            print(FORMATS[opts.format](extraction, article), flush=True)
        if not extraction:
            self._fail(f"{args[0]}: {name} found no main content")

    def _page(self, source: str, url: str | None) -> Page:
        if source == "-":
            return Page(sys.stdin.buffer.read(), url)
        if source.lower().startswith(("http://", "https://")):
            return self._download(source)
        return Page(Path(source).read_bytes(), url)

    def _download(self, url: str) -> Page:
        assert self.crawler_process is not None  # noqa: S101 - Scrapy sets it before it runs a command
        # Only the page is wanted: no items, files or reports of the surrounding project.
        for setting in ("FEEDS", "ITEM_PIPELINES", "EXTENSIONS", "ADDONS"):
            self.crawler_process.settings.set(setting, {}, "cmdline")
        got: list[Page | PageError | OSError] = []
        self.crawler_process.crawl(_OnePage, url=url, got=got)
        self.crawler_process.start()
        if not got:
            raise OSError("nothing was downloaded; robots.txt may forbid it (-s ROBOTSTXT_OBEY=0 asks nobody)")
        if isinstance(got[0], Exception):
            raise got[0]
        return got[0]

    def _fail(self, message: str) -> None:
        print(message, file=sys.stderr)
        self.exitcode = NOT_READ


def _json(article: Article) -> str:
    from itemadapter import ItemAdapter  # noqa: PLC0415 - brings pydantic

    return json.dumps(ItemAdapter(article).asdict(), ensure_ascii=False, indent=2)


class _OnePage(Spider):
    """Fetches one page and puts it, or the reason of a failure, into `got`."""

    name = "one-page"
    url: str
    got: list[Page | PageError | OSError]

    async def start(self) -> AsyncIterator[Request]:
        yield Request(self.url, errback=self.failed, meta={"handle_httpstatus_list": range(400, 600)})

    def parse(self, response: Response, **_: Any) -> None:
        if response.status >= 400:
            self.got.append(OSError(f"the site answered {response.status}"))
            return
        try:
            self.got.append(page_of(response, sys.maxsize))
        except PageError as error:
            self.got.append(error)

    def failed(self, failure: Failure) -> None:
        self.got.append(OSError(failure.getErrorMessage()))


def _title(article: Article) -> str:
    return f"# {article.headline}" if article.headline else ""
