"""Bylines taken apart: what introduces the names, what separates them, what follows."""

from __future__ import annotations

import re

from newsextract.metadata.months import month_names
from newsextract.metadata.written_dates import find_dates

_BY = (
    r"by|von|vom|par|por|di|da|door|av|af|od|od|przez|napisał[a]?|yazan|ni|oleh|bởi|с|από|του|της|מאת|بقلم|بواسطة|द्वारा"
)
_LABEL = (
    r"authors?|autor(?:in|en|es|a|e|ka|stwo)?|auteur(?:s|e)?|författare|forfatter|kirjoittaja|szerző|yazar|συντάκτης|автор[ыи]?"
    r"|текст|text|texte|testo|texto|tekst|words|story|autoři|szöveg|reporter|journalist\w*|penulis|editor"
    r"|tác giả|kaleme alan|kirjutas|autors|autorius|napsal[a]?|skrevet|skriven|writer|pisze|opr\.?"
)
_LEAD_IN = frozenset(
    """a an the ein eine un une um posted published written submitted story article articles word words text report
    reported guest post review reviewed photo photos column opinion analysis authored recipe medically last beitrag
    gastbeitrag artikel kommentar interview bericht foto fotos geschrieben veröffentlicht eingestellt verfasst erstellt
    gespeichert eingetragen pressemitteilung im wortlaut protokoll aufgezeichnet écrit publié rédigé propos recueillis
    escrito publicado redactado scritto pubblicato geschreven publicerad skriven skrevet on am le el at updated created
    and contribution uhr pm edt est gmt""".split()
)
"""What stands before "by": words of publishing, and of dates besides months."""
_WORD = re.compile(r"[^\W\d_]+")
_MAX_LEAD_IN_WORDS = 8

_INTRODUCED = re.compile(rf"(?<![\w-])(?:{_BY})(?:\s*[:：]\s*|\s+)(?=\S)", re.IGNORECASE)
_LABELLED = re.compile(
    rf"^\s*(?:{_LABEL})\s*[:：/／|]\s*(?:(?:{_BY})\s+)?|^\s*(?:by|von|par|por)\s*[:：]?\s+|^\s*aut(?:hor|or|orin|eur|ore)s?\s+",
    re.IGNORECASE,
)
_CJK_LABEL = re.compile(
    r"^[\[【(（]?(?:本报记者|记者|记者|記者|作者|撰文|撰稿|文字|通讯员|執筆|取材)[\s:：/／]*|^(?:文|文字)[\s:：/／|]+"
)
_CJK_TAIL = re.compile(r"(?:\s*(?:记者|記者|기자|특파원|報導|报道|摄|撮影)[】\])）]?)$")

_SEPARATOR = re.compile(
    r"\s*(?:[;|/•·&、，؛]|,(?!\s*(?:jr|sr|ii|iii|md|phd)\b)|\s(?:and|et|und|og|och|en|ja|with|mit|avec|con|und|및|dan|και|ve|și|és"
    r"|и|та|а также|και|וגם|و)\s|(?<=[\u4e00-\u9fff])[\s和与及](?=[\u4e00-\u9fff]{2}))\s*",
    re.IGNORECASE,
)
_SHORT_CONJUNCTION = re.compile(r"(?<=\S\s\S)(?P<left>.*\S)\s+(?:y|e|i|a|و)\s+(?=\S+\s\S)", re.IGNORECASE)
"""One letter is "and" between two full names; in a name it is its own: Ortega y Gasset."""

_TAIL = re.compile(
    r"\s*(?:\b(?:last|full|view|read|follow)\s+(?:updated|modified|bio\w*|all|more|profile|on|posts)\b.*|\(.*|\[.*|\s[-–—]\s.*|\s@.*|<.*|\S+@\S+.*"
    r"|\s(?-i:on|at|updated|published|posted|am|für|for|in|aus|publié|le|•)\s.*"
    r"|\s\d.*|\b(?:updated|published|posted)\b.*)$",
    re.IGNORECASE,
)
_TRIMMED = " .,:-–—→»«\"'“”*©"
_CREDENTIAL = re.compile(r"^(?:[A-Z][A-Za-z]?\.?){1,5}®?$|^(?:Jr|Sr|Ph\.?D|I{2,3})\.?$")
_LAST_CREDENTIALS = re.compile(r"(?:,?\s+(?:[A-Z]{2,5}|[A-Z]{3,}-[A-Z]+|Ph\.?D\.?|M\.?D\.?|M\.?[SA]\.?|CFP)®?)+$")
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


def split_byline(byline: str) -> list[str]:
    """Return the names in a byline, without what introduces them and what follows.

    >>> split_byline("Par Zoé Dupont, Léo Martin"), split_byline("Ann Lee, PhD, editor")
    (['Zoé Dupont', 'Léo Martin'], ['Ann Lee'])
    >>> split_byline("Lee, Ann"), split_byline("Alexa von Heyden"), split_byline("记者 王小明")
    (['Ann Lee'], ['Alexa von Heyden'], ['王小明'])
    >>> split_byline("Posted on May 4 by Ann Lee"), split_byline("Ana Gil y Luis Paz")
    (['Ann Lee'], ['Ana Gil', 'Luis Paz'])
    >>> split_byline("Juan Ortega y Gasset")
    ['Juan Ortega y Gasset']
    """
    bare = _SHORT_CONJUNCTION.sub(r"\g<left>; ", without_introduction(byline))
    parts = [part for part in _SEPARATOR.split(bare) if part]
    if len(parts) == 2 and "," in bare and not any(" " in part or _CREDENTIAL.match(part) for part in parts):
        return [f"{parts[1]} {parts[0]}"]
    return [name for name in map(_trim, _named(parts)) if name]


def without_introduction(byline: str) -> str:
    """Return a byline from its first name on.

    >>> without_introduction("Text: Ann Lee"), without_introduction("Ein Beitrag von Ann Lee")
    ('Ann Lee', 'Ann Lee')
    """
    text = _introduced(byline)
    date = next(find_dates(text), None)
    return _CJK_TAIL.sub("", text[: date.start].rstrip(" ,|·•") if date and date.start else text)


def is_introduced(text: str) -> bool:
    """Tell whether a line says that names follow.

    >>> is_introduced("By Ann Lee"), is_introduced("Ann Lee")
    (True, False)
    """
    return _introduced(text) != text.strip()


def _introduced(byline: str) -> str:
    """Return what follows the words that say that names follow, else the line."""
    text = _LABELLED.sub("", _CJK_LABEL.sub("", byline.strip()))
    found = _INTRODUCED.search(text)
    if found and (found.start() == 0 or _is_lead_in(text[: found.start()])):
        # "von" and "di" begin a family name too, but not a line in which a first name follows.
        text = text[found.end() :]
    return text


def _is_lead_in(text: str) -> bool:
    words = _WORD.findall(text.casefold())
    return len(words) <= _MAX_LEAD_IN_WORDS and all(word in _LEAD_IN or word in month_names(None) for word in words)


def _named(parts: list[str]) -> list[str]:
    """Return the parts that are names: after a full name, single words and roles describe it."""
    if not parts or " " not in parts[0]:
        return [part for part in parts if not _CREDENTIAL.match(part)] or parts
    return parts[:1] + [part for part in parts[1:] if " " in part and not _ROLE.search(part)]


def _trim(part: str) -> str:
    """Return a name without its place, date, role or degrees.

    >>> _trim("Ann Lee (London)"), _trim("Ann Lee MS RD"), _trim("Redakteurin Ann Lee"), _trim("Nelson C.J.")
    ('Ann Lee', 'Ann Lee', 'Ann Lee', 'Nelson C.J.')
    """
    name = _ROLE_BEFORE.sub("", _TAIL.sub("", f"{_introduced(part)} ").strip(_TRIMMED.replace(".", "")))
    if not name.isupper() and len(name.split()) > 2:
        name = _LAST_CREDENTIALS.sub("", name)
    words = name.split()
    # The dot of an initial is the name's own.
    return name if words and re.fullmatch(r"(?:\w\.)+|Jr\.|Sr\.", words[-1]) else name.strip(_TRIMMED)
