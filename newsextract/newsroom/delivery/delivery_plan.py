"""The targets that the settings name."""

from __future__ import annotations

import importlib
import json
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from newsextract.newsroom.delivery.atom_files import AtomFeeds
from newsextract.newsroom.delivery.broker_target import DEFAULT_QUEUE, SCHEMES, Broker
from newsextract.newsroom.delivery.envelope import KINDS
from newsextract.newsroom.delivery.json_lines_file import DEFAULT_BYTES, JsonLines, Rotation
from newsextract.newsroom.delivery.target_urls import host_of, trouble_with
from newsextract.newsroom.delivery.webhook_target import Webhook

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from newsextract.newsroom.delivery.target import Target

DEFAULTS: dict[str, Any] = {
    "NEWSEXTRACT_BROKER": None,
    "NEWSEXTRACT_BROKER_QUEUE": DEFAULT_QUEUE,
    "NEWSEXTRACT_WEBHOOKS": [],
    "NEWSEXTRACT_ATOM": None,
    "NEWSEXTRACT_MESSAGES": None,
    "NEWSEXTRACT_MESSAGES_BYTES": DEFAULT_BYTES,
    "NEWSEXTRACT_MESSAGES_DAILY": False,
    "NEWSEXTRACT_MESSAGES_GZIP": False,
    "NEWSEXTRACT_OUTBOX_DAYS": 7.0,
    "NEWSEXTRACT_DELIVERY_SECONDS": 10.0,
}
"""The settings of delivery, and what they are when a project does not set them."""

TARGETS = ("NEWSEXTRACT_BROKER", "NEWSEXTRACT_WEBHOOKS", "NEWSEXTRACT_ATOM", "NEWSEXTRACT_MESSAGES")

_HOOK_FIELDS = ("url", "kinds", "secret")


class BadDelivery(ValueError):  # noqa: N818 - the name says that it is an error
    """A setting of delivery cannot work; the message names it and says what would be right."""


def targets_from(settings: Mapping[str, Any]) -> list[Target]:
    """Return the targets that are set, none where none is.

    Raises:
        BadDelivery: a setting cannot work, or there is no database for the outbox.
    """
    numbers = {name: number(settings, name) for name in ("NEWSEXTRACT_OUTBOX_DAYS", "NEWSEXTRACT_DELIVERY_SECONDS")}
    found = [*_broker(settings), *_webhooks(settings), *_atom(settings), *_messages(settings)]
    if found and numbers:
        _check_database(settings)
    return found


def number(settings: Mapping[str, Any], name: str) -> float:
    """Return a setting that is a number from 0 on; raises `BadDelivery`."""
    value = settings.get(name, DEFAULTS[name])
    try:
        found = -1.0 if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        found = -1.0
    if not 0 <= found < inf:
        raise BadDelivery(f"{name}: {value!r} is no number from 0 on; try {DEFAULTS[name]:g}")
    return found


def _broker(settings: Mapping[str, Any]) -> Iterator[Target]:
    url = settings.get("NEWSEXTRACT_BROKER")
    if not url:
        return
    queue = settings.get("NEWSEXTRACT_BROKER_QUEUE", DEFAULT_QUEUE)
    if trouble := trouble_with(url, SCHEMES):
        raise BadDelivery(f"NEWSEXTRACT_BROKER: {trouble}; try redis://HOST:6379/0 or amqp://USER@HOST//")
    if not isinstance(queue, str) or not queue or len(queue.encode()) > 200:
        raise BadDelivery(f"NEWSEXTRACT_BROKER_QUEUE: {queue!r} is no name of a queue; try {DEFAULT_QUEUE!r}")
    for module in ("kombu", "redis" if url.startswith("redis") else "amqp"):
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            told = f"NEWSEXTRACT_BROKER needs the module {error.name}: pip install 'newsextract[broker]'"
            raise BadDelivery(told) from error
    yield Broker(url, queue)


def _webhooks(settings: Mapping[str, Any]) -> Iterator[Target]:
    value = settings.get("NEWSEXTRACT_WEBHOOKS") or []
    if isinstance(value, str):  # from a command line
        try:
            value = json.loads(value) if value.lstrip()[:1] in ("[", "{") else [value]
        except ValueError as error:
            raise BadDelivery(f"NEWSEXTRACT_WEBHOOKS: it is no JSON: {error}") from error
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list | tuple):
        raise BadDelivery(f"NEWSEXTRACT_WEBHOOKS: {type(value).__name__} is no list of URLs and tables")
    urls = set()
    for place, entry in enumerate(value, 1):
        hook = _webhook({"url": entry} if isinstance(entry, str) else entry, f"NEWSEXTRACT_WEBHOOKS, entry {place}")
        if hook.url in urls:
            told = f"{host_of(hook.url)} is there twice with the same address; give it all its kinds in one table"
            raise BadDelivery(f"NEWSEXTRACT_WEBHOOKS: {told}")
        urls.add(hook.url)
        yield hook


def _webhook(table: Any, name: str) -> Webhook:
    """Return what an entry means; an error has nothing of what it says, as all of it may be secret."""
    example = '{"url": "https://example.com/news", "kinds": ["match"], "secret": "…"}'
    if not isinstance(table, dict) or set(table) - set(_HOOK_FIELDS):
        raise BadDelivery(f"{name}: it is neither a URL nor a table such as {example}")
    url: Any = table.get("url")
    kinds, secret = table.get("kinds", KINDS), table.get("secret")
    if trouble := trouble_with(url):
        raise BadDelivery(f"{name}: of the URL: {trouble}; try https://example.com/news")
    if not isinstance(kinds, list | tuple) or not kinds or any(kind not in KINDS for kind in kinds):
        raise BadDelivery(f"{name}: its kinds are no list of some of {', '.join(KINDS)}")
    if secret is not None and (not isinstance(secret, str) or not secret):
        raise BadDelivery(f"{name}: its secret is no text; leave it out to sign nothing")
    return Webhook(url, kinds, secret)


def _atom(settings: Mapping[str, Any]) -> Iterator[Target]:
    if folder := settings.get("NEWSEXTRACT_ATOM"):
        yield AtomFeeds(_path("NEWSEXTRACT_ATOM", folder, "a folder", "output/feeds"))


def _messages(settings: Mapping[str, Any]) -> Iterator[Target]:
    if not (path := settings.get("NEWSEXTRACT_MESSAGES")):
        return
    most = settings.get("NEWSEXTRACT_MESSAGES_BYTES", DEFAULT_BYTES)
    if isinstance(most, bool) or not str(most).isdecimal():
        raise BadDelivery(f"NEWSEXTRACT_MESSAGES_BYTES: {most!r} is no number of bytes; 0 is without limit")
    file = _path("NEWSEXTRACT_MESSAGES", path, "a file", "output/messages.jsonl")
    if file.is_dir():
        raise BadDelivery(f"NEWSEXTRACT_MESSAGES: {path!r} is a folder; try {str(file / 'messages.jsonl')!r}")
    daily, zips = _switch(settings, "NEWSEXTRACT_MESSAGES_DAILY"), _switch(settings, "NEWSEXTRACT_MESSAGES_GZIP")
    yield JsonLines(file, Rotation(int(most), daily, zips))


def _path(name: str, value: Any, what: str, example: str) -> Path:
    if not isinstance(value, str | Path) or "://" in str(value):
        raise BadDelivery(f"{name}: {value!r} is no path of {what}; try {example!r}")
    path = Path(value)
    if what == "a folder" and path.is_file():
        raise BadDelivery(f"{name}: {value!r} is a file; try {example!r}")
    return path


def _switch(settings: Mapping[str, Any], name: str) -> bool:
    value = settings.get(name, False)
    words = {"true": True, "1": True, "false": False, "0": False, "none": False, "": False}
    if str(value).lower() not in words:
        raise BadDelivery(f"{name}: {value!r} is neither True nor False")
    return words[str(value).lower()]


def _check_database(settings: Mapping[str, Any]) -> None:
    named = next(name for name in TARGETS if settings.get(name))
    url = settings.get("NEWSEXTRACT_DATABASE")
    advice = 'set it, for instance to "sqlite:///output/newsextract.db"'
    if not url:
        raise BadDelivery(f"{named} needs NEWSEXTRACT_DATABASE, where messages wait until they are delivered: {advice}")
    try:
        parsed = make_url(url)
    except ArgumentError:
        return  # told of where the database is opened
    if parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise BadDelivery(f"{named}: messages must outlive the crawl, and NEWSEXTRACT_DATABASE is in memory: {advice}")
