"""The folded words of texts, made where the pages are read, until the articles are stored."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from newsextract.page.word_folding import words

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST = 256
"""Texts kept: more than the pipelines work on at once. Of articles that were dropped, nobody asks for the words."""

_BETWEEN = "\n"
"""In no word: some have a space, where Unicode writes several words as one letter."""


class KnownWords:
    """Keeps the words of the latest texts; threads may share it."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._joined: dict[str, str] = {}
        self._lock = Lock()

    def put(self, text: str, joined: str) -> None:
        """Keep the words of a text, as `join_words` returns them, in place of the oldest."""
        with self._lock:
            self._joined[text] = joined
            if len(self._joined) > self._most:
                del self._joined[next(iter(self._joined))]

    def of(self, text: str) -> Sequence[str]:
        """Return the words of a text, as `words` does; those that were kept are forgotten."""
        with self._lock:
            joined = self._joined.pop(text, None)
        if joined is None:
            return words(text)
        return joined.split(_BETWEEN) if joined else []


def join_words(text: str) -> str:
    """Return the words of a text in one string, which takes less time than a list on its way between processes."""
    return _BETWEEN.join(words(text))
