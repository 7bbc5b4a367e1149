"""Choose the schema.org nodes that are about the page's article.

A page may describe its teasers, its site and other pages' articles with the same types.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from newsextract.reading.metadata.page_clues import Clues
from newsextract.reading.metadata.page_urls import absolute, is_home
from newsextract.reading.metadata.schema.schema_nodes import text_of, texts_of, types_of
from newsextract.reading.metadata.text_folding import fold
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.page.page import Page
    from newsextract.reading.metadata.schema.schema_nodes import Graph, Node

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


@dataclass(frozen=True, slots=True)
class Standing:
    """How well a node fits the page."""

    node: Node
    rank: int
    is_titled_so: bool
    is_here: bool
    is_elsewhere: bool

    @property
    def is_foreign(self) -> bool:
        """Whether the node is about another page: its URL is not ours, nor its headline."""
        return self.is_elsewhere and not self.is_titled_so

    @property
    def order(self) -> tuple[bool, int, bool]:
        """The sorting key: first the nodes known to be about this page, then by type, then by headline."""
        return not (self.is_here or self.is_titled_so), self.rank, not self.is_titled_so


def rank_of(node: Node) -> int | None:
    """Return the rank of the node's best type, or `None` if it cannot describe an article."""
    return min((RANKS[name] for name in types_of(node) if name in RANKS), default=None)


def choose_nodes(graph: Graph, clues: Clues) -> tuple[list[Node], list[Notice]]:
    """Return the nodes about this page's article, the best first, and a warning if all articles are foreign."""
    standings = list(_standings(graph, clues))
    own = sorted((one for one in standings if not one.is_foreign), key=lambda one: one.order)
    if own and (own[0].is_here or own[0].is_titled_so):
        own = [one for one in own if one.is_here or one.is_titled_so]
    articles = [one for one in standings if one.rank == 0]
    warnings = []
    if articles and all(one.is_foreign for one in articles):
        warnings.append(Notice(NoticeCode.OF_ANOTHER_PAGE, headline=_headline(articles[0].node)[:100]))
    return [one.node for one in own], warnings


def _standings(graph: Graph, clues: Clues) -> Iterator[Standing]:
    count = 0
    for node in graph.nodes:
        rank = rank_of(node)
        if rank is None or not node.keys() - _IDENTITY:  # a reference or an empty shell
            continue
        count += 1
        if count > _MAX_CANDIDATES:
            return
        yield _stand(node, rank, clues)


def _stand(node: Node, rank: int, clues: Clues) -> Standing:
    headline = _headline(node)
    stated = _addresses(node, clues.page.base_url)
    is_here = any(map(clues.is_own_address, stated))
    return Standing(
        node,
        rank,
        is_titled_so=bool(headline) and clues.is_headline(headline),
        is_here=is_here,
        is_elsewhere=bool(stated) and bool(clues.addresses) and not is_here,
    )


def _headline(node: Node) -> str:
    text = text_of(node.get("headline")) or text_of(node.get("name")) or ""
    return fold(text[:_MAX_HEADLINE_CHARS])


def _addresses(node: Node, base_url: str | None) -> Sequence[str]:
    """Return the URLs of the pages that a node says it is about, without site roots, which tell nothing."""
    stated = (url for key in ("url", "mainEntityOfPage", "@id") for url in texts_of(node.get(key), "@id", "url"))
    found = (absolute(url, base_url) for url in islice(filter(_is_address, stated), _MAX_ADDRESSES))
    return [url for url in found if url and not is_home(url)]


def _is_address(text: str) -> bool:
    """Tell whether a text is a URL or path rather than the name of a node.

    >>> _is_address("#article"), _is_address("True"), _is_address("/news/rain")
    (False, False, True)
    """
    return "/" in text


def article_body(page: Page) -> str | None:
    """Return the article's body from the page's JSON-LD, as text or HTML, or `None`."""
    clues = Clues(page)
    nodes, _ = choose_nodes(clues.linked_data.graph, clues)
    bodies = (text_of(node.get("articleBody")) for node in nodes if rank_of(node) == 0)
    return next(filter(None, bodies), None)
