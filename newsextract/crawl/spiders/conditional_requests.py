"""What an answer tells the ledger: whether it is what an earlier visit got, and how to ask for it the next time."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Request
    from scrapy.http import Response

    from newsextract.storage.ledger.ledger_rows import Entry

NOT_MODIFIED = 304

LEDGER = "newsextract_ledger"
"""Key of a request's meta: the address in the ledger, and what an earlier visit got; plain values, for job queues."""

ANSWER = "newsextract_answer"
"""Key of a request's meta: what the ledger keeps of the answer."""

_VALIDATORS = {"etag": "If-None-Match", "last_modified": "If-Modified-Since"}
_HEADERS = {"etag": "ETag", "last_modified": "Last-Modified"}
_MAX_VALIDATOR_CHARS = 1000
"""A longer one is no use to anybody, and would be sent with every request."""


def note_address(request: Request, finding: Mapping[str, Any], known: Entry | None) -> Request:
    """Have a request tell what it is for, and ask only for what has changed since an earlier visit."""
    request.meta[LEDGER] = {**finding, "content_hash": known.content_hash if known else None, "is_new": known is None}
    for field, header in _VALIDATORS.items():
        if value := known and getattr(known, field):
            request.headers[header] = value
            request.meta["handle_httpstatus_list"] = [NOT_MODIFIED]
    return request


def note_answer(response: Response) -> None:
    """Keep with the request what the ledger wants to know of its answer."""
    assert response.request is not None  # noqa: S101 - a response in a callback always has one
    is_whole = response.status != NOT_MODIFIED
    response.request.meta[ANSWER] = {
        "status": response.status,
        "content_hash": content_hash(response.body) if is_whole else None,
        **{field: _header(response, header) for field, header in _HEADERS.items()},
    }


def has_changed(response: Response) -> bool:
    """Return whether the answer is another one than that of an earlier visit; it has been noted."""
    if response.status == NOT_MODIFIED:
        return False
    meta = response.meta
    known = meta.get(LEDGER, {}).get("content_hash")
    return known is None or known != meta[ANSWER]["content_hash"]


def content_hash(body: bytes) -> str:
    """Return what tells one answer from another."""
    return hashlib.blake2b(body, digest_size=16).hexdigest()


def _header(response: Response, name: str) -> str | None:
    value = (response.headers.get(name) or b"").decode("latin-1").strip()
    return value if 0 < len(value) <= _MAX_VALIDATOR_CHARS else None
