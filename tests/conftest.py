"""Miniature pages for tests that show their HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsextract.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="session")
def page() -> Callable[[str], Page]:
    """Make a page of some markup, at an address of its own."""

    def make_page(html: str, url: str = "https://news.example/a/b.html") -> Page:
        return Page(html, url)

    return make_page
