"""Tells a web address, in JSON, what is wrong."""

from __future__ import annotations

import json
import urllib.request
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.delivery.target_urls import trouble_with

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = 10.0
"""How long the other side may take: a crawl's end waits for it."""


class BadWebhook(ValueError):  # noqa: N818 - the name says that it is an error
    """The address of a webhook is none."""


def check_webhook(url: str) -> None:
    """Raise `BadWebhook` for an address that cannot be told anything; it is not in the message, as it may be secret."""
    if trouble := trouble_with(url):
        raise BadWebhook(f"it is no web address, such as https://example.com/hooks/news: {trouble}")


def send(url: str, message: Mapping[str, Any], seconds: float = SECONDS) -> None:
    """Send a message by POST; raises `OSError` where it does not arrive or is refused, and `BadWebhook`."""
    check_webhook(url)
    request = urllib.request.Request(  # noqa: S310 - http and https only, as was checked
        url,
        json.dumps(message, ensure_ascii=False).encode(),
        {"Content-Type": "application/json; charset=utf-8", "User-Agent": "newsextract"},
    )
    with urllib.request.urlopen(request, timeout=seconds):  # noqa: S310 - likewise
        pass
