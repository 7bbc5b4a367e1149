"""A page with a fault, made as small as the fault allows."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.fuzz.samples import OURS
from newsextract.page.page import Hints

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.fuzz.samples import Sample

MOST_SECONDS = 60.0
"""Spent on one page."""


def minimized(sample: Sample, has_fault: Callable[[Sample], bool], most_seconds: float = MOST_SECONDS) -> Sample:
    """Return the smallest page found that has the fault, with as little around it as the fault needs."""
    until = time.monotonic() + most_seconds

    def still(changed: Sample) -> bool:
        return time.monotonic() < until and has_fault(changed)

    for change in (
        {"hints": Hints()},
        {"charset": None},
        {"extractor": "auto"},
        {"extractor": OURS[-1]},
        {"url": None},
    ):
        plainer = replace(sample, **change)
        if plainer != sample and still(plainer):
            sample = plainer
    html = shortened(sample.html, lambda html: still(replace(sample, html=html)))
    return replace(sample, html=html)


def shortened(text: bytes, has_fault: Callable[[bytes], bool]) -> bytes:
    r"""Return what is left of a text when no part of it can go, parts being halves, quarters and so on.

    >>> shortened(b"some <b \x01> words", lambda text: b"<b \x01" in text)
    b'<b \x01'
    """
    size = len(text) // 2
    while size:
        start = 0
        while start < len(text):
            without = text[:start] + text[start + size :]
            if has_fault(without):
                text = without
            else:
                start += size
        size //= 2
    return text
