"""What a browser is asked for, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class BrowserLimits:
    """Which browser is used, and how much of it."""

    executable: Path | None = None
    """`None` for Playwright's own."""
    page_seconds: float = 20.0
    """A page is read after three quarters of this time as it is then; one that hangs is closed after all of it."""
    pages: int = 100
    """The browser is replaced after so many: browsers leak."""
    has_sandbox: bool = True
    page_chars: int = 20 * 1024 * 1024
    """Larger pages are not read."""


@dataclass(frozen=True, slots=True)
class PageWanted:
    """A page, and what is sent with the request for it."""

    url: str
    user_agent: str = ""
    language: str = ""
    """The value of `Accept-Language`."""
    cookies: Mapping[str, str] = field(default_factory=dict)
    """For the host of the page alone; they are forgotten with it."""
    allows: Callable[[str], bool] = lambda _: True
    """Whether robots.txt allows a URL, as far as the rules of its host are known."""
    spent: Callable[[float], None] = lambda _: None
    """Is told how many seconds the browser took for it, waiting for a turn not counted."""


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page as the browser shows it."""

    url: str
    """Where it was found at last."""
    status: int
    headers: Mapping[str, str]
    html: str
