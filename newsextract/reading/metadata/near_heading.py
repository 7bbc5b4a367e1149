"""The author and the dates in the lines around the headline."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING
from unicodedata import normalize

from newsextract.reading.metadata.authors.plain_bylines import signatures_near
from newsextract.reading.metadata.dates.written_dates import find_dates
from newsextract.reading.metadata.findings import Findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.reading.metadata.page_clues import Clues

_MAX_CHARS = 150
"""The longest line in which every date counts; in a longer one, only dates at the beginning do."""
_DATELINE_CHARS = 50
_MAX_LABEL_CHARS = 30
_MAX_PLACE_CHARS = 2
"""Characters before the date in a dateline; a sentence that mentions a date has more."""

MODIFIED = re.compile(
    r"updat|modif|aktuali|revis|mis à jour|màj|maj\b|actualiza|aggiorna|atualiza|bijgewerkt|gewijzigd|opdater|oppdater"
    r"|uppdater|ändrad|endret|ændret|päivitetty|muokattu|frissít|módosít|ενημ[εέ]ρ|обновл|оновл|изменен|upravené|upraven"
    r"|güncelle|diperbarui|cập nhật|更新|最后修改|수정|업데이트|최종|تحديث|به‌روز|בעדכון|עודכן|अपडेट|আপডেট|อัปเดต",
    re.IGNORECASE,
)
"""Words before the date of the last change, in many languages."""


_OF_MEMBERS = re.compile(
    r"joined|join date|registered|member since|founded|last seen|registriert|mitglied seit|dabei seit|beigetreten"
    r"|anmeldung|inscri|membre depuis|registrad|miembro desde|membro d[ae]|iscritto|lid sinds|medlem s[ei]d"
    r"|zarejestr|dołączył|регистрац|зарегистр|зареєстр|реєстрац|csatlakozott|registrov|kayıt|katılım|bergabung|tham gia"
    r"|登録日|参加日|注册|註冊|가입|انضم|عضو|הצטרף",
    re.IGNORECASE,
)
"""Words before the date since when somebody is a member of a forum."""


def read(clues: Clues) -> Findings:
    """Return the dates and authors near the headline: datelines first, nearest first, then dates inside sentences.

    A date labelled "updated" or the like is `dateModified`.
    """
    lines = dict(clues.near_heading)
    published: list[tuple[bool, str]] = []
    modified: list[str] = []
    for distance, text in lines.items():
        for raw, label in _dates(text, clues.date_language):
            line_before = lines.get(distance - 1, "") if len(text) <= len(raw) + 1 else ""
            if MODIFIED.search(label) or MODIFIED.search(line_before[-_MAX_LABEL_CHARS:]):
                modified.append(raw)
            elif not _OF_MEMBERS.search(label):
                published.append((_is_mentioned(text, label), raw))
    dates = [raw for _, raw in sorted(published, key=itemgetter(0))]
    return Findings({"datePublished": dates, "dateModified": modified, "authors": signatures_near(clues)})


def _is_mentioned(text: str, before: str) -> bool:
    """Tell whether a date is part of a sentence rather than of a dateline."""
    return len(before) > _MAX_PLACE_CHARS and text.rstrip()[-1:] in ".!?。" and len(text) > _MAX_LABEL_CHARS


def _dates(text: str, language: str | None) -> Iterator[tuple[str, str]]:
    """Yield the dates in a line as written, each with the text before it."""
    end = 0
    text = normalize("NFC", text)  # the offsets of dates are those in this form
    # In a paragraph, only a date at the beginning counts; the time may follow it.
    head = text if len(text) <= _MAX_CHARS else text[: _DATELINE_CHARS + _MAX_LABEL_CHARS]
    for found in find_dates(head, language):
        if len(text) <= _MAX_CHARS or found.start < _DATELINE_CHARS:
            yield found.raw, head[end : found.start]
        end = found.stop
