"""The fetched articles as `auto` reads them, and the obstacles on a page: text that needs JavaScript, consent walls."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.page.page import Page, PageError
from newsextract.reading.notices import ARTICLE_LIKE
from newsextract.reading.reader import read_article
from newsextract.reading.script_need import SHELL_WORDS, count_of_words, script_need

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.html import HtmlElement

    from newsextract.article import Article

WALL_WORDS = 400
"""Words of a consent wall at most; a page with more has its articles beside the banner."""

_CONSENT_HOST = re.compile(r"^(?:consent|privacy|cmp|gdpr|cookie|myprivacy)[.-]|[.-]consent\.", re.IGNORECASE)
_CONSENT_PATH = re.compile(
    r"/(?:consent|cookie-?(?:wall|consent)|privacy-?(?:wall|gate)|gdpr|cmp)(?:[/?.-]|$)", re.IGNORECASE
)
_CONSENT_WORDS = re.compile(
    r"cookie|consent|accept all|i agree|we value your privacy|our partners|gdpr|zustimm|alle akzeptieren|einwillig"
    r"|tout accepter|accepter et|consentement|aceptar|consentimiento|accetta|consenso|akkoord|toestemming|samtyck"
    r"|zgod|同意",
    re.IGNORECASE,
)
_LEAST_CONSENT_WORDS = 2
"""Distinct links."""


def is_consent_wall(page: Page) -> bool:
    """Return whether a page asks for consent instead of showing its content."""
    parts = urlsplit(page.url or "")
    if _CONSENT_HOST.search(parts.hostname or "") or _CONSENT_PATH.search(parts.path):
        return True
    if not SHELL_WORDS // 6 <= count_of_words(page) <= WALL_WORDS:
        return False
    said = " ".join(block.text for block in page.blocks if block.text)
    found = {match[0].lower() for match in _CONSENT_WORDS.finditer(said)}
    return len(found) >= _LEAST_CONSENT_WORDS and page.tree.find(".//article") is None and _is_asked(page.tree)


def _is_asked(tree: HtmlElement) -> bool:
    """Return whether a page has a button and hardly any links."""
    links = sum(1 for link in tree.iter("a") if link.get("href"))
    return next(tree.iter("button", "form", "input"), None) is not None and links <= 12


FIRST_CHARS = 140
"""Characters shown of a body."""

LEAST_WORDS = 40
"""A body with fewer words does not show how well the site is read."""


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that a crawl would fetch."""

    url: str
    page: Page | None = None
    trouble: str | None = None
    """Why it could not be fetched."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One article, or why the page is not one."""

    url: str
    asked: str
    """The address that a source lists, before redirects."""
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
        return self.is_shown and self.kind in ARTICLE_LIKE and self.words >= LEAST_WORDS

    @property
    def is_shown(self) -> bool:
        """Whether the page shows its text."""
        return self.trouble is None and not self.needs_script and not self.is_wall

    @property
    def is_other(self) -> bool:
        """Whether it is a readable page of another kind, such as a listing."""
        return self.is_shown and self.kind not in ARTICLE_LIKE


def read_sample(found: FoundPage, extractor: str) -> Sample:
    """Read a page with an extractor."""
    if found.page is None:
        return Sample(found.url, found.url, trouble=found.trouble)
    try:
        article = read_article(found.page, extractor=extractor)
        return _sample(found, found.page, article)
    except PageError as error:
        return Sample(found.url, found.url, trouble=str(error))


def _sample(found: FoundPage, page: Page, article: Article) -> Sample:
    report = article.extraction
    words = article.wordCount or 0
    return Sample(
        page.url or "",
        found.url,
        needs_script=words < LEAST_WORDS and script_need(page) is not None,
        is_wall=words < LEAST_WORDS and is_consent_wall(page),
        kind=article.metadata.pageKind if article.metadata else None,
        title=article.headline,
        date=article.datePublished,
        date_source=report.sources.get("datePublished") if report else None,
        authors=tuple(author.name for author in article.authors or () if author.name),
        words=words,
        confidence=report.confidence if report else None,
        first_words=_beginning(article.articleBody or ""),
        language=article.inLanguage,
        is_paid=article.isAccessibleForFree is False or bool(article.paywalledParts),
    )


def _beginning(text: str) -> str:
    """Return the first words; where words have no spaces between them, the first characters.

    >>> _beginning("雨" * 1000).count("雨") == FIRST_CHARS - 2
    True
    """
    whole = " ".join(text[: FIRST_CHARS * 2].split())
    words = shorten(whole, FIRST_CHARS, placeholder=" …")
    return words if len(words) > FIRST_CHARS // 2 or words == whole else f"{whole[: FIRST_CHARS - 2]} …"


def main_language(samples: Iterable[Sample]) -> str | None:
    """Return the language of most articles, without script and region; `None` if none is known."""
    found = Counter(sample.language.partition("-")[0].lower() for sample in samples if sample.language)
    return found.most_common(1)[0][0] if found else None


def paid_share(samples: Sequence[Sample]) -> float | None:
    """Return the share of articles that declare themselves not free; `None` if no article was read."""
    read = [sample for sample in samples if sample.is_read]
    return sum(sample.is_paid for sample in read) / len(read) if read else None
