"""Where a page says what: the evidence that tells a wrong annotation from a wrong answer.

Everything is searched without regard to what our own readers would choose: all values of all JSON-LD, all meta tags,
all `<time>` elements, the page's addresses, its text, and at last its bare source. A date in text counts when it has a
year; one that is written in numbers counts as each day that it may mean.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.contest.contest import source_text
from newsextract.lab.evaluation.measures.author_names import names_in
from newsextract.lab.evaluation.measures.metadata_scores import headline_words
from newsextract.lab.evaluation.metadata.written_days import days_in, has_day_in_source
from newsextract.reading.metadata.dates.iso_dates import read_date
from newsextract.reading.metadata.page_clues import Clues
from newsextract.reading.metadata.schema.json_text import load_values
from newsextract.reading.metadata.schema.schema_nodes import Graph, as_list, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.page.page import Page

_MAX_DATE_CHARS = 60
"""Longer values are sentences."""
_YEAR = re.compile(r"(?:19|20)\d\d|^\d{10}(?:\d{3})?$")
_MODIFIED = re.compile(r"modif|updat|revis", re.IGNORECASE)
_SIGNING = ("author", "creator")
"""Keys of JSON-LD that hold authors."""
_SIGNED = re.compile(r"author|creator|^byl", re.IGNORECASE)
_ADDRESS = re.compile(r"^@|^https?:|^www\.|\S@\S")
"""Accounts and addresses, which stand where names belong."""
_MAX_DEPTH = 12
_JSON_LD, _META, _TIME, _URL, _TEXT, _SOURCE = "json_ld", "meta", "time", "url", "text", "source"


@dataclass(frozen=True, slots=True)
class Place:
    """Something that a page states, and where: a key of JSON-LD or the name of a meta tag, with all above it."""

    source: str
    path: str
    text: str

    @property
    def name(self) -> str:
        """The place in a word, such as `json_ld:datePublished`."""
        return f"{self.source}:{self.path.rpartition('.')[2]}" if self.source in (_JSON_LD, _META) else self.source

    @property
    def is_modification(self) -> bool:
        """Whether the place says when the page was changed."""
        return _MODIFIED.search(self.path) is not None


class Evidence:
    """What a page states in its places; each kind is searched on first use."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clues = Clues(page)

    @cached_property
    def _linked(self) -> Sequence[object]:
        """The values of all JSON-LD."""
        scripts = (el.text for el in self.clues.elements["script"] if "ld+json" in el.get("type", "").lower())
        return [value for text in scripts if text for value in load_values(text)]

    @cached_property
    def structured(self) -> Sequence[Place]:
        """The texts of all JSON-LD and of all meta tags."""
        linked = [place for value in self._linked for place in _walk(value)]
        metas = [(name, text) for name, texts in self.clues.meta.items() for text in texts]
        return [*linked, *(Place(_META, name, text) for name, text in metas if not name.startswith("link:"))]

    @cached_property
    def dates(self) -> Sequence[Place]:
        """The dates that machines can read, in ISO 8601."""
        times = [
            Place(_TIME, _labels(el), el.get("datetime") or el.text_content()) for el in self.page.tree.iter("time")
        ]
        return [
            Place(place.source, place.path, iso)
            for place in (*self.structured, *times)
            if len(text := place.text.strip()) <= _MAX_DATE_CHARS and _YEAR.search(text) and (iso := read_date(text))
        ]

    @cached_property
    def text(self) -> str:
        """The text in the page's source, shown or hidden."""
        return source_text(self.page)

    def places_of_day(self, day: str) -> list[str]:
        """Return where a day is written; in the bare source only when it is nowhere else."""
        found = [place.name for place in self.dates if place.text.startswith(day)]
        found += [_URL] if any(day in days_in(url) for url in self.clues.addresses) else []
        found += [_TEXT] if day in self._days_in_text else []
        if not found and has_day_in_source(day, self.page.decoded.text):
            found = [_SOURCE]
        return list(dict.fromkeys(found))

    @cached_property
    def _days_in_text(self) -> frozenset[str]:
        return days_in(self.text)

    def places_of_headline(self, headline: str) -> list[str]:
        """Return which headings and structured texts are a headline, word for word."""
        wanted = headline_words(headline)
        stated = [*self.structured, *(Place("h1", "", text) for text in self.clues.headings)]
        stated.append(Place("title", "", self.clues.title))
        return list(dict.fromkeys(place.name for place in stated if headline_words(place.text) == wanted))

    def has_words(self, key: str) -> bool:
        """Tell whether words stand anywhere on the page in this order, be it in its source."""
        return f" {key} " in self._words or f" {key} " in self._source_words

    @cached_property
    def _words(self) -> str:
        texts = (self.clues.title, self.text, *(place.text for place in self.structured))
        return f" {' '.join(' '.join(headline_words(html.unescape(text))) for text in texts)} "

    @cached_property
    def _source_words(self) -> str:
        return f" {' '.join(headline_words(html.unescape(self.page.decoded.text)))} "

    @cached_property
    def structured_authors(self) -> frozenset[str]:
        """The names that JSON-LD and meta tags give for authors."""
        graph = Graph(self._linked)
        signed = (each for node in graph.nodes for key in _SIGNING for each in as_list(node.get(key)))
        linked = (graph.resolve(each) if isinstance(each, dict) else each for each in signed)
        tags = (text for name, texts in self.clues.meta.items() if _SIGNED.search(name) for text in texts)
        texts = (*(text for each in linked for text in texts_of(each, "name")), *tags)
        return names_in(text for text in texts if not _ADDRESS.search(text))


def _walk(value: object, path: str = "", depth: int = _MAX_DEPTH) -> Iterator[Place]:
    """Yield every text in a value with the keys that lead to it; `@type` of a node is none of them."""
    if isinstance(value, str):
        if value.strip():
            yield Place(_JSON_LD, path, value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield Place(_JSON_LD, path, str(value))
    elif depth and isinstance(value, list):
        for each in value:
            yield from _walk(each, path, depth - 1)
    elif depth and isinstance(value, dict):
        for key, each in value.items():
            yield from _walk(each, f"{path}.{key}" if path else key, depth - 1)


def _labels(el: object) -> str:
    get = getattr(el, "get", None)
    return " ".join(filter(None, (get("class"), get("itemprop")))).replace(".", " ") if get else ""
