"""`scrapy extract`: the article of one page, from a URL, a file or standard input, with the project's settings."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.commands.command_frame import Described, option_of
from newsextract.commands.preflight import check_urls
from newsextract.reading.extraction.contract import BadExtractorOption, UnknownExtractor
from newsextract.settings import EXTRACTOR
from newsextract.sites.site import SiteListError
from newsextract.tools.page_downloads import Wanted, download
from newsextract.tools.page_reading.command_line import add_extraction_options, extraction_options, rules_option
from newsextract.tools.page_reading.page_forms import FORMS
from newsextract.tools.page_reading.page_sources import Source
from newsextract.tools.page_reading.page_tasks import Wish, read_one

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from newsextract.page.page import Page

NOT_READ = 1
"""Exit code for a page that cannot be read or has no article."""


class Command(Described, ScrapyCommand):
    """Extracts one page."""

    requires_project = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}
    usage = "[options] <URL|FILE|->"
    summary = "Print the article of a page: its text, JSON, clean HTML or Markdown"
    details = "Without the project's settings, and for many pages, `newsextract` is quicker."
    examples = (
        "scrapy extract https://example.com/story.html",
        "scrapy extract story.html -x mss --format markdown",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {
        0: "the article is printed",
        NOT_READ: "the page cannot be read, or has no article",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        from newsextract.reading.extraction.contract import extractor_names  # noqa: PLC0415 - Scrapy imports every command

        super().add_options(parser)
        add_extraction_options(parser, extractor_names())

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Set the log level to warnings, unless another is given: one page needs no report."""
        if self.settings:
            self.settings.set("LOG_LEVEL", "WARNING", "cmdline")
        super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the page, extract it and print the result."""
        from newsextract.reading.extraction_options import ExtractionOptions  # noqa: PLC0415 - Scrapy imports every command

        if len(args) != 1:
            raise UsageError("name one page, a URL, a file, or - for standard input: scrapy extract page.html")
        check_urls(args[0], opts.url)
        source = Source(args[0], opts.url)
        name = opts.extractor or EXTRACTOR.of(self.settings or {})
        own = dict(map(option_of, opts.option))
        try:
            wish = Wish(opts.format, name, extraction_options(opts), own, rules=rules_option(opts))
            ExtractionOptions(**wish.options).extractor(name, own)  # before anything is fetched
            page = self._download(source.name) if source.is_url else None
        except SiteListError as error:
            raise UsageError(f"--sites: {error}", print_help=False) from error
        except (UnknownExtractor, BadExtractorOption) as error:
            raise UsageError(f"-x: {error}", print_help=False) from error
        except OSError as error:
            self._fail(f"{source.name}: {error}")
            return
        outcome = read_one(source, wish, page)
        if outcome.written is not None:
            print(f"{FORMS[wish.form].opening_of_one()}{outcome.written}")
        if outcome.error:
            self._fail(f"{source.name}: {outcome.error}")

    def _download(self, url: str) -> Page:
        assert self.crawler_process is not None  # noqa: S101 - Scrapy sets it before it runs a command
        wanted = Wanted(url)
        download(self.crawler_process, [wanted], with_styles=False)
        if wanted.page is None:
            raise OSError(wanted.error)
        return wanted.page

    def _fail(self, message: str) -> None:
        print(message, file=sys.stderr)
        self.exitcode = NOT_READ
