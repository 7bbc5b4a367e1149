"""Secrets that a server sends back, as in `Hello me@example.com`, are replaced before anyone keeps the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from newsextract.crawl.subscriptions.written_forms import forms_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy.http import Response

    from newsextract.crawl.subscriptions.written_forms import WrittenForm

MIN_CHARS = 6
"""A shorter value is a word of many pages."""

HIDDEN = b"***"


@dataclass(frozen=True)
class HiddenValues:
    """Texts that are replaced in what a server sends, in the forms in which it may send them."""

    values: frozenset[str] = field(repr=False)

    @cached_property
    def _forms(self) -> tuple[WrittenForm, ...]:
        return tuple(form for value in self.values if len(value) >= MIN_CHARS for form in forms_of(value))

    def without(self, body: bytes) -> bytes:
        r"""Return bytes without the secrets; the same object if there is none in them.

        >>> HiddenValues(frozenset({"me@a.example"})).without(rb"me@a.example Me%40A.example me\u0040a.example")
        b'*** *** ***'
        """
        lowered = body.lower()
        found = sorted(span for form in self._forms for span in form.spans_in(lowered))
        return b"".join(_replaced(body, found)) if found else body

    def hide_in(self, response: Response) -> Response:
        """Return a response without the secrets in its URL, headers and body, and without the cookies that it sets."""
        for name in list(response.headers):
            values = response.headers.getlist(name)
            hidden = [self.without(value) for value in values]
            if hidden != values:
                response.headers.setlist(name, hidden)
        response.headers.pop("Set-Cookie", None)
        changed: dict[str, Any] = {}
        if (body := self.without(response.body)) is not response.body:
            changed["body"] = body
        # Redirects are requests of their own; a script may put what it knows into the address of a page.
        if (url := self.without(response.url.encode())) != response.url.encode():
            changed["url"] = url.decode("utf-8", "replace")
        return response.replace(**changed) if changed else response


def _replaced(body: bytes, spans: Iterable[tuple[int, int]]) -> Iterator[bytes]:
    """Yield the parts of a body outside of sorted spans, which may overlap, and a mark for what they hold."""
    end = 0
    for start, stop in spans:
        if start >= end:
            yield body[end:start]
            yield HIDDEN
        end = max(end, stop)
    yield body[end:]
