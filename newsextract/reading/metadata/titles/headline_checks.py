"""Whether a candidate for a headline is one, and what it is without what the site adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.reading.metadata.refusals import Refused
from newsextract.reading.metadata.text_folding import fold
from newsextract.reading.metadata.titles.title_affixes import without_affixes, words_of
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues

_MAX_CHARS = 300
"""Longer headlines are texts."""

_MIN_CONFIRMED_WORDS = 3
"""A shorter heading may be the name of a section or of the site."""


def check_headline(raw: Raw, clues: Clues) -> str | Refused:
    """Return the headline without the name of the site."""
    text = fold(raw) if isinstance(raw, str) else ""
    if len(text) > _MAX_CHARS:
        return Refused(Notice(NoticeCode.TOO_LONG, most=_MAX_CHARS))
    if not text:
        return Refused()
    confirmed = {words for heading in clues.headings if len(words := words_of(heading)) >= _MIN_CONFIRMED_WORDS}
    return without_affixes(text, clues.site_keys, confirmed)
