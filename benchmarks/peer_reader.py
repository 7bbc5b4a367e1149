"""Reads pages with a news library, in an environment of its own: the libraries and newsextract want different lxml.

    pip install newspaper4k news-please          # in that environment
    python benchmarks/peer_reader.py newspaper4k [zh] # a page a line on standard input: {"html": …, "url": …}

Writes a line for each page: {"text": …} or {"error": …}. `benchmarks/peers.py` starts it.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LANGUAGE = sys.argv[2] if len(sys.argv) > 2 else None
"""Of the pages, for newspaper4k; without it the library goes by what a page declares, or takes it for English."""
UNKNOWN_URL = "https://unknown.example/story.html"


def newspaper4k(html: str, url: str) -> str:
    """Return the text that newspaper4k finds; it downloads nothing."""
    import newspaper  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - one of two

    # Its documentation's way to read HTML that is at hand; images would be fetched.
    article = newspaper.article(url, language=LANGUAGE, input_html=html, fetch_images=False)
    return str(article.text)


def news_please(html: str, url: str) -> str:
    """Return the main text that news-please finds."""
    from newsplease import NewsPlease  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - likewise

    return NewsPlease.from_html(html, url=url, fetch_images=False).maintext or ""


READERS: dict[str, Callable[[str, str], str]] = {"newspaper4k": newspaper4k, "news-please": news_please}


def main() -> None:
    """Read pages until standard input ends."""
    read = READERS[sys.argv[1]]
    # What the libraries print would be taken for answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        page = json.loads(line)
        try:
            answer = {"text": read(page["html"], page["url"] or UNKNOWN_URL)}
        except Exception as error:  # noqa: BLE001 - of somebody else's library: reported, and counted by who asked
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
