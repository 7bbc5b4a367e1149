"""Split bylines into names, without places, dates, roles and degrees."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import normalize

from newsextract.reading.metadata.authors.byline_introductions import introduced, without_introduction
from newsextract.reading.metadata.authors.name_tails import has_role, without_contribution, without_head, without_tail
from newsextract.reading.metadata.authors.organizations import is_affiliation, is_known_organization
from newsextract.reading.metadata.dates.month_names import key_of, weekdays
from newsextract.reading.metadata.dates.written_dates import find_dates

if TYPE_CHECKING:
    from collections.abc import Iterator

PARTICLES = frozenset(
    (
        *("van", "von", "der", "den", "de", "del", "della", "di", "da", "du", "des", "la", "le", "el", "al"),
        *("bin", "ibn", "ben", "dos", "ter", "ten", "zu", "zur", "zum", "af", "av", "y", "e", "und", "vom", "do"),
    )
)
"""Lower-case words inside names."""

_SEPARATOR = re.compile(
    r"\s*[;|/•·&、，؛]\s*|(?:\s*,\s*|\s)(?:and|et|und|og|och|и|а также)\s|\s*,(?!\s*(?:jr|sr|ii|iii|md|phd)\b)\s*",
    re.IGNORECASE,
)
_WITH = r"im gespräch mit|in conversation with|en conversation avec|as told to|together with|gemeinsam mit|zusammen mit"
_WEAK_CONJUNCTION = re.compile(
    rf"\s(?:y|e|i|o|en|eta|with|mit|avec|con|med|z|dan|ve|và|és|și|şi|si|ir|dhe|agus|та|і|й|да|және|жана|һәм|και|וגם|و|اور"
    rf"|और|एवं|तथा|व|এবং|ও|અને|ਅਤੇ|மற்றும்|మరియు|ಮತ್ತು|ഒപ്പം|සහ|และ|និង|ແລະ|და|և|եւ|ու|እና|및|와|과|{_WITH})\s|\s[وו](?=\w{{2,}}\s\w)",
    re.IGNORECASE,
)
"""Words that mean "and" between two full names, and otherwise belong to one: Ortega y Gasset, Kim En Joong."""

_CONJUNCTIONS_OF = {
    **dict.fromkeys(("cs", "sk"), "a"),
    **dict.fromkeys(("fi", "et"), "ja"),
    **dict.fromkeys(("sw", "zu", "xh"), "na"),
    "sl": "in",
    "lv": "un",
    "cy": "a|ac",
    "mt": "u",
    "ha": "da",
    "so": "iyo",
    "uz": "va",
    "az": "və",
    "eo": "kaj",
}
"""The same in languages whose word is a preposition or an article in another."""
_CHINESE_SPACE = re.compile(r"(?<=[\u4e00-\u9fff]{2})[\s和与及](?=[\u4e00-\u9fff]{2})")

_TAIL = re.compile(
    r"\s*(?:\b(?:last|full|view|read|follow)\s+(?:updated|modified|bio\w*|all|more|profile|on|posts)\b.*"
    r"|\(.*|\[.*|\s@.*|<.*|\S+@\S+.*"
    r"|\s(?-i:For|for)\s(?:the\s)?.*|\s(?-i:on|at|updated|published|posted|am|für|for|in|aus|publié|le|•)\s.*"
    r"|\.?\s(?:data (?:publikacji|dodania|d[ae] publicação|di pubblicazione)|date de publication|fecha de publicación"
    r"|veröffentlichungsdatum|erscheinungsdatum|publication date|date published|дата публикации|дата публікації)\b.*"
    r"|\s\d.*|\b(?:updated|published|posted)\b.*)$",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])")
_DASH = re.compile(r"\s[-–—]\s")
_SET_OFF = " ,|·•-–—"
_TRIMMED = " .,:-–—→»«\"'“”*©"
_LAST_INITIAL = re.compile(r"(?:\w\.)+|Jr\.|Sr\.")
_CREDENTIAL = re.compile(r"^(?:[A-Z][A-Za-z]?\.?){1,5}®?$|^(?:Jr|Sr|Ph\.?D|I{2,3})\.?$")
_LAST_CREDENTIALS = re.compile(
    r"(?:,?\s+(?!(?:I{2,3}|I?V)\b)(?:[A-Z]{2,5}|[A-Z]{3,}-[A-Z]+|Ph\.?D\.?|M\.?D\.?|M\.?[SA]\.?|CFP)®?)+$"
)
_ROLE = re.compile(
    r"\b(?:editor|reporter|writer|director|manager|correspondent|expert|contributor|journalist\w*|marketing|columnist"
    r"|head of|department|redakteur(?:in)?|specialist|officer|producer|photographer|analyst|development|president"
    r"|korrespondent(?:in)?|ressortleiter(?:in)?|chefredakteur(?:in)?|volont[äa]r(?:in)?|reporterin|rédact(?:eur|rice)"
    r"|correspondante?|corresponsal|redactor[a]?|periodista|inviat[oa]|giornalista|redattore|dziennikarz|корреспондент"
    r"|журналист\w*|professor(?:in)?|freelance|autorin|founder|ceo|cto|dietitian|nutritionist|coach|presenter)\b",
    re.IGNORECASE,
)
_ROLE_BEFORE = re.compile(
    r"^(?:(?:\w+-)*(?:experte|expertin|korrespondent|redakteur|reporter|journalist|autor)(?:in)?)\s+(?=[A-ZÄÖÜ])",
    re.IGNORECASE,
)
_NO_AUTHOR = re.compile(
    r"^(?:edit(?:ing|ed)|photos?|photograph\w*|fotos?|fotograf\w*|video|graphics?|illustrations?|bild(?:er)?)"
    r"(?:\s(?:by|von|par|por|di)\b|\s?:)",
    re.IGNORECASE,
)
_PLACE = re.compile(r"^(?:de|à|em|in|aus|en|na|w|v|from|i|uit|från|fra|da|a)\s(?=[^\W\d_])")
"""The word that begins a place after a name: `João da Silva, de Brasília`."""
_PLACES = frozenset(
    """new york|los angeles|san francisco|san diego|las vegas|new orleans|san antonio|washington dc|washington d.c.
    |new delhi|hong kong|tel aviv|abu dhabi|kuala lumpur|addis ababa|addis abeba|cape town|kapstadt|buenos aires
    |rio de janeiro|são paulo|sao paulo|mexico city|mexiko-stadt|ciudad de méxico|san josé|san salvador
    |santo domingo|la paz|san juan|saint-denis|st. petersburg|saint petersburg|sankt petersburg|ho chi minh city
    |den haag|the hague|la haye|le caire|el cairo|new jersey|new mexico|north carolina|south carolina
    |west virginia|saudi arabia|south africa|south korea|north korea|new zealand|sri lanka|united states
    |united kingdom|costa rica|puerto rico|el salvador|сан-франциско|нью-йорк|лос-анджелес|буэнос-айрес""".replace(
        "\n    ", ""
    ).split("|")
)
"""Places of several words, which look like the name of a second author."""


def split_byline(byline: str, language: str | None = None) -> list[str]:
    """Return the names in a byline, without their introduction and what follows them.

    >>> split_byline("Par Zoé Dupont, Léo Martin"), split_byline("Ann Lee, PhD, editor")
    (['Zoé Dupont', 'Léo Martin'], ['Ann Lee'])
    >>> split_byline("Lee, Ann"), split_byline("Alexa von Heyden"), split_byline("记者 王小明")
    (['Ann Lee'], ['Alexa von Heyden'], ['王小明'])
    >>> split_byline("Ann Lee, Bo Chen, and Cy Dee"), split_byline("Ana Gil y Luis Paz")
    (['Ann Lee', 'Bo Chen', 'Cy Dee'], ['Ana Gil', 'Luis Paz'])
    >>> split_byline("Juan Ortega y Gasset"), split_byline("山田 太郎"), split_byline("张三 李四", "zh")
    (['Juan Ortega y Gasset'], ['山田 太郎'], ['张三', '李四'])
    """
    bare = _without_date(without_introduction(without_contribution(byline)))
    parts = [name for part in _SEPARATOR.split(bare) if part.strip() for name in _between_full_names(part, language)]
    if language == "zh":
        parts = [name for part in parts for name in _CHINESE_SPACE.split(part)]
    if len(parts) == 2 and "," in bare and all(map(_is_one_name, parts)):
        return [f"{parts[1]} {parts[0]}"]
    return [name for name in map(_trim, _named(parts)) if name]


def _without_date(text: str) -> str:
    text = normalize("NFC", text)  # the offsets of dates are those in this form
    date = next(find_dates(text), None)
    if date is None or date.start == 0:
        return text
    before = text[: date.start].rstrip(_SET_OFF)
    *names, last = before.split() or [""]
    return " ".join(names).rstrip(_SET_OFF) if key_of(last) in weekdays() else before


def _between_full_names(text: str, language: str | None) -> Iterator[str]:
    """Yield the names that a weak conjunction joins: it needs a full name on both sides."""
    start = 0
    for match in _conjunction(language or "").finditer(text):
        if " " in text[start : match.start()].strip() and " " in text[match.end() :].strip():
            yield text[start : match.start()].strip()
            start = match.end()
    yield text[start:].strip()


@lru_cache(maxsize=64)
def _conjunction(language: str) -> re.Pattern[str]:
    own = _CONJUNCTIONS_OF.get(language)
    either = rf"{_WEAK_CONJUNCTION.pattern}|\s(?:{own})\s" if own else _WEAK_CONJUNCTION.pattern
    return re.compile(either, re.IGNORECASE)


def _is_one_name(part: str) -> bool:
    """Tell whether a part may be a family or a given name, in a script that separates these by a comma."""
    *before, last = part.split()
    is_plain = all(word.casefold() in PARTICLES for word in before)
    return is_plain and last[0] < "\u0590" and not _CREDENTIAL.match(last)


def _named(parts: list[str]) -> list[str]:
    """Return the parts that are names: after a full name, single words, roles and places only describe it."""
    parts = [part for part in parts if not _NO_AUTHOR.match(part)]
    if not parts or " " not in parts[0]:
        return [part for part in parts if is_known_organization(part) or not _CREDENTIAL.match(part)] or parts
    return parts[:1] + [part for part in parts[1:] if " " in part and not _is_description(part)]


def _is_description(part: str) -> bool:
    """Tell whether a part after a name is a role, a place or an employer."""
    if _ROLE.search(part) or _PLACE.match(part) or has_role(part) or part.casefold() in _PLACES:
        return True
    return is_affiliation(part) and not is_known_organization(part)


def without_role(name: str) -> str:
    """Return the one name in a text without a role before it, and without what follows it in brackets.

    >>> without_role("Ann Lee (dpa)"), without_role("News-Experte Max Müller"), without_role("(al)")
    ('Ann Lee', 'Max Müller', 'al')
    """
    bare = _BRACKETS.sub("", name).strip() or name.strip("()[] ")
    return _ROLE_BEFORE.sub("", bare)


def _trim(part: str) -> str:
    """Return a name without its place, date, role or degrees.

    >>> _trim("Ann Lee (London)"), _trim("Ann Lee MS RD"), _trim("Redakteurin Ann Lee"), _trim("Nelson C.J.")
    ('Ann Lee', 'Ann Lee', 'Ann Lee', 'Nelson C.J.')
    >>> _trim("Ann Lee - Washington"), _trim("Cairo - Ann Lee")
    ('Ann Lee', 'Ann Lee')
    """
    first, *others = _DASH.split(introduced(part), maxsplit=1)
    if others and " " not in first.strip() and " " in others[0].strip():
        first = others[0]
    name = without_tail(without_head(_ROLE_BEFORE.sub("", _TAIL.sub("", f"{first} ").strip(_TRIMMED.replace(".", "")))))
    if not name.isupper() and len(name.split()) > 2:
        name = _LAST_CREDENTIALS.sub("", name)
    words = name.split()
    # The dot of an initial belongs to the name.
    return name if words and _LAST_INITIAL.fullmatch(words[-1]) else name.strip(_TRIMMED)
