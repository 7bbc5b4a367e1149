"""Find the article in the data that a page's scripts build it from, for pages that show none themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from newsextract.article import Author
from newsextract.page.lazy import cached_property
from newsextract.page.page import Page
from newsextract.page.text import UNSEGMENTED, count_words
from newsextract.reading.embedded_values import EmbeddedData
from newsextract.reading.metadata.clues import Clues, Refused
from newsextract.reading.metadata.comparing import absolute, agreement, fold, is_home, unescape, vocabulary
from newsextract.reading.metadata.precedence import FIELD_RULES, PRECEDENCE
from newsextract.reading.notices import HYDRATION
from newsextract.reading.rich_text import kind_of, markup_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from newsextract.page.blocks import Block
    from newsextract.reading.metadata.clues import Metadata, Raw


# What an object of a page's data says it is about: a headline, addresses, dates and authors.
#
# The names of keys are hints only: that a headline is the page's, its agreement with the page's titles tells.

_LEAST_TITLE_WORDS = 3
_LEAST_TITLE_CHARS, _MAX_TITLE_CHARS = 5, 300
_MAX_SCALARS = 400
"""Strings of one object that are looked at."""
_LEAST_AGREEMENT = 0.75
"""Share of the words of a headline and of a URL's slug that must be common."""
_LEAST_SLUG_WORDS = 3
_SLUG_CHARS, _ID_CHARS = 8, 4
"""Shorter last parts of a URL's path are sections, or numbers that occur anywhere."""
TITLE_KEY = re.compile(r"title|headline|heading|^name$|^label$", re.IGNORECASE)
_ADDRESS_KEY = re.compile(r"url|href|link|slug|path|permalink|uri|guid|^_?id$|canonical", re.IGNORECASE)
_TITLE_DEPTH = 2
"""Objects inside one another to a headline or a date: `seo.og.title`."""
_DATE = re.compile(r"\s*(?:19|20)\d\d[-/.]\d\d?[-/.]\d\d?")
_DATE_KEY = re.compile(r"date|publi|time|created|updated|at$", re.IGNORECASE)
_LEAST_STAMP = 600_000_000
"""Seconds since 1970: before news was on the web."""
_EXTENSION = re.compile(r"\.\w{2,5}$")


@dataclass
class Subject:
    """What a page is about, by its titles and its URLs."""

    clues: Clues
    _known: dict[str, bool] = field(default_factory=dict)
    """The texts that were compared with the titles: the same ones come again and again."""

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The page's titles without the name of the site."""
        bare = (self.clues.bare(title) for title in self.clues.titles)
        return tuple(title for title in bare if is_title(title))

    @cached_property
    def segments(self) -> frozenset[str]:
        """The last parts of the page's URLs that can only be its own, with and without an extension."""
        paths = (unquote(urlsplit(url).path).rstrip("/").rpartition("/")[2].lower() for url in self.clues.addresses)
        named = {part for path in paths for part in (path, _EXTENSION.sub("", path))}
        return frozenset(part for part in named if _is_telling(part))

    def is_title(self, text: str) -> bool:
        """Return whether a text is the page's headline, by its titles, or else by the slug of its URL."""
        if not _LEAST_TITLE_CHARS <= len(text) <= _MAX_TITLE_CHARS:
            return False
        if text not in self._known:
            self._known[text] = self._is_title(fold(text))
        return self._known[text]

    def _is_title(self, folded: str) -> bool:
        if not is_title(folded):
            return False
        return any(min(agreement(folded, title), agreement(title, folded)) >= 0.5 and
                   max(agreement(folded, title), agreement(title, folded)) >= _LEAST_AGREEMENT
                   for title in self.titles) or self._is_slug(folded)  # fmt: skip

    def _is_slug(self, title: str) -> bool:
        wanted = vocabulary(title)
        for segment in self.segments:
            said = frozenset(word for word in re.split(r"[^\w]+|_", segment) if len(word) > 2 and not word.isdecimal())
            if len(said) >= _LEAST_SLUG_WORDS and len(said & wanted) >= _LEAST_AGREEMENT * len(said):
                return True
        return False

    def is_here(self, key: str, value: object) -> bool:
        """Return whether the value of a key is the page's own URL, slug or number."""
        if not _ADDRESS_KEY.search(key) or isinstance(value, bool) or not isinstance(value, (str, int)):
            return False
        text = str(value)
        if text.strip("/").rpartition("/")[2].lower() in self.segments:
            return not text.startswith("http") or self._is_own(text)
        return "/" in text and len(text) > 1 and self._is_own(text)

    def _is_own(self, text: str) -> bool:
        url = absolute(text, self.clues.page.base_url)
        return url is not None and not is_home(url) and self.clues.is_own_address(url)


class Signs(NamedTuple):
    """What says that an object is the page's article."""

    weight: int
    """The page's headline of its own says most, then that of an object inside it, then the page's URL."""
    is_titled: bool
    """It has the page's headline itself."""
    is_dated: bool


def signs_of(node: Mapping[str, object], subject: Subject) -> Signs:
    """Return what says that an object is the page's article."""
    is_around = any(isinstance(text, str) and subject.is_title(text) for _, text in scalars(node, _TITLE_DEPTH))
    is_here = any(subject.is_here(key, value) for key, value in scalars(node, 0))
    if not is_around and not is_here:
        return Signs(0, is_titled=False, is_dated=False)
    is_titled = is_around and any(map(subject.is_title, _own_titles(node)))
    is_dated = any(_is_date(key, value) for key, value in scalars(node, _TITLE_DEPTH))
    return Signs(4 * is_titled + 2 * is_around + is_here, is_titled, is_dated)


def _own_titles(node: Mapping[str, object]) -> Iterator[str]:
    """Yield an object's titles; some are objects of their own, as in `{"title": {"rendered": "Rain"}}`."""
    for key, value in node.items():
        if TITLE_KEY.search(key):
            held = [value] if isinstance(value, str) else value.values() if isinstance(value, dict) else ()
            yield from (text for text in held if isinstance(text, str))


def _is_date(key: str, value: object) -> bool:
    if isinstance(value, str):
        return _DATE.match(value) is not None
    return isinstance(value, (int, float)) and value > _LEAST_STAMP and _DATE_KEY.search(key) is not None


def is_title(text: str) -> bool:
    """Return whether a text has as many words as a headline at least."""
    return count_words(text) >= _LEAST_TITLE_WORDS


def _is_telling(segment: str) -> bool:
    if segment.isdecimal():
        return len(segment) >= _ID_CHARS
    has_id = sum(sign.isdecimal() for sign in segment) >= _ID_CHARS
    return len(segment) >= _SLUG_CHARS and ("-" in segment or "_" in segment or has_id)


def scalars(node: Mapping[str, object], depth: int) -> Iterator[tuple[str, object]]:
    """Yield the keys and plain values of an object, and of those inside it, lists left out, as deep as `depth`."""
    inner: list[Mapping[str, object]] = []
    count = 0
    for key, value in node.items():
        if isinstance(value, dict):
            inner.append(value)
        elif not isinstance(value, list) and count < _MAX_SCALARS:
            count += 1
            yield key, value
    if depth:
        for each in inner[:50]:
            yield from scalars(each, depth - 1)


# Tell running sentences from the other strings of a page's data: labels, identifiers, code, addresses.

_TAG = re.compile(r"<[^<>]{0,2000}>")
_SENTENCE_END = re.compile(r"[.!?…։。！？؟۔।๏။៕]")
_SPACED = re.compile(r"\S\s+\S")
_UNSEGMENTED = re.compile(f"[{UNSEGMENTED}]")
_CODE_SIGNS = re.compile(r"[{}<>;=\[\]\\|_^~`#]")
_LEAST_WORDS = 8
_MOST_CODE = 0.03
"""Share of signs that programs and style sheets are full of."""
_LONGEST_WORDS = 25
"""Characters a word: texts without spaces have more, such as keys and images."""
_LONGEST_GAPS = 15
"""Characters from space to space: no language has so many on average, values of fields set in a row do."""


def sentence_words(markup: str) -> int:
    """Return how many words a paragraph has, 0 if these are no sentences.

    >>> sentence_words("<p>The river rose by two metres in one night, says the mayor.</p>"), sentence_words("Read more")
    (12, 0)
    >>> sentence_words("https://a.example/1The river rose.id_asset=18236761index,followhttps://a.example/2.jpg")
    0
    """
    text = unescape(_TAG.sub(" ", markup)) if "<" in markup or "&" in markup else markup
    count = count_words(text)
    if count < _LEAST_WORDS or len(text) > count * _LONGEST_WORDS:
        return 0
    if len(_CODE_SIGNS.findall(text)) > _MOST_CODE * len(text):
        return 0
    if _UNSEGMENTED.search(text):
        return count
    if len(text) > _LONGEST_GAPS * len(text.split()):
        return 0
    return count if _SENTENCE_END.search(text) and _SPACED.search(text) else 0


# Search a page's data for the object of its article: one that has the page's headline or URL, and running text.

LEAST_WORDS = 50
"""Words in sentences: a lead or a description has fewer."""
_LEAST_DOUBTFUL_WORDS = 100
"""The same for an object without a date, or without a headline of its own."""
_LEAST_SENTENCES = 0.5
"""Share of a text's words that must be in sentences; tables of labels have none."""
_MAX_TEXTS = 2_000
"""Texts tried of one page."""
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
    data = EmbeddedData(page)
    for place, tree in data.trees():
        search.walk(place, tree, 0)
    best = max(search.found, key=lambda one: (one.weight, one.words), default=None)
    return best, search.is_cut or data.is_cut


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
            self.texts -= 1
            self.chars -= len(markup)
            if self.is_cut:
                break
            blocks = Page(markup, self.subject.clues.page.url).blocks if markup else ()
            words = sum(sentence_words(block.text) for block in blocks)
            if (words // 10, len(blocks)) > most:  # the same text twice: the one with paragraphs
                best, most = blocks, (words // 10, len(blocks))
        is_title = self.subject.is_title
        return tuple(block for block in best if block.tag not in ("h1", "h2") or not is_title(block.text))

    def _texts(self, node: dict[str, object], depth: int) -> Iterator[str]:
        """Yield the texts of an object's keys, and of the objects inside it that are not about something else."""
        for key, value in node.items():
            if depth > 6 or _BESIDE.search(key) or (isinstance(value, str) and len(value) < _LABEL_CHARS):
                continue
            if isinstance(value, str):
                yield markup_of(value)
            elif isinstance(value, list):
                yield markup_of([each for each in value if not (isinstance(each, dict) and self._is_beside(each))])
            elif isinstance(value, dict) and not self._is_foreign(value):
                if kind_of(value):
                    yield markup_of(value)
                yield from self._texts(value, depth + 1)

    def _is_beside(self, node: dict[str, object]) -> bool:
        """Return whether an object in a list is a reader's comment, or about another article."""
        return any(map(_READERS.fullmatch, node)) or self._is_foreign(node)

    def _is_foreign(self, node: dict[str, object]) -> bool:
        """Return whether an object is about another article: it has a headline and an address or a date of its own."""
        titles = [text for key, text in node.items() if isinstance(text, str) and TITLE_KEY.search(key)]
        other = [text for text in titles if is_title(text)]
        linked = any(_LINKED_KEY.search(key) and value for key, value in node.items())
        return bool(other) and linked and not any(map(self.subject.is_title, other))


# Read the fields of an article from the object that holds its text, where the page itself states none.

_KEYS = {
    "datePublished": re.compile(r"publi|first|display_?date|^date$|posted|released|^created", re.IGNORECASE),
    "dateModified": re.compile(r"modif|updat|changed|edited", re.IGNORECASE),
    "description": re.compile(
        r"^(?:description|standfirst|summary|excerpt|dek|sub_?(?:head|title).*|abstract)$", re.IGNORECASE
    ),
}
_AUTHOR_KEY = re.compile(r"author|byline|creator|writer|contributor", re.IGNORECASE)
_NAME_KEYS = ("name", "displayName", "display_name", "fullName", "full_name", "title", "text")
_MAX_AUTHORS = 20
_MAX_CHARS = 1_000
_SECONDS = (631_152_000, 4_102_444_800)
"""Seconds since 1970 of the years 1990 and 2100."""
_DEPTH = 1

_FIELDS = ("headline", "description", "datePublished", "dateModified", "authors")


def with_hydrated_fields(
    page: Page, node: Mapping[str, object], metadata: Metadata, precedence: Mapping[str, tuple[str, ...]] = PRECEDENCE
) -> Metadata:
    """Return the metadata with what the object that holds the body, `node`, states and the page lacks.

    Pages that show their article have them from elsewhere. The title of a window is no headline.
    A field without any source in `precedence` is not read.
    """
    clues = Clues(page)
    found: dict[str, object] = {}
    for name in filter(precedence.get, _FIELDS):
        is_guess = name == "headline" and metadata.sources.get(name) == "title"
        if getattr(metadata, name) and not is_guess:
            continue
        for raw in _candidates(name, node, clues):
            value = FIELD_RULES[name].check(raw, clues)
            if value and not isinstance(value, Refused):
                found[name] = list(value) if isinstance(value, tuple) else value
                if name.startswith("date"):
                    found[f"{name}Raw"] = str(raw)
                break
    sources = {**metadata.sources, **{name: HYDRATION for name in found if name in _FIELDS}}
    return replace(metadata, **found, sources=sources)  # type: ignore[arg-type]  # each is checked by its field's rule


def _candidates(field: str, node: Mapping[str, object], clues: Clues) -> Iterator[Raw]:
    if field == "headline":
        subject = Subject(clues)
        texts = sorted(scalars(node, _TITLE_DEPTH), key=lambda one: not TITLE_KEY.search(one[0]))
        yield from (text for _, text in texts if isinstance(text, str) and "/" not in text and subject.is_title(text))
    elif field == "authors":
        yield from _authors(node)
    else:
        for key, value in scalars(node, _DEPTH):
            if _KEYS[field].search(key) and (text := _description(value) if field == "description" else _date(value)):
                yield text


def _description(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= _MAX_CHARS else ""


def _date(value: object) -> str:
    """Return a date as text, be it text already or the seconds or milliseconds since 1970."""
    if isinstance(value, str):
        return value if any(map(str.isdecimal, value)) and len(value) <= 60 else ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    seconds = value / 1000 if value > _SECONDS[1] else value
    if not _SECONDS[0] <= seconds <= _SECONDS[1]:
        return ""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _authors(node: Mapping[str, object]) -> Iterator[Raw]:
    inner = [each for each in node.values() if isinstance(each, dict)]
    for each in (node, *inner[:20]):
        for key, value in each.items():
            if _AUTHOR_KEY.search(key):
                names = list(_names(value, 0))[:_MAX_AUTHORS]
                if names:
                    yield tuple(Author(name) for name in dict.fromkeys(names))


def _names(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if 2 < len(value) <= 100 and not value.isdecimal() and "/" not in value:
            yield value
    elif isinstance(value, list) and depth < 4:
        for each in value[:_MAX_AUTHORS]:
            yield from _names(each, depth + 1)
    elif isinstance(value, dict) and depth < 4:
        name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
        if name is not None:
            yield from _names(name, depth + 1)
        else:
            for inner in value.values():
                if isinstance(inner, (dict, list)):
                    yield from _names(inner, depth + 1)
