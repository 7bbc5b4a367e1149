"""JSON Lines that survive a crash: every line is whole, and exported articles can be looked up.

`FEED_EXPORTERS = {"jsonlines": "newsextract.crawl.feeds_export.WholeLines"}`. Scrapy's own exporter leaves
the last kilobytes in the memory of the process, which go with it.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from scrapy.exporters import JsonLinesItemExporter

from newsextract.article import Article, plain
from newsextract.newsroom.delivery.files import drop_broken_line
from newsextract.terminal import drop_the_rest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector


logger = logging.getLogger(__name__)

FAILED_LINES = "newsextract/feeds/failed_lines"
"""Statistic: lines of articles that were not taken when they were written, as by a full disk."""

FORMATS = ("jsonlines", "jsonl", "jl")
"""Scrapy's names for the format."""

_TAIL_BYTES = 64 * 1024 * 1024
"""Size of the end of a file that is searched for an article: a crash leaves only the last few hundred in doubt."""


class WholeLines(JsonLinesItemExporter):
    """Flushes every line to the operating system, and removes an incomplete last line that a crash has left."""

    def __init__(self, file: IO[bytes], **options: Any) -> None:
        super().__init__(file, **options)  # type: ignore[arg-type]
        self.stats: StatsCollector | None = None
        self.has_failed = False
        name = getattr(file, "name", None)
        if isinstance(name, str | os.PathLike) and Path(name).is_file():
            drop_broken_line(Path(name))

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **options: Any) -> Self:
        """Return an exporter that counts what fails in the statistics of the crawl."""
        self = cls(file, **options)
        self.stats = crawler.stats
        return self

    def export_item(self, item: Any) -> None:
        """Write a line, unless the reader of a pipe has gone, as `head` does: the others are still stored elsewhere.

        A full disk is one line in the log, not one an article, and is counted: the exit code tells.
        """
        try:
            super().export_item(item)
            self.file.flush()
        except BrokenPipeError:
            drop_the_rest(self.file)
        except OSError as error:
            self._fail(error)

    def finish_exporting(self) -> None:
        """Give up what could not be written, or closing the file would fail with a traceback."""
        super().finish_exporting()
        try:
            self.file.flush()
        except OSError as error:
            self._fail(error)
            drop_the_rest(self.file)

    def _fail(self, error: OSError) -> None:
        if self.stats is not None:
            self.stats.inc_value(FAILED_LINES)
        if not self.has_failed:
            logger.error("articles cannot be written to %s: %s", getattr(self.file, "name", "their file"), error)
        self.has_failed = True
        if self.file is getattr(sys.stdout, "buffer", None):
            drop_the_rest(self.file)

    def get_serialized_fields(self, item: Any, *arguments: Any, **options: Any) -> Iterable[tuple[str, Any]]:
        """Return the fields to write; those of an article at once, not each with the search for what adapts it."""
        if not isinstance(item, Article):
            return super().get_serialized_fields(item, *arguments, **options)
        found = plain(item)
        if self.fields_to_export is None:
            return found.items()  # type: ignore[no-any-return]  # a dictionary, as the article is a dataclass
        return super().get_serialized_fields(found, *arguments, **options)


def local_feeds(settings: BaseSettings) -> list[Path]:
    """Return the JSON Lines files on this machine that the feeds in the settings append to."""
    return [
        Path(str(target).removeprefix("file://"))
        for target, options in settings.getdict("FEEDS").items()
        if options.get("format") in FORMATS
        and not options.get("overwrite")
        and "://" not in str(target).removeprefix("file://")
        and str(target) not in ("-", "stdout:")
    ]


def is_exported(article: Article, paths: Iterable[Path]) -> bool:
    """Return whether an article is among the last items of every file, with the text that it has now."""
    url, body = article.url or "", article.articleBody
    found = [
        any(line.get("url") == url and line.get("articleBody", body) == body for line in _last_lines(path, url))
        for path in paths
    ]
    return bool(found) and all(found)


def _last_lines(path: Path, url: str) -> Iterator[dict[str, Any]]:
    """Yield those of the last lines that contain the URL."""
    if not path.is_file():
        return
    written = [json.dumps(url, ensure_ascii=is_ascii)[1:-1].encode() for is_ascii in (True, False)]
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - _TAIL_BYTES, 0))
        for line in file:
            if any(form in line for form in written):
                try:
                    yield json.loads(line)
                except ValueError:
                    continue  # the first line may be cut, the last incomplete
