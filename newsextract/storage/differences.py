"""The differences between two versions of an article, without cosmetic ones: pure functions on texts."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import asdict, dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from newsextract.page.page_words import SEQUENCE_WORDS, PageWords
from newsextract.page.text import ACCENTS, DIRECTIONS, INVISIBLE, UNSEGMENTED, caseless, split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


# Converts the world's spellings of numbers to one, so that only different values differ.

_SPACES = "\u00a0\u2007\u2009\u202f "
_ARABIC = "\u066b\u066c"
"""The decimal and the thousands separator of Arabic digits."""

_GROUPED = rf"\d{{1,3}}(?:[{_SPACES}](?=\d{{3}}(?!\d))\d{{3}})+(?:[.,\u066b]\d+)?"
_PLAIN = rf"\d+(?:[.,'’{_ARABIC}]\d+)*"
NUMBER = rf"(?:(?<![^\s(\[])[-−–])?(?:{_GROUPED}|{_PLAIN})"
"""A number as one token: its digits, what separates them, and a minus; clock times and scores are several numbers."""

_THOUSANDS = re.compile(r"-?(?!0)\d{1,3}(?:([.,'])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")


def value_of(written: str) -> str:
    """Return a number in ASCII digits, without thousands separators and with a decimal point.

    Three digits after the only separator count as thousands, which is right for most numbers in news.

    >>> [value_of(written) for written in ("1,234", "1 234", "1.234,5", "١٢", "−3,5", "1.234.567", "０.5", "3.5.26")]
    ['1234', '1234', '1234.5', '12', '-3.5', '1234567', '0.5', '3.5.26']
    """
    text = "".join(_ascii(char) for char in written)
    if _THOUSANDS.fullmatch(text):
        separator = next(char for char in text if char in ".,'")
        whole = text.replace(separator, "")
        return whole.replace(",", ".")
    return text.replace(",", ".")


def _ascii(char: str) -> str:
    digit = unicodedata.digit(char, None)
    if digit is not None:
        return str(digit)
    if char in _SPACES:
        return ""
    return {"−": "-", "–": "-", "\u066b": ".", "\u066c": "", "’": "'"}.get(char, char)


# Removes lines of a page that are not news: times since an update, numbers of shares, links to other articles.
#
# It uses a short table of phrases, because numbers alone do not tell "12 comments" from "12 dead". It examines only
# short lines, because a paragraph with such words may be news.

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


def without_boilerplate(line: str) -> str:
    """Return a line without such phrases; it may become empty.

    >>> [without_boilerplate(line) for line in ("Updated 5 minutes ago", "Read more: x", "12 shares", "12 dead")]
    ['', '', '', '12 dead']
    """
    line = line.strip()
    if len(line) > _MOST_CHARS or len(line.split()) > _MOST_WORDS:
        return line
    if _READ_ON.match(line):
        return ""
    rest = _AGE.sub("", line).strip(" \t·|•,-–—")
    return "" if _COUNTER.fullmatch(rest) else rest


# Splits a text into words and numbers without their typography, each with its position in the text.
#
# These do not count, so a change only in them is cosmetic: white space, punctuation, kinds of quotes and dashes,
# upper and lower case, invisible characters, compatibility forms, how a number's digits are grouped, and boilerplate.

_INDIC_SIGNS = "".join(
    f"{chr(block)}-{chr(block + 0x03)}{chr(block + 0x3A)}-{chr(block + 0x57)}{chr(block + 0x62)}{chr(block + 0x63)}"
    for block in range(0x900, 0xE00, 0x80)
)
"""Vowel signs, which Python does not count as letters; the blocks from Devanagari to Sinhala share a layout."""
_POINTS = "\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
"""Hebrew and Arabic signs that are optional in writing."""
_TOKEN = re.compile(
    rf"(?P<number>{NUMBER})|[{UNSEGMENTED}]|(?:[^\W\d{UNSEGMENTED}]|[{ACCENTS}{_POINTS}{_INDIC_SIGNS}])+|[%‰$€£¥₽₹°]"
)
_POINT = re.compile(f"[{_POINTS}]")
_INVISIBLE = re.compile(f"[{INVISIBLE}{DIRECTIONS}]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number, or a sign such as `%` that changes the meaning of a number."""

    said: str
    """The compared form: a word in lower case, a number as its value."""
    start: int
    stop: int
    is_number: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it is shown, and its tokens."""

    text: str
    tokens: tuple[Token, ...]
    line: str
    """The line that it is in."""

    @property
    def said(self) -> tuple[str, ...]:
        """The compared forms of its tokens."""
        return tuple(token.said for token in self.tokens)


def visible(text: str) -> str:
    """Return a text without invisible characters, in composed form, with its line feeds."""
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", text))


def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the tokens of a text, in order.

    >>> [token.said for token in tokens_of("“Don’t” pay 1 234,5 €!")]
    ['don', 't', 'pay', '1234.5', '€']
    """
    return tuple(
        Token(
            value_of(found[0]) if found["number"] else caseless(_POINT.sub("", found[0])),
            found.start(),
            found.end(),
            is_number=found["number"] is not None,
        )
        for found in _TOKEN.finditer(text)
    )


def sentences_of(text: str | None) -> list[Sentence]:
    """Return the sentences of a text that have tokens, without boilerplate; a sentence never spans lines."""
    lines = ((without_boilerplate(line), line) for line in visible(text or "").splitlines())
    pieces = ((piece.strip(), line) for rest, line in lines for piece in split_sentences(rest))
    return [Sentence(sentence, tokens, line) for sentence, line in pieces if (tokens := tokens_of(sentence))]


# Compares two texts by word: the words kept, removed and added, and the numbers that changed.

MOST_WORDS = 600
"""Words of a text; a longer one is not compared by word, which takes quadratic time."""

_CONTEXT_WORDS = 4
"""Words on each side of a number."""

WordChange: TypeAlias = "tuple[Literal['=', '-', '+'], str]"
"""A run of words that was kept, removed or added, as written."""


@dataclass(frozen=True, slots=True)
class NumberChange:
    """A number that replaced another, both as written."""

    before: str
    after: str
    context: str
    """The words around it in the newer text, which show what it counts."""


def compared(before: str, after: str) -> tuple[list[WordChange], list[NumberChange]]:
    """Return the words of two texts as runs in reading order, and the numbers that changed.

    Both lists are empty for texts that are too long to compare quickly.

    >>> changes, numbers = compared("Twelve dead, 12 hurt.", "Twelve dead, 15 hurt!")
    >>> changes
    [('=', 'Twelve dead,'), ('-', '12'), ('+', '15'), ('=', 'hurt!')]
    >>> numbers
    [NumberChange(before='12', after='15', context='Twelve dead, 15 hurt')]
    """
    old, new = tokens_of(before), tokens_of(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return [], []
    matcher = SequenceMatcher(None, [token.said for token in old], [token.said for token in new], autojunk=False)
    words: list[WordChange] = []
    numbers: list[NumberChange] = []
    for kind, start, stop, new_start, new_stop in matcher.get_opcodes():
        if kind == "equal":
            words.append(("=", _stretch(after, new, new_start, new_stop)))
            continue
        if stop > start:
            words.append(("-", _stretch(before, old, start, stop)))
        if new_stop > new_start:
            words.append(("+", _stretch(after, new, new_start, new_stop)))
        pairs = _paired(old[start:stop], new[new_start:new_stop])
        numbers += [
            NumberChange(before[was.start : was.stop], after[now.start : now.stop], _context(after, new, now))
            for was, now in pairs
        ]
    return words, numbers


def _stretch(text: str, tokens: Sequence[Token], start: int, stop: int) -> str:
    """Return the text of some tokens, with the punctuation that follows them."""
    until = tokens[stop].start if stop < len(tokens) else len(text)
    return text[0 if start == 0 else tokens[start].start : until].rstrip()


def _paired(old: Sequence[Token], new: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """Yield pairs of numbers that replaced each other, if both sides have equally many."""
    before = [token for token in old if token.is_number]
    after = [token for token in new if token.is_number]
    if len(before) == len(after):
        yield from ((was, now) for was, now in zip(before, after, strict=True) if was.said != now.said)


def _context(text: str, tokens: Sequence[Token], token: Token) -> str:
    place = tokens.index(token)
    first = tokens[max(place - _CONTEXT_WORDS, 0)]
    last = tokens[min(place + _CONTEXT_WORDS, len(tokens) - 1)]
    return " ".join(text[first.start : last.stop].split())


# The differences between two versions of an article: headline, lead and body, by sentence and by word.
#
# Only words and numbers count (see `tokens_of`): a change of typography alone is cosmetic, not a difference.
# Reordered sentences and other paragraph breaks are cosmetic too. A word, number, name or sentence more or less is a
# difference. A lead that only disappears is not, because some pages state theirs only at times; a new or changed lead
# is.

_MOST_SENTENCES = 4_000
"""Sentences of both versions that are aligned; longer versions give one removal and one addition."""
_MOST_COMPARED = 20_000
"""Characters of changes compared by word; further changes are given by sentence only."""
_MOST_CHARS_ARTICLE_DIFFERENCES = 200_000
"""Characters of changes that are listed; the versions themselves are kept whole."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """A replacement of sentences; `before` is empty if they were added, `after` if they were removed."""

    op: Literal["replace", "insert", "delete"]
    before: str
    after: str
    words: list[WordChange] = field(default_factory=list)
    """The words of a replacement that were kept (`=`), removed (`-`) and added (`+`), unless it is too long."""


@dataclass(frozen=True, slots=True)
class Differences:
    """All differences of a newer version."""

    headline: TextChange | None
    lead: TextChange | None
    body: list[TextChange]
    numbers: list[NumberChange]
    added_words: int
    removed_words: int
    left_out: int = 0
    """The number of changes of the body that are not listed because there are too many."""

    def as_json(self) -> dict[str, Any]:
        """Return the differences as JSON values."""
        return asdict(self)


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> Differences | None:
    """Return the differences between two rows of an article; `None` if they are cosmetic.

    Where it is known what the pages said, only what a page no longer says anywhere is removed, and only what it said
    nowhere before is added: all else was only read differently.
    """
    pages = _words_of(before), _words_of(after)
    headline = _changes(before["headline"], after["headline"], *pages)
    lead = _changes(before["description"], after["description"], *pages) if after["description"] else []
    body = _changes(before["article_body"], after["article_body"], *pages)
    if not (headline or lead or body):
        return None
    everything = [*headline, *lead, *body]
    told, numbers = _counted(everything)
    firsts = len(headline) + len(lead)
    return Differences(
        _joined(told[: len(headline)]),
        _joined(told[len(headline) : firsts]),
        told[firsts:],
        numbers,
        sum(change.added for change in everything),
        sum(change.removed for change in everything),
        len(everything) - len(told),
    )


@dataclass(frozen=True, slots=True)
class _Change:
    before: Sequence[Sentence]
    after: Sequence[Sentence]

    @property
    def added(self) -> int:
        return (_words(self.after) - _words(self.before)).total()

    @property
    def removed(self) -> int:
        return (_words(self.before) - _words(self.after)).total()


def _words(sentences: Iterable[Sentence]) -> Counter[str]:
    return Counter(token.said for sentence in sentences for token in sentence.tokens)


def _words_of(row: Mapping[str, Any]) -> PageWords | None:
    return PageWords(row["page_hash"], row["page_words"]) if row.get("page_words") else None


def _changes(
    before: str | None, after: str | None, page_before: PageWords | None, page_after: PageWords | None
) -> list[_Change]:
    """Return the runs of sentences that differ, in the order of the newer text."""
    if before == after:
        return []
    old, new = sentences_of(before), sentences_of(after)
    gone = Counter(sentence.said for sentence in old)
    come = Counter(sentence.said for sentence in new)
    gone, come = gone - come, come - gone
    if not gone and not come:
        return []
    stretches = (_Change(_kept(was, gone), _kept(now, come)) for was, now in _stretches(old, new))
    real = (_real(change, page_before, page_after) for change in stretches)
    # If only the sentence breaks differ, both sides have the same words.
    return [change for change in real if _run(change.before) != _run(change.after)]


def _real(change: _Change, page_before: PageWords | None, page_after: PageWords | None) -> _Change:
    """Return a change without the sentences that both pages say, but for the other form of one that has changed."""
    gone = {each: {*each.said} for each in change.before if not _says(page_after, each)}
    come = {each: {*each.said} for each in change.after if not _says(page_before, each)}
    before = [each for each in change.before if each in gone or _is_form_of(each, come.values())]
    after = [each for each in change.after if each in come or _is_form_of(each, gone.values())]
    return _Change(before, after)


def _says(page: PageWords | None, sentence: Sentence) -> bool:
    """Tell whether a page says a sentence, or each cell of the row that it is in.

    One or two words are looked for with their line.
    """
    if page is None:
        return False
    text, cells = sentence.text if len(sentence.tokens) >= SEQUENCE_WORDS else sentence.line, sentence.line.split("\t")
    return page.says(text) or (len(cells) > 1 and all(map(page.says, cells)))


def _is_form_of(sentence: Sentence, others: Iterable[set[str]]) -> bool:
    said = {*sentence.said}
    return any(2 * len(said & other) >= max(len(said), len(other)) for other in others)


def _stretches(
    old: Sequence[Sentence], new: Sequence[Sentence]
) -> Iterator[tuple[Sequence[Sentence], Sequence[Sentence]]]:
    if len(old) + len(new) > _MOST_SENTENCES:
        yield old, new
        return
    matcher = SequenceMatcher(None, [one.said for one in old], [one.said for one in new], autojunk=False)
    for kind, start, stop, new_start, new_stop in matcher.get_opcodes():
        if kind != "equal":
            yield old[start:stop], new[new_start:new_stop]


def _kept(sentences: Iterable[Sentence], wanted: Counter[tuple[str, ...]]) -> list[Sentence]:
    """Return the sentences that occur nowhere in the other version; removes them from `wanted`."""
    kept = []
    for sentence in sentences:
        if wanted[sentence.said] > 0:
            wanted[sentence.said] -= 1
            kept.append(sentence)
    return kept


def _run(sentences: Iterable[Sentence]) -> list[str]:
    return [token.said for sentence in sentences for token in sentence.tokens]


def _counted(changes: Iterable[_Change]) -> tuple[list[TextChange], list[NumberChange]]:
    told: list[TextChange] = []
    numbers: list[NumberChange] = []
    chars = 0
    for change in changes:
        before, after = _text(change.before), _text(change.after)
        chars += len(before) + len(after)
        if chars > _MOST_CHARS_ARTICLE_DIFFERENCES and told:
            break
        if not (before and after):
            told.append(TextChange("delete" if before else "insert", before, after))
            continue
        words, found = compared(before, after) if chars <= _MOST_COMPARED else ([], [])
        told.append(TextChange("replace", before, after, words))
        numbers += found
    return told, numbers


def _text(sentences: Iterable[Sentence]) -> str:
    return " ".join(sentence.text for sentence in sentences)


def _joined(changes: Sequence[TextChange]) -> TextChange | None:
    """Join the changes of a headline or a lead into one; `None` if there are none."""
    if len(changes) <= 1:
        return changes[0] if changes else None
    before = " ".join(change.before for change in changes if change.before)
    after = " ".join(change.after for change in changes if change.after)
    if not (before and after):
        return TextChange("delete" if before else "insert", before, after)
    return TextChange("replace", before, after, compared(before, after)[0])
