"""The webhooks that `NEWSEXTRACT_WEBHOOKS` lists."""

from __future__ import annotations

import json
from typing import Any

from newsextract.newsroom.delivery.target_urls import host_of, trouble_with
from newsextract.newsroom.delivery.webhook_target import Webhook

_FIELDS = ("url", "kinds", "secret")


def webhooks_of(value: Any) -> list[Webhook]:
    """Return the webhooks of a list of URLs and tables, as JSON too, or of one of them.

    Raises:
        ValueError: one cannot work; nothing of what it says is in the message, as all of it may be secret.
    """
    if not value:
        return []
    if isinstance(value, str):  # from a command line
        try:
            value = json.loads(value) if value.lstrip()[:1] in ("[", "{") else [value]
        except ValueError as error:
            raise ValueError(f"it is no JSON: {error}") from error
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list | tuple):
        raise TypeError(f"{type(value).__name__} is no list of URLs and tables")
    hooks = {}
    for place, entry in enumerate(value, 1):
        hook = _webhook({"url": entry} if isinstance(entry, str) else entry, f"entry {place}")
        if hook.url in hooks:
            told = f"{host_of(hook.url)} is there twice with the same address; give it all its kinds in one table"
            raise ValueError(told)
        hooks[hook.url] = hook
    return list(hooks.values())


def _webhook(table: Any, place: str) -> Webhook:
    from newsextract.newsroom.delivery.envelope import KINDS  # noqa: PLC0415 - brings SQLAlchemy

    example = '{"url": "https://example.com/news", "kinds": ["match"], "secret": "…"}'
    if not isinstance(table, dict) or set(table) - set(_FIELDS):
        raise ValueError(f"{place}: it is neither a URL nor a table such as {example}")
    url: Any = table.get("url")
    kinds, secret = table.get("kinds", KINDS), table.get("secret")
    if trouble := trouble_with(url):
        raise ValueError(f"{place}: of the URL: {trouble}; try https://example.com/news")
    if not isinstance(kinds, list | tuple) or not kinds or any(kind not in KINDS for kind in kinds):
        raise ValueError(f"{place}: its kinds are no list of some of {', '.join(KINDS)}")
    if secret is not None and (not isinstance(secret, str) or not secret):
        raise ValueError(f"{place}: its secret is no text; leave it out to sign nothing")
    return Webhook(url, kinds, secret)
