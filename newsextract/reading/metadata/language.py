"""The language of an article: the declared one unless the text is plainly in another, else the detected one."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections import Counter
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from newsextract.reading.metadata.clues import Findings, Refused
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray
    from py3langid.langid import LanguageIdentifier

    from newsextract.reading.metadata.clues import Clues, Raw


# The script of a text, and the languages written in each script.

_TABLE = """
    Cyrillic    \u0400-\u052f                       ru uk be bg sr mk mn kk ky tg tt ba uz az cv os ce ab sah bs sh
    Greek       \u0370-\u03ff\u1f00-\u1fff              el
    Arabic      \u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc  ar fa ur ps ug sd ku ckb ks az pa dv arz ary
    Hebrew      \u0590-\u05ff                       he yi
    Japanese    \u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f         ja
    Chinese     \u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff         zh yue wuu ja
    Korean      \u1100-\u11ff\u3130-\u318f\uac00-\ud7af         ko
    Thai        \u0e00-\u0e7f                       th
    Lao         \u0e80-\u0eff                       lo
    Devanagari  \u0900-\u097f                       hi mr ne sa bho mai kok gom sd ks
    Bengali     \u0980-\u09ff                       bn as
    Gurmukhi    \u0a00-\u0a7f                       pa
    Gujarati    \u0a80-\u0aff                       gu
    Odia        \u0b00-\u0b7f                       or
    Tamil       \u0b80-\u0bff                       ta
    Telugu      \u0c00-\u0c7f                       te
    Kannada     \u0c80-\u0cff                       kn
    Malayalam   \u0d00-\u0d7f                       ml
    Sinhala     \u0d80-\u0dff                       si
    Tibetan     \u0f00-\u0fff                       bo dz
    Burmese     \u1000-\u109f                       my
    Georgian    \u10a0-\u10ff                       ka
    Ethiopic    \u1200-\u137f                       am ti
    Khmer       \u1780-\u17ff                       km
    Armenian    \u0530-\u058f                       hy
"""
_ROWS = [line.split() for line in _TABLE.strip().splitlines()]
_LETTERS = {name: f"[{letters}]" for name, letters, *_ in _ROWS}
LANGUAGES = {name: tuple(languages) for name, _, *languages in _ROWS}
"""The languages of each script except Latin, the most read first."""

_LATIN_TOO = frozenset("sr mn kk uz az bs sh ku tt ky tg ks dv ce ab sah pa sd kok gom dz".split())
_NEVER_LATIN = frozenset(name for names in LANGUAGES.values() for name in names) - _LATIN_TOO

_MAY_BE_OTHER = "[\u0370-\u1dff\u1f00-\u1fff\u2de0-\ud7ff\uf900-\ufdff\ufe70-\uffdf]"
_LETTER = r"[^\W\d_]"
"""Patterns that are compiled when they are used: most pages need none."""

_MIN_SHARE = 0.5
"""The share of its letters that makes a script that of the text."""
_MIN_LATIN_SHARE = 0.9
"""Latin needs more: pages in every script have names, brands and legal notes in it."""
_MIN_KANA_SHARE = 0.1
"""Japanese uses Chinese characters too; Chinese has no kana."""
_MIN_LETTERS = 60
"""A shorter text may be a name or a label."""


@lru_cache(maxsize=4)  # reading a text's language asks twice
def script_of(text: str) -> str | None:
    """Return the script of a text, or `None` if it mixes several or is too short to tell.

    >>> script_of("Всё смешалось в доме Облонских. " * 3), script_of("All happy families are alike. " * 3)
    ('Cyrillic', 'Latin')
    >>> script_of("吾輩は猫である。名前はまだ無い。" * 5), script_of("Да") is None
    ('Japanese', True)
    """
    if len(text) > 2 * _MIN_LETTERS and beyond_ascii(text) < (1 - _MIN_LATIN_SHARE) / 2:
        return "Latin"
    met = Counter(text)
    distinct = "".join(met)
    letters = _count(_LETTER, distinct, met)
    if letters < _MIN_LETTERS:
        return None
    others = _count(_MAY_BE_OTHER, distinct, met)
    if others <= (1 - _MIN_LATIN_SHARE) * letters:
        return "Latin"
    if others < _MIN_SHARE * letters:
        return None
    counts = {name: _count(pattern, distinct, met) for name, pattern in _LETTERS.items()}
    if counts["Japanese"] >= _MIN_KANA_SHARE * (counts["Chinese"] + counts["Japanese"]):
        counts["Japanese"] += counts["Chinese"]
    # max keeps the first of equals, and Japanese stands before Chinese.
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= _MIN_SHARE * letters else None


def _count(pattern: str, distinct: str, met: Counter[str]) -> int:
    """Return the number of characters that match, from the distinct ones and the count of each."""
    return sum(map(met.__getitem__, re.findall(pattern, distinct)))


def beyond_ascii(text: str) -> float:
    """Return the share of a text that is not ASCII.

    >>> beyond_ascii("café")
    0.25
    """
    return 1 - len(text.encode("ascii", "ignore")) / len(text) if text else 0.0


def can_be_written(language: str, script: str) -> bool:
    """Return whether a language is written in a script.

    >>> can_be_written("en", "Cyrillic"), can_be_written("sr", "Latin"), can_be_written("ja", "Chinese")
    (False, True, True)
    """
    return language not in _NEVER_LATIN if script == "Latin" else language in LANGUAGES.get(script, (language,))


# The language of an article: the declared one unless the text is plainly in another, else the detected one.
#
# Detection goes by the script of the running text if only one language uses it, else by a model.

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


@lru_cache(maxsize=4)  # dates, the declared language and the article's ask for the same text
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
    classify: Callable[[str], tuple[str, float]] = language_identifier(_NEWSLESS).classify
    return classify


# The language model of py3langid, unpacked once into the user's cache folder and shared by all processes via mmap.
#
# The package ships it compressed. Unpacking takes more than half a second and 85 MB in every process; mapping takes
# milliseconds. If the cache folder is not writable, each process unpacks the model for itself.

_ARRAYS = ("nb_ptc", "nb_pc", "nb_classes", "tk_nextmove", "tk_row", "tk_output")
"""The attributes of an identifier that make up the model; one file each."""


def language_identifier(unwanted: Collection[str], cache: Path | None = None) -> LanguageIdentifier:
    """Return an identifier of all languages with a two-letter code, except the unwanted ones.

    `cache` is the folder for the unpacked model (60 MB); the default is the user's cache folder.
    """
    model = _folder(unwanted, cache or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "newsextract"))
    try:
        return _mapped(model)
    except (OSError, EOFError, ValueError):  # missing or incomplete
        unpacked = _unpacked(unwanted)
    try:
        _save(unpacked, model)
        return _mapped(model)
    except (OSError, EOFError, ValueError) as error:
        import logging  # noqa: PLC0415 - as above

        logging.getLogger(__name__).debug("the language model is not kept in %s: %s", model, error)
        return unpacked


def _folder(unwanted: Collection[str], cache: Path) -> Path:
    """Return the folder for this py3langid version without these languages."""
    from importlib.metadata import version  # noqa: PLC0415 - only pages that declare no language need the model

    key = " ".join((version("py3langid"), *sorted(unwanted)))
    return cache / f"language-model-{sha256(key.encode()).hexdigest()[:16]}"


def _unpacked(unwanted: Collection[str]) -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - rarely needed, and slow to import

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([label for label in identifier.labels if len(label) == 2 and label not in unwanted])
    return identifier


def _save(identifier: LanguageIdentifier, folder: Path) -> None:
    """Write the model atomically: another process may do the same at the same time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder, ignore_errors=True)  # unreadable remains
    with tempfile.TemporaryDirectory(dir=folder.parent) as parent:
        made = Path(parent, folder.name)
        made.mkdir()
        for name in _ARRAYS:
            np.save(made / f"{name}.npy", np.asarray(getattr(identifier, name)), allow_pickle=False)
        made.rename(folder)


def _mapped(folder: Path) -> LanguageIdentifier:
    arrays: dict[str, NDArray[np.generic]] = {
        # Parts of a plain array on the same memory are made several times faster.
        name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))
        for name in _ARRAYS
    }
    from py3langid.langid import LanguageIdentifier  # noqa: PLC0415 - likewise

    return LanguageIdentifier(
        arrays["nb_ptc"],
        arrays["nb_pc"],
        arrays["nb_classes"].tolist(),
        arrays["tk_nextmove"].data,  # single values of a memoryview are read faster than those of an array
        arrays["tk_output"].tolist(),
        norm_probs=True,
        tk_row=arrays["tk_row"].tolist(),
    )
