"""The language of an article: as the page declares it, unless its text is plainly in another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.reading.metadata.language_detection import detect, running_text
from newsextract.reading.metadata.refusals import Refused
from newsextract.reading.metadata.writing_systems import beyond_ascii, can_be_written, script_of
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues

_CODE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]+)*$")
_END = re.compile(r"[\s,;(]")
_NAMES = """
    en english eng us gb | fr french français fra fre | de german deutsch deu ger | es spanish español spa
    | it italian italiano ita | pt portuguese português por | nl dutch nederlands nld dut | ru russian русский rus
    | zh chinese 中文 zho chi cn | ja japanese 日本語 jpn jp | ko korean 한국어 kor kr | ar arabic العربية ara
    | pl polish polski pol | el greek ελληνικά ell gre gr | he hebrew עברית heb iw | uk ukrainian українська ukr ua
    | tr turkish türkçe tur | sv swedish svenska swe | da danish dansk dan dk | fi finnish suomi fin
    | no norwegian norsk nor | cs czech čeština ces cze cz | hu hungarian magyar hun | ro romanian română ron rum mo
    | fa persian فارسی fas per | hi hindi हिन्दी hin | id indonesian ind in | vi vietnamese vie vn
"""
"""The codes of ISO 639-1, each with the names, longer codes and countries that pages write for it."""

_NO_LANGUAGES = frozenset(("und", "mul", "zxx", "mis", "utf", "iso", "xx", "xml"))
"""Codes that name none, and charsets in the wrong place."""

_MIN_FOREIGN_SHARE = 0.01
"""Share of accented letters that English does not have, for all its cafés."""
_SURE = 0.95
_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")


_CODES = {name: names[0] for names in map(str.split, _NAMES.split("|")) for name in names}


def check_language(raw: Raw, clues: Clues) -> str | Refused:
    """Return the bare ISO 639 code, unless the text cannot be in that language."""
    text = raw.strip().lower() if isinstance(raw, str) else ""
    first = _END.split(text, maxsplit=1)[0]
    match = _CODE.match(first)
    code = _CODES.get(first) or (match and _CODES.get(match[1], match[1]))
    if not code or code in _NO_LANGUAGES:
        return Refused(Notice(NoticeCode.NO_LANGUAGE) if text else None)
    return _contradiction(code, running_text(clues)) or code


def _contradiction(language: str, text: str) -> Refused | None:
    """Return why a text is not in a language, `None` when it may be."""
    script = script_of(text)
    if script and not can_be_written(language, script):
        return Refused(Notice(NoticeCode.OTHER_SCRIPT, script=script))
    if language != "en" or beyond_ascii(text) < _MIN_FOREIGN_SHARE:
        return None
    if len(_ACCENTED.findall(text)) < _MIN_FOREIGN_SHARE * len(text):
        return None
    # English is what templates declare unasked: the one language worth a second look.
    found, confidence = detect(text) or (language, 0.0)
    is_other = found != language and confidence >= _SURE
    return Refused(Notice(NoticeCode.OTHER_LANGUAGE, language=found)) if is_other else None
