"""The language of an article: the declared one unless the text is plainly in another, else the detected one.

Detection goes by the script of the running text if only one language uses it, else by a model.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from newsextract.reading.metadata.findings import Findings, Refused
from newsextract.reading.metadata.writing_systems import LANGUAGES, beyond_ascii, can_be_written, script_of
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Callable

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
"""ISO 639-1 codes, each with the names, longer codes and countries that pages write instead."""

_NO_LANGUAGES = frozenset(("und", "mul", "zxx", "mis", "utf", "iso", "xx", "xml"))
"""Codes that name no language, and charsets in the wrong place."""

_MIN_FOREIGN_SHARE = 0.01
"""The share of accented letters that English text never reaches, for all its cafés."""
_SURELY_FOREIGN = 0.95
_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")


_CODES = {name: names[0] for names in map(str.split, _NAMES.split("|")) for name in names}

_MAX_BLOCKS = 6
"""Blocks read: the longest of a page are sentences, whatever the rest is."""
_MAX_CHARS = 2_000
"""Characters read, about 0.2 ms of the model; more change nothing."""
_MIN_CHARS = 40
"""A shorter text is a name or a title: too little to tell the language."""
_MIN_CONFIDENCE = 0.75
"""Below this, the model is wrong about half the time."""

_NEWSLESS = frozenset(("zxx", "la", "vo", "eo", "jv", "ht", "sa", "an", "wa", "oc", "br", "gd", "fy", "se", "qu"))
"""Languages that the model sees in lists, codes and short texts, and that hardly any newsroom writes."""
_SURE_BY_SCRIPT = 0.99
"""The confidence if only one language uses the script."""


def check_language(raw: Raw, clues: Clues) -> str | Refused:
    """Return the bare ISO 639 code, or a refusal if the text cannot be in that language."""
    text = raw.strip().lower() if isinstance(raw, str) else ""
    first = _END.split(text, maxsplit=1)[0]
    match = _CODE.match(first)
    code = _CODES.get(first) or (match and _CODES.get(match[1], match[1]))
    if not code or code in _NO_LANGUAGES:
        return Refused(Notice(NoticeCode.NO_LANGUAGE) if text else None)
    return _contradiction(code, running_text(clues)) or code


def _contradiction(language: str, text: str) -> Refused | None:
    """Return a refusal if a text is not in a language, or `None` if it may be."""
    script = script_of(text)
    if script and not can_be_written(language, script):
        return Refused(Notice(NoticeCode.OTHER_SCRIPT, script=script))
    if language != "en" or beyond_ascii(text) < _MIN_FOREIGN_SHARE:
        return None
    if len(_ACCENTED.findall(text)) < _MIN_FOREIGN_SHARE * len(text):
        return None
    # English is the default of many templates: the one declaration worth a second look.
    found, confidence = detect(text) or (language, 0.0)
    is_other = found != language and confidence >= _SURELY_FOREIGN
    return Refused(Notice(NoticeCode.OTHER_LANGUAGE, language=found)) if is_other else None


def read_running_text(clues: Clues) -> Findings:
    """Return the detected language of the page's running text, with its confidence."""
    found = detect(running_text(clues))
    return Findings({"inLanguage": [found[0]]}, confidence=found[1]) if found else Findings()


def running_text(clues: Clues) -> str:
    """Return the beginnings of the page's longest blocks outside links."""
    table = clues.page.outline.table
    texts = table.texts
    plain_chars = np.fromiter(map(len, texts), np.intp, len(texts)) - 2 * table.link_chars
    longest = plain_chars.argsort()[: -_MAX_BLOCKS - 1 : -1].tolist()
    return " ".join(texts[number][: _MAX_CHARS // 2] for number in longest if plain_chars[number] > 0)[:_MAX_CHARS]


def detect(text: str) -> tuple[str, float] | None:
    """Return the language of a text and the confidence in it, from 0 to 1, or `None` if that is too low.

    >>> detect("Η βροχή πέφτει στην πεδιάδα της Ισπανίας, και όλοι μένουν στο σπίτι για να διαβάσουν.")
    ('el', 0.99)
    """
    if len(text) < _MIN_CHARS:
        return None
    languages = LANGUAGES.get(script_of(text) or "", ())
    if len(languages) == 1:
        return languages[0], _SURE_BY_SCRIPT
    language, confidence = _classifier()(text)
    # Further digits of the confidence are noise.
    return (language, round(confidence, 3)) if confidence >= _MIN_CONFIDENCE else None


@cache
def _classifier() -> Callable[[str], tuple[str, float]]:
    """Load the model on first use: a crawl whose pages declare their language never needs it."""
    from newsextract.reading.metadata.language_model import language_identifier  # noqa: PLC0415 - rarely needed

    classify: Callable[[str], tuple[str, float]] = language_identifier(_NEWSLESS).classify
    return classify
