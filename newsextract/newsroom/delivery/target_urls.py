"""URLs from the settings, which may contain passwords: error messages never quote them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Collection

WEB = ("http", "https")


def host_of(url: str) -> str:
    """Return the part of a URL that is not secret.

    >>> host_of("https://chat.example/hooks/0f3c?token=1")
    'https://chat.example'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}"


def trouble_with(url: Any, schemes: Collection[str] = WEB) -> str | None:
    """Return why a URL cannot be used, without quoting it; `None` if it can be used.

    >>> trouble_with("https://me:hush@chat.example/")
    'it names a user, which is sent to nobody'
    """
    if not isinstance(url, str) or any(sign.isspace() or not sign.isprintable() for sign in url):
        return "it is no text without white space"
    try:
        parts = urlsplit(url)
        has_place = bool(parts.hostname) and parts.port != 0
    except ValueError:
        has_place = False
    if not url.startswith(tuple(f"{scheme}://" for scheme in schemes)):
        return f"it is no {' or '.join(schemes)} URL"
    if not has_place:
        return "its host and port cannot be read; in a password, signs such as / # @ are written %2F %23 %40"
    return _web_trouble(url) if schemes == WEB else _broker_trouble(url)


def _web_trouble(url: str) -> str | None:
    if not url.isascii():
        return "it has signs that are not ASCII"
    return "it names a user, which is sent to nobody" if "@" in urlsplit(url).netloc else None


def _broker_trouble(url: str) -> str | None:
    parts = urlsplit(url)
    if "#" in url or "@" in parts.path + parts.query or "@" in parts.netloc.rpartition("@")[0]:
        return "it has a # or a second @; in a password, signs such as / # @ are written %2F %23 %40"
    return None
