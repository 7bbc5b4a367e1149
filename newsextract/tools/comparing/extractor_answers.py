"""Run each extractor on a page and time it; one that fails reports why, and the others go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsextract.evaluation.judging import TooSlow, timed
from newsextract.page.page import Page
from newsextract.processes.limits import time_limit
from newsextract.reading.extraction.contract import Extraction, create_extractor, extractor_names
from newsextract.tools.comparing.voting import CONTROLS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.reading.extraction.contract import Extractor

SECONDS = 20.0
"""An extractor that takes longer over one page is stopped."""

_SMALL_PAGE = "<html><body><article><h1>Title</h1><p>One sentence, to begin with.</p></article></body></html>"
"""A page for the first call of an extractor, which loads packages and weights."""


@dataclass(frozen=True)
class Answer:
    """What an extractor kept, or why it failed."""

    name: str
    extraction: Extraction
    """Empty if the extractor failed."""
    ms: float
    error: str | None = None


def comparable_names() -> tuple[str, ...]:
    """Return the names of the extractors that are installed and can read a page alone, `auto` first, controls last.

    Extractors that must see other pages of a site first have a method `fit`.
    """
    names = [name for name in extractor_names() if not hasattr(create_extractor(name), "fit")]
    return tuple(sorted(names, key=lambda name: (name in CONTROLS, name != "auto", name)))


def answers_of(page: Page, extractors: Mapping[str, Extractor], seconds: float = SECONDS) -> list[Answer]:
    """Return the answer of each extractor, in the order of the names."""
    _ = page.outline.blocks  # parsed once for all, so that the first extractor's time does not include it
    return [_answer(name, extractor, page, seconds) for name, extractor in extractors.items()]


def parse_ms(page: Page) -> float:
    """Return the time to parse the page into blocks, in milliseconds; the page's own views are left alone."""

    def parse() -> Any:
        return Page(page.html, **page.arguments).outline.table

    return timed(parse)[1]


def _answer(name: str, extractor: Extractor, page: Page, seconds: float) -> Answer:
    try:
        with time_limit(seconds, TooSlow()):
            extractor.extract(Page(_SMALL_PAGE))
            extraction, milliseconds = timed(lambda: extractor.extract(page))
            _ = extraction.text, extraction.html  # rendered here, so that a failure to render counts as the extractor's
            return Answer(name, extraction, milliseconds)
    except TooSlow:
        return Answer(name, Extraction(name), seconds * 1000, f"stopped after {seconds:g} seconds")
    except Exception as error:  # noqa: BLE001 - whatever an extractor raises is its result here
        return Answer(name, Extraction(name), 0.0, f"{type(error).__name__}: {error}"[:300])
