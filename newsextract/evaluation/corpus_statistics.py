"""Count the text of a corpus: paragraphs, lines, words, characters and files, by language.

The five tables of the report "HTML Killer" (Nantes, 2015), for the source of the pages, their gold, and each
extractor's text. Its paragraphs are the lines with `<p>`, without attributes, in what a tool writes: so are ours, and
a tool that writes plain text, as BoilerPipe does, has none. Two counts differ. Its words are what lies between blanks,
so Chinese hardly had any; ours are those of `newsextract.page.text`. Its characters are bytes (13 to a Russian word);
ours are code points.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, field, fields, replace
from typing import TYPE_CHECKING

from rich.table import Table

from newsextract.evaluation.corpora import MARK
from newsextract.page.charset import decode
from newsextract.page.text import count_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from newsextract.evaluation.corpora import GoldPage
    from newsextract.evaluation.measures import Answer


RAW = "raw"
GOLD = "gold"
UNKNOWN = "unknown"
"""The language of a page if its corpus does not give one."""

_PARAGRAPH = "<p>"
_ASCII_WORDS = bytes(byte if chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(128)).ljust(256)
_TITLES = {RAW: "source of the pages", GOLD: "gold"}


@dataclass(frozen=True, slots=True)
class TextStatistics:
    """The size of some texts; sizes can be added."""

    paragraphs: int = 0
    lines: int = 0
    words: int = 0
    characters: int = 0
    files: int = 0

    def __add__(self, other: TextStatistics) -> TextStatistics:
        return TextStatistics(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))


def statistics_of_source(html: str | bytes) -> TextStatistics:
    r"""Return the size of the source of a page, markup included.

    >>> statistics_of_source("<p>One\n<pre>two</pre><p class=a>three\n<p>four<p>")
    TextStatistics(paragraphs=2, lines=3, words=12, characters=48, files=1)
    """
    source = decode(html).text if isinstance(html, bytes) else html
    return TextStatistics(_paragraphs(source), _lines(source), _count_source_words(source), len(source), 1)


def statistics_of_text(text: str) -> TextStatistics:
    r"""Return the size of a plain text, such as an extractor's; a paragraph is a line with something on it.

    >>> statistics_of_text("Deux mots.\n\n新聞")
    TextStatistics(paragraphs=2, lines=3, words=4, characters=14, files=1)
    """
    paragraphs = sum(1 for line in text.split("\n") if line.strip())
    return TextStatistics(paragraphs, _lines(text), count_words(text), len(text), 1)


def statistics_of_marked(marked: str) -> TextStatistics:
    r"""Return the size of a text with the marks of CleanEval, which do not count as text.

    >>> statistics_of_marked("<h>A title\n<p>A first.\n<p>A second.\n")
    TextStatistics(paragraphs=2, lines=3, words=6, characters=27, files=1)
    """
    # A mark separates words: it is replaced with a blank, or two words would become one.
    words, characters = count_words(MARK.sub(" ", marked)), len(MARK.sub("", marked))
    return TextStatistics(_paragraphs(marked), _lines(marked), words, characters, 1)


def statistics_of_gold(page: GoldPage) -> TextStatistics:
    """Return the size of a page's gold, marked if possible; all zero, including the files, if it has none."""
    if page.marked is not None:
        return statistics_of_marked(page.marked)
    return TextStatistics() if page.text is None else statistics_of_text(page.text)


def _count_source_words(source: str) -> int:
    """Return the same as `count_words`, several times faster: markup is ASCII, which needs no regex.

    >>> _count_source_words("<p title='un_été'>新聞</p>")
    6
    """
    # Neither character is part of a word, so no word is cut.
    parts = source.replace('"', "<").split("<")
    plain = "<".join(part for part in parts if part.isascii())
    others = "<".join(part for part in parts if not part.isascii())
    return len(plain.encode("ascii").translate(_ASCII_WORDS).split()) + count_words(others)


def _paragraphs(text: str) -> int:
    return sum(_PARAGRAPH in line for line in text.split("\n"))


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and text != "")


@dataclass(slots=True)
class CorpusStatistics:
    """The sizes by language and source (`raw`, `gold` or an extractor); each worker fills one, then they are added."""

    sizes: dict[tuple[str, str], TextStatistics] = field(default_factory=dict)

    def add(self, language: str | None, source: str, size: TextStatistics) -> None:
        """Count a text."""
        key = (language or UNKNOWN, source)
        self.sizes[key] = self.sizes.get(key, TextStatistics()) + size

    def by_source(self) -> dict[str, dict[str, TextStatistics]]:
        """Return the sizes by source, then language: raw, gold, and the extractors by name."""
        ordered = sorted(self.sizes, key=lambda key: (key[1] != RAW, key[1] != GOLD, key[1], key[0]))
        found: dict[str, dict[str, TextStatistics]] = {}
        for language, source in ordered:
            found.setdefault(source, {})[language] = self.sizes[language, source]
        return found


def count_page(page: GoldPage) -> CorpusStatistics:
    """Return the sizes of a page's source and, if it has one, of its gold."""
    found = CorpusStatistics()
    found.add(page.language, RAW, statistics_of_source(page.html))
    if (gold := statistics_of_gold(page)).files:
        found.add(page.language, GOLD, gold)
    return found


def count_answer(page: GoldPage, extractor: str, answer: Answer) -> CorpusStatistics:
    """Return the size of an extractor's text, counted like the page's gold, with its own paragraphs."""
    is_marked = page.marked is not None
    size = statistics_of_marked(answer.marked) if is_marked else statistics_of_text(answer.text.raw)
    size = replace(size, paragraphs=_paragraphs(answer.marked if answer.written is None else answer.written))
    found = CorpusStatistics()
    found.add(page.language, extractor, size)
    return found


def total(parts: Iterable[CorpusStatistics]) -> CorpusStatistics:
    """Return the sum of these counts, in any order."""
    found = CorpusStatistics()
    for part in parts:
        for (language, source), size in part.sizes.items():
            found.add(language, source, size)
    return found


def tables(statistics: CorpusStatistics) -> list[Table]:
    """Return a table for each source, with a row per language and the sum below."""
    return [_table(_TITLES.get(source, source), sizes) for source, sizes in statistics.by_source().items()]


def _table(title: str, sizes: Mapping[str, TextStatistics]) -> Table:
    together = sum(sizes.values(), TextStatistics())
    table = Table(title=title, title_justify="left", show_footer=len(sizes) > 1)
    table.add_column("language", footer="all")
    for column in fields(TextStatistics):
        table.add_column(column.name, footer=f"{getattr(together, column.name):,}", justify="right")
    for language, size in sizes.items():
        table.add_row(language, *(f"{count:,}" for count in astuple(size)))
    return table
