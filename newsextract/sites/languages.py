"""Compares languages as pages declare them with languages as people name them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.page.languages import is_code

if TYPE_CHECKING:
    from collections.abc import Collection


_TAG = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{1,8})*", re.IGNORECASE)

_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "tl": "fil", "sh": "sr", "cmn": "zh"}
"""Codes that pages use for the same language: the two written forms of Norwegian, and replaced codes."""


def primary(language: str | None) -> str | None:
    """Return the language of a tag, without script and region; `None` if it is not a language tag.

    >>> primary("pt-BR"), primary("NB_no"), primary("French"), primary(None)
    ('pt', 'no', None, None)
    """
    match = _TAG.fullmatch((language or "").strip())
    code = match[1].lower() if match else None
    return _SAME.get(code, code) if code else None


def is_language(tag: str) -> bool:
    """Return whether a tag names an existing language.

    >>> is_language("pt-BR"), is_language("no"), is_language("jp"), is_language("french")
    (True, True, False, False)
    """
    code = primary(tag)
    return code is not None and is_code(code)


def speaks(languages: Collection[str], language: str | None) -> bool | None:
    """Return whether a language is among those of a site; `None` if it is unknown or the site names none.

    >>> speaks(["pt", "no"], "pt-BR"), speaks(["pt", "no"], "nb"), speaks(["pt"], "en"), speaks(["pt"], None)
    (True, True, False, None)
    """
    found = primary(language)
    if found is None or not languages:
        return None
    return found in {primary(each) for each in languages}
