"""What all forms of a list of sites share: the error that says where, and URLs as people write them."""

from __future__ import annotations

import re

from newsextract.page.urls.clean_urls import clean_url

SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE)  # a digit follows the colon of a port
_HOST = re.compile(r"(localhost|[^/?#:]*[^/?#:.]\.[^/?#:.]+|\[[0-9a-f:.]+\])(:\d+)?([/?#]|$)", re.IGNORECASE)


class SiteListError(ValueError):
    """The list of sites cannot be read; the message says where and what would be right."""


def read_address(written: str) -> str | None:
    """Return the URL that a person means; `None` if the text is not one.

    >>> read_address("example.com/news"), read_address("localhost:81"), read_address("mailto:desk@example.com")
    ('https://example.com/news', 'https://localhost:81/', None)
    """
    return clean_url(written if SCHEME.match(written) else f"https://{written}" if _HOST.match(written) else "")
