"""schema.org nodes: parse the JSON-LD of a page, look values up, and choose the nodes about the article."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias, cast

from newsextract.reading.metadata.comparing import absolute, fold, is_home
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lxml.html import HtmlElement

    from newsextract.reading.metadata.clues import Clues


# schema.org nodes of any syntax: mappings with a `@type`.
#
# Any value may be a string, a number, a list, a node or null.

Node: TypeAlias = Mapping[str, object]

_MAX_NODES = 5_000
"""Nodes read at most from a page: article pages have tens, shops and event calendars hundreds."""

_MAX_VALUES = 20_000
"""Values kept at one level of nesting: a limit against hostile lists of lists."""

MAX_TEXTS = 200
"""Texts read at most from one value: authors, images, keywords."""

_MAX_DEPTH = 12
"""Levels of nesting followed: a page whose graph includes its site and its authors' employers needs seven."""


class Graph:
    """All nodes of a page, with lookup of references by `@id`, and warnings about what could not be read."""

    def __init__(self, values: Iterable[object], warnings: Sequence[Notice] = ()) -> None:
        self.warnings = warnings
        self.nodes: Sequence[Node] = tuple(_walk(values))
        self._by_id: dict[str, Node] = {}
        self._texts: dict[tuple[int, tuple[str, ...]], list[str]] = {}
        for node in self.nodes:
            name = node.get("@id")
            # Nodes are often mentioned by reference before or after their description: the longest counts.
            if isinstance(name, str) and len(node) > len(self._by_id.get(name, ())):
                self._by_id[name] = node

    def resolve(self, node: Node) -> Node:
        """Return the node that a bare reference names, or else the node itself."""
        name = node.get("@id")
        if isinstance(name, str) and len(node) <= 2:
            return self._by_id.get(name, node)
        return node

    def texts(self, value: object, *keys: str) -> Sequence[str]:
        """Return up to `MAX_TEXTS` texts in a value, or in the node that it refers to.

        Each node is read once, however many values refer to it.
        """
        node = self.resolve(value) if isinstance(value, dict) else value
        if node is value:
            return list(islice(texts_of(value, *keys), MAX_TEXTS))
        place = id(node), keys
        if place not in self._texts:
            self._texts[place] = list(islice(texts_of(node, *keys), MAX_TEXTS))
        return self._texts[place]


def _walk(values: Iterable[object]) -> Iterator[Node]:
    """Yield the nodes level by level, so that top-level ones come before nested ones."""
    level = list(values)
    count = 0
    for _ in range(_MAX_DEPTH):
        below: list[object] = []
        for value in level:
            if isinstance(value, dict):
                yield value
                count += 1
                below.extend(child for child in value.values() if isinstance(child, dict | list))
            elif isinstance(value, list):
                below.extend(child for child in value if isinstance(child, dict | list))
            if count >= _MAX_NODES:
                return
        level = below[:_MAX_VALUES]


def types_of(node: Node) -> frozenset[str]:
    """Return the node's types without their vocabulary.

    >>> types_of({"@type": ["http://schema.org/NewsArticle"]})
    frozenset({'NewsArticle'})
    """
    types = node.get("@type")
    if isinstance(types, str):
        return frozenset((_bare(types),))
    return frozenset(_bare(name) for name in as_list(types) if isinstance(name, str))


def _bare(type_name: str) -> str:
    """Return the last part of a type's name.

    >>> _bare("schema:Article"), _bare("https://schema.org/Article")
    ('Article', 'Article')
    """
    if type_name.isalpha():
        return type_name
    return type_name.strip().rstrip("/").replace("#", "/").replace(":", "/").rpartition("/")[2]


def as_list(value: object) -> list[object]:
    """Return a list unchanged, any other value as a list of one, and null as an empty list."""
    if isinstance(value, list):
        return cast("list[object]", value)
    return [] if value is None else [value]


def text_of(value: object, *keys: str) -> str | None:
    """Return the first non-blank text in a value, or `None`; in nodes, look under these keys.

    >>> text_of([{"@value": ""}, {"@value": "Rain"}])
    'Rain'
    """
    return next(texts_of(value, *keys), None)


def texts_of(value: object, *keys: str, depth: int = 4) -> Iterator[str]:
    """Yield every non-blank text in a value, its lists, and these keys of its nodes."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, bool | int | float):
        yield str(value)
    elif depth and isinstance(value, list):
        for each in value[:MAX_TEXTS]:
            yield from texts_of(each, *keys, depth=depth - 1)
    elif depth and isinstance(value, dict):
        # The first key with a text stands for the node: other keys repeat it in other words.
        for key in ("@value", *keys):
            if found := list(islice(texts_of(value.get(key), *keys, depth=depth - 1), MAX_TEXTS)):
                yield from found
                return


# Parse the JSON-LD of a page, once for all who need it.
#
# Sites write it inside comments, with trailing commas, or several objects in a row.

_DECODER = json.JSONDecoder(strict=False)  # strict=False allows raw newlines and tabs inside strings

_WRAPPING = re.compile(
    r"<!--|-->|//\s*<!\[CDATA\[|//\s*\]\]>|/\*\s*<!\[CDATA\[\s*\*/|/\*\s*\]\]>\s*\*/|<!\[CDATA\[|\]\]>"
)
_VALUE = re.compile(r"[^\s,;\ufeff\x00]")
"""The beginning of a value: what stands between values is skipped."""
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_COMMENT = re.compile(r"^[^\S\n]*//.*$|/\*[^*]*\*/", re.MULTILINE)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufeff]")
_QUOTE = re.compile(r"(\\.)|([\[{,:]\s*)\"|\"(?=\s*[\]},:])|(\")")

_MAX_REPAIRED_CHARS = 200_000
"""Longer broken texts are not repaired: each repair scans the whole text."""

_MAX_CHARS = 1_000_000
"""Characters of JSON-LD read per page, about 20 ms of parsing; articles have a few thousand."""
_MAX_SCRIPTS = 300
"""Scripts read per page: articles have a handful, and repairing many broken ones takes long."""


def _unwrap(text: str) -> str:
    return _CONTROL.sub(" ", _WRAPPING.sub(" ", text))


def _mend_commas(text: str) -> str:
    return _TRAILING_COMMA.sub("", _COMMENT.sub("", text))


def _escape_inner_quotes(text: str) -> str:
    """Escape the quotes that neither open nor close a string."""
    return _QUOTE.sub(lambda match: '\\"' if match[3] else match[0], text)


_REPAIRS: tuple[Callable[[str], str], ...] = (_unwrap, _mend_commas, _escape_inner_quotes)
"""Repairs from the safest to the boldest; each is applied after the previous ones."""


def load_values(text: str) -> list[object]:
    """Return the JSON values in a text, or an empty list if it is beyond repair.

    >>> load_values('<!-- {"a": [1, 2,],} --> {"b": 3};')
    [{'a': [1, 2]}, {'b': 3}]
    """
    values, is_whole = _decode(text)
    if is_whole or len(text) > _MAX_REPAIRED_CHARS:
        return values
    for repair in _REPAIRS:
        text = repair(text)
        values, is_whole = _decode(text)
        if is_whole:
            break
    return values


def _decode(text: str) -> tuple[list[object], bool]:
    """Return the values in a row, and whether the text was parsed to its end."""
    values: list[object] = []
    position = 0
    try:
        while start := _VALUE.search(text, position):
            value, position = _DECODER.raw_decode(text, start.start())
            values.append(value)
    except (ValueError, RecursionError):
        return values, False
    return values, True


def read_scripts(scripts: Iterable[HtmlElement]) -> Graph:
    """Return the nodes of the JSON-LD among these scripts."""
    values: list[object] = []
    warnings: list[Notice] = []
    remaining_chars = _MAX_CHARS
    for text in islice(_texts(scripts), _MAX_SCRIPTS):
        if len(text) > remaining_chars:
            warnings.append(Notice(NoticeCode.TOO_MUCH_TO_READ, chars=len(text)))
            continue
        remaining_chars -= len(text)
        found = load_values(text)
        if not found:
            warnings.append(Notice(NoticeCode.BROKEN, start=text.strip()[:60]))
        values += found
    return Graph(values, warnings)


def _texts(scripts: Iterable[HtmlElement]) -> Iterator[str]:
    """Yield the non-blank texts of the scripts that are JSON-LD."""
    marked = (el for el in scripts if "ld+json" in el.get("type", "").lower())
    return (text for el in marked if (text := el.text) and text.strip())


# Choose the schema.org nodes that are about the page's article.
#
# A page may describe its teasers, its site and other pages' articles with the same types.

_TYPES: tuple[str, ...] = (
    """Article NewsArticle AdvertiserContentArticle SatiricalArticle ScholarlyArticle MedicalScholarlyArticle
    TechArticle APIReference Report AnalysisNewsArticle AskPublicNewsArticle BackgroundNewsArticle
    OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle SocialMediaPosting BlogPosting
    LiveBlogPosting DiscussionForumPosting""",
    "Recipe Review CriticReview ClaimReview HowTo CreativeWork Blog VideoObject PodcastEpisode",
    "WebPage ItemPage AboutPage QAPage MedicalWebPage",
)
"""Types of articles, then of works that pages are about, then of pages."""

RANKS = {name: rank for rank, names in enumerate(_TYPES) for name in names.split()}
"""The types that may carry an article's metadata, with their rank; 0 is the best."""

_IDENTITY = frozenset(("@type", "@id", "@context"))
_MAX_CANDIDATES = 60
"""Nodes compared with the page's titles: archives describe hundreds of articles, article pages a handful."""


_MAX_HEADLINE_CHARS = 2_000
_MAX_ADDRESSES = 20
"""URLs compared for one node: it has one, in three spellings."""


def rank_of(node: Node) -> int | None:
    """Return the rank of the node's best type, or `None` if it cannot describe an article."""
    return min((RANKS[name] for name in types_of(node) if name in RANKS), default=None)


def choose_nodes(graph: Graph, clues: Clues) -> tuple[list[Node], list[Notice]]:
    """Return the nodes about this page's article, the best first, and a warning if all articles are of other pages.

    A node is of another page if its URL is not ours, nor its headline. First come the nodes known to be ours by either;
    if there are any, only these count. Then the type decides, then the headline.
    """
    own: list[tuple[bool, int, bool, Node]] = []
    foreign: list[str] = []
    ranked = (
        (rank_of(node), node) for node in graph.nodes if node.keys() - _IDENTITY
    )  # no references, no empty shells
    for rank, node in islice(((rank, node) for rank, node in ranked if rank is not None), _MAX_CANDIDATES):
        headline, stated = _headline(node), _addresses(node, clues.page.base_url)
        is_titled_so = bool(headline) and clues.is_headline(headline)
        is_ours = is_titled_so or any(map(clues.is_own_address, stated))
        if is_ours or not stated or not clues.addresses:
            own.append((not is_ours, rank, not is_titled_so, node))
        elif rank == 0:
            foreign.append(headline)
    own.sort(key=itemgetter(0, 1, 2))
    nodes = [node for is_doubtful, _, _, node in own if is_doubtful == own[0][0]]
    is_elsewhere = foreign and all(rank for _, rank, _, _ in own)
    return nodes, [Notice(NoticeCode.OF_ANOTHER_PAGE, headline=foreign[0][:100])] if is_elsewhere else []


def _headline(node: Node) -> str:
    text = text_of(node.get("headline")) or text_of(node.get("name")) or ""
    return fold(text[:_MAX_HEADLINE_CHARS])


def _addresses(node: Node, base_url: str | None) -> Sequence[str]:
    """Return the URLs of the pages that a node says it is about, without site roots, which tell nothing."""
    stated = (url for key in ("url", "mainEntityOfPage", "@id") for url in texts_of(node.get(key), "@id", "url"))
    found = (absolute(url, base_url) for url in islice(filter(_is_address, stated), _MAX_ADDRESSES))
    return [url for url in found if url and not is_home(url)]


def _is_address(text: str) -> bool:
    """Return whether a text is a URL or path rather than the name of a node.

    >>> _is_address("#article"), _is_address("True"), _is_address("/news/rain")
    (False, False, True)
    """
    return "/" in text
