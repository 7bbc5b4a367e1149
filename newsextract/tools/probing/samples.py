"""The fetched articles as `auto` reads them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING

from newsextract.page.page import Page, PageError
from newsextract.reading.article_reader import read_article
from newsextract.reading.page_kinds.page_kind import ARTICLE_LIKE
from newsextract.tools.probing.obstacles import is_consent_wall, script_need

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from newsextract.article import Article
    from newsextract.tools.probing.fetched_site import FoundPage

FIRST_CHARS = 140
"""Characters shown of a body."""

LEAST_WORDS = 40
"""A body with fewer words does not show how well the site is read."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One article, or why the page is not one."""

    url: str
    trouble: str | None = None
    needs_script: bool = False
    is_wall: bool = False
    kind: str | None = None
    """The kind of page: `article`, `listing`, …."""
    title: str | None = None
    date: str | None = None
    date_source: str | None = None
    authors: tuple[str, ...] = ()
    words: int = 0
    confidence: float | None = None
    first_words: str = ""
    language: str | None = None
    is_paid: bool = False

    @property
    def is_read(self) -> bool:
        """Whether an article was read."""
        is_hidden = self.trouble is not None or self.needs_script or self.is_wall
        return not is_hidden and self.kind in ARTICLE_LIKE and self.words >= LEAST_WORDS


def read_sample(found: FoundPage, extractor: str) -> Sample:
    """Read a page with an extractor."""
    if found.page is None:
        return Sample(found.url, trouble=found.trouble)
    try:
        article = read_article(found.page, extractor=extractor)
        return _sample(found.page, article)
    except PageError as error:
        return Sample(found.url, trouble=str(error))


def _sample(page: Page, article: Article) -> Sample:
    report = article.extraction
    words = article.wordCount or 0
    return Sample(
        page.url or "",
        needs_script=words < LEAST_WORDS and script_need(page) is not None,
        is_wall=words < LEAST_WORDS and is_consent_wall(page),
        kind=article.metadata.pageKind if article.metadata else None,
        title=article.headline,
        date=article.datePublished,
        date_source=report.sources.get("datePublished") if report else None,
        authors=tuple(author.name for author in article.authors or () if author.name),
        words=words,
        confidence=report.confidence if report else None,
        first_words=shorten((article.articleBody or "")[: FIRST_CHARS * 2], FIRST_CHARS, placeholder=" …"),
        language=article.inLanguage,
        is_paid=article.isAccessibleForFree is False or bool(article.paywalledParts),
    )


def main_language(samples: Iterable[Sample]) -> str | None:
    """Return the language of most articles, without script and region; `None` if none is known."""
    found = Counter(sample.language.partition("-")[0].lower() for sample in samples if sample.language)
    return found.most_common(1)[0][0] if found else None


def paid_share(samples: Sequence[Sample]) -> float | None:
    """Return the share of articles that declare themselves not free; `None` if no article was read."""
    read = [sample for sample in samples if sample.is_read]
    return sum(sample.is_paid for sample in read) / len(read) if read else None
