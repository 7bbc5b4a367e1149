"""Pages of a made-up site: its template around stories that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from newsextract.page.page import Page
from newsextract.reading.extraction.contract import Extraction
from newsextract.reading.page_groups import sight, teach

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.page_groups import Lesson

NOTICE = "The views expressed here are the authors' own, and no part may be copied without our written consent."


def story(number: int, notice: str = NOTICE, layout: str = "story", url: str | None = None) -> Page:
    """Return a page with two paragraphs of its own, and a notice that every page has."""
    words = " ".join(
        f"word{chr(97 + number % 26)}{chr(97 + (number * 7 + n) % 26)}{chr(97 + n % 26)}" for n in range(40)
    )
    inner = (
        f"<div class={layout}><h1>Story {words[:9]}</h1><p class={layout}-date>{1 + number % 27} May 2026</p>"
        f"<div class={layout}-body><p>First {words}.</p><p>Then {words[::-1]}.</p></div></div>"
        f"<div class={layout}-foot><p>{notice}</p></div>"
    )
    html = f"<title>Story {words[:9]} | The Plain</title><body class={layout}-page>{inner}"
    return Page(html, url or f"https://plain.example/news/2026/story-{number}")


def lesson_of(page: Page) -> Lesson:
    """Return the page's lesson, with its own paragraphs and half of the notice taken for the body."""
    outline = page.outline
    is_body = np.array([text.startswith(("First ", "Then ")) for text in outline.table.texts])
    likelihoods = np.where(is_body, 0.97, 0.02)
    blocks = outline.blocks_at(is_body.nonzero()[0].tolist())
    return teach(page, sight(page), Extraction("auto", blocks, likelihoods=likelihoods))


@pytest.fixture
def make() -> Callable[..., Page]:
    return story


@pytest.fixture
def lesson() -> Callable[[Page], Lesson]:
    return lesson_of
