"""The first pages of a site, read before anything was known of it: kept compressed until they are read again."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from newsextract.page.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_PAGES = 50
"""Pages of a group that are read again: with some ten its template shows, with fifty what it says hardly changes, so
that the next run reads these pages as this one does in the end."""
MAX_PAGES = 5_000
MAX_BYTES = 128 * 1024 * 1024
"""Of all held pages together, compressed; what is more is not read again."""
_FASTEST = 1
"""Level of compression: a page takes a millisecond and shrinks to a fifth."""


@dataclass(frozen=True, slots=True)
class HeldPage:
    """A page without its tree, and the text that was kept of it."""

    packed: bytes
    is_text: bool
    arguments: dict[str, Any]
    continued: tuple[HeldPage, ...]
    body: str | None
    """What the first reading kept."""

    @classmethod
    def of(cls, page: Page, body: str | None) -> HeldPage:
        """Compress a page."""
        html = page.html.encode("utf-8", "surrogatepass") if isinstance(page.html, str) else page.html
        packed = zlib.compress(html, _FASTEST)
        continued = tuple(cls.of(further, None) for further in page.continued)
        return cls(packed, isinstance(page.html, str), page.arguments, continued, body)

    @property
    def url(self) -> str | None:
        """Where the page was fetched."""
        url: str | None = self.arguments["url"]
        return url

    @property
    def size(self) -> int:
        """The bytes that are held."""
        return len(self.packed) + sum(further.size for further in self.continued)

    def page(self) -> Page:
        """Return the page as it was fetched."""
        html = zlib.decompress(self.packed)
        text = html.decode("utf-8", "surrogatepass") if self.is_text else html
        return Page(text, continued=tuple(further.page() for further in self.continued), **self.arguments)


@dataclass
class HeldPages:
    """The pages that are to be read again, by their address."""

    pages: dict[str, HeldPage] = field(default_factory=dict)
    size: int = 0

    def hold(self, held: HeldPage) -> None:
        """Keep a page, if there is room and it has an address."""
        if held.url is None or held.url in self.pages or len(self.pages) >= MAX_PAGES:
            return
        if self.size + held.size <= MAX_BYTES:
            self.pages[held.url] = held
            self.size += held.size

    def let_go(self) -> Iterator[HeldPage]:
        """Yield each page, and hold it no longer."""
        while self.pages:
            held = self.pages.pop(next(iter(self.pages)))
            self.size -= held.size
            yield held
