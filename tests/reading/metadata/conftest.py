from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from newsextract.page.page import Page
from newsextract.reading.metadata.precedence import read_metadata

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.metadata.clues import Metadata

    Reader = Callable[..., Metadata]
    Writer = Callable[[object], str]


@pytest.fixture(scope="session")
def read() -> Callable[..., Metadata]:
    """Read the metadata of some markup, with a URL of its own."""

    def read_markup(markup: str, url: str | None = "https://www.example.com/news/rain-in-spain") -> Metadata:
        return read_metadata(Page(markup, url))

    return read_markup


@pytest.fixture(scope="session")
def script() -> Callable[[object], str]:
    """Write a JSON-LD script from a value, or from a text as it is."""

    def write(value: object) -> str:
        text = value if isinstance(value, str) else json.dumps(value)
        return f'<script type="application/ld+json">{text}</script>'

    return write
