"""Secrets that a server sends back, as in `Hello me@example.com`, are replaced before anyone keeps the page."""

from __future__ import annotations

import base64
import html
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Response

MIN_CHARS = 6
"""A shorter value is a word of many pages."""

HIDDEN = b"***"


@dataclass(frozen=True)
class HiddenValues:
    """Texts that are replaced in what a server sends, in the forms in which it may send them."""

    values: frozenset[str] = field(repr=False)

    @cached_property
    def _forms(self) -> tuple[bytes, ...]:
        found = {form for value in self.values if len(value) >= MIN_CHARS for form in _forms_of(value)}
        return tuple(sorted(found, key=len, reverse=True))  # else a part would hide the rest from its search

    def without(self, body: bytes) -> bytes:
        """Return bytes without the secrets.

        >>> HiddenValues(frozenset({"me@a.example"})).without(b"<p>me@a.example, me%40a.example</p>")
        b'<p>***, ***</p>'
        """
        for form in self._forms:
            if form in body:
                body = body.replace(form, HIDDEN)
        return body

    def hide_in(self, response: Response) -> Response:
        """Return a response without the secrets in its headers and body, and without the cookies that it sets."""
        for name in list(response.headers):
            values = response.headers.getlist(name)
            hidden = [self.without(value) for value in values]
            if hidden != values:
                response.headers.setlist(name, hidden)
        response.headers.pop("Set-Cookie", None)
        body = self.without(response.body)
        return response if body is response.body else response.replace(body=body)


def _forms_of(value: str) -> Iterator[bytes]:
    raw = value.encode()
    yield raw
    yield html.escape(value).encode()
    yield quote(value, safe="").encode()
    yield quote(value, safe="").lower().encode()
    yield quote_plus(value).encode()
    yield base64.b64encode(raw)
    yield base64.b64encode(raw).rstrip(b"=")
    yield base64.urlsafe_b64encode(raw).rstrip(b"=")
