"""Languages as pages declare them and as people name them, compared."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from babel import Locale

if TYPE_CHECKING:
    from collections.abc import Collection

_TAG = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{1,8})*", re.IGNORECASE)

_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "tl": "fil", "sh": "sr", "cmn": "zh"}
"""Codes that pages use for one and the same: the two written forms of Norwegian, and codes that were replaced."""


def primary(language: str | None) -> str | None:
    """Return the language itself of a tag, without script and region; `None` for what is no tag.

    >>> primary("pt-BR"), primary("NB_no"), primary("French"), primary(None)
    ('pt', 'no', None, None)
    """
    match = _TAG.fullmatch((language or "").strip())
    code = match[1].lower() if match else None
    return _SAME.get(code, code) if code else None


def is_language(tag: str) -> bool:
    """Tell whether a tag names a language that there is.

    >>> is_language("pt-BR"), is_language("no"), is_language("jp"), is_language("french")
    (True, True, False, False)
    """
    code = primary(tag)
    return bool(code) and code in Locale("en").languages


def speaks(languages: Collection[str], language: str | None) -> bool | None:
    """Tell whether a language is among those of a site; `None` where it is unknown or the site has no choice.

    >>> speaks(["pt", "no"], "pt-BR"), speaks(["pt", "no"], "nb"), speaks(["pt"], "en"), speaks(["pt"], None)
    (True, True, False, None)
    """
    found = primary(language)
    if found is None or not languages:
        return None
    return found in {primary(each) for each in languages}
