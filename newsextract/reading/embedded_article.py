"""Find the article in the data that a page's scripts build it from, for pages that show none themselves."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from newsextract.article import Author
from newsextract.page.page import Page
from newsextract.page.rendering.renderer import paragraphs
from newsextract.page.text import UNSEGMENTED, count_words
from newsextract.reading.embedded_values import MAX_DEPTH, EmbeddedData
from newsextract.reading.metadata.clues import Clues, Refused
from newsextract.reading.metadata.comparing import absolute, agreement, fold, is_home, unescape, vocabulary
from newsextract.reading.metadata.precedence import FIELD_RULES, PRECEDENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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


@dataclass(frozen=True, slots=True)
class Signs:
    """What says that an object is the page's article."""

    is_titled: bool
    """It has the page's headline itself."""
    is_around: bool
    """An object inside it has the headline."""
    is_here: bool
    """It has the page's URL."""
    is_dated: bool

    @property
    def weight(self) -> int:
        """How much the signs say: the headline more than the URL; a date alone says nothing."""
        return 4 * self.is_titled + 2 * self.is_around + self.is_here


def signs_of(node: Mapping[str, object], subject: Subject) -> Signs:
    """Return what says that an object is the page's article."""
    around = any(isinstance(text, str) and subject.is_title(text) for _, text in scalars(node, _TITLE_DEPTH))
    here = any(subject.is_here(key, value) for key, value in scalars(node, 0))
    if not around and not here:
        return Signs(is_titled=False, is_around=False, is_here=False, is_dated=False)
    titled = around and any(map(subject.is_title, _own_titles(node)))
    dated = any(_is_date(key, value) for key, value in scalars(node, _TITLE_DEPTH))
    return Signs(titled, around, here, dated)


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
    return len(segment) >= _SLUG_CHARS and (segment.count("-") + segment.count("_") >= 1 or _has_digits(segment))


def _has_digits(segment: str) -> bool:
    return sum(sign.isdecimal() for sign in segment) >= _ID_CHARS


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


# Write as HTML what an object holds as its text: a string, a list of paragraphs, or a tree of rich text.
#
# Editors keep text as a tree of nodes with a kind and children. The kinds' names differ little (`heading`, `header`,
# `heading-2`), and where they say nothing, the form tells: texts beside one another are pieces of a paragraph.

Node = dict[str, object]

_KINDS = (
    "type",
    "nodeType",
    "_type",
    "blockType",
    "tag",
    "tagName",
    "style",
    "kind",
    "name",
    "blockName",
    "__typename",
)
_GENERIC = frozenset(("block", "normal", "unstyled"))
"""Kinds that tell nothing: in Portable Text the style of a block does."""
_MAX_KIND_CHARS = 40
_CHILDREN = ("children", "content", "content_elements", "nodes", "childNodes", "spans", "leaves", "blocks", "items")
_TEXTS = ("text", "value", "insert", "html", "content", "body", "markdown", "rendered", "__html", "copy")
_MARKUP = re.compile(
    r"</?(?:p|br|div|span|a|b|i|em|strong|h[1-6]|ul|ol|li|blockquote|figure|img)\b[^<>]*>", re.IGNORECASE
)
_ESCAPED = re.compile(r"&lt;/?(?:p|br|div|h[1-6]|ul|blockquote)\b", re.IGNORECASE)
_BLOCK_MARKUP = re.compile(r"<(?:p|div|h[1-6]|ul|ol|li|blockquote|br)\b", re.IGNORECASE)
_MARKDOWN = re.compile(
    r"^#{1,6} \S|\*\*\S[^*\n]{0,200}\*\*|\[[^\]\n]{1,200}\]\((?:https?:|/)|^[-*] \S|^> \S", re.MULTILINE
)
_MAX_MARKDOWN_CHARS = 200_000
_LEFT_OUT = re.compile(
    r"image|img|figure|picture|photo|video|audio|embed|iframe|advert|^ads?$|promo|related|newsletter|gallery|social|"
    r"tweet|twitter|instagram|youtube|script|^style$|divider|delimiter|widget|poll|teaser|interstitial|recommend|raw_html|link_?list",
    re.IGNORECASE,
)
_HEADING = re.compile(r"head(?:ing|er)?[-_ ]?(one|two|three|four|five|six|[1-6])?$|^h([1-6])$", re.IGNORECASE)
_QUOTE = re.compile(r"quote", re.IGNORECASE)
_ITEM = re.compile(r"list[-_]?item|^li$", re.IGNORECASE)
_INLINE = re.compile(
    r"^(?:text|span|a|link|autolink|hyperlink|entry-hyperlink|asset-hyperlink|strong|b|bold|em|i|italic|u|underline|"
    r"mark|code|small|sub|sup|mention|hard_?break|linebreak|br|abbr|cite|time|s|del|ins|q)$",
    re.IGNORECASE,
)
_BREAK = re.compile(r"^(?:hard_?break|linebreak|br)$", re.IGNORECASE)
_SENTENCE_ENDS = tuple('.!?…»”"。！？؟।')
_MOSTLY = 0.8
"""Share of texts beside one another that end a sentence, if each is a paragraph."""


_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\((https?:[^()\s\"]{1,500}|/[^()\s\"]{0,500})[^()\n]{0,100}\)")
_MARKDOWN_MARKS = re.compile(r"(\*\*|__)(?=\S)([^*_\n]{1,500})(?<=\S)\1")
_MARKDOWN_LINE = re.compile(r"(#{1,6}|[-*]|>) +(?=\S)")


def kind_of(node: Mapping[str, object]) -> str:
    """Return the kind that a node names, or an empty string."""
    named = (kind for key in _KINDS if isinstance(kind := node.get(key), str) and 0 < len(kind) <= _MAX_KIND_CHARS)
    return next((kind for kind in named if kind not in _GENERIC and " " not in kind), "")


def markup_of(value: object) -> str:
    """Return the text of a value as HTML, one element a paragraph; an empty string if it holds none."""
    if isinstance(value, str):
        return _of_string(value)
    if isinstance(value, list):
        return _of_list(value)
    return _of_node(value) if isinstance(value, dict) else ""


def _of_string(text: str) -> str:
    r"""Return a string as HTML, be it HTML, HTML escaped once more, Markdown or plain.

    >>> _of_string("## Rain\n\n**All day**, [they say](https://a.example/).")
    '<h2>Rain</h2><p>All day, <a href="https://a.example/">they say</a>.</p>'
    """
    if not _MARKUP.search(text) and _ESCAPED.search(text):
        text = unescape(text)
    if _BLOCK_MARKUP.search(text):
        return f"<div>{text}</div>"
    if _MARKUP.search(text):
        return "".join(f"<p>{line}</p>" for line in text.splitlines() if line.strip())
    if len(text) <= _MAX_MARKDOWN_CHARS and _MARKDOWN.search(text):
        return "".join(map(_of_markdown, re.split(r"\n\s*\n|\n(?=#{1,6} |[-*] |> )", text)))
    return paragraphs(unescape(text))


def _of_markdown(part: str) -> str:
    """Return a paragraph, heading, item or quotation in Markdown as HTML; of what is inside it, links are kept."""
    mark = _MARKDOWN_LINE.match(part.lstrip())
    kind = mark[1] if mark else ""
    tag = f"h{len(kind)}" if kind[:1] == "#" else "blockquote" if kind == ">" else "li" if kind else "p"
    plain = _MARKDOWN_MARKS.sub(r"\2", part.lstrip()[mark.end() if mark else 0 :])
    return _wrapped(tag, _MARKDOWN_LINK.sub(r'<a href="\2">\1</a>', html.escape(plain, quote=False)))


def _of_list(values: Sequence[object]) -> str:
    if any(map(_is_inline, values)) and not all(isinstance(each, str) for each in values) and not _are_blocks(values):
        return _wrapped("p", _inline(values))
    return "".join(map(markup_of, values))


def _of_node(node: Node) -> str:
    kind = kind_of(node)
    if _LEFT_OUT.search(kind):
        return ""
    tag = _tag_of(kind, node)
    children = next((each for key in _CHILDREN if isinstance(each := node.get(key), list) and each), None)
    if children is not None:
        if tag == "p" and all(isinstance(each, str) for each in children) and "para" not in kind.lower():
            return _of_list(children)
        if any(map(_is_inline, children)) and not (tag == "ul" or _are_blocks(children)):
            return _wrapped("p" if tag == "ul" else tag, _inline(children))
        inner = "".join(_wrapped("li", _inline([each])) if tag == "ul" and isinstance(each, str) else markup_of(each)
                        for each in children)  # fmt: skip
        return _wrapped(tag, inner) if tag in ("ul", "blockquote", "li") else inner
    if (text := _own_text(node)) is not None:
        markup = _of_string(text)
        return markup if tag == "p" or _BLOCK_MARKUP.match(text) else _wrapped(tag, _inline([text]))
    inner_values = (each for key, each in node.items() if isinstance(each, (dict, list)) and not _LEFT_OUT.search(key))
    found = [markup_of(each) for each in inner_values]
    longest = max(found, key=len, default="")
    return f"<{tag}>{_unwrapped(longest)}</{tag}>" if longest and tag not in ("p", "ul") else longest


def _are_blocks(children: Sequence[object]) -> bool:
    """Return whether children that look like texts are paragraphs of their own, by their markup or kind."""
    pieces = [each for each in children if _is_inline(each) and not isinstance(each, list)]
    texts = [_own_text(each) or "" if isinstance(each, dict) else str(each) for each in pieces]
    ended = sum(text.rstrip()[-1:] in _SENTENCE_ENDS for text in texts if text.strip())
    is_plain = not any(_has_marks(each) for each in children)
    return is_plain and len(texts) > 1 and ended >= _MOSTLY * len(texts)


def _has_marks(node: object) -> bool:
    return isinstance(node, dict) and any(node.get(key) for key in ("marks", "bold", "italic", "format"))


def _is_inline(value: object) -> bool:
    if isinstance(value, str):
        return True
    if not isinstance(value, dict):
        return False
    kind = kind_of(value)
    if kind:
        return bool(_INLINE.search(kind))
    return _own_text(value) is not None and not any(isinstance(value.get(key), list) for key in _CHILDREN)


def _inline(values: Sequence[object]) -> str:
    return "".join(map(_inline_one, values))


def _inline_one(value: object) -> str:
    if isinstance(value, str):
        return value if _MARKUP.search(value) else html.escape(unescape(value), quote=False)
    if isinstance(value, list):
        return _inline(value)
    if not isinstance(value, dict) or _LEFT_OUT.search(kind := kind_of(value)):
        return ""
    if _BREAK.search(kind):
        return "<br>"
    children = next((each for key in _CHILDREN if isinstance(each := value.get(key), list) and each), None)
    return _inline(children) if children is not None else _inline([_own_text(value) or ""])


def _own_text(node: Mapping[str, object]) -> str | None:
    return next((text for key in _TEXTS if isinstance(text := node.get(key), str) and text.strip()), None) or next(
        (text for key in _TEXTS if isinstance(text := node.get(key), str) and text), None
    )


def _tag_of(kind: str, node: Mapping[str, object]) -> str:
    if found := _HEADING.search(kind):
        level = found[1] or found[2] or node.get("level")
        return f"h{level}" if str(level) in "23456" and level else "h2"
    if _QUOTE.search(kind):
        return "blockquote"
    if _ITEM.search(kind) or node.get("listItem"):
        return "li"
    return "ul" if "list" in kind.lower() else "p"


def _wrapped(tag: str, inner: str) -> str:
    return f"<{tag}>{inner}</{tag}>" if inner.strip() else ""


def _unwrapped(markup: str) -> str:
    inner = markup.removeprefix("<p>").removesuffix("</p>")
    return inner if "<p>" not in inner and len(inner) == len(markup) - 7 else markup


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


def plain(markup: str) -> str:
    """Return a string of HTML without tags and entities."""
    return unescape(_TAG.sub(" ", markup)) if "<" in markup or "&" in markup else markup


def sentence_words(markup: str) -> int:
    """Return how many words a paragraph has, 0 if these are no sentences.

    >>> sentence_words("<p>The river rose by two metres in one night, says the mayor.</p>"), sentence_words("Read more")
    (12, 0)
    >>> sentence_words("https://a.example/1The river rose.id_asset=18236761index,followhttps://a.example/2.jpg")
    0
    """
    text = plain(markup)
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
                if kind_of(value):
                    yield markup_of(value)
                yield from self._texts(value, depth + 1)

    def _own(self, values: list[object]) -> list[object]:
        return [each for each in values if not (isinstance(each, dict) and self._is_beside(each))]

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

SOURCE = "hydration"
_DATE_KEYS = {
    "datePublished": re.compile(r"publi|first|display_?date|^date$|posted|released|^created", re.IGNORECASE),
    "dateModified": re.compile(r"modif|updat|changed|edited", re.IGNORECASE),
}
_DESCRIPTION_KEY = re.compile(
    r"^(?:description|standfirst|summary|excerpt|dek|sub_?(?:head|title).*|abstract)$", re.IGNORECASE
)
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
        checked = ((raw, FIELD_RULES[name].check(raw, clues)) for raw in _candidates(name, node, clues))
        usable = ((raw, value) for raw, value in checked if value and not isinstance(value, Refused))
        for raw, value in islice(usable, 1):
            found[name] = list(value) if isinstance(value, tuple) else value
            if name in _DATE_KEYS:
                found[f"{name}Raw"] = str(raw)
    sources = {**metadata.sources, **{name: SOURCE for name in found if name in _FIELDS}}
    return replace(metadata, **found, sources=sources)  # type: ignore[arg-type]  # each is checked by its field's rule


def _candidates(field: str, node: Mapping[str, object], clues: Clues) -> Iterator[Raw]:
    if field == "headline":
        subject = Subject(clues)
        texts = [(key, text) for key, text in scalars(node, 2) if isinstance(text, str)]
        own = [(key, text) for key, text in texts if "/" not in text and subject.is_title(text)]
        yield from (text for _, text in sorted(own, key=lambda one: not TITLE_KEY.search(one[0])))
    elif field == "authors":
        yield from _authors(node)
    elif field == "description":
        for key, text in scalars(node, _DEPTH):
            if isinstance(text, str) and _DESCRIPTION_KEY.search(key) and len(text) <= _MAX_CHARS:
                yield text
    else:
        for key, value in scalars(node, _DEPTH):
            if _DATE_KEYS[field].search(key) and (date := _date(value)):
                yield date


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
