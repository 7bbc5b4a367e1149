"""The words before the names in a byline: "Von", "Posted on May 4 by", "Автор:", "记者"."""

from __future__ import annotations

import re

from newsextract.reading.metadata.dates.month_names import month_names

_BY = (
    r"by|von|vom|par|por|di|da|door|av|af|od|przez|napisał[a]?|yazan|ni|oleh|bởi|с|από|του|της|מאת|بقلم|بواسطة|كتبت?"
    r"|द्वारा|โดย|írta|על ידי"
)
_LABEL = (
    r"authors?|autor(?:in|en|es|a|e|ka|stwo)?|auteur(?:s|e)?|författare|forfatter|kirjoittaja|szerző|yazar|συντάκτης"
    r"|автор[ыи]?|текст|text|texte|testo|texto|teksti?|words|story|autoři|szöveg|reporter|journalist\w*|penulis"
    r"|tác giả|kaleme alan|autors|autorius|napsal[a]?|skrevet|skriven|writer|pisze|opr\.?|نویسنده|लेखक|ผู้เขียน"
)
_LEAD_IN = frozenset(
    """a an the ein eine un une um posted published written submitted story article articles word words text report
    reported reporting guest post review reviewed column opinion analysis authored recipe medically last beitrag
    gastbeitrag artikel kommentar interview bericht geschrieben veröffentlicht eingestellt verfasst erstellt
    gespeichert eingetragen pressemitteilung im wortlaut protokoll aufgezeichnet écrit publié rédigé propos recueillis
    escrito publicado redactado scritto pubblicato geschreven publicerad skriven skrevet on am le el at updated created
    analyse gastkommentar kolumne essay glosse reportage leitartikel porträt rezension kritik eine einer נכתב פורסם
    and contribution uhr pm edt est gmt guide view see more show all posts articles read browse zeige alle beiträge
    alles mehr voir tous toutes les articles ver todas todos las os entradas artículos artigos vedi tutti gli articoli
    pokaż wszystkie wpisy bekijk blog this was is dieser wurde""".split()
)
"""Words that may come before "by": of publishing, and of dates other than months."""
_WORD = re.compile(r"[^\W\d_]+")
_MAX_LEAD_IN_WORDS = 8

_INTRODUCED = re.compile(rf"(?<![\w-])(?P<by>{_BY})(?P<colon>\s*[:：]\s*|\s+)(?=\S)", re.IGNORECASE)
_LABELLED = re.compile(
    rf"^\s*(?:{_LABEL})\s*[:：/／|]\s*(?:(?:{_BY})\s+)?|^\s*aut(?:hor|or|orin|eur|ore)s?\s+(?=\S)", re.IGNORECASE
)
_ANY_LABEL = re.compile(r"^[^\W\d_]{2,20}(?:\s[^\W\d_]{1,12})?\s?[:：]\s*(?=\S+\s\S|[\u3040-\u9fff\uac00-\ud7af]{2})")
_CJK_LABEL = re.compile(
    r"^(?:新华社|本报|本社)?(?:记者|記者|作者|撰文|撰稿|文字|通讯员|執筆|取材|责任编辑)[\s:：/／]*|^(?:文|文字|글)[\s:：/／|・]+"
)
_CJK_TAIL = re.compile(r"(?:\s*[／/]\s*\S{1,6})?\s*(?:记者|記者|기자|특파원|報導|报道|摄|撮影)(?:\s+\S+@\S+)?$")
_CJK_REPORT = re.compile(r"記者\s?(?P<name>[\u4e00-\u9fff]{2,3})(?:[／/\s]*[\u4e00-\u9fff]{2,6})?報導$")
"""How the press of Taiwan signs: "記者王小明／台北報導", a name and a place."""
_BRACKETS = " []【】()（）"


def without_introduction(byline: str) -> str:
    """Return a byline from its first name on, without any label before it.

    >>> without_introduction("Text: Ann Lee"), without_introduction("Ein Beitrag von Ann Lee")
    ('Ann Lee', 'Ann Lee')
    >>> without_introduction("Von Miller"), without_introduction("Írta: Kovács János")
    ('Von Miller', 'Kovács János')
    """
    bare = byline.strip(_BRACKETS) if byline[:1] in _BRACKETS else byline
    if report := _CJK_REPORT.match(bare):
        return report["name"]
    text = _CJK_TAIL.sub("", introduced(bare))
    return _ANY_LABEL.sub("", text)


def is_introduced(text: str) -> bool:
    """Tell whether a line introduces names.

    >>> is_introduced("By Ann Lee"), is_introduced("Ann Lee")
    (True, False)
    """
    return introduced(text) != text.strip()


def introduced(byline: str) -> str:
    """Return what follows the words that introduce names, or the whole line if it has none."""
    text = _LABELLED.sub("", _CJK_LABEL.sub("", byline.strip()))
    found = _INTRODUCED.search(text)
    if found is None or not _is_introduction(found, text):
        return text
    return text[found.end() :]


def _is_introduction(found: re.Match[str], text: str) -> bool:
    """Tell whether a word means "by" here: Von and Por are also given names and begin surnames."""
    if found.start():
        return _is_lead_in(text[: found.start()])
    by = found["by"]
    if by.islower() or by.casefold() == "by" or ":" in found["colon"] or "：" in found["colon"]:
        return True
    following = re.split(r"[,;/|]", text[found.end() :], maxsplit=1)[0]
    return len(following.split()) > 1


def _is_lead_in(text: str) -> bool:
    words = _WORD.findall(text.casefold())
    return len(words) <= _MAX_LEAD_IN_WORDS and all(word in _LEAD_IN or word in month_names(None) for word in words)
