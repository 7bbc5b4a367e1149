"""Search a page's data for the object of its article: one that has the page's headline or URL, and running text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.page.page import Page
from newsextract.reading.hydration.data_tree import MAX_NODES, unfolded
from newsextract.reading.hydration.literal_scanner import MAX_DEPTH, Budget
from newsextract.reading.hydration.object_signs import TITLE_KEY, Subject, is_title, signs_of
from newsextract.reading.hydration.page_values import MAX_CHARS, MAX_LITERAL_CHARS, page_values
from newsextract.reading.hydration.rich_text import is_element, kind_of, markup_of
from newsextract.reading.hydration.running_text import sentence_words
from newsextract.reading.metadata.page_clues import Clues

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.page.blocks import Block

LEAST_WORDS = 50
"""Words in sentences: a lead or a description has fewer."""
_LEAST_DOUBTFUL_WORDS = 100
"""The same for an object without a date, or without a headline of its own."""
_LEAST_SENTENCES = 0.5
"""Share of a text's words that must be in sentences; tables of labels have none."""
_MAX_TEXTS = 2_000
"""Texts tried of one page."""
_MAX_MARKUP_CHARS = 2_000_000
"""Characters of one text."""
_MAX_TRIED_CHARS = 2_000_000
"""Characters of all texts tried of one page: references can put one long text into many objects."""
_BESIDE = re.compile(
    r"comment|related|recommend|most_?read|popular|trending|navigation|^nav|menu|footer|header$|^faq|disclaimer|legal|"
    r"cookie|consent|policy|privacy|terms|^bio|biograph|newsletter|i18n|translat|messages|locale|author|byline|caption|"
    r"^seo$|^meta$|advert|promo|sidebar|review|rating|feedback|teaser|read_?more|next_?article|prev(?:ious)?_?article|see_?also|widget|config",
    re.IGNORECASE,
)
"""Keys of what stands beside an article, whatever the site."""
_NO_STORY = re.compile(
    r"post_?stream|posts?_?count|topic_?(?:id|slug)|thread_?(?:id|tools)|tid|main_?pid|reply_?to\w*|(?:list_|sale_)?price|sku|gtin\d*|in_?stock|"
    r"offers|cart|rating|reviews?|review_?count|aggregate_?rating",
    re.IGNORECASE,
)
"""Keys of threads and products, which have texts and dates, too."""
_LAYOUT = re.compile(r"nav|navigation|menus?|footer|header|layout", re.IGNORECASE)
"""Keys of an object that is about the whole page."""
_READERS = re.compile(r"user(?:_?name)?|nick_?name|commenter|(?:up|down)_?votes?|(?:in_?)?reply_?to\w*", re.IGNORECASE)
"""Keys of what readers write, in a list under whatever name."""
_LABEL_CHARS = 20
"""Shorter strings are labels."""
_LEAST_CHARS = 100
"""Characters of longer strings that an object with a text has, in any script."""
_LINKED_KEY = re.compile(r"url|href|slug|permalink|^link$|^path$|canonical|date|publish", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HydratedArticle:
    """An article that the data of a page holds."""

    place: str
    """Where in the page it is: the id of a script, or the name of a variable."""
    node: dict[str, object]
    weight: int
    """How much says that it is this page's, see `Signs`."""
    blocks: tuple[Block, ...]
    """The text, as blocks of a page of its own."""
    words: int
    """Words in sentences."""


def search_data(page: Page) -> tuple[HydratedArticle | None, bool]:
    """Return the article in the data of a page, and whether some of the data exceeds what is read of one page.

    The article is `None` if there is none, or none that says to be this page's.
    """
    search = _Search(Subject(Clues(page)))
    budgets = [Budget(most) for most in (MAX_CHARS, MAX_LITERAL_CHARS, MAX_CHARS, MAX_NODES)]
    for place, value in page_values(page, *budgets[:2]):
        if isinstance(value, (dict, list, str)):
            search.walk(place, unfolded(value, *budgets[2:]), 0)
    best = max(search.found, key=lambda one: (one.weight, one.words), default=None)
    return best, search.is_cut or any(budget.is_spent for budget in budgets)


class _Search:
    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.found: list[HydratedArticle] = []
        self.texts = _MAX_TEXTS
        self.chars = _MAX_TRIED_CHARS

    @property
    def is_cut(self) -> bool:
        """Whether texts were left that were not tried."""
        return self.texts < 0 or self.chars < 0

    def walk(self, place: str, value: object, depth: int) -> tuple[int, int]:
        """Add the candidates among a value and what is inside.

        Return the words of the best of these, and the characters of the longer strings.
        """
        if depth > MAX_DEPTH:
            return 0, 0
        inner = list(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
        walked = [self.walk(place, each, depth + 1) for each in inner if isinstance(each, (dict, list))]
        inside = max((words for words, _ in walked), default=0)
        chars = sum(held for _, held in walked)
        chars += sum(len(text) for text in inner if isinstance(text, str) and len(text) >= _LABEL_CHARS)
        # The object that holds the article's is about all sorts of things.
        if inside or chars < _LEAST_CHARS or not isinstance(value, dict):
            return inside, chars
        return self._judged(place, value), chars

    def _judged(self, place: str, node: dict[str, object]) -> int:
        """Add an object to the candidates if it is the page's article; return its words, else 0.

        An object of the page that is no story counts as one word: what is around it is none, either.
        """
        signs = signs_of(node, self.subject)
        if not signs.weight:
            return 0
        if any(map(_NO_STORY.fullmatch, node)):
            return 1
        least = LEAST_WORDS if signs.is_titled and signs.is_dated else _LEAST_DOUBTFUL_WORDS
        if not signs.is_titled and (not signs.is_dated or any(map(_LAYOUT.fullmatch, node))):
            return 0
        blocks = self._body(node)
        words = sum(sentence_words(block.text) for block in blocks)
        total = sum(len(block.text) for block in blocks)
        said = sum(len(block.text) for block in blocks if sentence_words(block.text))
        if words < least or said < _LEAST_SENTENCES * total:
            return 0
        self.found.append(HydratedArticle(place, node, signs.weight, blocks, words))
        return words

    def _body(self, node: dict[str, object]) -> tuple[Block, ...]:
        """Return the text of an object: that of its key with the most sentences."""
        best: tuple[Block, ...] = ()
        most = (0, 0)
        for markup in self._texts(node, 0):
            tried = markup[:_MAX_MARKUP_CHARS]
            self.texts -= 1
            self.chars -= len(tried)
            if self.is_cut:
                break
            blocks = Page(tried, self.subject.clues.page.url).blocks if tried else ()
            words = sum(sentence_words(block.text) for block in blocks)
            if (words // 10, len(blocks)) > most:  # the same text twice: the one with paragraphs
                best, most = blocks, (words // 10, len(blocks))
        return tuple(block for block in best if not self._is_headline(block))

    def _is_headline(self, block: Block) -> bool:
        return block.tag in ("h1", "h2") and self.subject.is_title(block.text)

    def _texts(self, node: dict[str, object], depth: int) -> Iterator[str]:
        """Yield the texts of an object's keys, and of the objects inside it that are not about something else."""
        for key, value in node.items():
            if depth > 6 or _BESIDE.search(key) or (isinstance(value, str) and len(value) < _LABEL_CHARS):
                continue
            if isinstance(value, str):
                yield markup_of(value)
            elif isinstance(value, list):
                yield markup_of(self._own(value))
            elif isinstance(value, dict) and not self._is_foreign(value):
                if kind_of(value) or "children" in value:
                    yield markup_of(value)
                yield from self._texts(value, depth + 1)

    def _own(self, values: list[object]) -> list[object]:
        if is_element(values):
            return values
        return [each for each in values if not (isinstance(each, dict) and self._is_beside(each))]

    def _is_beside(self, node: dict[str, object]) -> bool:
        """Tell whether an object in a list is a reader's comment, or about another article."""
        return any(map(_READERS.fullmatch, node)) or self._is_foreign(node)

    def _is_foreign(self, node: dict[str, object]) -> bool:
        """Tell whether an object is about another article: it has a headline and an address or a date of its own."""
        titles = [text for key, text in node.items() if isinstance(text, str) and TITLE_KEY.search(key)]
        other = [text for text in titles if is_title(text)]
        linked = any(_LINKED_KEY.search(key) and value for key, value in node.items())
        return bool(other) and linked and not any(map(self.subject.is_title, other))
