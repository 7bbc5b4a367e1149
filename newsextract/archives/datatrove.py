"""An extractor for pipelines of datatrove: `NewsExtract` in the place of its `Trafilatura`."""

from __future__ import annotations

from typing import Any

try:
    from datatrove.pipeline.extractors.base import BaseExtractor
except ImportError as error:
    raise ImportError("this extractor is for datatrove: pip install 'datatrove[io,processing]'") from error


class NewsExtract(BaseExtractor):  # type: ignore[misc]  # datatrove has no types
    """Replaces the HTML of each document by the text of its article, one paragraph a line.

    datatrove drops documents without a text, counts them, and ends a page that takes longer than `timeout` seconds.

    Raises:
        ValueError: `extractor` or one of its `options` does not exist.
    """

    name = "📰 newsextract"

    def __init__(self, extractor: str = "auto", timeout: float = 5, **options: Any) -> None:
        super().__init__(timeout)
        from newsextract.reading.extraction.contract import create_reader  # noqa: PLC0415 - workers import it

        create_reader(extractor, **options)  # a wrong name is an error here, not at each page
        self.extractor, self.options = extractor, options

    def extract(self, text: str) -> str:
        """Return the text of a page's article; an empty string if it has none."""
        from newsextract.page.page import Page  # noqa: PLC0415 - in the worker that reads
        from newsextract.reading.extraction.contract import create_reader  # noqa: PLC0415

        return create_reader(self.extractor, **self.options).extract(Page(text)).text
