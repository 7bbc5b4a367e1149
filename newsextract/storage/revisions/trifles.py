"""Removes lines of a page that are not news: times since an update, numbers of shares, links to other articles.

It uses a short table of phrases, because numbers alone do not tell "12 comments" from "12 dead". It examines only short
lines, because a paragraph with such words may be news.
"""

from __future__ import annotations

import re

_COUNT = r"\d[\d.,\s]*(?:[km]\b)?"
_COUNTED = (
    "shares?", "comments?", "views?", "likes?", "retweets?", "reactions?",
    "partages?", "commentaires?", "vues", "réactions?", "kommentare?", "mal geteilt", "aufrufe", "reaktionen",
    "comentarios?", "compartidos?", "condivisioni", "commenti", "reacties", "comentários?", "compartilhamentos",
    "комментари[йяев]+", "просмотр(?:ов|а)?", "komentarzy?", "yorum", "评论", "評論", "分享", "コメント",
    "تعليقات?", "مشاركات?",
)  # fmt: skip
_UNITS = (
    "sec(?:ond)?s?", "min(?:ute)?s?", "hours?", "hrs?", "days?", "secondes?", "heures?", "jours?",
    "sekunden?", "minuten?", "stunden?", "tage?n?", "segundos?", "minutos?", "horas?", "d[ií]as?",
    "minut[io]", "or[ae]", "giorn[io]", "uur", "dagen", "минут[уы]?", "час(?:а|ов)?", "godzin[yę]?", "saat", "dakika",
    "دقائق", "دقيقة", "ساعات", "ساعة",
)  # fmt: skip
_N_UNITS = rf"{_COUNT}\s*(?:{'|'.join(_UNITS)})"
_AGES = (
    rf"\b{_N_UNITS}\s+(?:ago|geleden|fa|atrás|назад|temu|önce)\b",
    rf"\b(?:il y a|vor|hace|há|قبل|منذ)\s+{_N_UNITS}(?!\w)",
    r"\d+\s*(?:分钟|分鐘|小时|小時|天|秒)前|\d+\s*(?:分|時間|日)前",
)
_UPDATED = (
    r"(?:last |zuletzt |dernière )?(?:updated|modified|published|posted|mis à jour|mise à jour|publié|aktualisiert|"
    r"actualizado|aggiornato|bijgewerkt|atualizado|обновлено|zaktualizowano|güncellendi|更新|تحديث)"
)
_AGE = re.compile(rf"(?:{_UPDATED}\s*:?\s*)?(?:{'|'.join(_AGES)})", re.IGNORECASE)
_COUNTER = re.compile(rf"{_COUNT}\s*(?:{'|'.join(_COUNTED)})(?!\w)", re.IGNORECASE)
_READ_ON = re.compile(
    r"(?:read|see|watch)\s+(?:more|also)\b|continue reading\b|related\s*:|advertisement\b|click here\b|"
    r"(?:à )?lire (?:aussi|la suite)\b|lire plus\b|(?:lesen sie|mehr) (?:auch|dazu|zum thema)\b|weiterlesen\b|"
    r"leer más\b|lea (?:también|además)\b|leggi (?:anche|tutto|di più)\b|lees (?:ook|meer|verder)\b|"
    r"leia (?:mais|também)\b|читайте также|czytaj (?:też|także|więcej)\b|devamını oku|阅读更多|相关阅读|延伸閱讀|"
    r"あわせて読みたい|続きを読む|اقرأ (?:أيضا|أيضًا|المزيد)",
    re.IGNORECASE,
)
_MOST_WORDS = 20
_MOST_CHARS = 160
"""A longer line is a paragraph."""


def without_trifles(line: str) -> str:
    """Return a line without such phrases; it may become empty.

    >>> [without_trifles(line) for line in ("Updated 5 minutes ago", "Read more: the mayor", "12 shares", "12 dead")]
    ['', '', '', '12 dead']
    """
    line = line.strip()
    if len(line) > _MOST_CHARS or len(line.split()) > _MOST_WORDS:
        return line
    if _READ_ON.match(line):
        return ""
    rest = _AGE.sub("", line).strip(" \t·|•,-–—")
    return "" if _COUNTER.fullmatch(rest) else rest
